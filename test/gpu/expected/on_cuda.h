/* A call on device memory. */
#pragma once

#include "expected.h"

#include <exblas/cuda.h>

static inline exblas_status expected_run_on_cuda(exblas_cuda_handle h, const expected_call *c,
                                                 void *a, void *b, const exblas_int *index, void *r)
{
    expected_words w;
    device_call d;
    bool is_s = c->type == 's';
    if (c->op == EXPECTED_SCATTER)
        return is_s ? exblas_cuda_sscatter_add(h, c->n, a, index, c->m, r)
                    : exblas_cuda_dscatter_add(h, c->n, a, index, c->m, r);
    expected_describe(c, &w, &d, a, b, r);
    return device_call_cuda(h, &d);
}
