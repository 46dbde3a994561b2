/* run_on_device: a call on device memory, in its type, by the handle that stands here. */
#include <exblas/cuda.h>

static exblas_cuda_handle handle;

#define REAL double
#define CU(name) exblas_cuda_d##name
#define CU_RUN run_d
#include "on_cuda_tmpl.h"
#undef REAL
#undef CU
#undef CU_RUN

#define REAL float
#define CU(name) exblas_cuda_s##name
#define CU_RUN run_s
#include "on_cuda_tmpl.h"
#undef REAL
#undef CU
#undef CU_RUN

#define REAL double
#define CU(name) exblas_cuda_z##name
#define NORM(name) exblas_cuda_dz##name
#define CU_RUN run_z
#include "on_cuda_complex_tmpl.h"
#undef REAL
#undef CU
#undef NORM
#undef CU_RUN

#define REAL float
#define CU(name) exblas_cuda_c##name
#define NORM(name) exblas_cuda_sc##name
#define CU_RUN run_c
#include "on_cuda_complex_tmpl.h"

static exblas_status run_on_device(const expected_call *c, const void *a, const void *b,
                                   const exblas_int *index, void *r)
{
    switch (c->type) {
    case 's':
        return run_s(c, a, b, index, r);
    case 'd':
        return run_d(c, a, b, index, r);
    case 'c':
        return run_c(c, a, b, r);
    default:
        return run_z(c, a, b, r);
    }
}
