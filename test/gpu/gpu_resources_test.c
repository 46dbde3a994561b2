/* Every routine on a device, several times: no program is built twice in a context, nothing is
 * left when a context is released, and repeated calls do not take more. */
#include "cl_books.h"
#include "gpu/calls/device_job.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <exblas/opencl.h>

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

static void built_once_and_steady(NO_STATE)
{
    open_device();
    run_all_methods();
    long builds = cl_builds;
    cl_references first = cl_books;
    assert_true(builds > 0 && first.programs > 0 && first.kernels > 0);
    for (int i = 0; i < 3; i++)
        run_all_methods();
    assert_int_equal(cl_builds, builds);
    assert_int_equal(cl_repeated_builds, 0);
    assert_int_equal(cl_books.buffers, first.buffers);
    assert_int_equal(cl_books.events, first.events);
    assert_int_equal(cl_books.programs, first.programs);
    assert_int_equal(cl_books.kernels, first.kernels);
    device_close();
}

static void nothing_is_left(NO_STATE)
{
    for (int i = 0; i < 3; i++) {
        open_device();
        run_all();
        device_close();
        assert_int_equal(cl_books.buffers, 0);
        assert_int_equal(cl_books.events, 0);
        assert_int_equal(cl_books.programs, 0);
        assert_int_equal(cl_books.kernels, 0);
        assert_int_equal(cl_books.contexts, 0);
        assert_int_equal(cl_books.queues, 0);
    }
}

/* Failing calls hold nothing either. */
static void failures(NO_STATE)
{
    open_device();
    run_all();
    cl_references before = cl_books;
    for (int i = 0; i < N_CALLS; i++) {
        device_job j = number(i);
        if (j.c.routine == SCATTER) {
            device_release(j.y_index);
            j.index[j.c.n / 2] = j.c.m;
            j.y_index = device_upload((size_t)j.c.n * sizeof *j.index, j.index);
        } else { /* the buffer is too small */
            device_release(j.y[0]);
            j.y[0] = device_upload(j.bytes[0] - 1, j.x[0]);
        }
        assert_int_equal(job_call(&j), EXBLAS_EINVAL);
        job_free(&j);
    }
    assert_int_equal(cl_books.buffers, before.buffers);
    assert_int_equal(cl_books.events, before.events);
    device_close();
    assert_int_equal(cl_books.events, 0);
    assert_int_equal(cl_books.buffers, 0);
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
