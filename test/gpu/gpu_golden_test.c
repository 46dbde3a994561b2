/* The golden hashes (golden.txt) from an OpenCL device: every routine that devices have, by every
 * method, in work-groups of 1 to 256. golden.c is compiled here with gpu_golden_run in place of
 * blas_run, so that the calls are those of the CPU. */
#include "golden.h"
#include "gpu/calls/device_call.h"
#include "gpu_testing.h"

#include <inttypes.h>
#include <stdio.h>

const char *gpu_golden_run(const blas_case *c, const placement *p, double *result);

static const char *const routines[] = {"ssum",  "dsum",  "sasum", "dasum", "snrm2",
                                       "dnrm2", "sdot",  "ddot",  "sgemv", "dgemv",
                                       "strsv", "dtrsv", "sgemm", "dgemm"};

/* How the next calls are made. */
static const char *method;
static int group;

static int64_t elements(matrix_shape s)
{
    return s.n_rows * s.n_cols;
}

/* Operands begin behind an element that is no number. */
static cl_mem upload(const blas_case *c, int64_t n, const double *x)
{
    return gpu_vector(c->type, x ? n : 0, x, 1, 1);
}

static void download(const blas_case *c, cl_mem from, double *result)
{
    static union {
        float f[600];
        double d[600];
    } got;
    size_t n = blas_result_length(c), element = c->type == 's' ? sizeof *got.f : sizeof *got.d;
    assert_int_equal(
        clEnqueueReadBuffer(gpu_queue(), from, CL_TRUE, element, n * element, &got, 0, NULL, NULL),
        CL_SUCCESS);
    for (size_t i = 0; i < n; i++)
        result[i] = c->type == 's' ? (double)got.f[i] : got.d[i];
}

static device_call describe(const blas_case *c, const char *name, const float *scalar)
{
    bool is_s = c->type == 's', is_gemv = c->op == OP_GEMV, is_gemm = c->op == OP_GEMM;
    cl_mem out = is_gemv   ? upload(c, blas_y_length(c), c->y)
                 : is_gemm ? upload(c, elements(blas_c_shape(c)), c->c)
                           : upload(c, 1, (double[]){42});
    cl_mem in =
        is_gemm ? upload(c, elements(blas_b_shape(c)), c->b) : upload(c, blas_x_length(c), c->x);
    return (device_call){.name = name,
                         .layout = EXBLAS_COL_MAJOR,
                         .trans = c->transa == 'n' ? EXBLAS_NO_TRANS : EXBLAS_TRANS,
                         .transb = c->transb == 'n' ? EXBLAS_NO_TRANS : EXBLAS_TRANS,
                         .uplo = c->uplo == 'u' ? EXBLAS_UPPER : EXBLAS_LOWER,
                         .diag = c->diag == 'u' ? EXBLAS_UNIT : EXBLAS_NON_UNIT,
                         .m = c->m,
                         .n = c->n,
                         .k = c->k,
                         .lda = blas_a_shape(c).n_rows,
                         .ldb = blas_b_shape(c).n_rows,
                         .ldc = c->m,
                         .incx = 1,
                         .incy = 1,
                         .alpha = is_s ? (const void *)scalar : &c->alpha,
                         .beta = is_s ? (const void *)(scalar + 1) : &c->beta,
                         .a = upload(c, elements(blas_a_shape(c)), c->a),
                         .b = in,
                         .c = out,
                         .x = in,
                         .y = c->op == OP_DOT ? upload(c, c->n, c->y) : out,
                         .r = out,
                         .offset = 1,
                         .offset_r = 1};
}

const char *gpu_golden_run(const blas_case *c, const placement *p, double *result)
{
    char name[8], parameters[8];
    const float scalar[] = {(float)c->alpha, (float)c->beta};
    bool is_reduction = blas_op_is_level1(c->op);
    (void)p;
    blas_case_name(c, name);
    snprintf(parameters, sizeof parameters, "%s", is_reduction ? "reduce" : name);
    gpu_ok(exblas_set_method(method));
    gpu_ok(exblas_cl_set_param(gpu_queue(), parameters, "group", group));
    device_call call = describe(c, name, scalar);
    gpu_ok(device_call_cl(gpu_queue(), &call));
    download(c, c->op == OP_TRSV ? call.x : call.r, result);
    cl_mem used[] = {call.a, call.b, call.c, c->op == OP_DOT ? call.y : NULL};
    for (int i = 0; i < 4 && used[i]; i++)
        clReleaseMemObject(used[i]);
    return NULL;
}

static uint64_t expected_hash(const char *routine)
{
    FILE *f = fopen(getenv("TEST_GOLDEN"), "r");
    char name[32];
    uint64_t hash = 0, found = 0;
    assert_non_null(f);
    while (fscanf(f, "%31s %" SCNx64, name, &hash) == 2)
        if (strcmp(name, routine) == 0)
            found = hash;
    fclose(f);
    return found;
}

static int index_of(const char *routine)
{
    int i = 0;
    while (strcmp(golden_name(i), routine) != 0)
        i++;
    return i;
}

static void same_hashes(void **state)
{
    const call_mode plain = {{0}};
    int n_wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        uint64_t expected = expected_hash(routines[i]);
        int at = index_of(routines[i]);
        for (int m = 0; m < GPU_N_METHODS; m++)
            for (int g = 0; g < GPU_N_GROUPS; g++) {
                method = gpu_methods[m];
                group = gpu_groups[g];
                if (golden_hash(at, &plain) == expected)
                    continue;
                print_error("%s, %s, groups of %d\n", routines[i], method, group);
                n_wrong++;
            }
    }
    exblas_set_method(NULL);
    mode_restore();
    assert_int_equal(n_wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_hashes)};
    return gpu_run(tests);
}
