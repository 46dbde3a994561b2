/* One call: its commands, their order, its failure. */
#include "gpu/opencl/context.h"

#include "core/partition.h"
#include "exblas/opencl.h"

const char *exblas_cl_last_error(void)
{
    return exb_gpu_last_error();
}

static bool is_no_memory(cl_int error)
{
    return error == CL_OUT_OF_HOST_MEMORY || error == CL_OUT_OF_RESOURCES ||
           error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_INVALID_BUFFER_SIZE;
}

bool exb_cl_ok(exb_gpu *gpu, cl_int error, const char *what)
{
    return error == CL_SUCCESS ||
           exb_gpu_fail(gpu, is_no_memory(error) ? EXBLAS_ENOMEM : EXBLAS_EDEVICE,
                        "%s failed with OpenCL error %d", what, (int)error);
}

/* The call fails unless its wait list has events of its context. */
static void check_wait_list(exb_gpu *gpu)
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

/* Checks the queue and the wait list. False if the call has failed already. */
static bool begin(exb_gpu *gpu, cl_command_queue queue, cl_uint n_wait, const cl_event *wait)
{
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties properties;
    *gpu = (exb_gpu){.queue = queue, .n_wait = n_wait, .wait = wait};
    exb_fpenv_enter(&gpu->head.env);
    if (clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) ||
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) ||
        clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "not a command queue");
    else if ((n_wait == 0) != (wait == NULL))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "the wait list and its length do not fit");
    if (exb_gpu_status(gpu))
        return false;
    gpu->in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    gpu->context = exb_cl_context_of(gpu, context, device);
    if (!gpu->context)
        return false;
    gpu->head.limits = &gpu->context->limits;
    gpu->head.params = gpu->context->params;
    gpu->head.method = exb_method_current();
    check_wait_list(gpu);
    return !exb_gpu_status(gpu);
}

/* The command `made` was given, which the next one waits for. */
static void follow(exb_gpu *gpu, cl_int error, cl_event made, const char *what)
{
    if (!exb_cl_ok(gpu, error, what))
        return;
    if (gpu->last)
        clReleaseEvent(gpu->last);
    gpu->last = made;
    gpu->n_wait = !gpu->in_order;
    gpu->wait = gpu->in_order ? NULL : &gpu->last;
}

/* Gives back scratch memory, sets *done (unless NULL) if all went well. */
static exblas_status end(exb_gpu *gpu, cl_event *done)
{
    if (!exb_gpu_status(gpu) && !gpu->last && done) { /* no commands: something to wait for */
        cl_event made;
        cl_int error = clEnqueueMarkerWithWaitList(gpu->queue, gpu->n_wait, gpu->wait, &made);
        follow(gpu, error, made, "clEnqueueMarkerWithWaitList");
    }
    for (int i = 0; i < gpu->head.n_scratch; i++)
        clReleaseMemObject(gpu->scratch[i]);
    if (!exb_gpu_status(gpu) && done)
        *done = gpu->last;
    else if (gpu->last)
        clReleaseEvent(gpu->last);
    gpu->last = NULL;
    return exb_gpu_outcome(gpu);
}

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

/* n that does not fit is negative, which only a reduction, which has a result, would take. */
exblas_status exb_cl_call(cl_command_queue queue, const exb_gpu_call *c, exb_gpu_routine *routine,
                          cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    exb_gpu gpu;
    if (begin(&gpu, queue, n_wait, wait)) {
        if (c->result.name && c->n < 0)
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "n is too large");
        if (exb_gpu_accepts(&gpu, c))
            routine(&gpu, c);
        exb_gpu_bring_back(&gpu);
    }
    return end(&gpu, done);
}

exblas_status exblas_cl_set_param(cl_command_queue queue, const char *routine, const char *name,
                                  int value)
{
    exb_gpu gpu;
    if (begin(&gpu, queue, 0, NULL))
        exb_gpu_set_param(&gpu, routine, name, value);
    return end(&gpu, NULL);
}

static bool set(exb_gpu *gpu, cl_kernel k, cl_uint i, size_t bytes, const void *value)
{
    return exb_cl_ok(gpu, clSetKernelArg(k, i, bytes, value), "clSetKernelArg");
}

/* Sets one argument; returns the index of the next one. */
static cl_uint set_argument(exb_gpu *gpu, cl_kernel k, cl_uint i, const exb_gpu_arg *a)
{
    if (a->kind != EXB_GPU_PLACE) {
        set(gpu, k, i, a->kind == EXB_GPU_I32 ? sizeof a->i32 : sizeof a->i64, &a->i64);
        return i + 1;
    }
    cl_mem buffer = a->ref.buffer;
    cl_long offset = (cl_long)a->ref.offset;
    set(gpu, k, i++, sizeof buffer, &buffer);
    set(gpu, k, i++, sizeof offset, &offset);
    return i;
}

static void enqueue(exb_gpu *gpu, cl_kernel k, const char *name, const exb_gpu_grid *grid)
{
    size_t global[2], local[2];
    cl_event made;
    for (int d = 0; d < 2; d++) {
        local[d] = grid->local[d] ? grid->local[d] : 1;
        global[d] = local[d] * (grid->groups[d] ? grid->groups[d] : 1);
    }
    cl_int error = clEnqueueNDRangeKernel(gpu->queue, k, 2, NULL, global, local, gpu->n_wait,
                                          gpu->wait, &made);
    follow(gpu, error, made, name);
}

void exb_gpu_launch(exb_gpu *gpu, exb_gpu_kernel kernel, exb_gpu_grid grid, int n_args,
                    const exb_gpu_arg *args)
{
    cl_int error;
    cl_uint at = 0;
    cl_program program = exb_gpu_status(gpu) ? NULL : exb_cl_program_of(gpu, kernel);
    cl_kernel k = program ? clCreateKernel(program, kernel.name, &error) : NULL;
    if (!program || !exb_cl_ok(gpu, error, kernel.name))
        return;
    for (int i = 0; i < n_args; i++)
        at = set_argument(gpu, k, at, &args[i]);
    if (grid.local_bytes)
        set(gpu, k, at, grid.local_bytes, NULL);
    if (!exb_gpu_status(gpu))
        enqueue(gpu, k, kernel.name, &grid);
    clReleaseKernel(k);
}

/* Buffers, which OpenCL keeps until the commands that use them have ended. */
void *exb_gpu_take_scratch(exb_gpu *gpu, int n, size_t bytes)
{
    cl_int error;
    gpu->scratch[n] = clCreateBuffer(gpu->context->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    return is_no_memory(error) || !exb_cl_ok(gpu, error, "clCreateBuffer") ? NULL : gpu->scratch[n];
}

void exb_gpu_copy_runs(exb_gpu *gpu, exb_gpu_copy c, bool back)
{
    const size_t at[3] = {c.at.offset}, start[3] = {0}, region[3] = {c.run, c.n_runs, 1};
    if (exb_gpu_status(gpu) || c.run == 0 || c.n_runs == 0)
        return;
    cl_event made;
    cl_int error =
        back ? clEnqueueReadBufferRect(gpu->queue, c.at.buffer, CL_TRUE, at, start, region, c.run,
                                       0, c.step, 0, c.host, gpu->n_wait, gpu->wait, &made)
             : clEnqueueWriteBufferRect(gpu->queue, c.at.buffer, CL_TRUE, at, start, region, c.run,
                                        0, c.step, 0, c.host, gpu->n_wait, gpu->wait, &made);
    follow(gpu, error, made, "a copy");
}

void exb_gpu_clear(exb_gpu *gpu, exb_gpu_ref to, size_t bytes)
{
    const cl_uint zero = 0;
    if (exb_gpu_status(gpu) || bytes == 0)
        return;
    cl_event made;
    cl_int error = clEnqueueFillBuffer(gpu->queue, to.buffer, &zero, sizeof zero, to.offset, bytes,
                                       gpu->n_wait, gpu->wait, &made);
    follow(gpu, error, made, "clEnqueueFillBuffer");
}
