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

static void on_every_isa(fuzz_case *c, const test_number *right)
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        c->set.isa = exb_isa_name(isa);
        fuzz_verdict v = fuzz_try(c, right);
        if (v.differs)
            fuzz_print(stderr, c, &v);
        assert_false(v.differs);
    }
}

/* The model's result of the call, which every instruction set gives, too. */
static test_number *check(fuzz_case *c)
{
    test_number *result = fuzz_model(c);
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        c->layout = by_rows ? 'r' : 'c';
        on_every_isa(c, result);
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

/* Re alpha y = high + low + lost, lost the error of an addition of low parts, and a so that half of
 * lost decides on which side of a midpoint the sum is; also beside a row that is not finite. */
static void coefficients_of_three_parts(NO_STATE)
{
    static const double cases[][5] = {
        {0x1.cfdf800757168p+0, -0x1.e6e3142b9c117p+0, 0x1.2f21bbc9569d9p+1, -0x1.f3d3977058455p+0,
         0x1.451e423f3329cp-55},
        {0x1.9e99aa5f36ee6p+0, -0x1.ff98b830dcc97p+0, 0x1.3c77d3fe2135ap+1, -0x1.ffd375c1949edp+0,
         0x1.ddeb891644e00p-62},
        {0x1.84e8eba29ffddp+0, -0x1.ffffffc27a005p+0, 0x1.51062e4998216p+1, -0x1.ffffffb84de4dp+0,
         0x1.9050984800000p-76},
        {0x1.fc89dde6e8b8ep+0, -0x1.ffffb87279a3fp+0, 0x1.01be782d38391p+1, -0x1.ffff9ff406353p+0,
         0x1.e131bf4908000p-68},
    };
    for (int k = 0; k < 8 * N_ROUTINES; k++) {
        const double *t = cases[k % 4];
        fuzz_case c = start(routines[k / 8]);
        c.alpha = (test_number){t[0], t[1]};
        set_y(&c, (test_number){t[2], t[3]});
        for (int i = 1; i < ROWS; i++)
            set_row(&c, i, (test_number){1, 0}, (test_number){t[4], 0.25});
        if (k % 8 >= 4)
            c.operand[OPERAND_X].v[ROWS - 1].re = NAN;
        free(check(&c));
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

/* What, added to the term, comes next to a midpoint: as near as a number can, or some of its last
 * places further. */
static double next_to_midpoint(oracle *o, test_random *r, number_format f, double alpha, double y,
                               double x)
{
    double high = alpha * y;
    oracle_reset(o);
    oracle_add_product(o, high, x);
    oracle_add_product(o, fma(alpha, y, -high), x);
    double near = oracle_round(o, f);
    oracle_add(o, -near);
    oracle_add(o, random_sign(r) * half_ulp(near, f));
    double a = -oracle_round(o, f);
    return a + (double)random_between(r, -2, 2) * 2 * half_ulp(a, f);
}

enum { COLUMN = 37 };

/* Of one column of n numbers: a + alpha x y. */
typedef struct {
    int n;
    double alpha, y, x[COLUMN], a[COLUMN];
} term;

static double any_of(test_random *r, int n, const double *from)
{
    return from[random_between(r, 0, n - 1)];
}

static void fill_next_to_midpoints(test_random *r, number_format f, int e, term *t)
{
    ORACLE(o);
    t->n = (int)random_between(r, 1, COLUMN);
    t->y = random_number(r, f, 0);
    t->alpha = random_number(r, f, e);
    for (int i = 0; i < t->n; i++) {
        t->x[i] = random_number(r, f, (int)random_between(r, -5, 5));
        t->a[i] = next_to_midpoint(&o, r, f, t->alpha, t->y, t->x[i]);
    }
}

static void fill_midpoints(test_random *r, term *t)
{
    fill_next_to_midpoints(r, FORMAT_D, (int)random_between(r, -300, 300), t);
}

/* Down to where a second part of a coefficient, a sum or what it leaves is subnormal. */
static void fill_midpoints_of_floats(test_random *r, term *t)
{
    fill_next_to_midpoints(r, FORMAT_S, (int)random_between(r, -110, 40), t);
}

/* Floats alpha y whose second parts are less than the least: large x bring them back. */
static void fill_second_parts(test_random *r, term *t)
{
    ORACLE(o);
    t->y = random_number(r, FORMAT_S, -60);
    t->alpha = random_number(r, FORMAT_S, -(int)random_between(r, 30, 75));
    for (int i = 0; i < COLUMN; i++) {
        t->x[i] = random_number(r, FORMAT_S, (int)random_between(r, 90, 126));
        t->a[i] = next_to_midpoint(&o, r, FORMAT_S, t->alpha, t->y, t->x[i]);
    }
}

/* A number at the end of the range, or beyond it. */
static double edge(test_random *r)
{
    static const double edges[] = {
        DBL_MAX, 0x1.ffffffffffffep1023, 0x1p1023, 0x1.8p1023, HUGE_VAL, NAN, 0, 0x1p970};
    double x = any_of(r, (int)(sizeof edges / sizeof *edges), edges);
    return random_sign(r) * (random_chance(r, 3) ? x : x * fabs(random_number(r, FORMAT_D, -1)));
}

/* Products, sums and both ends of intervals that overflow, or nearly do. */
static void fill_end_of_range(test_random *r, term *t)
{
    t->y = random_number(r, FORMAT_D, 500);
    t->alpha = random_number(r, FORMAT_D, (int)random_between(r, 20, 30));
    for (int i = 0; i < COLUMN; i++) {
        int e = (int)random_between(r, 490, 505);
        t->x[i] = random_chance(r, 20) ? edge(r) : random_number(r, FORMAT_D, e);
        t->a[i] = random_chance(r, 2) ? edge(r) : random_number(r, FORMAT_D, 1022);
    }
}

/* Products from 2^1023 on, which halves of numbers overflow without FMA. */
static void fill_split(test_random *r, term *t)
{
    t->y = 0x1p512 * (1 - fabs(random_number(r, FORMAT_D, -35)));
    t->alpha = 1;
    for (int i = 0; i < COLUMN; i++) {
        int e = (int)random_between(r, 20, 60);
        t->x[i] = 0x1p512 * (1 - fabs(random_number(r, FORMAT_D, -e)));
        t->a[i] = random_number(r, FORMAT_D, (int)random_between(r, -10, 1000));
    }
}

/* Products about the least subnormal number, many of them ties but for what low leaves: with high =
 * 3/2 and low = -3/2 2^-60 odd multiples of that number come from just below a midpoint. */
static void fill_underflow(test_random *r, term *t)
{
    t->y = 1.5 - 0x1.8p-30;
    t->alpha = random_sign(r) * (1 + 0x1p-30);
    for (int i = 0; i < COLUMN; i++) {
        t->x[i] = (double)random_between(r, -20, 20) * 0x1p-1074;
        t->a[i] = (double)random_between(r, -20, 20) * 0x1p-1074;
    }
}

/* Products of 2^-800 and about, from where on nothing underflows; what cancels them, or nearly, and
 * zeros. */
static void fill_barely_normal(test_random *r, term *t)
{
    int last = random_chance(r, 2) ? 210 : 650;
    bool has_zeros = random_chance(r, 2);
    t->y = random_number(r, FORMAT_D, -200);
    t->alpha = random_number(r, FORMAT_D, -(int)random_between(r, 190, last));
    for (int i = 0; i < COLUMN; i++) {
        t->x[i] = random_number(r, FORMAT_D, -(int)random_between(r, 390, 401));
        double p = -t->alpha * t->y * t->x[i];
        t->a[i] = any_of(
            r, 7, (double[]){p, p * (1 + 0x1p-52), p * 0x1p53, p * 0x1.8p54, 0x1p-1074, -0.0, 0});
        if (has_zeros && random_chance(r, 4))
            t->x[i] = random_sign(r) * 0.0;
    }
}

/* Sums that are midpoints of floats, next to one, subnormal, zeros, or no numbers. */
static void fill_floats(test_random *r, term *t)
{
    int e = (int)random_between(r, -149, 120);
    double alpha = ldexpf((float)random_between(r, 1, 1 << 12), -11);
    t->y = ldexpf((float)random_between(r, 1, 1 << 12), -12);
    for (int i = 0; i < COLUMN; i++) {
        double last = any_of(r, 6, (double[]){0x1p-1, 0x1p-2, 1, 0x1p-24, 0x1.8p-1, 0});
        t->x[i] = (float)(random_sign(r) * ldexp(last, e));
        double p = -alpha * t->y * t->x[i], q = (double)random_between(r, 1 << 23, 1 << 24);
        t->a[i] =
            (float)any_of(r, random_chance(r, 20) ? 8 : 2,
                          (double[]){p, ldexp(q, e), -0.0, 0, NAN, HUGE_VAL, FLT_MAX, 0x1p-149});
    }
    t->alpha = random_chance(r, 2) ? alpha : 1;
}

/* On every instruction set as the accumulator has it, which decides each element. */
static void one_column_is_right(number_format f, const term *t)
{
    fuzz_case c = fuzz_case_named(f == FORMAT_S ? "sger" : "dger");
    exblas_stats stats;
    c.m = t->n;
    c.n = 1;
    c.alpha.re = t->alpha;
    fuzz_allocate(&c);
    c.operand[OPERAND_Y].v[0].re = t->y;
    for (int i = 0; i < t->n; i++) {
        c.operand[OPERAND_X].v[i].re = t->x[i];
        c.operand[OPERAND_A].v[i].re = t->a[i];
    }
    c.set.method = "superacc";
    fuzz_settle(&c.set);
    exblas_stats_enable(1);
    test_number *right = fuzz_computed(&c);
    exblas_stats_enable(0);
    assert_int_equal(exblas_stats_last(&stats), EXBLAS_OK);
    assert_int_equal(stats.fallbacks, t->n);
    c.set.method = "auto";
    on_every_isa(&c, right);
    free(right);
    fuzz_case_free(&c);
}

static void one_term_of_any_kind(NO_STATE)
{
    static const struct {
        void (*fill)(test_random *, term *);
        int n_rounds;
        number_format format;
    } kinds[] = {{fill_midpoints, 600, FORMAT_D},
                 {fill_end_of_range, 3000, FORMAT_D},
                 {fill_split, 300, FORMAT_D},
                 {fill_underflow, 300, FORMAT_D},
                 {fill_barely_normal, 1000, FORMAT_D},
                 {fill_floats, 1000, FORMAT_S},
                 {fill_midpoints_of_floats, 1000, FORMAT_S},
                 {fill_second_parts, 300, FORMAT_S}};
    test_random r = test_random_start(test_seed(), "one column");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int round = 0; round < kinds[k].n_rounds; round++) {
            term t = {.n = COLUMN};
            kinds[k].fill(&r, &t);
            one_column_is_right(kinds[k].format, &t);
        }
}

/* a and half of its last place, where alpha y is that but for a 2^-26th part and less: a double
 * that is a midpoint. */
static void one_float_term(NO_STATE)
{
    for (int k = 12; k < 22; k++)
        for (int m = 1; m <= COLUMN; m++) {
            term t = {m, 1 - ldexp(1, -k), ldexp(1 + ldexp(1, -k), -24), {0}, {0}};
            if (k == 12) { /* 1 + 2^-36 */
                t.alpha = 0x1.ffe002p-1;
                t.y = 0x1.001p-24;
            }
            for (int i = 0; i < m; i++) {
                t.x[i] = 1;
                t.a[i] = k == 12 ? 1 : 0x1.000002p0;
            }
            one_column_is_right(FORMAT_S, &t);
        }
}

TESTS(ties_and_zeros, coefficients_of_three_parts, any_exponents, one_term_of_any_kind,
      one_float_term)
