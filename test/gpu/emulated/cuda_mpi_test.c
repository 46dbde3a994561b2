/* Accumulators of devices, one in each process, added up by MPI: by way of the host, and, since the
 * emulated device's memory is the processor's, where they are. */
#include "adversarial.h"
#include "mpi/mpi_testing.h"

#include <cuda_runtime_api.h>
#include <exblas/cuda_mpi.h>
#include <exblas/exblas.h>
#include <math.h>
#include <string.h>

enum { N = 3, TERMS = 200, BYTES = EXBLAS_CUDA_ACC_WORDS * sizeof(int64_t) };

static exblas_cuda_handle handle;
static int64_t *acc;
static exblas_acc wanted[N];

/* Term i of accumulator k goes to one of the processes; all of them know the sum. */
static void fill(size_t kind)
{
    static double x[TERMS], y[TERMS], here[2][TERMS];
    double *dx, *dy;
    test_random r = test_random_start(test_seed() + kind, "cuda_mpi");
    int64_t zero[N * EXBLAS_CUDA_ACC_WORDS] = {0};
    cudaMemcpy(acc, zero, sizeof zero, cudaMemcpyHostToDevice);
    check(cudaMalloc((void **)&dx, sizeof x) == cudaSuccess);
    check(cudaMalloc((void **)&dy, sizeof y) == cudaSuccess);
    for (int k = 0; k < N; k++) {
        int n = 0;
        factors_fill(kind % factors_kinds(), &r, FORMAT_D, TERMS, x, y);
        if (kind == 1 && k == 1)
            x[17] = (double)INFINITY;
        exblas_acc_init(&wanted[k]);
        exblas_acc_add_dot(&wanted[k], TERMS, x, 1, y, 1);
        for (int i = 0; i < TERMS; i++)
            if ((int)random_between(&r, 0, world_size() - 1) == world_rank()) {
                here[0][n] = x[i];
                here[1][n++] = y[i];
            }
        cudaDeviceSynchronize();
        cudaMemcpy(dx, here[0], sizeof here[0], cudaMemcpyHostToDevice);
        cudaMemcpy(dy, here[1], sizeof here[1], cudaMemcpyHostToDevice);
        check(exblas_cuda_dacc_dot(handle, n, dx, 1, dy, 1, acc + k * EXBLAS_CUDA_ACC_WORDS) ==
              EXBLAS_OK);
    }
    cudaFree(dx);
    cudaFree(dy);
}

static void compare(void)
{
    exblas_acc got[N];
    unsigned char bytes[2][EXBLAS_ACC_BYTES];
    int64_t word[N * EXBLAS_CUDA_ACC_WORDS];
    check(exblas_cuda_acc_read(handle, N, acc, got) == EXBLAS_OK);
    cudaMemcpy(word, acc, sizeof word, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N * EXBLAS_CUDA_ACC_WORDS; i++) /* normalised, but the top one */
        check(i % EXBLAS_CUDA_ACC_WORDS >= EXBLAS_ACC_WORDS - 1 || word[i] >> 53 == 0);
    for (int k = 0; k < N; k++) {
        exblas_acc_export(&got[k], bytes[0]);
        exblas_acc_export(&wanted[k], bytes[1]);
        check(memcmp(bytes[0], bytes[1], EXBLAS_ACC_BYTES) == 0);
    }
}

static void by_host(void)
{
    for (size_t kind = 0; kind < 6; kind++) {
        fill(kind);
        check(exblas_cuda_acc_mpi_allreduce(handle, N, acc, MPI_COMM_WORLD) == MPI_SUCCESS);
        compare();
    }
}

static void in_device_memory(void)
{
    for (size_t kind = 0; kind < 6; kind++) {
        fill(kind);
        check(exblas_cuda_acc_mpi_allreduce_device(handle, N, acc, MPI_COMM_WORLD) == MPI_SUCCESS);
        compare();
    }
}

/* What is wrong on one process is an error on all, and nothing changes. */
static void refused(void)
{
    int64_t *mine = world_rank() == 0 ? NULL : acc;
    fill(0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(exblas_cuda_acc_mpi_allreduce(handle, N, mine, MPI_COMM_WORLD) == MPI_ERR_OTHER);
    check(exblas_cuda_acc_mpi_allreduce_device(handle, N, mine, MPI_COMM_WORLD) == MPI_ERR_OTHER);
    check(exblas_cuda_acc_mpi_allreduce(handle, -1, acc, MPI_COMM_WORLD) == MPI_ERR_OTHER);
    check(exblas_cuda_acc_mpi_allreduce_device(handle, -1, acc, MPI_COMM_WORLD) == MPI_ERR_OTHER);
    check(exblas_cuda_acc_mpi_allreduce(handle, 0, NULL, MPI_COMM_WORLD) == MPI_SUCCESS);
    check(exblas_cuda_acc_mpi_allreduce_device(handle, 0, NULL, MPI_COMM_WORLD) == MPI_SUCCESS);
    check(exblas_cuda_acc_mpi_allreduce(handle, N, acc, MPI_COMM_WORLD) == MPI_SUCCESS);
    compare();
}

int main(void)
{
    const mpi_test tests[] = {{"by way of the host", by_host},
                              {"in device memory", in_device_memory},
                              {"refused", refused}};
    if (exblas_cuda_create(&handle) || cudaMalloc((void **)&acc, N * BYTES) != cudaSuccess)
        return 1;
    int failed = run_mpi_tests(3, tests);
    cudaFree(acc);
    return failed || exblas_cuda_destroy(handle) != EXBLAS_OK;
}
