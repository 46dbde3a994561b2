/* Expansions, through the kernels of every instruction set: the terms that remain and
 * the residues that spill are together the exact sum, for 2 to 8 terms. */
#include "core/kernels.h"
#include "core/arith/round.h"

#include "adversarial.h"
#include "isa_from.h"
#include "level1_reduce_d.h"
#include "oracle.h"
#include "testing.h"

static const struct {
    int n_terms;
    bool early_exit;
} kinds[] = {{2, false}, {3, false}, {4, false}, {5, false}, {6, false},
             {7, false}, {8, false}, {4, true},  {6, true},  {8, true}};
enum { N_KINDS = sizeof kinds / sizeof *kinds, LENGTH = 131 };

static int64_t n_spills = INT64_MAX;

static void check(int kind, exb_term term, int64_t n, const double *x, const double *y)
{
    exb_product_acc storage;
    exb_superacc *a = exb_product_acc_init(&storage);
    ORACLE(o);
    int64_t done = exb_kernels_current()->d.expand(kinds[kind].n_terms, kinds[kind].early_exit,
                                                   n_spills, term, n, x, y, a);
    assert_true(done == n || (done < n && n_spills < INT64_MAX));
    n = done; /* where it gave up, what is done is exact */
    for (int64_t i = 0; i < n; i++) {
        if (term == EXB_TERM_XY)
            oracle_add_product(&o, x[i], y[i]);
        else
            oracle_add(&o, term == EXB_TERM_X ? x[i] : fabs(x[i]));
    }
    assert_same_bits(exb_superacc_round(exb_format_d(), a), oracle_round(&o, FORMAT_D));
}

static void adversarial_sums(NO_STATE)
{
    double x[LENGTH], y[LENGTH];
    test_random r = test_random_start(test_seed(), "expansions");
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        for (int kind = 0; kind < N_KINDS; kind++)
            for (size_t data = 0; data < terms_kinds() + factors_kinds(); data++) {
                int64_t n = random_between(&r, 0, LENGTH);
                if (data < terms_kinds()) {
                    terms_fill(data, &r, FORMAT_D, n, x);
                    check(kind, EXB_TERM_X, n, x, NULL);
                    check(kind, EXB_TERM_ABS_X, n, x, NULL);
                } else {
                    factors_fill(data - terms_kinds(), &r, FORMAT_D, n, x, y);
                    check(kind, EXB_TERM_XY, n, x, y);
                }
            }
    }
}

/* Giving up after a few spills leaves an exact sum of the terms that are done. */
static void gives_up(void **state)
{
    for (n_spills = 0; n_spills < 5; n_spills++)
        adversarial_sums(state);
    n_spills = INT64_MAX;
}

/* Each number in its own binade leaves the expansion by the last term: residues. */
static void residues(NO_STATE)
{
    double x[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        x[i] = power_of_two(i * 16 - 1070) * (i & 1 ? -1.5 : 1.25);
    for (int kind = 0; kind < N_KINDS; kind++)
        check(kind, EXB_TERM_X, LENGTH, x, NULL);
}

/* More products in one bin than it holds: all of one sign, of the largest significands,
 * after a few that make method auto turn to bins. */
static void bins_are_drained(NO_STATE)
{
    enum { LONG = 40000 };
    static double x[LONG];
    for (int i = 0; i < LONG; i++)
        x[i] = i < 200 ? power_of_two(i * 5 - 500) : 0x1.fffffffffffffp-500;
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        exb_product_acc storage;
        exb_superacc *a = exb_product_acc_init(&storage);
        exb_dreduction r = exb_ddot_of(LONG, x, 1, x, 1);
        exb_dreduce_exact(&r, exb_method_at(0), a);
        for (int i = 0; i < 200; i++) /* what would hide the rest */
            exb_superacc_add_product(a, -x[i], x[i]);
        ORACLE(expected);
        for (int i = 200; i < LONG; i++)
            oracle_add_product(&expected, x[i], x[i]);
        assert_same_bits(exb_superacc_round(exb_format_d(), a), oracle_round(&expected, FORMAT_D));
    }
}

/* Heads near overflow: partial sums beyond the largest double, a finite total. */
static void heads_do_not_overflow(NO_STATE)
{
    double x[64];
    for (int i = 0; i < 64; i++)
        x[i] = (i < 32 ? 1 : -1) * (0x1.fffffffffffffp1023 - i % 7 * 0x1p971);
    x[63] = 0x1p-1074;
    for (int kind = 0; kind < N_KINDS; kind++)
        check(kind, EXB_TERM_X, 64, x, NULL);
}

TESTS(adversarial_sums, gives_up, residues, bins_are_drained, heads_do_not_overflow)
