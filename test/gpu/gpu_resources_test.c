/* Every routine on a device, several times: no program is built twice in a context, nothing is
 * left when a context is released, and repeated calls do not take more. */
#include "cl_books.h"
#include "gpu/calls/device_job.h"
#include "gpu_testing.h"

/* Some small ones of every routine. */
enum { N_CALLS = 6 * N_ROUTINES };

static device_job number(int i)
{
    test_random r = test_random_start((uint64_t)i + 1, "gpu resources");
    routine which = (routine)(i % N_ROUTINES == BATCH ? GEMM : i % N_ROUTINES);
    device_case c = device_case_draw(&r, which, 9);
    c.method = NULL;
    c.incx = c.incy = 1;
    c.alpha[0] = 0.75;
    device_case_resize(&c, c.m + 1, c.n + 1, c.k + 1);
    return job_make(&r, &c);
}

static void run_all(void)
{
    for (int i = 0; i < N_CALLS; i++) {
        device_job j = number(i);
        assert_int_equal(job_call(&j), EXBLAS_OK);
        job_free(&j);
    }
}

static void run_all_methods(void)
{
    static const char *const methods[] = {"auto", "superacc", "fpe4"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        assert_int_equal(exblas_set_method(methods[i]), EXBLAS_OK);
        run_all();
    }
    exblas_set_method(NULL);
}

static void open_device(void)
{
    const char *why = "";
    if (!device_open(0, &why))
        fail_msg("%s", why);
}

/* Nothing is left. */
static void close_device(void)
{
    assert_true(gpu_end());
    assert_int_equal(cl_events, 0);
}

static void built_once_and_steady(NO_STATE)
{
    open_device();
    run_all_methods();
    long builds = cl_builds, kernels = cl_kernels;
    cl_uint references = gpu_references(0);
    assert_true(builds > 0 && kernels >= builds);
    for (int i = 0; i < 3; i++)
        run_all_methods();
    assert_int_equal(cl_builds, builds);
    assert_int_equal(cl_kernels, kernels);
    assert_int_equal(gpu_references(references), references);
    close_device();
}

static void nothing_is_left(NO_STATE)
{
    for (int i = 0; i < 3; i++) {
        open_device();
        run_all();
        close_device();
    }
}

/* Failing calls hold nothing either. */
static void failures(NO_STATE)
{
    open_device();
    run_all();
    cl_uint references = gpu_references(0);
    long events = cl_events;
    for (int i = 0; i < N_CALLS; i++) {
        device_job j = number(i);
        if (j.c.routine == SCATTER) {
            j.index[j.c.n / 2] = j.c.m;
            job_upload_index(&j);
        } else { /* the buffer is too small */
            device_release(j.y[0]);
            j.y[0] = device_upload(j.bytes[0] - 1, j.x[0]);
        }
        assert_int_equal(job_call(&j), EXBLAS_EINVAL);
        job_free(&j);
    }
    assert_int_equal(gpu_references(references), references);
    assert_int_equal(cl_events, events);
    close_device();
}

int main(void)
{
    const char *why = "";
    if (!device_open(0, &why)) {
        printf("1..0 # SKIP %s\n", why);
        return 0;
    }
    device_close();
    return run_each(built_once_and_steady, nothing_is_left, failures);
}
