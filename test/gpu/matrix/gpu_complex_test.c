/* Complex routines on the OpenCL device give the bits of the processor's, for random operands of
 * several kinds, all options, layouts and offsets, on buffers and on host memory. */
#include "gpu/gpu_testing.h"
#include "test_random.h"

#include <exblas/cblas.h>
#include <exblas/opencl_complex.h>
#include <math.h>

typedef enum {
    SUM,
    ASUM,
    NRM2,
    DOTU,
    DOTC,
    GEMV,
    GEMM,
    SYMM,
    HEMM,
    SYRK,
    HERK,
    TRSV,
    TRSM,
    TRMM,
    N_ROUTINES
} routine;

static const char *const routine_names[] = {"sum",  "asum", "nrm2", "dotu", "dotc", "gemv", "gemm",
                                            "symm", "hemm", "syrk", "herk", "trsv", "trsm", "trmm"};

typedef struct {
    routine routine;
    const char *method;
    int kind, layout, side, uplo, transa, transb, diag, m, n, k, ld, incx, incy, offset;
    double alpha[2], beta[2];
} complex_call;

enum { MOST = 9, LD = MOST + 2, ELEMENTS = LD * LD + 5, CALLS = 12 };

/* MODERATE; WIDE: of all exponents; SPECIAL: integers, few of them not finite. */
enum { MODERATE, WIDE, SPECIAL, N_KINDS };

static double draw_number(test_random *r, int kind, int most_exp2)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, 0, -0.0};
    double sign = random_between(r, 0, 1) ? 1 : -1;
    double mantissa = 1 + (double)random_between(r, 0, (1 << 23) - 1) * 0x1p-23;
    if (kind == SPECIAL)
        return random_between(r, 0, 15) ? (double)random_between(r, -3, 3)
                                        : specials[random_between(r, 0, 4)];
    int most = kind == WIDE ? most_exp2 : 3;
    return sign * ldexp(mantissa, (int)random_between(r, -most, most));
}

#define REAL double
#define TYPED(name) name##_z
#define CL(name) exblas_cl_z##name
#define HOST(name) exblas_cl_host_z##name
#define EX(name) excblas_z##name
#define NORM(prefix, name) prefix##dz##name
#define DRAW(r, kind) draw_number(r, kind, 1020)
#include "gpu_complex_tmpl.h"
#undef REAL
#undef TYPED
#undef CL
#undef HOST
#undef EX
#undef NORM
#undef DRAW

#define REAL float
#define TYPED(name) name##_c
#define CL(name) exblas_cl_c##name
#define HOST(name) exblas_cl_host_c##name
#define EX(name) excblas_c##name
#define NORM(prefix, name) prefix##sc##name
#define DRAW(r, kind) (float)draw_number(r, kind, 120)
#include "gpu_complex_tmpl.h"

static int either(test_random *r, int a, int b)
{
    return random_between(r, 0, 1) ? a : b;
}

/* Scalars 0 and 1, real ones, and others. */
static void draw_scalar(test_random *r, double to[2])
{
    static const double values[] = {0, 1, -1.5, 0.75};
    to[0] = values[random_between(r, 0, 3)];
    to[1] = random_between(r, 0, 1) ? 0 : values[random_between(r, 0, 3)];
}

static complex_call draw_call(test_random *r, routine which)
{
    static const int transposes[] = {EXBLAS_NO_TRANS, EXBLAS_TRANS, EXBLAS_CONJ_TRANS};
    complex_call c = {.routine = which,
                      .method = random_between(r, 0, 3) ? "auto" : "superacc",
                      .kind = (int)random_between(r, 0, N_KINDS - 1),
                      .layout = either(r, EXBLAS_ROW_MAJOR, EXBLAS_COL_MAJOR),
                      .side = either(r, EXBLAS_LEFT, EXBLAS_RIGHT),
                      .uplo = either(r, EXBLAS_UPPER, EXBLAS_LOWER),
                      .transa = transposes[random_between(r, 0, 2)],
                      .transb = transposes[random_between(r, 0, 2)],
                      .diag = either(r, EXBLAS_UNIT, EXBLAS_NON_UNIT),
                      .m = (int)random_between(r, 0, MOST),
                      .n = (int)random_between(r, 0, MOST),
                      .k = (int)random_between(r, 0, MOST),
                      .offset = (int)random_between(r, 0, 4),
                      .ld = MOST + (int)random_between(r, 0, 2)};
    do {
        c.incx = (int)random_between(r, -3, 3);
        c.incy = (int)random_between(r, -3, 3);
    } while (which > DOTC && (c.incx == 0 || c.incy == 0));
    draw_scalar(r, c.alpha);
    draw_scalar(r, c.beta);
    return c;
}

static void test_routine(void **state)
{
    routine which = (routine)(uintptr_t)*state;
    test_random r = test_random_start(test_seed() + (uint64_t)which, "gpu_complex");
    for (int i = 0; i < CALLS; i++) {
        complex_call c = draw_call(&r, which);
        gpu_ok(exblas_set_method(c.method));
        (i % 2 ? check_z : check_c)(&r, &c);
    }
    gpu_ok(exblas_set_method("auto"));
}

/* What is refused: scalars that are NULL, buffers with an element too few, of which a complex one
 * is two numbers. Nothing is written. */
static void refused(void **state)
{
    (void)state;
    const double one[2] = {1, 0}, x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    double now[8];
    cl_int error;
    cl_command_queue q = gpu_queue();
    cl_mem m = clCreateBuffer(gpu_context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof x,
                              (void *)(uintptr_t)x, &error);
    assert_int_equal(error, CL_SUCCESS);
    assert_int_equal(
        exblas_cl_zgemv(q, 102, 111, 1, 1, NULL, m, 0, 1, m, 0, 1, one, m, 1, 1, 0, NULL, NULL),
        EXBLAS_EINVAL);
    assert_non_null(strstr(exblas_cl_last_error(), "alpha"));
    assert_int_equal(exblas_cl_zgemm(q, 102, 111, 111, 1, 1, 1, one, m, 0, 1, m, 0, 1, NULL, m, 1,
                                     1, 0, NULL, NULL),
                     EXBLAS_EINVAL);
    assert_int_equal(exblas_cl_zgemm(q, 102, 111, 111, 1, 1, 1, one, m, 0, 1, m, 1, 1, one, m, 1, 1,
                                     0, NULL, NULL),
                     EXBLAS_EINVAL);
    assert_non_null(strstr(exblas_cl_last_error(), "C overlaps B"));
    assert_int_equal(exblas_cl_zsum(q, 5, m, 0, 1, m, 0, 0, NULL, NULL), EXBLAS_EINVAL);
    assert_non_null(strstr(exblas_cl_last_error(), "x has 4 elements"));
    assert_int_equal(exblas_cl_zdotc(q, 1, m, 0, 1, m, 0, 1, m, 4, 0, NULL, NULL), EXBLAS_EINVAL);
    assert_int_equal(
        exblas_cl_ztrmm(q, 102, 141, 121, 111, 131, 1, 1, NULL, m, 0, 1, m, 1, 1, 0, NULL, NULL),
        EXBLAS_EINVAL);
    assert_int_equal(
        exblas_cl_ztrmm(q, 102, 141, 121, 111, 131, 3, 1, one, m, 0, 3, m, 0, 3, 0, NULL, NULL),
        EXBLAS_EINVAL);
    assert_int_equal(exblas_cl_zherk(q, 102, 121, 112, 1, 1, 1, m, 0, 1, 0, m, 1, 1, 0, NULL, NULL),
                     EXBLAS_EINVAL);
    assert_int_equal(exblas_cl_host_zsum(q, 1, x, 1, NULL), EXBLAS_EINVAL);
    assert_int_equal(exblas_cl_zsum(q, (size_t)INT64_MAX, m, 0, 0, m, 0, 0, NULL, NULL),
                     EXBLAS_EINVAL);
    clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof now, now, 0, NULL, NULL);
    assert_memory_equal(now, x, sizeof x);
    clReleaseMemObject(m);
}

int main(void)
{
    struct CMUnitTest tests[N_ROUTINES + 1];
    for (int i = 0; i < N_ROUTINES; i++)
        tests[i] =
            (struct CMUnitTest){routine_names[i], test_routine, NULL, NULL, (void *)(uintptr_t)i};
    tests[N_ROUTINES] = (struct CMUnitTest)cmocka_unit_test(refused);
    return gpu_run(tests);
}
