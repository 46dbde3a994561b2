// The fixed-point header in CUDA: every function in a kernel and on the host.
#include <exblas/fixed.h>

__host__ __device__ static int use(exblas_hp_word *sum, double x, double *rounded)
{
    exblas_hp_word w[3] = {0, 0, 0}, v[3] = {0, 0, 0};
    int status = exblas_hp_from_double(w, 3, 2, x);
    status |= exblas_hp_add(v, w, 3);
    status |= exblas_hp_atomic_add(sum, v, 3);
    return exblas_hp_compare(v, w, 3) | status | exblas_hp_to_double(v, 3, 2, rounded);
}

__global__ void add(const double *x, exblas_hp_word *sum, double *rounded, int *status)
{
    status[threadIdx.x] = use(sum, x[threadIdx.x], &rounded[threadIdx.x]);
}

int on_host(exblas_hp_word *sum, double *rounded)
{
    return use(sum, 0.1, rounded);
}
