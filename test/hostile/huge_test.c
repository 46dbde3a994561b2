/* Sizes and distances beyond 32 bits in few pages of memory.
 *
 * - Vectors of a little more than 2^31 elements through the 64-bit names: one piece of memory
 *   mapped again and again, between two guard pages.
 * - Increments and leading dimensions whose products with small sizes leave 32 bits: mappings
 *   without memory, of which the elements that count get some.
 * - Sizes so large that addresses would wrap: legal calls that return quickly, or errors. */
#include "testing.h"

#include <exblas/exblas.h>
#include <exblas/fortran.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE = 1 << 21, LD = 1 << 30 };

static const int64_t n_long = ((int64_t)1 << 31) + 5;

/* Address space without memory behind it, or NULL. */
static void *reserve(size_t n_bytes)
{
    void *p = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* n_bytes in which the bytes of one piece repeat: each odd float is -1, each even one 1, but
 * the first element of each piece, which is 1 + 2^-20. NULL if there is not enough address space.
 */
static float *repeated_floats(size_t n_bytes, size_t *n_pieces)
{
    int fd = memfd_create("piece", MFD_CLOEXEC);
    *n_pieces = (n_bytes + PIECE - 1) / PIECE;
    char *all = reserve(*n_pieces * PIECE);
    if (!all || fd < 0 || ftruncate(fd, PIECE) != 0)
        return NULL;
    for (size_t i = 0; i < *n_pieces; i++)
        if (mmap(all + i * PIECE, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
            MAP_FAILED)
            return NULL;
    close(fd);
    float *x = (float *)(void *)all;
    for (int i = 0; i < PIECE / (int)sizeof *x; i++)
        x[i] = i % 2 ? -1 : 1;
    x[0] = 1 + 0x1p-20f;
    return x;
}

static void vectors_of_more_than_2_31(NO_STATE)
{
    size_t n_pieces;
    float *x = repeated_floats((size_t)n_long * sizeof *x, &n_pieces);
    if (!x)
        leave_test("not enough address space");
    /* 2^31 floats are 2^12 pieces, then 1 + 2^-20, -1, 1, -1, 1: in all 2^-8 + 2^-20 + 1. */
    const double sum = 1 + 0x1p-8 + 0x1p-20;
    assert_same_bits((double)excblas_ssum_64(n_long, x, 1), (double)(float)sum);
    int64_t n = n_long, one = 1;
    assert_same_bits((double)exsdot_64_(&n, x, &one, x, &one),
                     (double)(float)(0x1p31 + 5 + 4097 * (0x1p-19 + 0x1p-40)));
    x[1] = -7; /* in every piece: the first one counts */
    assert_int_equal(excblas_isamax_64(n_long, x, 1), 1);
    assert_int_equal(exisamax_64_(&n, x, &one), 2);
    munmap(x, n_pieces * PIECE);
}

/* Four elements, 2^30 apart: the last one lies 3 * 2^33 bytes from the first. */
static void far_elements(NO_STATE)
{
    const size_t n_bytes = (3 * (size_t)LD + 1) * sizeof(double);
    double *x = reserve(n_bytes), *y = reserve(n_bytes);
    if (!x || !y)
        leave_test("not enough address space");
    for (int64_t i = 0; i < 4; i++) {
        x[i * LD] = (double)(i + 1);
        y[i * LD] = 1;
    }
    assert_same_bits(excblas_dsum(4, x, LD), 10);
    assert_same_bits(excblas_ddot(4, x, LD, y, -LD), 10);
    assert_same_bits(excblas_dnrm2(4, x, -LD), 0x1.5e8add236a58fp2);
    excblas_daxpy(4, 2, x, LD, y, LD);
    for (int64_t i = 0; i < 4; i++)
        assert_same_bits(y[i * LD], (double)(2 * i + 3));
    excblas_dswap(4, x, LD, y, -LD);
    assert_same_bits(x[3 * (int64_t)LD], 3);
    munmap(x, n_bytes);
    munmap(y, n_bytes);
}

/* Matrices of 2 x 3 whose columns lie 2^31 - 1 elements apart. */
static void far_columns(NO_STATE)
{
    const int64_t ld = INT32_MAX;
    const size_t n_bytes = (2 * (size_t)ld + 2) * sizeof(double);
    double *a = reserve(n_bytes), *c = reserve(n_bytes), x[3] = {1, 10, 100}, y[2] = {0, 0};
    const double b[9] = {1, 0, 0, 0, 0, 1, 0, 1, 0}; /* exchanges columns 2 and 3 */
    if (!a || !c)
        leave_test("not enough address space");
    for (int64_t j = 0; j < 3; j++)
        for (int64_t i = 0; i < 2; i++)
            a[i + j * ld] = (double)(1 + i + 2 * j);
    excblas_dgemv(102, 111, 2, 3, 1, a, INT32_MAX, x, 1, 0, y, 1);
    assert_same_bits(y[0], 531);
    assert_same_bits(y[1], 642);
    excblas_dgemm(102, 111, 111, 2, 3, 3, 1, a, INT32_MAX, b, 3, 0, c, INT32_MAX);
    assert_same_bits(c[2 * ld + 1], 4);
    assert_same_bits(c[ld], 5);
    excblas_dsyrk(102, 121, 111, 2, 3, 1, a, INT32_MAX, 0, c, INT32_MAX);
    assert_same_bits(c[ld], 1 * 2 + 3 * 4 + 5 * 6);
    excblas_dger(102, 2, 3, 1, y, 1, x, 1, a, INT32_MAX);
    assert_same_bits(a[2 * ld + 1], 6 + 64200);
    munmap(a, n_bytes);
    munmap(c, n_bytes);
}

static int n_reports;

static void note(const char *routine, int info)
{
    (void)routine;
    (void)info;
    n_reports++;
}

/* n * n and lda * n are beyond 64 bits. */
static void addresses_that_would_wrap(NO_STATE)
{
    const int64_t huge = INT64_MAX, half = INT64_MAX / 2;
    double a[1] = {3}, c[1] = {5};
    exblas_xerbla_fn *before = exblas_set_xerbla(note);
    n_reports = 0;
    excblas_dgemm_64(102, 111, 111, huge, 0, huge, 1, a, huge, a, huge, 0, c, huge); /* empty */
    excblas_dgemm_64(102, 111, 111, 1, 1, huge, 0, a, 1, a, huge, 1, c, 1); /* quick return */
    excblas_dger_64(102, huge, half, 0, a, 1, a, 1, c, huge);
    excblas_dsyrk_64(102, 121, 111, half, 0, 1, a, half, 1, c, half);
    excblas_dtrsv_64(102, 121, 111, 131, 0, a, huge, c, huge);
    excblas_dgbmv_64(102, 111, half, half, 1, 1, 0, a, huge, a, 1, 1, c, 1);
    assert_int_equal(n_reports, 0);
    excblas_dgbmv_64(102, 111, 1, 1, half, half, 1, a, half, a, 1, 1, c, 1); /* lda <= kl + ku */
    assert_int_equal(n_reports, 1);
    excblas_dgemm_64(102, 111, 111, huge, 1, 1, 1, a, half, a, 1, 0, c, huge); /* lda < m */
    assert_int_equal(n_reports, 2);
    assert_same_bits(excblas_dsum_64(INT64_MIN, a, 1), 0);
    exblas_set_xerbla(before);
    assert_same_bits(c[0], 5);
    /* n * incx = 0 bytes of memory are needed, wherever that is. */
    assert_same_bits(excblas_dasum_64(huge, a, 0), 0);
    assert_same_bits(excblas_ddot_64(1, a, huge, a, INT64_MIN), 9);
    assert_same_bits(excblas_dsum_64(1, a, INT64_MIN), 3);
}

TESTS(vectors_of_more_than_2_31, far_elements, far_columns, addresses_that_would_wrap)
