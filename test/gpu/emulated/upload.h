#pragma once

#include "testing.h"

#include <cuda_runtime_api.h>

/* Those bytes on the emulated device; NULL for none. */
static inline void *upload(size_t bytes, const void *data)
{
    void *m = NULL;
    if (bytes > 0) {
        assert_int_equal(cudaMalloc(&m, bytes), cudaSuccess);
        assert_int_equal(cudaMemcpy(m, data, bytes, cudaMemcpyHostToDevice), cudaSuccess);
    }
    return m;
}
