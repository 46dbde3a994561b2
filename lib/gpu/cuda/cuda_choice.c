/* Cases in a graph: a conditional node of the stream's capture, whose bodies are captured on a
 * stream of the handle's own. CUDA has had nodes with more than two cases since 12.8; the calls
 * here are those of 13. Without them products that are captured take a fixed number of moduli. */
#include "gpu/cuda/handle.h"

#if CUDART_VERSION >= 13000

enum { FIRST_DRIVER = 12080 };

/* Where the next command of a capture is put. */
typedef struct {
    cudaGraph_t graph;
    const cudaGraphNode_t *after;
    const cudaGraphEdgeData *edges;
    size_t n_after;
} position;

static bool look(exb_gpu *gpu, position *p)
{
    enum cudaStreamCaptureStatus status;
    return !exb_gpu_status(gpu) &&
           exb_cuda_ok(gpu,
                       cudaStreamGetCaptureInfo(gpu->stream, &status, NULL, &p->graph, &p->after,
                                                &p->edges, &p->n_after),
                       "cudaStreamGetCaptureInfo");
}

bool exb_cuda_can_choose(exb_gpu *gpu)
{
    int version = 0;
    return exb_cuda_ok(gpu, cudaDriverGetVersion(&version), "cudaDriverGetVersion") &&
           version >= FIRST_DRIVER;
}

exb_i64 exb_gpu_new_choice(exb_gpu *gpu, exb_gpu_ref memory)
{
    position p;
    cudaGraphConditionalHandle condition = 0;
    gpu->library = (char *)memory.buffer + memory.offset;
    if (look(gpu, &p))
        exb_cuda_ok(
            gpu,
            cudaGraphConditionalHandleCreate(&condition, p.graph, 0, cudaGraphCondAssignDefault),
            "cudaGraphConditionalHandleCreate");
    return exb_gpu_status(gpu) ? 0 : (exb_i64)condition;
}

void exb_gpu_open_choice(exb_gpu *gpu, exb_i64 condition, int n)
{
    position p;
    cudaGraphNode_t node;
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeConditional};
    params.conditional.handle = (cudaGraphConditionalHandle)condition;
    params.conditional.type = cudaGraphCondTypeSwitch;
    params.conditional.size = (unsigned)n;
    if (look(gpu, &p) &&
        exb_cuda_ok(gpu, cudaGraphAddNode(&node, p.graph, p.after, p.edges, p.n_after, &params),
                    "cudaGraphAddNode") &&
        exb_cuda_ok(gpu,
                    cudaStreamUpdateCaptureDependencies(gpu->stream, &node, NULL, 1,
                                                        cudaStreamSetCaptureDependencies),
                    "cudaStreamUpdateCaptureDependencies"))
        gpu->cases = params.conditional.phGraph_out;
}

/* cuBLAS goes where the commands go; it forgets its workspace whenever its stream changes, and the
 * one that it has of itself would be allocated by the graph. */
static void move_to(exb_gpu *gpu, cudaStream_t stream, void *library)
{
    cublasHandle_t cublas = gpu->handle->cublas;
    gpu->stream = stream;
    if (exb_cublas_ok(gpu, cublasSetStream(cublas, stream), "cublasSetStream") && library)
        exb_cublas_ok(gpu, cublasSetWorkspace(cublas, library, EXB_GPU_LIBRARY_BYTES),
                      "cublasSetWorkspace");
}

void exb_gpu_begin_case(exb_gpu *gpu, int i)
{
    cudaStream_t aside = gpu->handle->aside;
    if (!exb_gpu_status(gpu) &&
        exb_cuda_ok(gpu,
                    cudaStreamBeginCaptureToGraph(aside, gpu->cases[i], NULL, NULL, 0,
                                                  cudaStreamCaptureModeRelaxed),
                    "cudaStreamBeginCaptureToGraph"))
        move_to(gpu, aside, gpu->library);
}

/* Also of a case in which something has failed. */
void exb_gpu_end_case(exb_gpu *gpu)
{
    cudaGraph_t graph;
    if (gpu->stream == gpu->handle->stream)
        return;
    exb_cuda_ok(gpu, cudaStreamEndCapture(gpu->stream, &graph), "cudaStreamEndCapture");
    move_to(gpu, gpu->handle->stream, NULL);
}

#else
#include "gpu/no_choice.h"

bool exb_cuda_can_choose(exb_gpu *gpu)
{
    (void)gpu;
    return false;
}

#endif
