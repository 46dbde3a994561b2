/* The backend (backend.h) over CUDA: commands of one call on the handle's stream. */
#include "core/partition.h"
#include "gpu/cuda/handle.h"
#include "gpu/cuda/instances.h"

const char *exblas_cuda_last_error(void)
{
    return exb_gpu_last_error();
}

bool exb_cuda_ok(exb_gpu *gpu, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return true;
    (void)cudaGetLastError(); /* told; later calls start afresh */
    return exb_gpu_fail(gpu, error == cudaErrorMemoryAllocation ? EXBLAS_ENOMEM : EXBLAS_EDEVICE,
                        "%s: %s", what, cudaGetErrorString(error));
}

bool exb_cublas_ok(exb_gpu *gpu, cublasStatus_t status, const char *what)
{
    return status == CUBLAS_STATUS_SUCCESS ||
           exb_gpu_fail(gpu, status == CUBLAS_STATUS_ALLOC_FAILED ? EXBLAS_ENOMEM : EXBLAS_EDEVICE,
                        "%s: %s", what, cublasGetStatusString(status));
}

/* The caller's context stays where it is if it is of the handle's device. */
bool exb_cuda_enter(exb_gpu *gpu, exblas_cuda_handle handle)
{
    int current = 0;
    *gpu = (exb_gpu){.handle = handle, .device = -1};
    exb_fpenv_enter(&gpu->head.env);
    if (!handle)
        return exb_gpu_fail(gpu, EXBLAS_EINVAL, "the handle is NULL");
    gpu->head.limits = &handle->limits;
    gpu->head.params = handle->params;
    gpu->head.method = handle->method ? handle->method : exb_method_current();
    if (exb_cuda_ok(gpu, cudaGetDevice(&current), "cudaGetDevice") && current != handle->device &&
        exb_cuda_ok(gpu, cudaSetDevice(handle->device), "cudaSetDevice"))
        gpu->device = current;
    return !exb_gpu_status(gpu);
}

bool exb_cuda_refuse_capture(exb_gpu *gpu, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    exb_cuda_ok(gpu, cudaStreamIsCapturing(stream, &capture), "cudaStreamIsCapturing");
    if (capture != cudaStreamCaptureStatusNone)
        exb_gpu_fail(gpu, EXBLAS_EUNSUPPORTED,
                     "the stream is being captured: calls cannot be part of a graph");
    return !exb_gpu_status(gpu);
}

bool exb_cuda_begin(exb_gpu *gpu, exblas_cuda_handle handle)
{
    return exb_cuda_enter(gpu, handle) && exb_cuda_refuse_capture(gpu, handle->stream);
}

/* What the call enqueued may use scratch memory even if it has failed. */
exblas_status exb_cuda_end(exb_gpu *gpu)
{
    struct exb_cuda_handle *h = gpu->handle;
    if (h && gpu->n_bytes > h->most_bytes)
        h->most_bytes = gpu->n_bytes;
    if (gpu->head.n_scratch > 0)
        exb_cuda_ok(gpu, cudaEventRecord(h->last, h->stream), "cudaEventRecord");
    if (gpu->device >= 0)
        exb_cuda_ok(gpu, cudaSetDevice(gpu->device), "cudaSetDevice");
    return exb_gpu_outcome(gpu);
}

void exb_gpu_check_operand(exb_gpu *gpu, const char *name, void *buffer, size_t n, size_t element)
{
    (void)n;
    (void)element;
    if (!buffer)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is NULL", name);
}

static char *address(exb_gpu_ref r)
{
    return (char *)r.buffer + r.offset;
}

/* --- launches --------------------------------------------------------------- */

static const exb_cuda_kernel *find_kernel(exb_gpu_kernel k)
{
    const exb_cuda_kernel *const *p = exb_cuda_programs, *e;
    while (*p && strcmp((*p)->program, k.program) != 0)
        p++;
    e = *p;
    while (e && e->name && (strcmp(e->name, k.name) != 0 || strcmp(e->options, k.options) != 0))
        e++;
    return e && e->name ? e : NULL;
}

enum { MOST_ARGS = 32 };

static unsigned at_least_one(size_t n)
{
    return n ? (unsigned)n : 1;
}

/* A launch wants the addresses of the arguments, of a place that of its address. */
void exb_gpu_launch(exb_gpu *gpu, exb_gpu_kernel kernel, exb_gpu_grid grid, int n_args,
                    const exb_gpu_arg *args)
{
    const void *place[MOST_ARGS], *argument[MOST_ARGS];
    const exb_cuda_kernel *k = find_kernel(kernel);
    if (!k || n_args > MOST_ARGS)
        exb_gpu_fail(gpu, EXBLAS_EUNSUPPORTED, "there is no kernel %s %s %s", kernel.program,
                     kernel.name, kernel.options);
    if (exb_gpu_status(gpu))
        return;
    for (int i = 0; i < n_args; i++) {
        bool is_place = args[i].kind == EXB_GPU_PLACE;
        place[i] = is_place ? address(args[i].ref) : args[i].host;
        argument[i] = is_place                            ? &place[i]
                      : args[i].kind == EXB_GPU_CONSTANTS ? args[i].host
                                                          : &args[i].i64;
    }
    dim3 groups = {at_least_one(grid.groups[0]), at_least_one(grid.groups[1]), 1};
    dim3 local = {at_least_one(grid.local[0]), at_least_one(grid.local[1]), 1};
    exb_cuda_ok(gpu,
                cudaLaunchKernel(k->function, groups, local, (void **)(uintptr_t)argument,
                                 grid.local_bytes, gpu->handle->stream),
                kernel.name);
}

/* --- memory ------------------------------------------------------------------ */

/* From pageable memory a copy returns when it has read what is there. */
void exb_gpu_copy_runs(exb_gpu *gpu, exb_gpu_copy c, bool back)
{
    enum cudaMemcpyKind kind = back ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    for (size_t i = 0; i < c.n_runs && c.run > 0 && !exb_gpu_status(gpu); i++) {
        char *there = address(c.at) + i * c.run, *here = (char *)c.host + i * c.step;
        exb_cuda_ok(gpu,
                    cudaMemcpyAsync(back ? here : there, back ? there : here, c.run, kind,
                                    gpu->handle->stream),
                    "cudaMemcpyAsync");
    }
    if (back && !exb_gpu_status(gpu))
        exb_cuda_ok(gpu, cudaStreamSynchronize(gpu->handle->stream), "cudaStreamSynchronize");
}

void exb_gpu_clear(exb_gpu *gpu, exb_gpu_ref to, size_t bytes)
{
    if (!exb_gpu_status(gpu) && bytes > 0)
        exb_cuda_ok(gpu, cudaMemsetAsync(address(to), 0, bytes, gpu->handle->stream),
                    "cudaMemsetAsync");
}

/* --- products of bytes ------------------------------------------------------- */

/* Columns of one product: the kernels of cuBLAS slow down beyond them (at 16384 by a tenth). */
enum { PRODUCT_COLUMNS = 8192 };

/* Columns j0 to j0 + n of one plane. */
static cublasStatus_t multiply_plane(exb_gpu *gpu, const exb_gpu_int8 *p, int plane, exb_i64 j0,
                                     exb_i64 n)
{
    const int one = 1, beta = p->add;
    size_t to = (size_t)(plane * p->plane_c + j0 * p->ldc) * sizeof(exb_i32);
    return cublasGemmEx(gpu->handle->cublas, CUBLAS_OP_T, CUBLAS_OP_N, (int)p->m, (int)n, (int)p->k,
                        &one, address(p->a) + plane * p->plane_a, CUDA_R_8I, (int)p->stride,
                        address(p->b) + plane * p->plane_b + j0 * p->stride, CUDA_R_8I,
                        (int)p->stride, &beta, address(p->c) + to, CUDA_R_32I, (int)p->ldc,
                        CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT);
}

/* cuBLAS takes time and memory, which sums need not. */
static bool open_cublas(exb_gpu *gpu)
{
    struct exb_cuda_handle *h = gpu->handle;
    if (exb_gpu_status(gpu) || h->cublas)
        return !exb_gpu_status(gpu);
    if (!exb_cublas_ok(gpu, cublasCreate(&h->cublas), "cublasCreate"))
        h->cublas = NULL;
    else
        exb_cublas_ok(gpu, cublasSetStream(h->cublas, h->stream), "cublasSetStream");
    return !exb_gpu_status(gpu);
}

/* All planes by one call. */
static cublasStatus_t multiply_planes(exb_gpu *gpu, const exb_gpu_int8 *p)
{
    const int one = 1, beta = p->add;
    return cublasGemmStridedBatchedEx(
        gpu->handle->cublas, CUBLAS_OP_T, CUBLAS_OP_N, (int)p->m, (int)p->n, (int)p->k, &one,
        address(p->a), CUDA_R_8I, (int)p->stride, p->plane_a, address(p->b), CUDA_R_8I,
        (int)p->stride, p->plane_b, &beta, address(p->c), CUDA_R_32I, (int)p->ldc, p->plane_c,
        p->n_planes, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT);
}

/* A strided batch is one call, whose kernels for bytes nobody has measured: where a plane fills the
 * device each has its own. */
void exb_cuda_multiply_bytes(exb_gpu *gpu, exb_gpu_int8 p)
{
    if (!open_cublas(gpu))
        return;
    if (p.together) {
        exb_cublas_ok(gpu, multiply_planes(gpu, &p), "cublasGemmStridedBatchedEx");
        return;
    }
    for (int plane = 0; plane < p.n_planes; plane++)
        for (exb_i64 j0 = 0; j0 < p.n && !exb_gpu_status(gpu); j0 += PRODUCT_COLUMNS)
            exb_cublas_ok(gpu,
                          multiply_plane(gpu, &p, plane, j0, exb_least(p.n - j0, PRODUCT_COLUMNS)),
                          "cublasGemmEx");
}

/* --- public routines, from the descriptions of their calls (entries.py) -------- */

exblas_status exb_cuda_call(exblas_cuda_handle handle, exb_gpu_call *c, exb_gpu_routine *routine)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        c->layout = handle->layout;
        c->result.home = handle->host_results ? EXB_GPU_HOST_RESULT : EXB_GPU_DEVICE;
        if (exb_gpu_accepts(&gpu, c))
            routine(&gpu, c);
        exb_gpu_bring_back(&gpu);
    }
    return exb_cuda_end(&gpu);
}

/* One after the other; the check of the whole comes first. */
exblas_status exb_cuda_batch(exblas_cuda_handle handle, exb_gpu_call *c, exb_gpu_routine *routine)
{
    exb_gpu gpu;
    if (exb_cuda_enter(&gpu, handle)) {
        c->layout = handle->layout;
        exb_gpu_accepts(&gpu, c);
    }
    exblas_status status = exb_cuda_end(&gpu);
    exb_i64 bytes = (exb_i64)(exb_gpu_element_bytes(c->is_s) << c->is_complex);
    exb_gpu_operand *const matrix[] = {&c->a, &c->b, &c->c};
    const exb_i64 stride[] = {c->stridea, c->strideb, c->stridec};
    for (exb_i64 i = 0; i < c->batch && status == EXBLAS_OK; i++) {
        for (int j = 0; j < 3 && i > 0; j++)
            if (matrix[j]->buffer)
                matrix[j]->buffer = (char *)matrix[j]->buffer + stride[j] * bytes;
        status = exb_cuda_call(handle, c, routine);
    }
    return status;
}
