/* The drop-in object as a program sees it: plain names with exact results, and errors
 * reported as netlib's BLAS and CBLAS report them. This program brings its own xerbla_
 * and cblas_xerbla, which must win, and is linked with the object itself. */
#include "testing.h"

extern int RowMajorStrg, CBLAS_CallFromC;
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int,
                 double, double *, int);
void cblas_dgemm_batch(int, const int *, const int *, const int *, const int *, const int *,
                       const double *, const double *const *, const int *, const double *const *,
                       const int *, const double *, double *const *, const int *, int, const int *);
void dgemm_batch_(const char *, const char *, const int *, const int *, const int *, const double *,
                  const double *const *, const int *, const double *const *, const int *,
                  const double *, double *const *, const int *, const int *, const int *);
void cblas_zgemm_batch_64(int, const int *, const int *, const int64_t *, const int64_t *,
                          const int64_t *, const void *, const void *const *, const int64_t *,
                          const void *const *, const int64_t *, const void *, void *const *,
                          const int64_t *, int64_t, const int64_t *);
void cblas_dgemv(int, int, int, int, double, const double *, int, const double *, int, double,
                 double *, int);
double cblas_ddot(int, const double *, int, const double *, int);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);
double ddot_(const int *, const double *, const int *, const double *, const int *);
double dnrm2_(const int *, const double *, const int *);

static char name[32], kind;
static int position, row_major, from_c;

__attribute__((visibility("default"))) void xerbla_(const char *routine, const int *info,
                                                    size_t length)
{
    snprintf(name, sizeof name, "%.*s", (int)length, routine);
    position = *info;
    row_major = RowMajorStrg;
    from_c = CBLAS_CallFromC;
    kind = 'f';
}

__attribute__((visibility("default"))) void cblas_xerbla(int info, const char *routine,
                                                         const char *form, ...)
{
    (void)form;
    snprintf(name, sizeof name, "%s", routine);
    position = info;
    kind = 'c';
}

static void assert_report(char expected_kind, const char *routine, int number)
{
    assert_int_equal(kind, expected_kind);
    assert_string_equal(name, routine);
    assert_int_equal(position, number);
    kind = 0;
}

static double a[16], c[16];

static void exact_results(NO_STATE)
{
    const double x[] = {1e17, 1, -1e17}, y[] = {1, 1, 1};
    const int three = 3, one = 1;
    assert_same_bits(cblas_ddot(3, x, 1, y, 1), 1);
    assert_same_bits(ddot_(&three, x, &one, y, &one), 1);
    assert_same_bits(dnrm2_(&three, y, &one), 0x1.bb67ae8584caap0);
}

/* Two groups, of two products of 1 x 3 by 3 x 1 and of one of 2 x 1 by 1 x 2. */
static void batches(NO_STATE)
{
    const double x[] = {1e17, 1, -1e17}, y[] = {1, 1, 1}, z[] = {1, 2, 3};
    const int trans[] = {111, 111}, m[] = {1, 2}, n[] = {1, 2}, k[] = {3, 1}, lda[] = {3, 1};
    const int ldb[] = {1, 2}, ldc[] = {1, 2}, size[] = {2, 1};
    const double alpha[] = {2, 1}, beta[] = {0, 1}, *left[] = {x, z, z}, *right[] = {y, y, x + 1};
    double first = 7, second = 7, third[] = {1, 1, 1, 1}, *results[] = {&first, &second, third};
    cblas_dgemm_batch(101, trans, trans, m, n, k, alpha, left, lda, right, ldb, beta, results, ldc,
                      2, size);
    assert_same_bits(first, 2);
    assert_same_bits(second, 12);
    assert_same_bits(third[0], 2);
    assert_same_bits(third[1], 1 - 1e17);
    assert_same_bits(third[2], 3);
    assert_same_bits(third[3], 1 - 2e17);
}

/* As BLIS has it. */
static void fortran_batches(NO_STATE)
{
    const int one[] = {1, 2}, count = 2, size[] = {1, 1};
    const double x[] = {3, 4}, *factors[] = {x, x}, alpha[] = {1, 2}, beta[] = {0, 1};
    double first = 7, second[] = {1, 1, 1, 1}, *results[] = {&first, second};
    dgemm_batch_("NN", "NT", one, one, (const int[]){1, 1}, alpha, factors, one, factors, one, beta,
                 results, one, &count, size);
    assert_same_bits(first, 9);
    assert_same_bits(second[0], 19);
    assert_same_bits(second[3], 33);
}

static void complex_batches(NO_STATE)
{
    const int trans[] = {113, 113};
    const int64_t one[] = {1, 1}, two[] = {1, 2};
    const double alpha[] = {1, 0, 0, 1}, beta[] = {0, 0, 0, 0}, x[] = {3, 4}, y[] = {1, 2};
    const void *left[] = {x, y, x}, *right[] = {y, y, y};
    double c1[2], c2[2], c3[2];
    void *results[] = {c1, c2, c3};
    cblas_zgemm_batch_64(102, trans, trans, one, one, one, alpha, left, one, right, one, beta,
                         results, one, 2, two);
    assert_same_bits(c1[0], -5);
    assert_same_bits(c1[1], -10);
    assert_same_bits(c2[0], 4);
    assert_same_bits(c2[1], -3);
    assert_same_bits(c3[0], 10);
    assert_same_bits(c3[1], -5);
}

static void fortran_errors(NO_STATE)
{
    const int two = 2, one = 1, bad = -1;
    const double alpha = 1, beta = 0;
    dgemm_("N", "N", &two, &bad, &two, &alpha, a, &two, a, &two, &beta, c, &two);
    assert_report('f', "DGEMM ", 4);
    assert_int_equal(from_c, 0);
    dgemm_("N", "x", &two, &two, &two, &alpha, a, &two, a, &two, &beta, c, &one);
    assert_report('f', "DGEMM ", 2);
}

static void cblas_errors(NO_STATE)
{
    cblas_dgemm(100, 111, 111, 2, 2, 2, 1, a, 2, a, 2, 0, c, 2);
    assert_report('c', "cblas_dgemm", 1);
    cblas_dgemm(102, 111, 0, 2, 2, 2, 1, a, 2, a, 2, 0, c, 2);
    assert_report('c', "cblas_dgemm", 3);
    cblas_dgemm(102, 111, 111, 2, 2, 2, 1, a, 1, a, 2, 0, c, 2);
    assert_report('f', "DGEMM ", 8);
    assert_int_equal(from_c, 1);
    assert_int_equal(row_major, 0);
    /* Row-major: the Fortran call that netlib makes has m and n, a and b exchanged. */
    cblas_dgemm(101, 111, 111, -1, 2, 2, 1, a, 2, a, 2, 0, c, 2);
    assert_report('f', "DGEMM ", 4);
    assert_int_equal(row_major, 1);
    cblas_dgemm(101, 111, 111, 2, 2, 2, 1, a, 1, a, 2, 0, c, 2);
    assert_report('f', "DGEMM ", 10);
    cblas_dgemv(101, 111, 2, -1, 1, a, 2, a, 1, 0, c, 1);
    assert_report('f', "DGEMV ", 2);
    assert_int_equal(RowMajorStrg, 0);
    assert_int_equal(CBLAS_CallFromC, 0);
}

TESTS(exact_results, batches, fortran_batches, complex_batches, fortran_errors, cblas_errors)
