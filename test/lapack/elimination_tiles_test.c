/* Steps of eliminations, for every instruction set: with small integers, whose sums are exact in
 * any order, and nothing beside what is to be written. */
#include "core/kernels.h"

#include "lapack/kernels/elimination_tiles.h"
#include "isa_from.h"
#include "test_random.h"
#include "testing.h"

#include <math.h>
#include <string.h>

enum { MOST = 100, LD = MOST + 7, COLUMNS = 32, TERMS = EXB_UPDATE_TERMS };

static double a[LD * MOST], b[TERMS * LD], c[LD * MOST], expected[LD * MOST], found[LD * MOST];
static double long_a[MOST * TERMS];

static void random_integers(test_random *r, int64_t n, double *x, int most)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (double)random_between(r, -most, most);
}

static void same(void)
{
    assert_memory_equal(found, expected, sizeof found);
}

/* Calls f for every instruction set and each number of vectors. */
static void each_kernel(const char *name,
                        void (*f)(const exb_elimination_kernels *k, int vectors, test_random *r))
{
    test_random r = test_random_start(test_seed(), name);
    const char *before = exb_isa_current();
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        const exb_elimination_kernels *k = exb_kernels_current()->elimination;
        assert_true(k->lanes * k->most_vectors <= COLUMNS);
        for (int vectors = 1; vectors <= k->most_vectors; vectors++)
            f(k, vectors, &r);
    }
    assert_int_equal(exb_isa_select(before), 0);
}

static void check_update(const exb_elimination_kernels *k, int vectors, test_random *r)
{
    static const int n_terms[] = {1, 2, 31, 32, 33, 64, 65, 255, 256};
    for (size_t q = 0; q < sizeof n_terms / sizeof *n_terms; q++)
        for (int m = 1; m <= 17; m++) {
            int terms = n_terms[q], n = vectors * k->lanes, ld = m % 2 ? LD : -LD;
            int from_b = m % 2 ? 0 : (terms - 1) * LD, from_c = m % 2 ? 0 : (m - 1) * LD;
            random_integers(r, m * TERMS, long_a, 99);
            random_integers(r, terms * LD, b, 99);
            random_integers(r, LD * MOST, expected, 99);
            memcpy(found, expected, sizeof found);
            for (int i = 0; i < m; i++)
                for (int l = 0; l < terms; l++)
                    for (int j = 0; j < n; j++)
                        expected[from_c + i * ld + j] -=
                            long_a[i * TERMS + l] * b[from_b + l * ld + j];
            k->update(m, vectors, terms, long_a, TERMS, b + from_b, ld, found + from_c, ld);
            same();
        }
}

static void updates_are_exact(NO_STATE)
{
    each_kernel("updates", check_update);
}

/* a: a lower triangle with ones, or a diagonal of powers of two, and Inf on the other side; c = a x
 * for the x that is expected. */
static void set_triangle(int n, int n_columns, bool ones, double *reciprocal, test_random *r)
{
    random_integers(r, LD * MOST, a, 1);
    random_integers(r, LD * MOST, expected, 9);
    memcpy(c, expected, sizeof c);
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++)
            a[i * LD + j] = INFINITY;
        double diagonal = ones ? 1 : ldexp(1, (int)random_between(r, -3, 3));
        reciprocal[i] = 1 / diagonal;
        for (int q = 0; q < n_columns; q++) {
            double sum = diagonal * expected[i * LD + q];
            for (int j = 0; j < i; j++)
                sum += a[i * LD + j] * expected[j * LD + q];
            c[i * LD + q] = sum;
        }
    }
    memcpy(found, c, sizeof found);
}

static void swap_rows(int n, double *x, double *y)
{
    for (int j = 0; j < n; j++) {
        double old = x[j];
        x[j] = y[j];
        y[j] = old;
    }
}

static void reverse_rows(int n, double *x)
{
    for (int i = 0; i < n / 2; i++)
        swap_rows(LD, x + i * LD, x + (n - 1 - i) * LD);
}

static void check_solutions(const exb_elimination_kernels *k, int vectors, test_random *r)
{
    double reciprocal[MOST];
    for (int n = 1; n <= MOST; n += n < 20 ? 1 : 16)
        for (int way = 0; way < 4; way++) {
            int ones = way % 2, first = way / 2 ? n - 1 : 0; /* X by its rows down, or up */
            set_triangle(n, vectors * k->lanes, ones, reciprocal, r);
            if (way / 2) {
                reverse_rows(n, found);
                reverse_rows(n, expected);
            }
            k->solve(n, vectors, a, LD, ones ? NULL : reciprocal, found + first * LD,
                     way / 2 ? -LD : LD);
            same();
        }
}

static void solutions_are_exact(NO_STATE)
{
    each_kernel("triangles", check_solutions);
}

/* expected: L below the diagonal, of 0, 1/2 and -1/2, and U, whose diagonal is the only choice of
 * pivots; found: the product's rows before the steps of an elimination exchange them. */
static void set_factors(int m, int n, double scale, int64_t *pivot, test_random *r)
{
    random_integers(r, LD * MOST, expected, 9);
    memcpy(found, expected, sizeof found);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double x = i > j    ? (double)random_between(r, -1, 1) / 2
                       : i == j ? ldexp(scale * random_sign(r), (int)random_between(r, 1, 4))
                                : scale * 2 * (double)random_between(r, -9, 9);
            expected[i * LD + j] = x;
        }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = i <= j ? expected[i * LD + j] : 0;
            for (int l = 0; l < n && l < i && l <= j; l++)
                sum += expected[i * LD + l] * expected[l * LD + j];
            found[i * LD + j] = sum;
        }
    for (int k = n - 1; k >= 0; k--) {
        pivot[k] = random_between(r, k, m - 1);
        swap_rows(n, found + k * LD, found + pivot[k] * LD);
    }
}

static void check_factors(const exb_elimination_kernels *k, int vectors, test_random *r)
{
    (void)vectors;
    double work[EXB_SMALL_COLUMNS * (MOST + EXB_SMALL_COLUMNS)];
    int64_t pivot[EXB_SMALL_COLUMNS], chosen[EXB_SMALL_COLUMNS];
    for (int n = 1; n <= EXB_SMALL_COLUMNS; n++)
        for (int m = n; m <= MOST; m += m < 40 ? 1 : 13)
            for (int e = 0; e >= -1060; e -= 1060) { /* the reciprocals of the second's are Inf */
                set_factors(m, n, ldexp(1, e), pivot, r);
                assert_true(k->factor(m, n, found, LD, work, chosen));
                assert_memory_equal(chosen, pivot, (size_t)n * sizeof *pivot);
                for (int i = 0; i < LD * MOST; i++)
                    assert_true(found[i] == expected[i]); /* -0 or 0 */
            }
}

static void factors_are_exact(NO_STATE)
{
    each_kernel("factors", check_factors);
}

/* The first of several pivots of one size; NaN is none, Inf and 0 are refused. */
static void check_pivots(const exb_elimination_kernels *k, int vectors, test_random *r)
{
    (void)vectors, (void)r;
    double work[EXB_SMALL_COLUMNS * (MOST + EXB_SMALL_COLUMNS)];
    int64_t pivot;
    for (int m = 1; m <= 40; m++)
        for (int at = 0; at < m; at++) {
            for (int i = 0; i < m; i++)
                found[i * LD] = i < at ? 1 : i == at ? -2 : 2;
            assert_true(k->factor(m, 1, found, LD, work, &pivot));
            assert_int_equal(pivot, at);
            for (int i = 0; i < m; i++)
                found[i * LD] = i == at ? 0 : NAN;
            assert_false(k->factor(m, 1, found, LD, work, &pivot));
            for (int i = 0; i < m; i++)
                found[i * LD] = i == at ? 3 : NAN;
            assert_true(k->factor(m, 1, found, LD, work, &pivot));
            assert_int_equal(pivot, at);
            for (int i = 0; i < m; i++)
                found[i * LD] = i == at ? -INFINITY : 3;
            assert_false(k->factor(m, 1, found, LD, work, &pivot));
        }
}

static void pivots_are_the_first_largest(NO_STATE)
{
    each_kernel("pivots", check_pivots);
}

TESTS(updates_are_exact, solutions_are_exact, factors_are_exact, pivots_are_the_first_largest)
