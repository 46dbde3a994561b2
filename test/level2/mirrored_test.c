/* Skew-symmetric and complex symmetric matrices that are larger than a block: the same bits as the
 * product of the whole matrix, or of the factors side by side. */
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>

enum { MOST = 170, K = 5 };

static double a[2 * MOST * MOST], full[2 * MOST * MOST], b[2 * MOST * MOST], c[2 * MOST * MOST],
    want[2 * MOST * MOST];

static void fill(test_random *r, int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = random_number(r, FORMAT_D, (int)random_between(r, -40, 40));
}

typedef struct {
    int layout, uplo, n;
} shape;

static shape random_shape(test_random *r)
{
    static const int sizes[] = {1, 2, 33, 64, 65, 129, MOST};
    return (shape){random_chance(r, 2) ? EXBLAS_ROW_MAJOR : EXBLAS_COL_MAJOR,
                   random_chance(r, 2) ? EXBLAS_UPPER : EXBLAS_LOWER,
                   sizes[random_between(r, 0, 6)]};
}

static int place(shape s, int i, int j)
{
    return s.layout == EXBLAS_COL_MAJOR ? i + j * s.n : i * s.n + j;
}

/* Where the triangle has (i, j), i != j, and the sign that it has there. */
static int stored(shape s, int i, int j, double *sign)
{
    bool is_there = (i > j) == (s.uplo == EXBLAS_LOWER);
    *sign = is_there ? 1 : -1;
    return is_there ? place(s, i, j) : place(s, j, i);
}

static void make_skew(test_random *r, shape s)
{
    double sign;
    fill(r, s.n * s.n, a);
    for (int i = 0; i < s.n; i++)
        for (int j = 0; j < s.n; j++) {
            int at = stored(s, i, j, &sign);
            full[place(s, i, j)] = i == j ? 0 : sign * a[at];
        }
}

/* Of the stored triangle, with its diagonal or without. */
static void compare(shape s, bool strict, int parts)
{
    for (int i = 0; i < s.n; i++)
        for (int j = 0; j < s.n; j++)
            for (int k = 0; k < parts; k++) {
                bool is_there = i == j ? !strict : (i > j) == (s.uplo == EXBLAS_LOWER);
                int at = parts * place(s, i, j) + k;
                assert_same_bits(c[at], is_there ? want[at] : b[at]);
            }
}

static void skew_products(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "skew products");
    for (int time = 0; time < 40; time++) {
        shape s = random_shape(&r);
        int side = time % 2 ? EXBLAS_LEFT : EXBLAS_RIGHT, m = side == EXBLAS_LEFT ? s.n : K,
            n = side == EXBLAS_LEFT ? K : s.n, ld = s.layout == EXBLAS_COL_MAJOR ? m : n;
        bool left = side == EXBLAS_LEFT;
        make_skew(&r, s);
        fill(&r, m * n, b);
        fill(&r, m * n, c);
        memcpy(want, c, sizeof c);
        excblas_dgemv(s.layout, EXBLAS_NO_TRANS, s.n, s.n, 3, full, s.n, b, 1, 7, want, -1);
        excblas_dskewsymv(s.layout, s.uplo, s.n, 3, a, s.n, b, 1, 7, c, -1);
        assert_memory_equal(c, want, sizeof c);
        excblas_dgemm(s.layout, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, m, n, s.n, 3, left ? full : b,
                      left ? s.n : ld, left ? b : full, left ? ld : s.n, 7, want, ld);
        excblas_dskewsymm(s.layout, side, s.uplo, m, n, 3, a, s.n, b, ld, 7, c, ld);
        assert_memory_equal(c, want, sizeof c);
    }
}

/* x and y side by side, n x 2 k, and y and -x. */
static void put_side_by_side(shape s, int k, const double *x, const double *y, double sign,
                             double *out)
{
    bool by_rows = s.layout == EXBLAS_ROW_MAJOR;
    for (int i = 0; i < s.n; i++)
        for (int l = 0; l < 2 * k; l++) {
            int from = by_rows ? i * k + l % k : i + l % k * s.n;
            out[by_rows ? i * 2 * k + l : i + l * s.n] = l < k ? x[from] : sign * y[from];
        }
}

static void skew_updates(NO_STATE)
{
    static double x[MOST * K], y[MOST * K], p[2 * MOST * K], q[2 * MOST * K];
    test_random r = test_random_start(test_seed(), "skew updates");
    for (int time = 0; time < 40; time++) {
        shape s = random_shape(&r);
        int k = time % 2 ? 1 : K;
        int one = s.layout == EXBLAS_ROW_MAJOR ? k : s.n,
            two = s.layout == EXBLAS_ROW_MAJOR ? 2 * k : s.n;
        double beta = k == 1 ? 1 : 7;
        fill(&r, s.n * k, x);
        fill(&r, s.n * k, y);
        fill(&r, s.n * s.n, b);
        memcpy(want, b, sizeof b);
        memcpy(c, b, sizeof b);
        put_side_by_side(s, k, y, x, -1, p);
        put_side_by_side(s, k, x, y, 1, q);
        excblas_dgemm(s.layout, EXBLAS_NO_TRANS, EXBLAS_TRANS, s.n, s.n, 2 * k, 3, p, two, q, two,
                      beta, want, s.n);
        if (k == 1)
            excblas_dskewsyr2(s.layout, s.uplo, s.n, 3, x, 1, y, 1, c, s.n);
        else
            excblas_dskewsyr2k(s.layout, s.uplo, EXBLAS_NO_TRANS, s.n, k, 3, x, one, y, one, beta,
                               c, s.n);
        compare(s, true, 1);
    }
}

static void complex_symmetric(NO_STATE)
{
    static double x[2 * MOST], y[2 * MOST], z[2 * MOST];
    const double alpha[] = {3, -5}, beta[] = {7, 2}, one[] = {1, 0};
    test_random r = test_random_start(test_seed(), "complex symmetric");
    for (int time = 0; time < 30; time++) {
        shape s = random_shape(&r);
        double sign;
        fill(&r, 2 * s.n * s.n, b);
        fill(&r, 2 * s.n, x);
        fill(&r, 2 * s.n, y);
        memcpy(z, y, sizeof y);
        memcpy(c, b, sizeof b);
        memcpy(want, b, sizeof b);
        for (int i = 0; i < s.n; i++)
            for (int j = 0; j < s.n; j++)
                memcpy(full + 2 * place(s, i, j),
                       b + 2 * (i == j ? place(s, i, i) : stored(s, i, j, &sign)), 2 * sizeof *b);
        excblas_zgemv(s.layout, EXBLAS_NO_TRANS, s.n, s.n, alpha, full, s.n, x, 1, beta, z, 1);
        excblas_zsymv(s.layout, s.uplo, s.n, alpha, b, s.n, x, 1, beta, y, 1);
        assert_memory_equal(y, z, sizeof y);
        excblas_zgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, s.n, s.n, 1, alpha, x,
                      s.n, x, 1, one, want, s.n);
        excblas_zsyr(s.layout, s.uplo, s.n, alpha, x, 1, c, s.n);
        compare(s, false, 2);
        memcpy(want, b, sizeof b);
        memcpy(c, b, sizeof b);
        memcpy(a, x, sizeof x);
        memcpy(a + 2 * s.n, y, sizeof y);
        memcpy(full, y, sizeof y);
        memcpy(full + 2 * s.n, x, sizeof x);
        excblas_zgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_TRANS, s.n, s.n, 2, alpha, a, s.n,
                      full, s.n, one, want, s.n);
        excblas_zsyr2(s.layout, s.uplo, s.n, alpha, x, 1, y, 1, c, s.n);
        compare(s, false, 2);
    }
}

TESTS(skew_products, skew_updates, complex_symmetric)
