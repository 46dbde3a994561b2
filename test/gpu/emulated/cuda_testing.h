/* What tests of libexblas_cuda on the emulated device have in common. */
#pragma once

#include "testing.h"

#include <cuda_runtime_api.h>
#include <exblas/cuda.h>

/* Fails with the library's own words. */
static inline void cuda_ok(exblas_status status)
{
    if (status)
        fail_msg("status %d: %s", (int)status, exblas_cuda_last_error());
}

/* Those bytes on the emulated device, NULL for none; and back, when all commands have ended. */
static inline void *upload(size_t bytes, const void *data)
{
    void *m = NULL;
    if (bytes > 0) {
        assert_int_equal(cudaMalloc(&m, bytes), cudaSuccess);
        assert_int_equal(cudaMemcpy(m, data, bytes, cudaMemcpyHostToDevice), cudaSuccess);
    }
    return m;
}

static inline void download(void *from, size_t bytes, void *to)
{
    cudaDeviceSynchronize();
    cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
}

/* Small groups: threads cost the emulation time. */
static inline exblas_status set_groups(exblas_cuda_handle h)
{
    static const char *const routines[] = {"reduce", "dgemv", "sgemv", "dtrsv",
                                           "strsv",  "dgemm", "sgemm"};
    exblas_status s = EXBLAS_OK;
    for (size_t i = 0; i < sizeof routines / sizeof *routines && !s; i++)
        s = exblas_cuda_set_param(h, routines[i], "group", 32);
    return s;
}

static inline exblas_cuda_handle create(void)
{
    exblas_cuda_handle h = NULL;
    cuda_ok(exblas_cuda_create(&h));
    cuda_ok(set_groups(h));
    return h;
}
