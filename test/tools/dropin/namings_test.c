/* Each naming of the drop-in objects computes, with its integers and its way of returning
 * complex numbers; the calls by which libblastrampoline finds out what it has loaded. */
#include "testing.h"

#include <complex.h>
#include <dlfcn.h>
#include <stdint.h>

static const double x[] = {1e17, 1, -1e17}, ones[] = {1, 1, 1};

typedef void function(void);

static void *object(const char *variable)
{
    void *handle = dlopen(getenv(variable), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fail_msg("%s", dlerror());
    return handle;
}

static function *find(void *handle, const char *name)
{
    function *f;
    void *p = dlsym(handle, name);
    if (!p)
        fail_msg("no %s", name);
    memcpy(&f, &p, sizeof f);
    return f;
}

typedef double cblas_dot_32(int32_t, const double *, int32_t, const double *, int32_t);
typedef double cblas_dot_64(int64_t, const double *, int64_t, const double *, int64_t);
typedef double dot_32(const int32_t *, const double *, const int32_t *, const double *,
                      const int32_t *);
typedef double dot_64(const int64_t *, const double *, const int64_t *, const double *,
                      const int64_t *);

/* A 64-bit number whose lower half alone would be another one. */
static const int64_t three = 3, one = 1, minus_large = -(INT64_C(1) << 32) + 3;

static void check_64(void *handle, const char *fortran, const char *cblas)
{
    dot_64 *f = (dot_64 *)find(handle, fortran);
    cblas_dot_64 *c = (cblas_dot_64 *)find(handle, cblas);
    assert_same_bits(f(&three, x, &one, ones, &one), 1);
    assert_same_bits(c(3, x, 1, ones, 1), 1);
    assert_same_bits(f(&minus_large, x, &one, ones, &one), 0);
    assert_same_bits(c(minus_large, x, 1, ones, 1), 0);
}

static void check_32(void *handle, const char *fortran, const char *cblas)
{
    const int32_t n = 3, inc = 1;
    assert_same_bits(((dot_32 *)find(handle, fortran))(&n, x, &inc, ones, &inc), 1);
    assert_same_bits(((cblas_dot_32 *)find(handle, cblas))(3, x, 1, ones, 1), 1);
}

static void namings(NO_STATE)
{
    void *shim = object("TEST_SHIM");
    check_32(shim, "ddot_", "cblas_ddot");
    check_32(shim, "scipy_ddot_", "scipy_cblas_ddot");
    check_64(shim, "ddot_64_", "cblas_ddot64_");
    check_64(shim, "ddot_64", "cblas_ddot_64");
    check_64(shim, "scipy_ddot_64_", "scipy_cblas_ddot64_");
    check_64(object("TEST_BLAS64"), "ddot_", "cblas_ddot");
}

typedef double complex by_value(const int64_t *, const void *, const int64_t *, const void *,
                                const int64_t *);
typedef void by_argument(void *, const int64_t *, const void *, const int64_t *, const void *,
                         const int64_t *);
typedef void sub(int64_t, const void *, int64_t, const void *, int64_t, void *);

/* conj(1 + 2i) (3 + 4i) = 11 - 2i */
static void complex_results(NO_STATE)
{
    const double p[] = {1, 2}, q[] = {3, 4};
    double r[2] = {0, 0};
    const char *const subs[] = {"cblas_zdotc_sub64_", "cblas_zdotc_sub_64",
                                "scipy_cblas_zdotc_sub64_"};
    void *shim = object("TEST_SHIM"), *f2c = object("TEST_SHIM_F2C");
    double complex z = ((by_value *)find(shim, "zdotc_64_"))(&one, p, &one, q, &one);
    assert_same_bits(creal(z), 11);
    assert_same_bits(cimag(z), -2);
    ((by_argument *)find(f2c, "scipy_zdotc_64_"))(r, &one, p, &one, q, &one);
    assert_same_bits(r[0], 11);
    assert_same_bits(r[1], -2);
    for (int i = 0; i < 3; i++) {
        r[0] = r[1] = 0;
        ((sub *)find(shim, subs[i]))(1, p, 1, q, 1, r);
        assert_same_bits(r[0], 11);
        assert_same_bits(r[1], -2);
    }
}

/* isamax_ with a negative n whose lower half is positive tells the size of integers; zdotc_ with n
 * = 0 how complex numbers come back. */
static void probes(NO_STATE)
{
    typedef int64_t index_64(const int64_t *, const float *, const int64_t *);
    typedef int32_t index_32(const int64_t *, const float *, const int64_t *);
    const float y[] = {1, 2, 1};
    const int64_t zero = 0;
    void *shim = object("TEST_SHIM");
    assert_int_equal(((index_64 *)find(shim, "isamax_64_"))(&minus_large, y, &one), 0);
    assert_int_equal(((index_32 *)find(shim, "isamax_"))(&minus_large, y, &one), 2);
    double complex z = ((by_value *)find(shim, "zdotc_"))(&zero, x, &one, x, &one);
    assert_same_bits(creal(z), 0);
    assert_same_bits(cimag(z), 0);
}

TESTS(namings, complex_results, probes)
