/* Products in several blocks on the emulated device. */
#include "cuda_testing.h"
#include "emulated_device.h"

#include <math.h>

/* Several blocks of residues in both factors, and more elements than one group takes at a time,
 * whatever the scalars are. */
static void residues(NO_STATE)
{
    device_handle = create();
    exblas_cuda_set_param(device_handle, "dgemm", "residue_rows", 64);
    exblas_cuda_set_param(device_handle, "dgemm", "residue_columns", 64);
    for (int i = 0; i < 4; i++) {
        fuzz_case c = case_of("zgemm", 50, 70, 90, STYLE_RANDOM, "residue");
        c.alpha = (test_number){-1.5, i & 1};
        c.beta = (test_number){0.5, i >> 1};
        emulated.products = 0;
        device_job *j = job_of(c);
        cuda_ok(job_call(j));
        assert_true(job_is_right(j));
        assert_true(emulated.products >= 4 * 5);
        job_free(j);
    }
    cuda_ok(exblas_cuda_destroy(device_handle));
}

/* The diagonal of a Hermitian factor is real in the second block of rows, too, and Inf in B no NaN.
 */
static void hermitian_rows(NO_STATE)
{
    enum { M = 40 };
    fuzz_case c = case_of("zhemm", M, 1, 0, STYLE_RANDOM, "residue");
    c.alpha = (test_number){1, 1};
    for (int i = 0; i < M * M; i++)
        c.operand[OPERAND_A].v[i] = (test_number){1, 1};
    for (int i = 0; i < M; i++)
        c.operand[OPERAND_B].v[i] = (test_number){i == M - 1 ? (double)INFINITY : 1, 1};
    device_job *j = job_of(c);
    device_handle = create();
    cuda_ok(exblas_cuda_set_param(device_handle, "dgemm", "residue_rows", 64));
    cuda_ok(job_call(j));
    assert_true(job_is_right(j));
    assert_true(isinf(fuzz_number_in(&c, &j->wanted, OPERAND_C, M - 1, 0).re));
    cuda_ok(exblas_cuda_destroy(device_handle));
    job_free(j);
}

TESTS(residues, hermitian_rows)
