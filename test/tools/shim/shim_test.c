/* The drop-in object as a program sees it: plain names with exact results, and errors
 * reported as netlib's BLAS and CBLAS report them. This program brings its own xerbla_
 * and cblas_xerbla, which must win, and is linked with the object itself. */
#include "testing.h"

#include <dlfcn.h>

extern int RowMajorStrg, CBLAS_CallFromC;
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int,
                 double, double *, int);
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
                                                    size_t length);
void xerbla_(const char *routine, const int *info, size_t length)
{
    snprintf(name, sizeof name, "%.*s", (int)length, routine);
    position = *info;
    row_major = RowMajorStrg;
    from_c = CBLAS_CallFromC;
    kind = 'f';
}

__attribute__((visibility("default"))) void cblas_xerbla(int info, const char *routine,
                                                         const char *form, ...);
void cblas_xerbla(int info, const char *routine, const char *form, ...)
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

static void exact_results(void **state)
{
    const double x[] = {1e17, 1, -1e17}, y[] = {1, 1, 1};
    const int three = 3, one = 1;
    (void)state;
    assert_same_bits(cblas_ddot(3, x, 1, y, 1), 1);
    assert_same_bits(ddot_(&three, x, &one, y, &one), 1);
    assert_same_bits(dnrm2_(&three, y, &one), 0x1.bb67ae8584caap0);
}

static void fortran_errors(void **state)
{
    const int two = 2, one = 1, bad = -1;
    const double alpha = 1, beta = 0;
    (void)state;
    dgemm_("N", "N", &two, &bad, &two, &alpha, a, &two, a, &two, &beta, c, &two);
    assert_report('f', "DGEMM ", 4);
    assert_int_equal(from_c, 0);
    dgemm_("N", "x", &two, &two, &two, &alpha, a, &two, a, &two, &beta, c, &one);
    assert_report('f', "DGEMM ", 2);
}

static void cblas_errors(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_results),
        cmocka_unit_test(fortran_errors),
        cmocka_unit_test(cblas_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
