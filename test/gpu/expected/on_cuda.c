#include "expected.h"
#include "on_cuda.h"

#include <cuda_runtime_api.h>

const char *const expected_backend = "CUDA";

static exblas_cuda_handle handle;

static void set_groups(int group)
{
    static const char *const routines[] = {"reduce", "scatter", "dgemv", "sgemv", "dtrsv", "strsv"};
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        exblas_cuda_set_param(handle, routines[i], "group", group);
    exblas_cuda_set_param(handle, "dgemm", "residue_group", group);
    exblas_cuda_set_param(handle, "sgemm", "residue_group", group);
    exblas_cuda_set_param(handle, "scatter", "round", 6);
}

bool expected_open(int group, const char **why)
{
    if (exblas_cuda_create(&handle) != EXBLAS_OK) {
        *why = exblas_cuda_last_error();
        return false;
    }
    if (group > 0)
        set_groups(group);
    return true;
}

void expected_close(void)
{
    exblas_cuda_destroy(handle);
}

/* A copy of an operand on the device; NULL if there is none or no memory. */
static void *upload(size_t bytes, const void *data)
{
    void *m = NULL;
    if (bytes > 0 && cudaMalloc(&m, bytes) == cudaSuccess)
        cudaMemcpy(m, data, bytes, cudaMemcpyHostToDevice);
    return m;
}

exblas_status expected_run(const expected_call *c)
{
    size_t element = expected_bytes(c);
    void *a = upload(c->a_length * element, c->a), *b = upload(c->b_length * element, c->b);
    void *index = upload(c->index ? (size_t)c->n * sizeof *c->index : 0, c->index);
    void *r = upload(c->c_length * element, c->c);
    exblas_status status = EXBLAS_ENOMEM;
    if (r)
        status = expected_run_on_cuda(handle, c, a, b, index, r);
    if (status == EXBLAS_OK &&
        cudaMemcpy(c->c, r, c->c_length * element, cudaMemcpyDeviceToHost) != cudaSuccess)
        status = EXBLAS_EDEVICE;
    cudaFree(a);
    cudaFree(b);
    cudaFree(index);
    cudaFree(r);
    return status;
}
