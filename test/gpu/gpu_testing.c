#include "gpu_testing.h"

#include "gpu/first_device.h"

#include <time.h>

const int gpu_groups[GPU_N_GROUPS] = {1, 2, 3, 7, 64, 128, 256};
const char *const gpu_methods[GPU_N_METHODS] = {"auto", "superacc", "fpe4"};

static cl_context context;
static cl_command_queue queue, free_queue;

bool gpu_start(void)
{
    cl_device_id device;
    cl_int error;
    if (!first_device(&device))
        return false;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    queue = context ? clCreateCommandQueue(context, device, 0, &error) : NULL;
    free_queue = context ? clCreateCommandQueue(context, device,
                                                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error)
                         : NULL;
    return queue != NULL;
}

int gpu_skip(void)
{
    printf("1..0 # SKIP there is no OpenCL device\n");
    return 0;
}

cl_context gpu_context(void)
{
    return context;
}

cl_command_queue gpu_queue(void)
{
    return queue;
}

cl_command_queue gpu_free_queue(void)
{
    return free_queue;
}

/* What the driver still holds of the context. It may give back references a little after the
 * commands that needed them. */
static cl_uint references_left(void)
{
    const struct timespec pause = {0, 10000000};
    cl_uint references = 0;
    for (int i = 0; i < 200 && references != 1; i++) {
        clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, NULL);
        if (references != 1)
            nanosleep(&pause, NULL);
    }
    return references;
}

static void end_queue(cl_command_queue q)
{
    if (q) {
        clFinish(q);
        clReleaseCommandQueue(q);
    }
}

bool gpu_end(void)
{
    end_queue(queue);
    end_queue(free_queue);
    exblas_cl_release(context);
    cl_uint references = references_left();
    if (references != 1)
        printf("# the context has %u references\n", references);
    clReleaseContext(context);
    return references == 1;
}

void gpu_ok(exblas_status status)
{
    if (status != EXBLAS_OK)
        fail_msg("%s: %s", exblas_status_text(status), exblas_cl_last_error());
}

static void put(char type, void *all, int64_t i, double x)
{
    if (type == 's')
        ((float *)all)[i] = (float)x;
    else
        ((double *)all)[i] = x;
}

cl_mem gpu_vector(char type, int64_t n, const double *x, int64_t offset, int64_t inc)
{
    int64_t step = inc < 0 ? -inc : inc;
    int64_t size = offset + (n > 0 ? (n - 1) * step + 1 : 0) + 1;
    size_t element = type == 's' ? sizeof(float) : sizeof(double);
    cl_int error;
    void *all = malloc((size_t)size * element);
    assert_non_null(all);
    for (int64_t i = 0; i < size; i++)
        put(type, all, i, from_bits(TEST_CANONICAL_NAN));
    for (int64_t i = n - 1; i >= 0; i--) /* downwards: at increment 0 the first one stays */
        put(type, all, offset + (inc < 0 ? (n - 1 - i) * step : i * step), x[i]);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                              (size_t)size * element, all, &error);
    free(all);
    assert_int_equal(error, CL_SUCCESS);
    return b;
}

double gpu_element(cl_mem buffer, char type, size_t index)
{
    float f;
    double d;
    size_t element = type == 's' ? sizeof f : sizeof d;
    void *to = type == 's' ? (void *)&f : &d;
    assert_int_equal(
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, index * element, element, to, 0, NULL, NULL),
        CL_SUCCESS);
    return type == 's' ? (double)f : d;
}
