/* What tests of libexblas_cuda on the emulated device have in common. */
#pragma once

#include "gpu/on_cuda.h"
#include "testing.h"

#include <cuda_runtime_api.h>

/* Fails with the library's own words. */
static inline void cuda_ok(exblas_status status)
{
    if (status)
        fail_msg("status %d: %s", (int)status, exblas_cuda_last_error());
}

/* In small groups: threads cost the emulation time. */
static inline exblas_cuda_handle create(void)
{
    exblas_cuda_handle h = NULL;
    cuda_ok(exblas_cuda_create(&h));
    cuda_ok(set_groups(h, 32, true));
    return h;
}
