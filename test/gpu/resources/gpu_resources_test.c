/* Every routine on a device, several times: no program is built twice in a context, nothing is
 * left when a context is released, and repeated calls do not take more. */
#include "cl_books.h"
#include "gpu/expected/expected.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <exblas/opencl.h>

/* All cases that are small. */
static void run_all(void)
{
    for (int i = 0; i < expected_count(); i++) {
        expected_case e;
        assert_true(expected_make(i, &e));
        if (expected_work(&e.call) <= 6000) {
            exblas_status status = expected_run(&e.call);
            assert_true(status == EXBLAS_OK || status == EXBLAS_EUNSUPPORTED);
        }
        expected_free(&e);
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
    if (!expected_open(0, &why))
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
    expected_close();
}

static void nothing_is_left(NO_STATE)
{
    for (int i = 0; i < 3; i++) {
        open_device();
        run_all();
        expected_close();
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
    for (int i = 0; i < expected_count(); i++) {
        expected_case e;
        assert_true(expected_make(i, &e));
        if (e.call.op == EXPECTED_SCATTER) {
            e.call.index[e.call.n / 2] = e.call.m;
            assert_int_equal(expected_run(&e.call), EXBLAS_EINVAL);
        } else if (expected_work(&e.call) <= 6000 && e.call.a_length > 1) {
            e.call.a_length--; /* the buffer is too small */
            exblas_status status = expected_run(&e.call);
            assert_true(status == EXBLAS_EINVAL || status == EXBLAS_EUNSUPPORTED);
        }
        expected_free(&e);
    }
    assert_int_equal(cl_books.buffers, before.buffers);
    assert_int_equal(cl_books.events, before.events);
    expected_close();
    assert_int_equal(cl_books.events, 0);
    assert_int_equal(cl_books.buffers, 0);
}

int main(void)
{
    const char *why = "";
    if (!expected_open(0, &why)) {
        printf("1..0 # SKIP %s\n", why);
        return 0;
    }
    expected_close();
    return run_each(built_once_and_steady, nothing_is_left, failures);
}
