/* Cells: exact whatever is added, subtracted, combined, in whatever batches, with memory only for
 * what needs it. */
#include "adversarial.h"
#include "cell_support.h"

#include <float.h>
#include <math.h>

enum { LONGEST = 2000, N_CELLS = 7, FAR = 40 /* cells apart */ };

static void adversarial_sums(NO_STATE)
{
    static double x[LONGEST];
    test_random r = test_random_start(test_seed(), "exact_cell");
    ORACLE(o);
    for (int round = 0; round < 2000; round++) {
        roomy_cell a, b;
        roomy_clear(&a);
        roomy_clear(&b);
        int n = (int)random_between(&r, 0, 300);
        terms_fill((size_t)round % terms_kinds(), &r, FORMAT_D, n, x);
        oracle_reset(&o);
        for (int i = 0; i < n; i++) {
            roomy_add(random_chance(&r, 2) ? &a : &b, x[i]);
            oracle_add(&o, x[i]);
        }
        with_room(&a, exblas_cell_combine(&a.cell, &b.cell));
        assert_same_bits(exblas_cell_to_double(&a.cell), oracle_round(&o, FORMAT_D));
        assert_int_equal(exblas_cell_count(&a.cell), n);
        exblas_acc acc;
        exblas_acc_init(&acc);
        exblas_cell_add_to(&a.cell, &acc);
        assert_same_bits(exblas_acc_to_double(&acc), oracle_round(&o, FORMAT_D));
    }
}

static void adversarial_products(NO_STATE)
{
    static double x[LONGEST], y[LONGEST];
    test_random r = test_random_start(test_seed(), "exact_cell products");
    ORACLE(o);
    for (int round = 0; round < 1500; round++) {
        roomy_cell a;
        roomy_clear(&a);
        int n = (int)random_between(&r, 0, 100), i = 0;
        factors_fill((size_t)round % factors_kinds(), &r, FORMAT_D, n, x, y);
        oracle_reset(&o);
        for (; i < n / 2; i++)
            roomy_add_product(&a, x[i], y[i]);
        while ((i += (int)exblas_cell_add_dot(&a.cell, n - i, x + i, y + i)) < n)
            exblas_cell_widen(&a.cell, &a.room);
        for (i = 0; i < n; i++)
            oracle_add_product(&o, x[i], y[i]);
        assert_same_bits(exblas_cell_to_double(&a.cell), oracle_round(&o, FORMAT_D));
    }
}

/* cells[0] += the others, each `apart` behind the last: all in one batch, with one target. */
static void combine_all(int n, int apart, roomy_cell *cells)
{
    void *to[N_CELLS], *from[N_CELLS];
    for (int i = 1; i < n; i++) {
        to[i - 1] = cells;
        from[i - 1] = &cells[apart * i];
    }
    size_t offset = offsetof(roomy_cell, cell);
    int64_t done = 0;
    while ((done += exblas_cell_combine_each(n - 1 - done, to + done, from + done, offset)) < n - 1)
        exblas_cell_widen(&cells[0].cell, &cells[0].room);
}

/* Long vectors of every kind, in one call and, cell by cell, in batches over several cells. */
static void batches(NO_STATE)
{
    static double x[LONGEST], ones[LONGEST];
    static void *where[LONGEST];
    static roomy_cell cells[N_CELLS * FAR];
    test_random r = test_random_start(test_seed(), "exact_cell batches");
    ORACLE(o);
    for (int i = 0; i < LONGEST; i++)
        ones[i] = -1;
    for (size_t kind = 0; kind < 4 * terms_kinds(); kind++) {
        int64_t n = random_between(&r, 500, LONGEST), done = 0;
        int apart = kind % 3 ? FAR : 1;
        roomy_cell whole;
        roomy_clear(&whole);
        terms_fill(kind % terms_kinds(), &r, FORMAT_D, n, x);
        oracle_reset(&o);
        for (int64_t i = 0; i < n; i++) {
            oracle_add(&o, x[i]);
            where[i] = &cells[apart * random_between(&r, 0, N_CELLS - 1)];
        }
        while ((done += exblas_cell_add_vector(&whole.cell, n - done, x + done)) < n)
            exblas_cell_widen(&whole.cell, &whole.room);
        assert_same_bits(exblas_cell_to_double(&whole.cell), oracle_round(&o, FORMAT_D));
        assert_int_equal(exblas_cell_count(&whole.cell), n);
        size_t offset = offsetof(roomy_cell, cell);
        for (int i = 0; i < N_CELLS; i++)
            roomy_clear(&cells[apart * i]);
        for (done = 0; done < n;) {
            done += kind % 2 ? exblas_cell_add_each(n - done, where + done, offset, x + done)
                             : exblas_cell_add_each_product(n - done, where + done, offset,
                                                            x + done, ones + done);
            if (done < n) {
                roomy_cell *stopped = where[done];
                exblas_cell_widen(&stopped->cell, &stopped->room);
            }
        }
        combine_all(N_CELLS, apart, cells);
        double sum = exblas_cell_to_double(&cells[0].cell), expected = oracle_round(&o, FORMAT_D);
        bool negated = kind % 2 == 0 && expected != 0 && !isnan(expected);
        assert_same_bits(sum, negated ? -expected : expected);
        assert_int_equal(exblas_cell_count(&cells[0].cell), n);
    }
}

/* What was added is taken away again, Inf and NaN too: the bytes are those of what is left. */
static void windows(NO_STATE)
{
    enum { FRAME = 5, N = 400 };
    static double x[N];
    test_random r = test_random_start(test_seed(), "exact_cell windows");
    ORACLE(o);
    for (size_t kind = 0; kind < 2 * terms_kinds(); kind++) {
        unsigned char moved[EXBLAS_CELL_BYTES], anew[EXBLAS_CELL_BYTES];
        roomy_cell a, b;
        roomy_clear(&a);
        terms_fill(kind % terms_kinds(), &r, FORMAT_D, N, x);
        if (kind % 3 == 0)
            sprinkle_specials(&r, N, x);
        for (int i = 0; i < N; i++) {
            roomy_add(&a, x[i]);
            if (i >= FRAME)
                with_room(&a, exblas_cell_sub(&a.cell, x[i - FRAME]));
            roomy_clear(&b);
            oracle_reset(&o);
            for (int j = i < FRAME ? 0 : i - FRAME + 1; j <= i; j++) {
                roomy_add(&b, x[j]);
                oracle_add(&o, x[j]);
            }
            assert_same_bits(exblas_cell_to_double(&a.cell), oracle_round(&o, FORMAT_D));
            size_t n_bytes = exblas_cell_export(&a.cell, moved);
            assert_int_equal(exblas_cell_export(&b.cell, anew), n_bytes);
            assert_memory_equal(moved, anew, n_bytes);
        }
    }
}

/* Subtracting a combined cell, and products, also where they are not finite. */
static void takes_back(NO_STATE)
{
    static const double hard[] = {1e300, 1,       -1e-300, 0x1p-1074, INFINITY, DBL_MAX,
                                  NAN,   DBL_MAX, -0.0,    -INFINITY, 3,        1e200};
    enum { N = sizeof hard / sizeof *hard };
    for (int split = 0; split <= N; split++) {
        roomy_cell a, b;
        roomy_clear(&a);
        roomy_clear(&b);
        roomy_add(&a, 0.1);
        for (int i = 0; i < N; i++) {
            roomy_add_product(i < split ? &a : &b, hard[i], hard[N - 1 - i]);
            roomy_add(i < split ? &a : &b, hard[i]);
        }
        with_room(&a, exblas_cell_combine(&a.cell, &b.cell));
        assert_true(isnan(exblas_cell_to_double(&a.cell)));
        assert_false(exblas_cell_is_finite(&a.cell));
        with_room(&a, exblas_cell_subtract(&a.cell, &b.cell));
        for (int i = 0; i < split; i++) {
            assert_int_equal(exblas_cell_sub_product(&a.cell, hard[i], hard[N - 1 - i]), EXBLAS_OK);
            assert_int_equal(exblas_cell_sub(&a.cell, hard[i]), EXBLAS_OK);
        }
        assert_same_bits(exblas_cell_to_double(&a.cell), 0.1);
        assert_int_equal(exblas_cell_count(&a.cell), 1);
        with_room(&a, exblas_cell_combine(&a.cell, &a.cell));
        assert_same_bits(exblas_cell_to_double(&a.cell), 0.2);
        with_room(&a, exblas_cell_subtract(&a.cell, &a.cell));
        assert_same_bits(exblas_cell_to_double(&a.cell), 0);
    }
}

/* Into a cell that looks empty: one without terms in the count, but with a value; and one that is
 * empty, which must not share the wide part of the other. */
static void combines_into_empty_cells(NO_STATE)
{
    roomy_cell a, b;
    roomy_clear(&a);
    roomy_clear(&b);
    roomy_add(&a, 3);
    with_room(&a, exblas_cell_sub(&a.cell, 1));
    roomy_add(&b, 0.5);
    assert_int_equal(exblas_cell_combine(&a.cell, &b.cell), EXBLAS_OK);
    assert_same_bits(exblas_cell_to_double(&a.cell), 2.5);
    assert_int_equal(exblas_cell_count(&a.cell), 1);
    roomy_clear(&a);
    roomy_clear(&b);
    roomy_add(&b, INFINITY);
    roomy_add(&b, 1);
    assert_int_equal(exblas_cell_combine(&a.cell, &b.cell), EXBLAS_ENOMEM);
    with_room(&a, exblas_cell_combine(&a.cell, &b.cell));
    assert_true(exblas_cell_wide_part(&a.cell) != exblas_cell_wide_part(&b.cell));
    assert_int_equal(exblas_cell_sub(&a.cell, INFINITY), EXBLAS_OK);
    assert_same_bits(exblas_cell_to_double(&a.cell), 1);
    assert_same_bits(exblas_cell_to_double(&b.cell), INFINITY);
}

/* Ordinary data need no wide part; a refused call changes nothing. */
static void room_is_for_hard_data(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "exact_cell room");
    exblas_cell a = {.n_or_wide = 0}, b = {.n_or_wide = 0}, before;
    exblas_cell_wide room;
    for (int i = 0; i < 100000; i++) {
        double x = (double)random_between(&r, -10000000, 10000000) / 100;
        assert_int_equal(exblas_cell_add(&a, x), EXBLAS_OK);
        assert_int_equal(exblas_cell_add_product(&b, x, i % 50), EXBLAS_OK);
    }
    assert_int_equal(exblas_cell_add(&a, 0x1p300), EXBLAS_OK); /* for what lies far apart */
    before = a;
    assert_int_equal(exblas_cell_add(&a, 0x1p-300), EXBLAS_ENOMEM);
    assert_int_equal(exblas_cell_add_product(&a, 0x1p-300, 3), EXBLAS_ENOMEM);
    assert_int_equal(exblas_cell_add(&a, INFINITY), EXBLAS_ENOMEM);
    assert_int_equal(exblas_cell_sub(&a, NAN), EXBLAS_ENOMEM);
    b = (exblas_cell){.term = {0x1p-300}, .n_or_wide = 2};
    assert_int_equal(exblas_cell_combine(&a, &b), EXBLAS_ENOMEM);
    assert_memory_equal(&a, &before, sizeof a);
    exblas_cell_widen(&a, &room);
    exblas_cell_widen(&a, NULL); /* has one: nothing happens */
    assert_ptr_equal(exblas_cell_wide_part(&a), &room);
    assert_int_equal(exblas_cell_add(&a, 0x1p-300), EXBLAS_OK);
    assert_int_equal(exblas_cell_sub(&a, 0x1p300), EXBLAS_OK);
    exblas_cell_clear(&a);
    assert_ptr_equal(exblas_cell_wide_part(&a), &room);
    assert_same_bits(exblas_cell_to_double(&a), 0);
    assert_int_equal(exblas_cell_count(&a), 0);
}

/* Sums of three doubles at ties, at ties broken from afar, subnormal, near overflow. */
static void rounds_three_terms(NO_STATE)
{
    static const double high[] = {1, 0x1p-1022, 0x1p-1074, DBL_MAX, 0x1p52, 3 * 0x1p-1074};
    static const double tie[] = {0x1p-53, 0x1p-1074, 0x1p970, 0.5, 0x1p-54, 0};
    static const double far[] = {0, 0x1p-200, 0x1p-1074, 0x1p-107};
    ORACLE(o);
    for (int i = 0; i < 6 * 6 * 4 * 8; i++) {
        exblas_cell c = {.n_or_wide = 6};
        c.term[0] = (i & 1 ? -1 : 1) * high[i / 8 % 6];
        c.term[1] = (i & 2 ? -1 : 1) * tie[i / 48 % 6];
        c.term[2] = (i & 4 ? -1 : 1) * far[i / 288];
        oracle_reset(&o);
        for (int j = 0; j < 3; j++)
            oracle_add(&o, c.term[j]);
        assert_same_bits(exblas_cell_to_double(&c), oracle_round(&o, FORMAT_D));
    }
}

TESTS(adversarial_sums, adversarial_products, batches, windows, takes_back,
      combines_into_empty_cells, room_is_for_hard_data, rounds_three_terms)
