/* How OpenCL calls behave: order and events, errors, compiling once, many threads. Results are
 * those of a dot whose value is known. */
#include "gpu_testing.h"
#include "cl_books.h"

#include <exblas/cblas.h>
#include <pthread.h>

enum { N = 300 };
static double x[N], y[N];
static cl_mem bx, by, br;
static cl_command_queue queue;

static int setup(NO_STATE)
{
    for (int i = 0; i < N; i++) {
        x[i] = 1.0 / (i + 3);
        y[i] = i % 2 ? -1.0 / (i + 7) : 1.0 / (i + 1);
    }
    queue = gpu_queue();
    bx = gpu_vector('d', N, x, 0);
    by = gpu_vector('d', N, y, 0);
    br = gpu_vector('d', 1, (double[]){42}, 0);
    return 0;
}

static int teardown(NO_STATE)
{
    clReleaseMemObject(bx);
    clReleaseMemObject(by);
    clReleaseMemObject(br);
    return 0;
}

static exblas_status dot(cl_command_queue q, cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    return exblas_cl_ddot(q, N, bx, 0, 1, by, 0, 1, br, 0, n_wait, wait, done);
}

static cl_int state_of(cl_event event)
{
    cl_int state = 0;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return state;
}

static void finish(cl_event event)
{
    assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
    assert_int_equal(state_of(event), CL_COMPLETE);
    clReleaseEvent(event);
}

/* The vector is written only when the test says so; a call that waits for that sees the new
 * numbers, and its event completes after them. */
static void waits_on(cl_command_queue q)
{
    double wanted = excblas_ddot(N, x, 1, y, 1);
    cl_int error;
    cl_event go = clCreateUserEvent(gpu_context(), &error), written, done;
    cl_mem z = gpu_vector('d', N, y, 0); /* not yet x */
    assert_int_equal(clEnqueueWriteBuffer(q, z, CL_FALSE, 0, sizeof x, x, 1, &go, &written),
                     CL_SUCCESS);
    gpu_ok(exblas_cl_ddot(q, N, z, 0, 1, by, 0, 1, br, 0, 1, &written, &done));
    bool early = state_of(done) == CL_COMPLETE; /* asserted when nothing hangs on it any more */
    assert_int_equal(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
    finish(done);
    assert_false(early);
    assert_same_bits(gpu_element(br, 'd', 0), wanted);
    clReleaseEvent(go);
    clReleaseEvent(written);
    clReleaseMemObject(z);
}

static void waits(NO_STATE)
{
    static const char *const methods[] = {"auto", "fpe4"};
    for (int i = 0; i < 2; i++) {
        gpu_ok(exblas_set_method(methods[i]));
        waits_on(queue);
        if (gpu_free_queue())
            waits_on(gpu_free_queue());
    }
    gpu_ok(exblas_set_method(NULL));
}

/* Calls one after the other without waiting, of several commands each, each using what the one
 * before left. */
static void chains(NO_STATE)
{
    enum { M = 17 };
    double expected[M * M], computed[M * M];
    cl_command_queue q = gpu_free_queue() ? gpu_free_queue() : queue;
    cl_mem z = gpu_vector('d', M * M, y, 0);
    cl_event before = NULL, done;
    memcpy(expected, y, sizeof expected);
    for (int i = 0; i < 4; i++) {
        gpu_ok(exblas_cl_dgemm(q, 102, 111, 111 + i % 2, M, M, M, 0.25, bx, 0, M, by, 0, M, -1.5, z,
                               0, M, i > 0, i ? &before : NULL, &done));
        excblas_dgemm(102, 111, 111 + i % 2, M, M, M, 0.25, x, M, y, M, -1.5, expected, M);
        if (i)
            clReleaseEvent(before);
        before = done;
    }
    finish(before);
    gpu_read(queue, z, 0, sizeof computed, computed);
    assert_memory_equal(computed, expected, sizeof expected);
    clReleaseMemObject(z);
}

/* x_2 = RN(residual / d) where the residual is d times a midpoint, and a bit far below decides:
 * neither the remainder of the division nor the words below it may be lost. */
static void far_bits(NO_STATE)
{
    static const double divisor[] = {1, 3, 0x1.8p-900, 5};
    static const char *const methods[] = {"auto", "superacc"};
    for (int i = 0; i < 4; i++)
        for (int sign = -1; sign <= 1; sign++)
            for (int k = 0; k < 2; k++) {
                double d = divisor[i], far = sign * 0x1p-120 * d;
                double t[9] = {1, 0, 0, 0, 1, 0, -d * 0x1p-53, -far, d}, x[3] = {1, 1, d};
                gpu_ok(exblas_set_method(methods[k]));
                gpu_ok(exblas_cl_host_dtrsv(queue, 101, 122, 111, 131, 3, t, 3, x, 1));
                assert_same_bits(x[2], sign > 0 ? 1 + 0x1p-52 : 1);
            }
    gpu_ok(exblas_set_method("auto"));
}

/* A call of nothing has an event, too. */
static void empty_calls(NO_STATE)
{
    cl_event done;
    cl_command_type type;
    gpu_ok(exblas_cl_ddot(queue, 0, NULL, 0, 1, NULL, 0, 1, br, 0, 0, NULL, &done));
    finish(done);
    assert_same_bits(gpu_element(br, 'd', 0), 0);
    for (int i = 0; i < 2; i++) { /* without a command: a marker's event, which is the caller's */
        gpu_ok(
            exblas_cl_dtrsv(queue, 102, 121, 111, 131, 0, NULL, 0, 1, NULL, 0, 1, 0, NULL, &done));
        assert_int_equal(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), 0);
        assert_int_equal(type, CL_COMMAND_MARKER);
        finish(done);
    }
    gpu_ok(exblas_cl_dasum(queue, N, bx, 0, -1, br, 0, 0, NULL, NULL));
    gpu_ok(exblas_cl_host_dasum(queue, N, NULL, 0, &(double){42}));
    assert_int_equal(clFinish(queue), CL_SUCCESS);
}

static void compiles_once(NO_STATE)
{
    gpu_ok(dot(queue, 0, NULL, NULL));
    long builds = cl_builds;
    cl_uint references = 0;
    assert_true(builds > 0);
    for (int i = 0; i < 100; i++) {
        gpu_ok(dot(queue, 0, NULL, NULL));
        if (i == 2)
            references = gpu_references(0);
    }
    assert_int_equal(cl_builds, builds);
    assert_int_equal(gpu_references(references), references);
    /* Two programs have three kernels. */
    double a = 3, c = 5;
    exblas_cl_release(gpu_context());
    gpu_ok(exblas_cl_host_dgemv(queue, 102, 111, 1, 1, 2, &a, 1, &a, 1, 1, &c, 1));
    assert_int_equal(cl_builds - builds, 2);
}

/* After a release everything works again, compiled anew. */
static void released(NO_STATE)
{
    double wanted = excblas_ddot(N, x, 1, y, 1), host = 42;
    exblas_cl_release(gpu_context());
    cl_uint references = gpu_references(0);
    gpu_ok(dot(queue, 0, NULL, NULL));
    long builds = cl_builds;
    assert_true(gpu_references(0) > references);
    exblas_cl_release(gpu_context());
    assert_int_equal(gpu_references(references), references);
    cl_build_options = "-Dvoid=+"; /* does not compile */
    gpu_refused(EXBLAS_EDEVICE, dot(queue, 0, NULL, NULL), "error");
    gpu_refused(EXBLAS_EDEVICE, exblas_cl_host_ddot(queue, N, x, 1, y, 1, &host), "error");
    assert_same_bits(host, 42);
    cl_build_options = NULL;
    assert_same_bits(gpu_element(br, 'd', 0), wanted);
    gpu_ok(dot(queue, 0, NULL, NULL));
    assert_true(cl_builds > builds);
    assert_same_bits(gpu_element(br, 'd', 0), wanted);
}

/* A device whose memory is taken for a while. */
static void no_memory(NO_STATE)
{
    double wanted = excblas_ddot(N, x, 1, y, 1), host = 42;
    exblas_cl_release(gpu_context());
    cl_no_memory = true;
    gpu_refused(EXBLAS_ENOMEM, dot(queue, 0, NULL, NULL), "no memory on the device");
    gpu_refused(EXBLAS_ENOMEM, exblas_cl_host_ddot(queue, N, x, 1, y, 1, &host), "no memory");
    cl_no_memory = false;
    assert_same_bits(host, 42);
    assert_same_bits(gpu_element(br, 'd', 0), 42);
    gpu_ok(dot(queue, 0, NULL, NULL));
    assert_same_bits(gpu_element(br, 'd', 0), wanted);
}

/* Many threads, each with its own length and result, some with the same queue. */
enum { THREADS = 4, ROUNDS = 25 };

static void *worker(void *arg)
{
    size_t t = *(size_t *)arg;
    bool *right = calloc(1, sizeof *right);
    double r = 0;
    *right = true;
    for (size_t i = 0; i < ROUNDS; i++) {
        size_t n = 10 * t + i;
        exblas_status s = exblas_cl_host_ddot(queue, n, x, 1, y, 1, &r);
        *right = *right && s == EXBLAS_OK && same_bits(r, excblas_ddot((int)n, x, 1, y, 1));
    }
    return right;
}

static void threads(NO_STATE)
{
    pthread_t thread[THREADS];
    size_t number[THREADS];
    exblas_cl_release(gpu_context()); /* so that they meet at the compiler, too */
    long builds = cl_builds;
    for (size_t t = 0; t < THREADS; t++) {
        number[t] = t;
        assert_int_equal(pthread_create(&thread[t], NULL, worker, &number[t]), 0);
    }
    int n_right = 0;
    for (size_t t = 0; t < THREADS; t++) {
        bool *right;
        pthread_join(thread[t], (void **)&right);
        n_right += *right;
        free(right);
    }
    assert_int_equal(n_right, THREADS);
    assert_int_equal(cl_builds - builds, 2); /* filter, exact */
}

int main(void)
{
    return gpu_run(run_each_between(setup, teardown, waits, chains, far_bits, empty_calls,
                                    compiles_once, released, no_memory, threads));
}
