/* libopenblas.so.0 as a program sees it that is linked with -lopenblas. */
#include "testing.h"

#include <complex.h>
#include <dlfcn.h>
#include <string.h>

void openblas_set_num_threads(int), openblas_set_num_threads_(const int *),
    goto_set_num_threads(int);
int openblas_get_num_threads(void), openblas_get_parallel(void), openblas_get_num_procs(void);
const char *openblas_get_config(void), *openblas_get_corename(void);
double dsum_(const int *, const double *, const int *);
double dzsum_(const int *, const void *, const int *);
double damax_(const int *, const double *, const int *);
double _Complex cblas_zdotc(int, const void *, int, const void *, int);
void domatcopy_(const char *, const char *, const int *, const int *, const double *,
                const double *, const int *, double *, const int *);

void dgeadd_(const int *, const int *, const double *, const double *, const int *, const double *,
             double *, const int *);
void xerbla_(const char *, const int *, size_t);
void xerbla_array_(const char *, const int *, const int *, size_t);
double dcabs1_(const void *), cblas_dcabs1(const void *);
float scabs1_(const void *), cblas_scabs1(const void *);
void dcabs1sub_(const void *, double *), scabs1sub_(const void *, float *);

static int reported;
static char name[32];

void xerbla_(const char *routine, const int *info, size_t length)
{
    memcpy(name, routine, length < 32 ? length : 32);
    reported = *info;
}

static void settings(NO_STATE)
{
    openblas_set_num_threads(3);
    assert_int_equal(openblas_get_num_threads(), 3);
    openblas_set_num_threads_(&(int){2});
    assert_int_equal(openblas_get_num_threads(), 2);
    goto_set_num_threads(4);
    assert_int_equal(openblas_get_num_threads(), 4);
    assert_int_equal(openblas_get_parallel(), 1);
    assert_true(openblas_get_num_procs() > 0);
    assert_non_null(strstr(openblas_get_config(), "ExBLAS"));
    assert_non_null(openblas_get_corename());
}

static void results(NO_STATE)
{
    const double x[] = {1e17, 1, -1e17, 2}, y[] = {1, 2, 1, 2};
    const int four = 4, two = 2, three = 3, one = 1;
    assert_same_bits(dsum_(&three, x, &one), 1);
    assert_same_bits(dzsum_(&two, x, &one), 3);
    assert_same_bits(damax_(&four, x, &one), 1e17);
    assert_same_bits(creal(cblas_zdotc(2, y, 1, y, 1)), 10);
    assert_same_bits(cimag(cblas_zdotc(2, y, 1, x, 1)), 3);
}

/* |re| + |im|, and a report of the first letters. */
static void helpers(NO_STATE)
{
    const double z[] = {3, -4};
    const float w[] = {-1, 2};
    double d;
    float f;
    dcabs1sub_(z, &d);
    scabs1sub_(w, &f);
    assert_true(dcabs1_(z) == 7 && cblas_dcabs1(z) == 7 && d == 7);
    assert_true(scabs1_(w) == 3 && cblas_scabs1(w) == 3 && f == 3);
    xerbla_array_("DGEMMX", &(int){5}, &(int){4}, 1);
    assert_true(memcmp(name, "DGEMM   ", 8) == 0 && reported == 4);
}

/* 2 A^T, A two rows of three, row-major. */
static void transposes(NO_STATE)
{
    const double a[] = {1, 2, 3, 4, 5, 6}, alpha = 2;
    const int rows = 2, columns = 3;
    double b[6];
    domatcopy_("R", "t", &rows, &columns, &alpha, a, &columns, b, &rows);
    for (int i = 0; i < 6; i++)
        assert_same_bits(b[i], 2 * a[i % 2 * 3 + i / 2]);
}

/* A leading dimension that is too small: nothing is written. */
static void refused(NO_STATE)
{
    const double a[] = {1, 2, 3, 4}, two = 2;
    const int order = 2, ld = 1;
    double c[] = {5, 6, 7, 8};
    dgeadd_(&order, &order, &two, a, &ld, &two, c, &order);
    assert_int_equal(reported, 5);
    for (int i = 0; i < 4; i++)
        assert_same_bits(c[i], 5 + i);
}

static void has_lapack(NO_STATE)
{
    void (*solve)(const int *, const int *, double *, const int *, int *, double *, const int *,
                  int *);
    void *found = dlsym(RTLD_DEFAULT, "dgesv_");
    memcpy(&solve, &found, sizeof solve);
    const int two = 2, one = 1;
    double a[] = {2, 0, 0, 4}, b[] = {2, 2};
    int pivots[2], info;
    if (!solve)
        skip();
    solve(&two, &one, a, &two, pivots, b, &two, &info);
    assert_int_equal(info, 0);
    assert_same_bits(b[0], 1);
    assert_same_bits(b[1], 0.5);
}

TESTS(settings, results, transposes, refused, helpers, has_lapack)
