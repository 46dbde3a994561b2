/* run_d and run_s: a call on device memory (on_cuda_tmpl.h) by the handle that stands here. */
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
