/* OpenCL calls that must be refused before anything is computed: no place for the result, buffers
 * and events of another context, lengths that no vector has. */
#include "gpu_testing.h"

#include <exblas/opencl_scatter.h>

enum { N = 20 };

static cl_context other; /* another context on the same device */
static cl_command_queue queue, other_queue;
static cl_mem bx, by, br;

static int setup(NO_STATE)
{
    double x[N];
    cl_int error;
    cl_device_id device;
    for (int i = 0; i < N; i++)
        x[i] = i + 1;
    queue = gpu_queue();
    bx = gpu_vector('d', N, x, 0, 1);
    by = gpu_vector('d', N, x, 0, 1);
    br = gpu_vector('d', N, x, 0, 1);
    clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    other = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    other_queue = clCreateCommandQueue(other, device, 0, &error);
    return error;
}

static int teardown(NO_STATE)
{
    clReleaseMemObject(bx);
    clReleaseMemObject(by);
    clReleaseMemObject(br);
    clReleaseCommandQueue(other_queue);
    clReleaseContext(other);
    return 0;
}

static void refused(exblas_status status, const char *words)
{
    assert_int_equal(status, EXBLAS_EINVAL);
    if (!strstr(exblas_cl_last_error(), words))
        fail_msg("\"%s\" does not say \"%s\"", exblas_cl_last_error(), words);
}

/* A buffer of the other context with N times 7. */
static cl_mem foreign(void)
{
    double seven[N];
    cl_int error;
    for (int i = 0; i < N; i++)
        seven[i] = 7;
    cl_mem b = clCreateBuffer(other, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof seven, seven,
                              &error);
    assert_int_equal(error, CL_SUCCESS);
    return b;
}

static void is_untouched(cl_command_queue q, cl_mem buffer, double first)
{
    double now[N];
    assert_int_equal(clFinish(queue), CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(q, buffer, CL_TRUE, 0, sizeof now, now, 0, NULL, NULL),
                     CL_SUCCESS);
    for (int i = 0; i < N; i++)
        assert_same_bits(now[i], first == 7 ? 7 : i + 1);
}

/* Nothing is compiled for such a call, so nothing is computed. */
static void no_result(NO_STATE)
{
    const double x[] = {1, 2};
    const float f[] = {1, 2};
    exblas_cl_release(gpu_context());
    refused(exblas_cl_host_dsum(queue, 2, x, 1, NULL), "r is NULL");
    refused(exblas_cl_host_ssum(queue, 2, f, 1, NULL), "r is NULL");
    refused(exblas_cl_host_dasum(queue, 2, x, 1, NULL), "r is NULL");
    refused(exblas_cl_host_sasum(queue, 2, f, 1, NULL), "r is NULL");
    refused(exblas_cl_host_dnrm2(queue, 2, x, 1, NULL), "r is NULL");
    refused(exblas_cl_host_snrm2(queue, 2, f, 1, NULL), "r is NULL");
    refused(exblas_cl_host_ddot(queue, 2, x, 1, x, 1, NULL), "r is NULL");
    refused(exblas_cl_host_sdot(queue, 2, f, 1, f, 1, NULL), "r is NULL");
    refused(exblas_cl_host_dsum(queue, 0, NULL, 1, NULL), "r is NULL");
}

static void foreign_buffers(NO_STATE)
{
    cl_event none = NULL, done = (cl_event)&none;
    cl_mem z = foreign();
    refused(exblas_cl_dsum(queue, N, z, 0, 1, br, 0, 0, NULL, &done), "x is of another context");
    refused(exblas_cl_ddot(queue, N, bx, 0, 1, z, 0, 1, br, 0, 0, NULL, &done),
            "y is of another context");
    refused(exblas_cl_dsum(queue, N, bx, 0, 1, z, 0, 0, NULL, &done), "r is of another context");
    refused(
        exblas_cl_dgemv(queue, 102, 111, 2, 2, 1, z, 0, 2, bx, 0, 1, 0, br, 0, 1, 0, NULL, &done),
        "a is of another context");
    refused(
        exblas_cl_dgemv(queue, 102, 111, 2, 2, 1, by, 0, 2, bx, 0, 1, 0, z, 0, 1, 0, NULL, &done),
        "y is of another context");
    refused(exblas_cl_dtrsv(queue, 102, 121, 111, 131, 2, bx, 0, 2, z, 0, 1, 0, NULL, &done),
            "x is of another context");
    refused(exblas_cl_dgemm(queue, 102, 111, 111, 2, 2, 2, 1, bx, 0, 2, by, 0, 2, 0, z, 0, 2, 0,
                            NULL, &done),
            "c is of another context");
    refused(exblas_cl_dscatter_add(queue, 2, bx, 0, z, 0, 2, br, 0, 0, NULL, &done),
            "index is of another context");
    refused(exblas_cl_dscatter_add(queue, 2, bx, 0, by, 0, 2, z, 0, 0, NULL, &done),
            "y is of another context");
    assert_ptr_equal(done, &none);
    is_untouched(other_queue, z, 7);
    is_untouched(queue, br, 1);
    clReleaseMemObject(z);
    double sum = 0; /* in the other context nothing is foreign */
    gpu_ok(exblas_cl_host_dsum(other_queue, 1, (double[]){7}, 1, &sum));
    assert_same_bits(sum, 7);
    exblas_cl_release(other);
}

static void foreign_events(NO_STATE)
{
    cl_int error;
    cl_event none = NULL, done = (cl_event)&none;
    cl_event wait[2] = {clCreateUserEvent(gpu_context(), &error), clCreateUserEvent(other, &error)};
    clSetUserEventStatus(wait[0], CL_COMPLETE);
    clSetUserEventStatus(wait[1], CL_COMPLETE);
    refused(exblas_cl_dsum(queue, N, bx, 0, 1, br, 0, 2, wait, &done),
            "an event of the wait list is of another context");
    refused(
        exblas_cl_dgemv(queue, 102, 111, 2, 2, 1, by, 0, 2, bx, 0, 1, 0, br, 0, 1, 2, wait, &done),
        "an event of the wait list is of another context");
    refused(exblas_cl_dsum(queue, N, bx, 0, 1, br, 0, 2, (cl_event[]){wait[0], NULL}, &done),
            "not an event");
    assert_ptr_equal(done, &none);
    is_untouched(queue, br, 1);
    clReleaseEvent(wait[0]);
    clReleaseEvent(wait[1]);
}

/* With the increment 0 any buffer is long enough, so that the length itself is looked at. */
static void lengths(NO_STATE)
{
    static const size_t n[] = {(size_t)INT64_MAX + 1, (size_t)INT64_MAX + 2, SIZE_MAX};
    cl_event none = NULL, done = (cl_event)&none;
    double x = 1, r = 42;
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        refused(exblas_cl_dsum(queue, n[i], bx, 0, 0, br, 0, 0, NULL, &done), "n is too large");
        refused(exblas_cl_dnrm2(queue, n[i], bx, 0, 0, br, 0, 0, NULL, &done), "n is too large");
        refused(exblas_cl_ddot(queue, n[i], bx, 0, 0, by, 0, 0, br, 0, 0, NULL, &done),
                "n is too large");
        refused(exblas_cl_host_dsum(queue, n[i], &x, 0, &r), "n is too large");
        refused(exblas_cl_host_ddot(queue, n[i], &x, 0, &x, 0, &r), "n is too large");
        refused(exblas_cl_dscatter_add(queue, n[i], bx, 0, by, 0, 2, br, 0, 0, NULL, &done),
                "n is too large");
    }
    /* More bytes than an address has. */
    refused(exblas_cl_host_dsum(queue, ((size_t)1 << 61) + 1, &x, 1, &r), "x is longer");
    refused(exblas_cl_host_dsum(queue, 3, &x, INT64_MIN, &r), "x is longer");
    refused(exblas_cl_dtrsv(queue, 102, 122, 111, 131, 2, bx, 0, 2, bx, 3, 1, 0, NULL, &done),
            "x overlaps a"); /* in the last element of the diagonal */
    assert_ptr_equal(done, &none);
    assert_same_bits(r, 42);
    is_untouched(queue, br, 1);
}

int main(void)
{
    return gpu_run(
        run_each_between(setup, teardown, foreign_buffers, foreign_events, lengths, no_result));
}
