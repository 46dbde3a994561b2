/* Every call of CUDA and cuBLAS that the library makes fails once: the status says so, nothing is
 * written beyond the output, nothing leaks, and the handle works afterwards. */
#include "cuda_testing.h"
#include "device_job.h"
#include "emulated_device.h"

#include <exblas/exblas.h>

#include <string.h>

/* sum, nrm2, dot, gemv, trsv, gemm, scatter-add twice, symm, syrk, trsm, the
 * batch, trmm: of expected_cases.c. */
static const int sizes[] = {2, 7, 11, 15, 18, 22, 26, 29, 31, 33, 35, 37, 39};
enum { N_SIZES = sizeof sizes / sizeof *sizes, TWO_BLOCKS = 23, RESIDUE_SIZE = 30 };

static struct {
    long live, live_events, live_handles;
} before;

static void note_books(void)
{
    before.live = emulated.live;
    before.live_events = emulated.live_events;
    before.live_handles = emulated.live_handles;
}

static void check_books(const char *name)
{
    if (emulated.live != before.live || emulated.live_events != before.live_events ||
        emulated.live_handles != before.live_handles)
        fail_msg("%s, %s failed: something is left", name, emulated.failed);
}

/* The outcome of a call of which something failed. */
static void check_outcome(device_job *j, exblas_status status)
{
    bool memory = strstr(emulated.failed, "Malloc") != NULL;
    if (status == EXBLAS_OK) { /* by another way: dgemm needs less memory then */
        if (!memory || !job_is_right(j))
            fail_msg("%s: %s failed, and the call did not", j->e.name, emulated.failed);
        return;
    }
    if (status != (memory ? EXBLAS_ENOMEM : EXBLAS_EDEVICE) &&
        !(status == EXBLAS_ENOMEM && strcmp(emulated.failed, "cublasCreate") == 0))
        fail_msg("%s: %s failed, status %d (%s)", j->e.name, emulated.failed, (int)status,
                 exblas_cuda_last_error());
    if (memory && !job_is_untouched(j))
        fail_msg("%s: there was no memory, and the output is another", j->e.name);
    job_is_right(j); /* the guards */
}

static exblas_status set_blocks(exblas_cuda_handle h, bool small)
{
    exblas_status s = set_groups(h);
    if (small && !s)
        s = exblas_cuda_set_param(h, "dgemm", "residue_group", 64);
    return s || !small ? s : exblas_cuda_set_param(h, "dgemm", "residue_rows", 64);
}

/* A handle's whole life, in which the number-th call fails. False if nothing failed any more. */
static bool fail_once(device_job *j, long number, bool small_blocks)
{
    exblas_cuda_handle h = NULL;
    note_books();
    job_reset(j);
    emulated.calls = 0;
    emulated.failed = NULL;
    emulated.fail_at = number;
    exblas_status created = exblas_cuda_create(&h);
    if (created) {
        assert_non_null(emulated.failed);
        assert_true(created == EXBLAS_EDEVICE || created == EXBLAS_ENOMEM);
        assert_string_not_equal(exblas_cuda_last_error(), "");
        check_books(j->e.name);
        return true;
    }
    if (set_blocks(h, small_blocks) != EXBLAS_OK) {
        assert_non_null(emulated.failed);
        assert_int_equal(exblas_cuda_destroy(h), EXBLAS_OK);
        return true;
    }
    exblas_status status = job_call(j, h);
    emulated.fail_at = 0;
    if (emulated.failed) {
        check_outcome(j, status);
        job_reset(j);
        status = job_call(j, h);
    }
    if (status || !job_is_right(j))
        fail_msg("%s: after %s had failed, status %d", j->e.name,
                 emulated.failed ? emulated.failed : "nothing", (int)status);
    assert_int_equal(exblas_cuda_destroy(h), EXBLAS_OK);
    check_books(j->e.name);
    return emulated.failed != NULL;
}

static long fail_all(int number, const char *method)
{
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    device_job j = job_make(number);
    long i = 1;
    while (fail_once(&j, i, strcmp(method, "residue") == 0))
        i++;
    job_free(&j);
    exblas_set_method(NULL);
    return i;
}

static void every_routine(NO_STATE)
{
    for (int type = 0; type < 2; type++)
        for (int i = 0; i < N_SIZES; i++) {
            long n = fail_all(job_number(sizes[i], i % 3, type, i & 1), "auto");
            assert_in_range(n, 10, 100);
        }
}

/* Of complex types: every eleventh of the list, so all routines and kinds of scalars. */
static void complex_routines(NO_STATE)
{
    for (int i = expected_first_complex(); i < expected_count(); i += 11)
        assert_in_range(fail_all(i, "auto"), 10, 200);
}

static void other_methods(NO_STATE)
{
    static const char *const methods[] = {"superacc", "fpe4"};
    for (int i = 0; i < N_SIZES; i++)
        fail_all(job_number(sizes[i], 0, 1, 0), methods[i % 2]);
}

static void residues(NO_STATE)
{
    assert_in_range(fail_all(job_number(TWO_BLOCKS, 2, 1, 0), "residue"), 50, 1000);
}

/* The device has so little memory that blocks shrink, then there are none, then nothing works. */
static void little_memory(NO_STATE)
{
    exblas_cuda_handle h;
    long by_blocks = 0, failed = 0, fewer = 0;
    const size_t all = emulated.memory;
    exblas_set_method("residue");
    device_job j = job_make(job_number(RESIDUE_SIZE, 2, 1, 0));
    for (size_t left = 8 << 20; left > 1000; left -= left / 4) {
        emulated.memory = emulated.live_bytes + left;
        emulated.products = 0;
        job_reset(&j);
        assert_int_equal(exblas_cuda_create(&h), EXBLAS_OK);
        exblas_cuda_set_param(h, "dgemm", "residue_group", 64);
        exblas_cuda_set_param(h, "dgemm", "workspace_mib", 64);
        exblas_status status = job_call(&j, h);
        by_blocks += status == EXBLAS_OK && emulated.products == 0;
        fewer += emulated.products > 32; /* more blocks than one */
        failed += status == EXBLAS_ENOMEM && job_is_untouched(&j);
        assert_true(status == EXBLAS_OK ? job_is_right(&j) : status == EXBLAS_ENOMEM);
        assert_int_equal(exblas_cuda_destroy(h), EXBLAS_OK);
    }
    emulated.memory = all;
    exblas_set_method(NULL);
    job_free(&j);
    assert_true(fewer > 0 && by_blocks > 0 && failed > 0);
}

TESTS(every_routine, complex_routines, other_methods, residues, little_memory)
