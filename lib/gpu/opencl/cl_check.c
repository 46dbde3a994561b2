/* What the caller hands over must belong to the context of the queue, and buffers must be large
 * enough. */
#include "gpu/opencl/context.h"

void exb_gpu_check_operand(exb_gpu *gpu, const char *name, void *buffer, size_t n, size_t element)
{
    size_t bytes = 0;
    cl_context context = NULL;
    if (!buffer || clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) ||
        clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is not a buffer", name);
    else if (context != gpu->context->context)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s is of another context", name);
    else if (n > bytes / element)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s has %zu elements, fewer than the call asks for", name,
                     bytes / element);
}

void exb_cl_check_wait_list(exb_gpu *gpu)
{
    for (cl_uint i = 0; i < gpu->n_wait; i++) {
        cl_context context = NULL;
        if (!gpu->wait[i] ||
            clGetEventInfo(gpu->wait[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL))
            exb_gpu_fail(gpu, EXBLAS_EINVAL, "what the wait list has is not an event");
        else if (context != gpu->context->context)
            exb_gpu_fail(gpu, EXBLAS_EINVAL, "an event of the wait list is of another context");
    }
}
