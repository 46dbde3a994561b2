/* OpenCL calls that must be refused before anything is computed: no place for the result, wrong
 * options, operands that are too short, overlap or lie in another context, events of another
 * context, lengths that no vector has. No event is made, and nothing is written. */
#include "gpu_testing.h"

#include <exblas/opencl_scatter.h>

enum { N = 20 };

static cl_context other; /* another context on the same device */
static cl_command_queue q, other_queue;
static cl_mem bx, by, br;
static double numbers[N];
static cl_event none, done;

#define bad(call, words) gpu_refused(EXBLAS_EINVAL, exblas_cl_##call, words)
#define ALL 0, NULL, &done

static int setup(NO_STATE)
{
    cl_int error;
    cl_device_id device;
    for (int i = 0; i < N; i++)
        numbers[i] = i + 1;
    q = gpu_queue();
    bx = gpu_vector('d', N, numbers, 0);
    by = gpu_vector('d', N, numbers, 0);
    br = gpu_vector('d', N, numbers, 0);
    done = (cl_event)&none;
    clGetCommandQueueInfo(q, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    other = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    other_queue = clCreateCommandQueue(other, device, 0, &error);
    return error;
}

/* The buffer begins with these numbers. */
static void is_untouched(cl_command_queue queue, cl_mem buffer, size_t bytes, const double *x)
{
    double now[N];
    assert_int_equal(clFinish(q), CL_SUCCESS);
    gpu_read(queue, buffer, 0, bytes, now);
    assert_memory_equal(now, x, bytes);
}

static int teardown(NO_STATE)
{
    assert_ptr_equal(done, &none);
    is_untouched(q, br, sizeof numbers, numbers);
    clReleaseMemObject(bx);
    clReleaseMemObject(by);
    clReleaseMemObject(br);
    clReleaseCommandQueue(other_queue);
    clReleaseContext(other);
    return 0;
}

/* Nothing is compiled for such a call, so nothing is computed. */
static void no_result(NO_STATE)
{
    const double x[] = {1, 2};
    exblas_cl_release(gpu_context());
    bad(host_dsum(q, 2, x, 1, NULL), "r is NULL");
    bad(host_ddot(q, 2, x, 1, x, 1, NULL), "r is NULL");
    bad(host_dsum(q, 0, NULL, 1, NULL), "r is NULL");
    bad(host_zsum(q, 1, x, 1, NULL), "NULL");
}

static void vectors(NO_STATE)
{
    double host = 42;
    bad(ddot(q, N + 2, bx, 0, 1, by, 0, 1, br, 0, ALL), "x has 21 elements");
    bad(ddot(q, N, bx, 0, 1, by, 2, 1, br, 0, ALL), "y has");
    bad(ddot(q, N, bx, 0, 1, by, 0, -2, br, 0, ALL), "y has");
    bad(ddot(q, 2, bx, 0, INT64_MIN, by, 0, 1, br, 0, ALL), "x has");
    bad(dsum(q, INT64_MAX, bx, 0, 1, br, 0, ALL), "x has");
    bad(dsum(q, 1, bx, 0, 1, br, N + 1, ALL), "r has");
    bad(dsum(q, 1, NULL, 0, 1, br, 0, ALL), "x is not a buffer");
    bad(dscatter_add(q, N + 2, bx, 0, by, 0, 2, br, 0, ALL), "x has");
    bad(dscatter_add(q, 2, bx, 0, by, 0, N + 2, br, 0, ALL), "y has");
    bad(dsum(NULL, 1, bx, 0, 1, br, 0, ALL), "queue");
    bad(dsum(q, 1, bx, 0, 1, br, 0, 1, NULL, &done), "wait list");
    bad(host_dsum(q, 1, NULL, 1, &host), "NULL");
    bad(set_param(q, "reduce", "group", 257), "1 to 256");
    bad(set_param(q, "reduce", "groups", 0), "1 to 512");
    bad(set_param(q, "reduce", "colour", 1), "colour");
    assert_same_bits(host, 42);
}

/* Arguments by BLAS's numbers (more of them in cuda_hostile_test), buffers with an element too few,
 * of which a complex one is two numbers. */
static void matrices(NO_STATE)
{
    const double one[2] = {1, 0};
    const size_t huge = (size_t)INT64_MAX, bytes = 8 * sizeof(double);
    cl_mem m = gpu_buffer(gpu_context(), bytes, numbers);
    bad(dgemm(q, 100, 111, 111, 2, 2, 2, 1, m, 0, 2, m, 4, 2, 0, m, 4, 2, ALL),
        "argument 1 of gemm");
    bad(dgemm(q, 102, 111, 111, 2, 4, 1, 1, m, 0, 2, m, 0, 1, 0, m, 1, 2, ALL), "c has 8 elements");
    bad(dgemm(q, 102, 111, 111, 2, 2, 2, 1, m, 0, 2, m, 0, 2, 0, m, 0, huge, ALL),
        "c has 8 elements");
    bad(dgemv(q, 102, 111, (size_t)-1, 2, 1, m, 0, 2, m, 0, 1, 0, m, 0, 1, ALL),
        "argument 3 of gemv");
    bad(dgemv(q, 102, 111, 2, 2, 1, m, 0, 2, m, 0, 1, 0, m, 0, -8, ALL), "y has 8 elements");
    bad(dtrsv(q, 102, 121, 111, 131, 2, m, 0, 2, m, 0, 0, ALL), "argument 9 of trsv");
    bad(zgemm(q, 102, 111, 111, 1, 1, 1, one, m, 0, 1, m, 1, 1, one, m, 1, 1, ALL), "c overlaps b");
    bad(zsum(q, 5, m, 0, 1, m, 0, ALL), "x has 4 elements");
    bad(zdotc(q, 1, m, 0, 1, m, 0, 1, m, 4, ALL), "has 4 elements");
    bad(ztrmm(q, 102, 141, 121, 111, 131, 3, 1, one, m, 0, 3, m, 0, 3, ALL), "elements");
    bad(zsum(q, huge, m, 0, 0, m, 0, ALL), "");
    /* In the last element of the diagonal. */
    bad(dtrsv(q, 102, 122, 111, 131, 2, bx, 0, 2, bx, 3, 1, ALL), "x overlaps a");
    is_untouched(q, m, bytes, numbers);
    clReleaseMemObject(m);
}

static void foreign_buffers(NO_STATE)
{
    double sum = 0;
    cl_mem z = gpu_buffer(other, sizeof numbers, numbers);
    bad(dsum(q, N, z, 0, 1, br, 0, ALL), "x is of another context");
    bad(ddot(q, N, bx, 0, 1, z, 0, 1, br, 0, ALL), "y is of another context");
    bad(dsum(q, N, bx, 0, 1, z, 0, ALL), "r is of another context");
    bad(dgemm(q, 102, 111, 111, 2, 2, 2, 1, bx, 0, 2, by, 0, 2, 0, z, 0, 2, ALL),
        "c is of another context");
    bad(dscatter_add(q, 2, bx, 0, z, 0, 2, br, 0, ALL), "index is of another context");
    is_untouched(other_queue, z, sizeof numbers, numbers);
    clReleaseMemObject(z);
    /* In the other context nothing is foreign. */
    gpu_ok(exblas_cl_host_dsum(other_queue, 1, (double[]){7}, 1, &sum));
    assert_same_bits(sum, 7);
    exblas_cl_release(other);
}

static void foreign_events(NO_STATE)
{
    cl_int error;
    cl_event wait[2] = {clCreateUserEvent(gpu_context(), &error), clCreateUserEvent(other, &error)};
    const char *words = "an event of the wait list is of another context";
    clSetUserEventStatus(wait[0], CL_COMPLETE);
    clSetUserEventStatus(wait[1], CL_COMPLETE);
    bad(dsum(q, N, bx, 0, 1, br, 0, 2, wait, &done), words);
    bad(dgemv(q, 102, 111, 2, 2, 1, by, 0, 2, bx, 0, 1, 0, br, 0, 1, 2, wait, &done), words);
    bad(dsum(q, N, bx, 0, 1, br, 0, 2, (cl_event[]){wait[0], NULL}, &done), "not an event");
    clReleaseEvent(wait[0]);
    clReleaseEvent(wait[1]);
}

/* With the increment 0 any buffer is long enough, so that the length itself is looked at. */
static void lengths(NO_STATE)
{
    static const size_t n[] = {(size_t)INT64_MAX + 1, (size_t)INT64_MAX + 2, SIZE_MAX};
    double x = 1, r = 42;
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        bad(dsum(q, n[i], bx, 0, 0, br, 0, ALL), "n is too large");
        bad(dnrm2(q, n[i], bx, 0, 0, br, 0, ALL), "n is too large");
        bad(ddot(q, n[i], bx, 0, 0, by, 0, 0, br, 0, ALL), "n is too large");
        bad(host_dsum(q, n[i], &x, 0, &r), "n is too large");
        bad(host_ddot(q, n[i], &x, 0, &x, 0, &r), "n is too large");
        bad(dscatter_add(q, n[i], bx, 0, by, 0, 2, br, 0, ALL), "n is too large");
    }
    /* More bytes than an address has. */
    bad(host_dsum(q, ((size_t)1 << 61) + 1, &x, 1, &r), "x is longer");
    bad(host_dsum(q, 3, &x, INT64_MIN, &r), "x is longer");
    assert_same_bits(r, 42);
}

int main(void)
{
    return gpu_run(run_each_between(setup, teardown, vectors, matrices, foreign_buffers,
                                    foreign_events, lengths, no_result));
}
