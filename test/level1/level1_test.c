/* The element-wise Level 1 routines against their definitions in exact arithmetic: all
 * types, forms, increments, threads, instruction sets and environments. */
#include "core/partition.h"
#include "level1_call.h"
#include "modes.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/exblas.h>
#include <math.h>

enum { N_RANDOM_CASES = 40000, MAX_N = 300 };

static const char types[] = {'s', 'd', 'c', 'z'};
static const int increments[] = {1, 1, 1, 2, 3, -1, -2, 0};

static size_t n_reals(const level1_case *c, int64_t inc)
{
    int64_t n = c->n > 0 ? c->n : 1;
    return (size_t)(1 + (n - 1) * (inc < 0 ? -inc : inc)) * (size_t)level1_parts(c->type);
}

/* Runs c in the mode and compares with the model. */
static void check(const level1_case *c, const call_mode *m, uint64_t seed)
{
    static level1_case got, expected;
    placement p = mode_placement(m);
    char mode[200];
    got = expected = *c;
    mode_select(m);
    bool intact = level1_call(p.form, p.environment, &got);
    mode_restore();
    level1_model(&expected);
    bool cblas = p.form == FORM_CBLAS || p.form == FORM_CBLAS_64;
    if (cblas && expected.op == LEVEL1_IAMAX && expected.index == 0)
        expected.index = 1; /* both the first and none are 0 there */
    size_t x_bytes = c->n_x * sizeof *c->x, y_bytes = c->n_y * sizeof *c->y;
    if (intact && got.index == expected.index && memcmp(got.x, expected.x, x_bytes) == 0 &&
        memcmp(got.y, expected.y, y_bytes) == 0)
        return;
    mode_text(m, mode);
    print_error("%c%s n %d incx %d incy %d alpha %a %a beta %a %a, seed %llu\n%s%s\n", c->type,
                level1_op_name(c->op), (int)c->n, (int)c->incx, (int)c->incy, c->alpha[0],
                c->alpha[1], c->beta[0], c->beta[1], (unsigned long long)seed, mode,
                intact ? "" : ": the environment was changed");
    for (size_t i = 0; i < c->n_x; i++)
        if (!same_bits(got.x[i], expected.x[i]))
            print_error("x[%zu]: %a became %a, not %a\n", i, c->x[i], got.x[i], expected.x[i]);
    for (size_t i = 0; i < c->n_y; i++)
        if (!same_bits(got.y[i], expected.y[i]))
            print_error("y[%zu]: %a became %a, not %a\n", i, c->y[i], got.y[i], expected.y[i]);
    fail_msg("index %d, not %d", (int)got.index, (int)expected.index);
}

/* Kinds of numbers that make sums of two to four products hard. */
typedef enum {
    ORDINARY,
    SMALL_INTEGERS, /* halves of: ties, exact cancellation, zeros of both signs */
    NEAR_UNDERFLOW,
    NEAR_OVERFLOW,
    ANY_EXPONENT,
    UNDERFLOWING_PRODUCTS,
    ONE_AND_HALF_ULP, /* 1 and half of its last place, give or take a bit: near-ties */
    SPECIAL,
    N_KINDS
} kind;

static double near_tie(test_random *r, number_format f)
{
    double one = round_to(f, 1 + (double)random_between(r, -2, 2) * 2 * half_ulp(1, f));
    return random_sign(r) * (random_chance(r, 2) ? one : one * half_ulp(1, f));
}

static double number(test_random *r, kind k, number_format f)
{
    format_limits l = limits_of(f);
    switch (k) {
    case ORDINARY:
        return random_number(r, f, (int)random_between(r, -3, 3));
    case SMALL_INTEGERS:
        return random_sign(r) * (double)random_between(r, 0, 6) / 2;
    case NEAR_UNDERFLOW:
        return random_number(r, f, (int)random_between(r, l.min_exp2, l.min_normal + 60));
    case NEAR_OVERFLOW:
        return random_number(r, f, (int)random_between(r, l.max_exp2 - 60, l.max_exp2));
    case ANY_EXPONENT:
        return random_number(r, f, (int)random_between(r, l.min_exp2, l.max_exp2));
    case UNDERFLOWING_PRODUCTS:
        return random_number(r, f,
                             (int)random_between(r, l.min_exp2 / 2 - 30, l.min_exp2 / 2 + 30));
    case ONE_AND_HALF_ULP:
        return near_tie(r, f);
    default:
        return random_scalar(r, f);
    }
}

static void fill(test_random *r, kind k, number_format f, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = number(r, random_chance(r, 50) ? SPECIAL : k, f);
}

/* y = -RN(alpha x / beta), so that real sums cancel down to their last bits. */
static void cancel(level1_case *c, number_format f)
{
    for (size_t i = 0; i < c->n_y && i < c->n_x; i++) {
        double beta = c->op == LEVEL1_AXPBY || c->op == LEVEL1_ROT ? c->beta[0] : 1;
        double y = -round_to(f, round_to(f, c->alpha[0] * c->x[i]) / beta);
        if (y - y == 0)
            c->y[i] = y;
    }
}

static void random_case(test_random *r, level1_case *c)
{
    static const double flags[] = {-2, -1, 0, 1};
    *c = (level1_case){.op = (level1_op)random_between(r, 0, N_LEVEL1 - 1)};
    c->type = types[random_between(r, 0, c->op == LEVEL1_ROTM ? 1 : 3)];
    c->n = random_chance(r, 10) ? random_between(r, -1, 1) : random_between(r, 1, 40);
    if (random_chance(r, 8))
        c->n = random_between(r, 100, MAX_N);
    c->incx = increments[random_between(r, 0, 7)];
    c->incy = increments[random_between(r, 0, 7)];
    c->n_x = n_reals(c, c->incx);
    c->n_y = n_reals(c, c->incy);
    number_format f = level1_format(c->type);
    kind k = (kind)random_between(r, 0, N_KINDS - 1);
    kind scalars = random_chance(r, 3) ? SPECIAL : k;
    fill(r, k, f, c->n_x, c->x);
    fill(r, k, f, c->n_y, c->y);
    bool is_thin = random_chance(r, 6), alike = random_chance(r, 2); /* sums of zeros */
    for (size_t i = 0; is_thin && i < c->n_x; i++)
        if (i % 2)
            c->x[i] = 0;
    for (size_t i = alike; is_thin && i < c->n_y; i += 2)
        c->y[i] = 0;
    fill(r, scalars, f, 2, c->alpha);
    fill(r, scalars, f, 2, c->beta);
    fill(r, scalars, f, 5, c->param);
    c->param[0] = flags[random_between(r, 0, 3)];
    if (random_chance(r, 4))
        cancel(c, f);
}

static void random_cases_in_all_modes(NO_STATE)
{
    static level1_case c;
    uint64_t seed = test_seed();
    test_random r = test_random_start(seed, "level1");
    for (int i = 0; i < N_RANDOM_CASES; i++) {
        random_case(&r, &c);
        check(&c, mode_next(), seed);
    }
}

/* Cases with one element and their names: bits that are easy to get wrong. */
static const struct {
    level1_op op;
    double alpha, x, beta, y;
    double new_x, new_y;
} edges[] = {
    /* -0 only if every term is -0 */
    {LEVEL1_AXPY, 1, -0.0, 0, -0.0, -0.0, -0.0},
    {LEVEL1_AXPY, 1, -0.0, 0, 0.0, -0.0, 0.0},
    {LEVEL1_AXPY, 1, 2, 0, -2, 2, 0.0},
    {LEVEL1_AXPBY, -1, 0.0, 1, -0.0, 0.0, -0.0},
    {LEVEL1_AXPBY, 0, NAN, -1, 0.0, NAN, -0.0}, /* x is not read */
    {LEVEL1_AXPBY, 0, NAN, 0, NAN, NAN, 0.0},   /* neither is read */
    {LEVEL1_AXPBY, -1, 0.0, 0, NAN, 0.0, -0.0}, /* y is not read */
    {LEVEL1_AXPY, -0.0, NAN, 0, 7, NAN, 7},     /* alpha = 0 returns at once */
    {LEVEL1_SCAL, 0, INFINITY, 0, 1, NAN, 1},   /* scal by 0 does not */
    {LEVEL1_SCAL, -1, 0.0, 0, 1, -0.0, 1},
    {LEVEL1_SCAL, -0x1p-1074, 0x1p-1074, 0, 1, -0.0, 1}, /* underflow keeps the sign */
    {LEVEL1_AXPBY, 0x1p-1074, 0x1p-1074, -0x1p-1074, 0x1p-1074, 0x1p-1074, 0.0},
    {LEVEL1_AXPBY, 0x1p-1074, 0x1p-1074, -0x1p-1074, 0x1p-1073, 0x1p-1074, -0.0},
    /* ties, and ties broken far away */
    {LEVEL1_AXPBY, 1, 1, 1, 0x1p-53, 1, 1},
    {LEVEL1_AXPBY, 1, 1, 1, 0x1.0000000000001p-53, 1, 0x1.0000000000001p0},
    {LEVEL1_AXPBY, 1, 0x1.0000000000001p0, 1, 0x1p-53, 0x1.0000000000001p0, 0x1.0000000000002p0},
    /* products that overflow and cancel, and that underflow and matter */
    {LEVEL1_AXPBY, 0x1p960, 0x1p100, -0x1p960, 0x1.fffffffffffffp99, 0x1p100, 0x1p1007},
    {LEVEL1_AXPBY, 0x1p1000, 0x1p100, 1, 0x1p1023, 0x1p100, INFINITY},
    {LEVEL1_AXPBY, 0x1p-1000, 0x1p-75, 0x1p-537, 0x1p-538, 0x1p-75, 0x1p-1074},
    {LEVEL1_AXPBY, INFINITY, 1, -INFINITY, 1, 1, NAN},
    {LEVEL1_ROT, 0, INFINITY, 1, 1, NAN, -INFINITY},
    {LEVEL1_ROT, 1, -0.0, 0, 0.0, 0.0, 0.0},
    {LEVEL1_SWAP, 0, 1, 0, -0.0, -0.0, 1},
};

static void one_element_edges(NO_STATE)
{
    static level1_case c;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        c = (level1_case){.op = edges[i].op, .type = 'd', .n = 1, .incx = 1, .incy = 1};
        c.alpha[0] = edges[i].alpha;
        c.beta[0] = edges[i].beta;
        c.n_x = c.n_y = 1;
        c.x[0] = edges[i].x;
        c.y[0] = edges[i].y;
        assert_true(level1_call(FORM_CBLAS, 0, &c));
        if (!same_bits(c.x[0], edges[i].new_x) || !same_bits(c.y[0], edges[i].new_y))
            fail_msg("edge %zu: x %a y %a", i, c.x[0], c.y[0]);
    }
}

/* iamax of pairs (re, im) that differ below the rounding of |re| + |im|, that overflow, and
 * of NaN behind Inf: the index of the largest, from 1. */
static const struct {
    double pair[3][2];
    int64_t index;
} largest[] = {
    {{{1, 0x1p-60}, {0x1p-59, 1}, {-1, 0x1p-59}}, 2},
    {{{0x1p1023, 0x1p1023}, {0x1.8p1023, -0x1.8p1023}, {0x1.8p1023, 0x1.8p1023}}, 2},
    {{{0x1p1023, 0x1p1023}, {INFINITY, 0}, {-INFINITY, 1}}, 2},
    {{{INFINITY, 0}, {0, NAN}, {NAN, NAN}}, 2},
    {{{0x1.fffffffffffffp1023, 0x1p-1074}, {0x1.fffffffffffffp1023, 0x1p-1073}, {0, 0}}, 2},
    {{{0x1.fffffffffffffp1023, 0x1p970}, {0x1.fffffffffffffp1023, 0x1.0000000000001p970}, {0, 0}},
     2},
    {{{0, -0.0}, {-0.0, 0}, {0, 0}}, 1},
    {{{0, 0}, {0x1p-1074, 0x1p-1074}, {0, -0x1.8p-1073}}, 3},
};

static void largest_pairs(NO_STATE)
{
    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++)
        assert_int_equal(excblas_izamax(3, largest[i].pair, 1) + 1, largest[i].index);
}

/* The largest differs from an earlier element by less than the rounding of |re| + |im|, far
 * behind it. */
static void largest_far_behind(NO_STATE)
{
    static double x[1000][2];
    for (int i = 0; i < 1000; i++)
        x[i][0] = 1;
    x[3][1] = 0x1p-60;
    x[900][1] = x[950][1] = -0x1p-59;
    assert_int_equal(excblas_izamax(1000, x, 1), 900);
    assert_int_equal(excblas_izamax(500, x, 2), 450);
    assert_int_equal(excblas_izamax(900, x, 1), 3);
}

/* Beyond what a kernel is given at once, in every range of several threads. */
static void largest_of_many(NO_STATE)
{
    enum { N = 70000 };
    static double x[N];
    for (int i = 0; i < N; i++)
        x[i] = i % 3 - 1;
    for (int threads = 1; threads <= 3; threads++)
        for (int at = 17; at < N; at += 4999) {
            exblas_set_num_threads(threads);
            exb_partition_set_grain(1);
            x[at] = -4;
            assert_int_equal(excblas_idamax(N, x, 1), at);
            assert_int_equal(excblas_idamax(at, x, 1), 0);
            assert_int_equal(excblas_izamax(N / 2, (double(*)[2])x, 1), at / 2);
            assert_int_equal(excblas_idamax(N - at, x + at, 1), 0);
            if (at % 2 == 0)
                assert_int_equal(excblas_idamax(N / 2, x, 2), at / 2);
            x[at] = at % 3 - 1;
        }
    exblas_set_num_threads(0);
    exb_partition_set_grain(0);
}

/* From 0; the first of equal ones, or the first NaN. */
static void other_extremes(NO_STATE)
{
    const double x[] = {3, 1, -5, 2, -1, NAN, 0};
    assert_int_equal(excblas_idamin(5, x, 1), 1);
    assert_int_equal(excblas_idmin(5, x, 1), 2);
    assert_int_equal(excblas_idmax(3, x + 2, 1), 1);
    assert_int_equal(excblas_idamin(7, x, 1), 5);
    assert_int_equal(excblas_izamin(2, x, 1), 0);
    assert_true(excblas_damin(2, x, 3) == 2 && excblas_damax(5, x, 1) == 5);
    assert_true(excblas_dmax(3, x + 2, 1) == 2 && excblas_dmin(5, x, 1) == -5);
}

/* copy and swap keep the bits of signalling NaN. */
static void moves_keep_bits(NO_STATE)
{
    uint64_t x[] = {0x7ff0000000000001u, 0xfff4000000000002u}, y[2] = {3, 4}, z[2];
    uint32_t f[] = {0x7f800001u, 0xffa00002u}, g[2] = {0};
    memcpy(z, x, sizeof x);
    excblas_dcopy(2, (const double *)(const void *)x, 1, (double *)(void *)y, 1);
    assert_memory_equal(y, z, sizeof z);
    y[0] = y[1] = 5;
    excblas_zswap(1, x, 1, y, 1);
    assert_memory_equal(y, z, sizeof z);
    assert_int_equal(x[1], 5);
    excblas_scopy(2, (const float *)(const void *)f, -1, (float *)(void *)g, 1);
    assert_true(g[0] == f[1] && g[1] == f[0]);
}

/* Complex numbers times a real alpha, with y that is not read: alpha, x, the result. Tiny are the
 * least floats, or doubles. */
static void scaled_pairs(NO_STATE)
{
    static const double tiny = 0x1p-149;
    const struct {
        double alpha[2], x[2], y[2];
    } scaled[] = {
        {{tiny, 0}, {-0x1p-3, -1}, {-0.0, -tiny}}, /* underflow keeps the sign */
        {{tiny, -0.0}, {1, 0x1p-3}, {tiny, 0}},
        {{2, 0}, {1, INFINITY}, {NAN, INFINITY}}, /* 0 times Inf counts */
        {{2, 0}, {-0.0, 1}, {-0.0, 2}},           /* and so does a zero */
        {{2, 0}, {-0.0, -1}, {0, -2}},
        {{-2, 0}, {NAN, 1}, {NAN, NAN}},
    };
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        for (int is_d = 0; is_d < 2; is_d++) {
            double least = is_d ? 0x1p-925 : 1, beta[2] = {0, 0}, a[2], x[2], y[2], r[2];
            for (int k = 0; k < 2; k++) {
                a[k] = fabs(scaled[i].alpha[k]) == tiny ? 0x1p-1074 : scaled[i].alpha[k];
                x[k] = scaled[i].x[k];
                r[k] = fabs(scaled[i].y[k]) == tiny ? scaled[i].y[k] * least : scaled[i].y[k];
                y[k] = NAN;
            }
            if (is_d) {
                excblas_zaxpby(1, a, x, 1, beta, y, 2);
            } else {
                float as[2] = {(float)scaled[i].alpha[0], (float)a[1]}, betas[2] = {0, 0};
                float xs[2] = {(float)x[0], (float)x[1]}, ys[2] = {NAN, NAN};
                excblas_caxpby(1, as, xs, 1, betas, ys, 1);
                y[0] = ys[0];
                y[1] = ys[1];
            }
            for (int k = 0; k < 2; k++)
                if (!same_bits(y[k], r[k]))
                    fail_msg("pair %zu, part %d: %a", i, k, y[k]);
        }
}

/* All go to one place, with threads: the last one stays, though its range is done before others,
 * whose pages are new. */
static void scaled_onto_one(NO_STATE)
{
    enum { N = 1 << 22, LAST = N / 4 };
    exb_partition_set_grain(1);
    exblas_set_num_threads(4);
    for (int round = 0; round < 10; round++) {
        double y = 0, *x = calloc(N, sizeof *x);
        assert_non_null(x);
        for (int i = N - LAST; i < N; i++)
            x[i] = i;
        excblas_daxpby(N, 2, x, 1, 0, &y, 0);
        free(x);
        assert_true(y == 2 * (N - 1.0));
    }
    exb_partition_set_grain(0);
}

TESTS(one_element_edges, largest_pairs, largest_far_behind, other_extremes, moves_keep_bits,
      largest_of_many, random_cases_in_all_modes, scaled_pairs, scaled_onto_one)
