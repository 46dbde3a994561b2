/* The routines of Level 1: bits that are easy to get wrong, and any calls (fuzz/differential)
 * against their definitions in exact arithmetic. */
#include "core/partition.h"
#include "fuzz/differential/run.h"
#include "routine_call.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/exblas.h>
#include <math.h>

/* Calls with one element. */
static const struct {
    const char *name;
    double alpha, x, beta, y;
    double new_x, new_y;
} edges[] = {
    /* -0 only if every term is -0 */
    {"daxpy", 1, -0.0, 0, -0.0, -0.0, -0.0},
    {"daxpy", 1, -0.0, 0, 0.0, -0.0, 0.0},
    {"daxpy", 1, 2, 0, -2, 2, 0.0},
    {"daxpby", -1, 0.0, 1, -0.0, 0.0, -0.0},
    {"daxpby", 0, NAN, -1, 0.0, NAN, -0.0}, /* x is not read */
    {"daxpby", 0, NAN, 0, NAN, NAN, 0.0},   /* neither is read */
    {"daxpby", -1, 0.0, 0, NAN, 0.0, -0.0}, /* y is not read */
    {"daxpy", -0.0, NAN, 0, 7, NAN, 7},     /* alpha = 0 returns at once */
    {"dscal", 0, INFINITY, 0, 1, NAN, 1},   /* scal by 0 does not */
    {"dscal", -1, 0.0, 0, 1, -0.0, 1},
    {"dscal", -0x1p-1074, 0x1p-1074, 0, 1, -0.0, 1}, /* underflow keeps the sign */
    {"daxpby", 0x1p-1074, 0x1p-1074, -0x1p-1074, 0x1p-1074, 0x1p-1074, 0.0},
    {"daxpby", 0x1p-1074, 0x1p-1074, -0x1p-1074, 0x1p-1073, 0x1p-1074, -0.0},
    /* ties, and ties broken far away */
    {"daxpby", 1, 1, 1, 0x1p-53, 1, 1},
    {"daxpby", 1, 1, 1, 0x1.0000000000001p-53, 1, 0x1.0000000000001p0},
    {"daxpby", 1, 0x1.0000000000001p0, 1, 0x1p-53, 0x1.0000000000001p0, 0x1.0000000000002p0},
    /* products that overflow and cancel, and that underflow and matter */
    {"daxpby", 0x1p960, 0x1p100, -0x1p960, 0x1.fffffffffffffp99, 0x1p100, 0x1p1007},
    {"daxpby", 0x1p1000, 0x1p100, 1, 0x1p1023, 0x1p100, INFINITY},
    {"daxpby", 0x1p-1000, 0x1p-75, 0x1p-537, 0x1p-538, 0x1p-75, 0x1p-1074},
    {"daxpby", INFINITY, 1, -INFINITY, 1, 1, NAN},
    {"drot", 0, INFINITY, 1, 1, NAN, -INFINITY},
    {"drot", 1, -0.0, 0, 0.0, 0.0, 0.0},
    {"dswap", 0, 1, 0, -0.0, -0.0, 1},
};

static void one_element_edges(NO_STATE)
{
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        double x = edges[i].x, y = edges[i].y;
        routine_call q = {.n = 1, .incx = 1, .incy = 1, .x = &x, .y = &y};
        q.alpha = &edges[i].alpha;
        q.beta = &edges[i].beta;
        routine_run(edges[i].name, FORM_CBLAS, &q);
        if (!same_bits(x, edges[i].new_x) || !same_bits(y, edges[i].new_y))
            fail_msg("edge %zu: x %a y %a", i, x, y);
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

static void any_calls(NO_STATE)
{
    assert_int_equal(fuzz_some("level1", 25000), 0);
}

TESTS(one_element_edges, largest_pairs, largest_far_behind, other_extremes, moves_keep_bits,
      largest_of_many, any_calls, scaled_pairs, scaled_onto_one)
