/* Products of one, two and four terms that are added to C: the bits of the accumulator, also where
 * zeros cancel, are all negative, or come from numbers that underflow. */
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

enum { M = 230, N = 7, MOST_TERMS = 5, LD = 233, COUNT = LD * 8 };

typedef struct {
    double a[COUNT], b[COUNT], c[COUNT];
} operands;

typedef struct {
    float a[COUNT], b[COUNT], c[COUNT];
} small_operands;

static double element(test_random *r, int kind)
{
    static const double odd[] = {0, -0.0, 1, -1, 0x1p-600, -0x1p-600, 0x1p-1074};
    if (kind == 0)
        return random_number(r, FORMAT_D, (int)random_between(r, -3, 3));
    if (kind == 1)
        return odd[random_between(r, 0, 3)];
    if (kind == 2)
        return odd[random_between(r, 0, 6)];
    return random_between(r, 0, 40) == 0 ? (random_chance(r, 2) ? INFINITY : NAN)
                                         : random_number(r, FORMAT_D, 0);
}

static void fill(test_random *r, int kind, operands *x, small_operands *y)
{
    for (int i = 0; i < COUNT; i++) {
        y->a[i] = (float)(x->a[i] = element(r, kind));
        y->b[i] = (float)(x->b[i] = element(r, kind));
        y->c[i] = (float)(x->c[i] = element(r, kind == 3 ? 0 : kind));
    }
}

/* A by columns, op(B) by columns or rows; or all of it by rows. */
static void multiply(const char *method, int layout, int tb, int k, double alpha, operands *x,
                     small_operands *y)
{
    int m = layout == 102 ? M : N, n = layout == 102 ? N : M;
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    excblas_dgemm(layout, layout == 102 ? 111 : 112, tb, m, n, k, alpha, x->a, LD, x->b, LD, 1,
                  x->c, LD);
    excblas_sgemm(layout, layout == 102 ? 111 : 112, tb, m, n, k, (float)alpha, y->a, LD, y->b, LD,
                  1, y->c, LD);
    exblas_set_method(NULL);
}

static void has_the_accumulators_bits(NO_STATE)
{
    static operands x, x0;
    static small_operands y, y0;
    static const double alphas[] = {-1, 1, 0.7, -0x1p-500};
    test_random r = test_random_start(test_seed(), "products of few terms");
    for (int way = 0; way < 4 * 4 * 2 * 2 * MOST_TERMS; way++) {
        int kind = way % 4, layout = way / 16 % 2 ? 102 : 101, k = way / 64 + 1;
        int tb = layout == 101 ? 111 : way / 32 % 2 ? 111 : 112;
        fill(&r, kind, &x, &y);
        x0 = x;
        y0 = y;
        multiply("superacc", layout, tb, k, alphas[way / 4 % 4], &x0, &y0);
        multiply("auto", layout, tb, k, alphas[way / 4 % 4], &x, &y);
        for (int i = 0; i < COUNT; i++) {
            assert_same_bits(x.c[i], x0.c[i]);
            assert_same_bits(y.c[i], y0.c[i]);
        }
    }
}

/* -0 - 0 = +0 in a sum; -2^-1200 is -0, rounded. */
static void zeros_have_the_sign_of_sums(NO_STATE)
{
    static operands x;
    for (int i = 0; i < COUNT; i++) {
        x.a[i] = i % 2 ? 0 : 0x1p-600;
        x.b[i] = 0x1p-600;
        x.c[i] = -0.0;
    }
    excblas_dgemm(102, 111, 112, M, N, 1, -1, x.a, LD, x.b, LD, 1, x.c, LD);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            assert_same_bits(x.c[j * LD + i], i % 2 ? 0.0 : -0.0);
}

TESTS(has_the_accumulators_bits, zeros_have_the_sign_of_sums)
