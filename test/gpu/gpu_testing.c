#include "gpu_testing.h"

#include <time.h>

const int gpu_groups[GPU_N_GROUPS] = {1, 2, 3, 7, 64, 128, 256};

static cl_context context;
static cl_command_queue queue, free_queue;

/* Of the platforms that there are; false if there is none. */
static bool first_device(cl_device_id *device)
{
    cl_platform_id platform[8];
    cl_uint n = 0;
    if (clGetPlatformIDs(8, platform, &n) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < n && i < 8; i++)
        if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_ALL, 1, device, NULL) == CL_SUCCESS)
            return true;
    return false;
}

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

/* The driver may give back references a little after the commands that needed them. */
static cl_uint references_left(cl_uint wanted)
{
    const struct timespec pause = {0, 10000000};
    cl_uint n = 0;
    for (int i = 0; i < (wanted ? 200 : 30) && (i == 0 || n != wanted); i++) {
        clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL);
        if (n != wanted)
            nanosleep(&pause, NULL);
    }
    return n;
}

cl_uint gpu_references(cl_uint wanted)
{
    clFinish(queue);
    if (free_queue)
        clFinish(free_queue);
    return references_left(wanted);
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
    cl_uint references = references_left(1);
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

void gpu_refused_at(exblas_status wanted, exblas_status status, const char *words, int line)
{
    const char *said = exblas_cl_last_error();
    if (status != wanted || !strstr(said, words))
        fail_msg("line %d: status %d, \"%s\" and not \"%s\"", line, (int)status, said, words);
}

cl_mem gpu_buffer(cl_context of, size_t bytes, const void *data)
{
    cl_int error;
    cl_mem b = clCreateBuffer(of, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                              (void *)(uintptr_t)data, &error);
    assert_int_equal(error, CL_SUCCESS);
    return b;
}

void gpu_read(cl_command_queue q, cl_mem buffer, size_t from, size_t bytes, void *to)
{
    assert_int_equal(clEnqueueReadBuffer(q, buffer, CL_TRUE, from, bytes, to, 0, NULL, NULL),
                     CL_SUCCESS);
}

static void put(char type, void *all, int64_t i, double x)
{
    if (type == 's')
        ((float *)all)[i] = (float)x;
    else
        ((double *)all)[i] = x;
}

cl_mem gpu_vector(char type, int64_t n, const double *x, int64_t offset)
{
    int64_t size = offset + n + 1;
    size_t bytes = (size_t)size * (type == 's' ? sizeof(float) : sizeof(double));
    void *all = malloc(bytes);
    assert_non_null(all);
    for (int64_t i = 0; i < size; i++)
        put(type, all, i, from_bits(TEST_CANONICAL_NAN));
    for (int64_t i = 0; i < n; i++)
        put(type, all, offset + i, x[i]);
    cl_mem b = gpu_buffer(context, bytes, all);
    free(all);
    return b;
}

double gpu_element(cl_mem buffer, char type, size_t index)
{
    float f;
    double d;
    if (type == 's')
        gpu_read(queue, buffer, index * sizeof f, sizeof f, &f);
    else
        gpu_read(queue, buffer, index * sizeof d, sizeof d, &d);
    return type == 's' ? (double)f : d;
}
