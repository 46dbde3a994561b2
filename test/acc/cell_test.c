/* The cell's certificate: the exact sum lies in its enclosure, also for sequences that
 * are chosen step by step to make the error as large as it gets; and the bound is not
 * much larger than that error. */
#include "acc/cell.h"

#include "adversarial.h"
#include "oracle.h"
#include "scatter_case.h"
#include "testing.h"

#include <math.h>

enum { LONGEST = 3000 };

/* |sum - (h + l)| / e of the cell after n terms; NaN-free data. 0 / 0 counts as 0. */
static double used_part_of_bound(int n, const double *x)
{
    exb_cell cell = exb_cell_empty();
    ORACLE(o);
    for (int i = 0; i < n; i++) {
        exb_cell_add(&cell, x[i]);
        oracle_add(&o, x[i]);
    }
    exb_enclosure v = exb_cell_enclosure(&cell, 0);
    oracle_add(&o, -v.h);
    oracle_add(&o, -v.l);
    double error = fabs(oracle_round(&o, FORMAT_D));
    if (v.exact || error == 0)
        return v.exact && error != 0 ? (double)INFINITY : 0;
    return isfinite(v.h) && isfinite(v.e) ? error / v.e : 0;
}

static void enclosure_holds_adversarial_sums(NO_STATE)
{
    static double x[LONGEST];
    test_random r = test_random_start(test_seed(), "cell");
    for (int round = 0; round < 600; round++) {
        int n = (int)random_between(&r, 1, round % 50 == 0 ? LONGEST : 60);
        terms_fill((size_t)round % terms_kinds(), &r, FORMAT_D, n, x);
        assert_true(used_part_of_bound(n, x) <= 1);
    }
}

static void enclosure_holds_drifting_sums(NO_STATE)
{
    static double x[LONGEST];
    double most = 0;
    test_random r = test_random_start(test_seed(), "cell drift");
    for (int round = 0; round < 60; round++) {
        int n = (int)random_between(&r, 2, round % 20 == 0 ? 600 : 40);
        drifting_terms(&r, n, x);
        double used = used_part_of_bound(n, x);
        most = used > most ? used : most;
    }
    print_message("# largest error: %.2f of the bound\n", most);
    assert_true(most <= 1);
    assert_true(most > 0.5);
}

/* Multiples of some 2^g around the limit up to which c is exact: what is called exact is. */
static void exact_cells_are_exact(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "cell exact");
    int n_exact = 0, n_rounded = 0;
    ORACLE(o);
    for (int round = 0; round < 2000; round++) {
        exb_cell cell = exb_cell_empty();
        int n = (int)random_between(&r, 2, 60), lowest = (int)random_between(&r, -65, -40);
        double least = (double)INFINITY;
        oracle_reset(&o);
        for (int i = 0; i < n; i++) {
            double x = random_number(&r, FORMAT_D, i ? (int)random_between(&r, lowest, -40) : 0);
            least = fabs(x) < least ? fabs(x) : least;
            exb_cell_add(&cell, x);
            oracle_add(&o, x);
        }
        exb_enclosure v = exb_cell_enclosure(&cell, exb_cell_exact_to(least, 53));
        oracle_add(&o, -v.h);
        oracle_add(&o, -v.l);
        bool is_exact = oracle_round(&o, FORMAT_D) == 0;
        assert_true(is_exact || !v.exact);
        n_exact += v.exact;
        n_rounded += !is_exact;
    }
    assert_true(n_exact > 100);
    assert_true(n_rounded > 100);
}

static void empty_and_zero(NO_STATE)
{
    exb_cell cell = exb_cell_empty();
    assert_true(exb_cell_is_empty(&cell));
    exb_cell_add(&cell, -0.0);
    assert_false(exb_cell_is_empty(&cell));
    assert_true(exb_cell_enclosure(&cell, 0).exact);
    cell = exb_cell_empty();
    exb_cell_add(&cell, (double)INFINITY);
    exb_cell_add(&cell, -(double)INFINITY);
    assert_false(exb_cell_is_empty(&cell));
    assert_false(exb_cell_enclosure(&cell, 0).exact);
    double ignored;
    assert_false(exb_enclosure_round_d(exb_cell_enclosure(&cell, 0), &ignored));
}

TESTS(empty_and_zero, exact_cells_are_exact, enclosure_holds_adversarial_sums,
      enclosure_holds_drifting_sums)
