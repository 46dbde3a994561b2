/* Every routine on a device, several times: no program is built twice in a context, nothing is
 * left when a context is released, and repeated calls do not take more. */
#include "cl_books.h"
#include "fuzz/differential/generate.h"
#include "gpu/device_job.h"
#include "gpu_testing.h"

enum { N_CALLS = 50 };

/* Some small ones of every routine. */
static device_job *number(int i)
{
    const fuzz_choice choice = {.method = "auto", .takes = device_has};
    fuzz_case c;
    for (uint64_t seed = 1;; seed++) {
        assert_true(fuzz_generate(seed, (uint64_t)i, &choice, &c));
        if (device_work(&c) <= 500 && c.n > 0 && c.incx > 0 && !fuzz_returns_quickly(&c) &&
            !fuzz_is_without_product(&c))
            break;
        fuzz_case_free(&c);
    }
    return job_of(c);
}

static void run_all(const char *method)
{
    for (int i = 0; i < N_CALLS; i++) {
        device_job *j = number(i);
        j->c.set.method = method;
        assert_int_equal(job_call(j), EXBLAS_OK);
        job_free(j);
    }
}

static void run_all_methods(void)
{
    static const char *const methods[] = {"auto", "superacc", "fpe4"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        run_all(methods[i]);
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
    assert_int_equal(cl_kernels, 0);
}

static void built_once_and_steady(NO_STATE)
{
    open_device();
    run_all_methods();
    long builds = cl_builds;
    cl_uint references = gpu_references(0);
    assert_true(builds > 0);
    for (int i = 0; i < 3; i++)
        run_all_methods();
    assert_int_equal(cl_builds, builds);
    assert_int_equal(gpu_references(references), references);
    close_device();
}

/* Failing calls hold nothing either. */
static void failures(NO_STATE)
{
    open_device();
    run_all(NULL);
    cl_uint references = gpu_references(0);
    long events = cl_events;
    for (int i = 0; i < N_CALLS; i++) {
        device_job *j = number(i);
        if (j->c.group == GROUP_SCATTER) {
            j->c.index[j->c.n / 2] = j->c.n_bins;
            job_reset(j);
        } else /* buffers are too small */
            for (int w = 0; w < N_OPERANDS; w++) {
                device_release(j->d.operand[w]);
                j->d.operand[w] = device_upload(1, "");
            }
        assert_int_equal(job_call(j), EXBLAS_EINVAL);
        job_free(j);
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
    return run_each(built_once_and_steady, failures);
}
