/* Rank updates whose coefficients are alpha y = high + low with low far below high, so far that
 * low x underflows to 0 although low and x are not 0: geru, gerc, her2 and hpr2, whose coefficients
 * are sums of two products. Only what low x leaves decides a tie or the sign of a zero. Against the
 * model, on every instruction set, at every place in a vector. Updates of one real term, too, next
 * to midpoints. */
#include "core/kernels.h"

#include "complex_sum.h"
#include "fuzz/differential/compare.h"
#include "fuzz/differential/expect.h"
#include "isa_from.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/exblas.h>
#include <float.h>
#include <math.h>

enum { ROWS = 19, COLS = 2 };

static const char *const routines[] = {"zgeru", "zgerc", "zher2", "zhpr2"};
enum { N_ROUTINES = sizeof routines / sizeof *routines };

static bool is_hermitian(const fuzz_case *c)
{
    return c->routine->base[0] == 'h';
}

/* The lower triangle: below row 0 of column 0 the update is alpha x_i conj(y_0) alone. */
static fuzz_case start(const char *routine)
{
    fuzz_case c = fuzz_case_named(routine);
    c.m = ROWS;
    c.n = is_hermitian(&c) ? ROWS : COLS;
    fuzz_allocate(&c);
    return c;
}

/* y_j for the first columns, which gerc, her2 and hpr2 conjugate. */
static void set_y(fuzz_case *c, test_number y)
{
    for (int j = 0; j < (is_hermitian(c) ? 1 : COLS); j++)
        c->operand[OPERAND_Y].v[j] = conjugate_if(c->t.conjugates, y);
}

static void set_row(fuzz_case *c, int i, test_number x, test_number a)
{
    c->operand[OPERAND_X].v[i] = x;
    for (int j = 0; j < c->n; j++)
        c->operand[OPERAND_A].v[j * ROWS + i] = a;
}

/* The model's result of the call, which every instruction set gives, too. */
static test_number *check(fuzz_case *c)
{
    test_number *result = fuzz_model(c);
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (int by_rows = 0; by_rows < 2; by_rows++) {
            c->layout = by_rows ? 'r' : 'c';
            c->set.isa = exb_isa_name(isa);
            fuzz_verdict v = fuzz_try(c, result);
            if (v.differs)
                fuzz_print(stderr, c, &v);
            assert_false(v.differs);
        }
    mode_restore();
    fuzz_case_free(c);
    return result;
}

/* alpha y = (2^-480, 1) (1, 2^-480) = (0, 1 + 2^-960). */
static void ties_and_zeros(NO_STATE)
{
    for (int k = 0; k < N_ROUTINES; k++) {
        fuzz_case c = start(routines[k]);
        c.alpha = (test_number){0x1p-480, 1};
        set_y(&c, (test_number){1, 0x1p-480});
        for (int i = 1; i < ROWS; i++)
            if (i % 2) /* 2^-147 + 2^-200 + 2^-1160: above a tie */
                set_row(&c, i, (test_number){0, -0x1p-200}, (test_number){0x1p-147, 0});
            else /* 2^-200 - (2^-200 + 2^-1160): less than 0 */
                set_row(&c, i, (test_number){0, 0x1p-200}, (test_number){0x1p-200, 0});
        test_number *result = check(&c);
        assert_same_bits(result[1].re, 0x1.0000000000001p-147);
        assert_same_bits(result[2].re, -0.0);
        free(result);
    }
}

static double power(test_random *r, int least, int most)
{
    return random_sign(r) * power_of_two((int)random_between(r, least, most));
}

/* alpha y = (small, large) + tiny parts, exponents anywhere; A next to what makes the sum of the
 * large terms 0, a midpoint or a neighbour of one. */
static void fill(test_random *r, fuzz_case *c)
{
    double big = power(r, -30, 30);
    c->alpha = (test_number){power(r, -1000, 0), big};
    set_y(c, (test_number){power(r, -30, 30), power(r, -1000, 0)});
    for (int i = is_hermitian(c); i < ROWS; i++) {
        test_number x = {random_chance(r, 3) ? power(r, -1040, 0) : 0, power(r, -600, -100)};
        double p = -big * fabs(c->operand[OPERAND_Y].v[0].re) * x.im;
        double near[] = {-p, p * 0x1p53, -p * 0x1p53, p * 0x1.8p54, -p * 0x1.0000000000001p53};
        set_row(c, i, x, (test_number){near[random_between(r, 0, 4)], power(r, -1074, 0)});
    }
}

static void any_exponents(NO_STATE)
{
    enum { ROUNDS = 400 };
    test_random r = test_random_start(test_seed(), "update terms");
    for (int i = 0; i < ROUNDS; i++) {
        fuzz_case c = start(routines[i % N_ROUTINES]);
        fill(&r, &c);
        free(check(&c));
    }
}

/* --- one real term ------------------------------------------------------------- */

/* o = alpha y x */
static void set_term(oracle *o, double alpha, double y, double x)
{
    double high = alpha * y;
    oracle_reset(o);
    oracle_add_product(o, high, x);
    oracle_add_product(o, fma(alpha, y, -high), x);
}

/* What, added to the term, comes next to a midpoint: as near as a double can, or some of its last
 * places further. */
static double next_to_midpoint(oracle *o, test_random *r, double alpha, double y, double x)
{
    set_term(o, alpha, y, x);
    double near = oracle_round(o, FORMAT_D);
    oracle_add(o, -near);
    oracle_add(o, random_sign(r) * half_ulp(near, FORMAT_D));
    double a = -oracle_round(o, FORMAT_D);
    return a + (double)random_between(r, -2, 2) * 2 * half_ulp(a, FORMAT_D);
}

static void one_real_term(NO_STATE)
{
    enum { ROUNDS = 600, M = 37 };
    test_random r = test_random_start(test_seed(), "one term");
    ORACLE(o);
    for (int round = 0; round < ROUNDS; round++) {
        int m = (int)random_between(&r, 1, M);
        double x[M], y = random_number(&r, FORMAT_D, 0), a[M], got[M], right[M];
        double alpha = random_number(&r, FORMAT_D, (int)random_between(&r, -300, 300));
        for (int i = 0; i < m; i++) {
            x[i] = random_number(&r, FORMAT_D, (int)random_between(&r, -5, 5));
            a[i] = next_to_midpoint(&o, &r, alpha, y, x[i]);
            set_term(&o, alpha, y, x[i]);
            oracle_add(&o, a[i]);
            right[i] = oracle_round(&o, FORMAT_D);
        }
        for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
            memcpy(got, a, sizeof got);
            excblas_dger(EXBLAS_COL_MAJOR, m, 1, alpha, x, 1, &y, 1, got, m);
            for (int i = 0; i < m; i++)
                if (!same_bits(got[i], right[i]))
                    fail_msg("%s, %a + %a %a %a: %a, not %a", exb_isa_current(), a[i], alpha, y,
                             x[i], got[i], right[i]);
        }
    }
}

/* A number at the end of the range, or beyond it. */
static double edge(test_random *r)
{
    static const double edges[] = {
        DBL_MAX, 0x1.ffffffffffffep1023, 0x1p1023, 0x1.8p1023, HUGE_VAL, NAN, 0, 0x1p970};
    double x = edges[random_between(r, 0, (int)(sizeof edges / sizeof *edges) - 1)];
    return random_sign(r) * (random_chance(r, 3) ? x : x * fabs(random_number(r, FORMAT_D, -1)));
}

enum { COLUMN = 37 };

/* dger, or sger of what are floats, of one column. */
static void one_column(number_format f, double alpha, const double *x, double y, double *a)
{
    float xs[COLUMN], as[COLUMN], ys = (float)y;
    if (f == FORMAT_D) {
        excblas_dger(EXBLAS_COL_MAJOR, COLUMN, 1, alpha, x, 1, &y, 1, a, COLUMN);
        return;
    }
    for (int i = 0; i < COLUMN; i++) {
        xs[i] = (float)x[i];
        as[i] = (float)a[i];
    }
    excblas_sger(EXBLAS_COL_MAJOR, COLUMN, 1, (float)alpha, xs, 1, &ys, 1, as, COLUMN);
    for (int i = 0; i < COLUMN; i++)
        a[i] = as[i];
}

/* a + alpha x y as the accumulator has it, which decides each element, on every instruction set. */
static void one_column_is_right(number_format f, double alpha, const double *x, double y,
                                const double *a)
{
    double got[COLUMN], right[COLUMN];
    exblas_stats stats;
    memcpy(right, a, sizeof right);
    exblas_set_method("superacc");
    exblas_stats_enable(1);
    one_column(f, alpha, x, y, right);
    exblas_stats_enable(0);
    exblas_set_method(NULL);
    assert_int_equal(exblas_stats_last(&stats), EXBLAS_OK);
    assert_int_equal(stats.fallbacks, COLUMN);
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        memcpy(got, a, sizeof got);
        one_column(f, alpha, x, y, got);
        for (int i = 0; i < COLUMN; i++)
            if (!same_bits(got[i], right[i]))
                fail_msg("%s, %a + %a %a %a: %a, not %a", exb_isa_current(), a[i], alpha, y, x[i],
                         got[i], right[i]);
    }
}

/* Products, sums and both ends of intervals that overflow, or nearly do. */
static void one_term_at_the_end_of_the_range(NO_STATE)
{
    enum { ROUNDS = 3000 };
    test_random r = test_random_start(test_seed(), "end of the range");
    for (int round = 0; round < ROUNDS; round++) {
        double x[COLUMN], y = random_number(&r, FORMAT_D, 500), a[COLUMN];
        double alpha = random_number(&r, FORMAT_D, (int)random_between(&r, 20, 30));
        for (int i = 0; i < COLUMN; i++) {
            x[i] = random_chance(&r, 20)
                       ? edge(&r)
                       : random_number(&r, FORMAT_D, (int)random_between(&r, 490, 505));
            a[i] = random_chance(&r, 2) ? edge(&r) : random_number(&r, FORMAT_D, 1022);
        }
        one_column_is_right(FORMAT_D, alpha, x, y, a);
    }
}

/* Products from 2^1023 on, which halves of numbers overflow without FMA. */
static void products_near_the_end_of_the_range(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "split products");
    for (int round = 0; round < 300; round++) {
        double x[COLUMN], a[COLUMN], y = 0x1p512 * (1 - fabs(random_number(&r, FORMAT_D, -35)));
        for (int i = 0; i < COLUMN; i++) {
            x[i] =
                0x1p512 * (1 - fabs(random_number(&r, FORMAT_D, -(int)random_between(&r, 20, 60))));
            a[i] = random_number(&r, FORMAT_D, (int)random_between(&r, -10, 1000));
        }
        one_column_is_right(FORMAT_D, 1, x, y, a);
    }
}

/* Products about the least subnormal number, many of them ties but for what low leaves: with high =
 * 3/2 and low = -3/2 2^-60 odd multiples of that number come from just below a midpoint. */
static void one_term_that_underflows(NO_STATE)
{
    enum { ROUNDS = 300 };
    test_random r = test_random_start(test_seed(), "underflow");
    for (int round = 0; round < ROUNDS; round++) {
        double x[COLUMN], y = 1.5 - 0x1.8p-30, a[COLUMN];
        double alpha = random_sign(&r) * (1 + 0x1p-30);
        for (int i = 0; i < COLUMN; i++) {
            x[i] = (double)random_between(&r, -20, 20) * 0x1p-1074;
            a[i] = (double)random_between(&r, -20, 20) * 0x1p-1074;
        }
        one_column_is_right(FORMAT_D, alpha, x, y, a);
    }
}

/* Products of 2^-800 and about, from where on nothing underflows; what cancels them, or nearly, and
 * zeros. */
static void one_term_that_is_barely_normal(NO_STATE)
{
    enum { ROUNDS = 1000 };
    test_random r = test_random_start(test_seed(), "barely normal");
    for (int round = 0; round < ROUNDS; round++) {
        double x[COLUMN], a[COLUMN], y = random_number(&r, FORMAT_D, -200);
        int last = random_chance(&r, 2) ? 210 : 650;
        double alpha = random_number(&r, FORMAT_D, -(int)random_between(&r, 190, last));
        bool has_zeros = random_chance(&r, 2);
        for (int i = 0; i < COLUMN; i++) {
            x[i] = random_number(&r, FORMAT_D, -(int)random_between(&r, 390, 401));
            double p = -alpha * y * x[i];
            double near[] = {p, p * (1 + 0x1p-52), p * 0x1p53, p * 0x1.8p54, 0x1p-1074, -0.0, 0};
            a[i] = near[random_between(&r, 0, 6)];
            if (has_zeros && random_chance(&r, 4))
                x[i] = random_sign(&r) * 0.0;
        }
        one_column_is_right(FORMAT_D, alpha, x, y, a);
    }
}

/* Sums that are midpoints of floats, next to one, subnormal, zeros, or no numbers. */
static void one_term_of_floats(NO_STATE)
{
    enum { ROUNDS = 1000 };
    test_random r = test_random_start(test_seed(), "floats");
    for (int round = 0; round < ROUNDS; round++) {
        int e = (int)random_between(&r, -149, 120);
        double x[COLUMN], a[COLUMN], y = ldexpf((float)random_between(&r, 1, 1 << 12), -12);
        double alpha = ldexpf((float)random_between(&r, 1, 1 << 12), -11);
        for (int i = 0; i < COLUMN; i++) {
            double last[] = {0x1p-1, 0x1p-2, 1, 0x1p-24, 0x1.8p-1, 0};
            x[i] = (float)(random_sign(&r) * ldexp(last[random_between(&r, 0, 5)], e));
            double p = -alpha * y * x[i];
            double near[] = {p,       ldexp((double)random_between(&r, 1 << 23, 1 << 24), e),
                             -0.0,    0,
                             NAN,     HUGE_VAL,
                             FLT_MAX, 0x1p-149};
            a[i] = (float)near[random_between(&r, 0, random_chance(&r, 20) ? 7 : 1)];
        }
        one_column_is_right(FORMAT_S, random_chance(&r, 2) ? alpha : 1, x, y, a);
    }
}

/* a and half of its last place, where alpha y is that but for a 2^-26th part and less: a double
 * that is a midpoint. */
static void a_half_of_the_last_place(float alpha, float y, float a, float right)
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (int m = 1; m <= COLUMN; m++) {
            float x[COLUMN], got[COLUMN];
            for (int i = 0; i < m; i++) {
                x[i] = 1;
                got[i] = a;
            }
            excblas_sger(EXBLAS_COL_MAJOR, m, 1, alpha, x, 1, &y, 1, got, m);
            for (int i = 0; i < m; i++)
                assert_same_bits(got[i], right);
        }
}

static void one_float_term(NO_STATE)
{
    for (int k = 13; k < 22; k++)
        a_half_of_the_last_place(1 - ldexpf(1, -k), ldexpf(1 + ldexpf(1, -k), -24), 0x1.000002p0F,
                                 0x1.000002p0F);
    a_half_of_the_last_place(0x1.ffe002p-1F, 0x1.001p-24F, 1, 0x1.000002p0F); /* 1 + 2^-36 */
}

TESTS(ties_and_zeros, any_exponents, one_real_term, one_term_at_the_end_of_the_range,
      products_near_the_end_of_the_range, one_term_that_underflows, one_term_that_is_barely_normal,
      one_term_of_floats, one_float_term)
