/* The golden hashes (golden.txt) from an OpenCL device: every routine that devices have, by every
 * method, in work-groups of 1 to 256. golden.c is compiled here with gpu_golden_run in place of
 * blas_run, so that the calls are those of the CPU. */
#include "gpu_reductions.h"

#include "golden.h"
#include "gpu/matrix/matrix_job.h"

#include <inttypes.h>
#include <string.h>

const char *gpu_golden_run(const blas_case *c, const placement *p, double *result);

static const char *const routines[] = {"ssum",  "dsum",  "sasum", "dasum", "snrm2",
                                       "dnrm2", "sdot",  "ddot",  "sgemv", "dgemv",
                                       "strsv", "dtrsv", "sgemm", "dgemm"};

/* How the next calls are made. */
static const char *method;
static int group;

static void reduce(const blas_case *c, double *result)
{
    const reduction_place place = {method, group, 1, 1, 0};
    reduction r = {(reduction_op)(c->op - OP_SUM + RED_SUM), c->type, c->n, c->x,
                   c->op == OP_DOT ? c->y : NULL};
    gpu_ok(exblas_cl_set_param(gpu_queue(), "reduce", "group", group));
    *result = reduction_on_device(&r, &place);
}

static void multiply(const blas_case *c, double *result)
{
    const job_layout layout = {false, 1, 1, 0, 0};
    matrix_job job = matrix_job_make(c, &layout);
    char routine[8] = {c->type};
    strcat(routine, blas_op_name(c->op));
    gpu_ok(exblas_cl_set_param(gpu_queue(), routine, "group", group));
    void *image = matrix_job_computed(&job, gpu_queue());
    int64_t rows = c->op == OP_GEMM ? c->m : (int64_t)blas_result_length(c);
    for (int64_t i = 0; i < (int64_t)blas_result_length(c); i++)
        result[i] = matrix_job_result(&job, image, i % rows, i / rows);
    free(image);
    matrix_job_free(&job);
}

const char *gpu_golden_run(const blas_case *c, const placement *p, double *result)
{
    (void)p;
    gpu_ok(exblas_set_method(method));
    if (blas_op_is_level1(c->op))
        reduce(c, result);
    else
        multiply(c, result);
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
