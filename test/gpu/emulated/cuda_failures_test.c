/* Every call of CUDA and cuBLAS that the library makes fails once: the status says so, nothing is
 * written beyond the output, nothing leaks, and the handle works afterwards. */
#include "cuda_testing.h"
#include "emulated_device.h"
#include "gpu/calls/device_job.h"

#include <exblas/exblas.h>

#include <string.h>

static const device_size sizes[] = {{SUM, 1, 1000, 1},    {NRM2, 1, 97, 1},     {DOT, 1, 1000, 1},
                                    {GEMV, 33, 129, 1},   {TRSV, 1, 17, 1},     {GEMM, 17, 33, 20},
                                    {SCATTER, 90, 40, 1}, {SCATTER, 1, 900, 1}, {SYMM, 5, 7, 1},
                                    {SYRK, 1, 6, 9},      {TRSM, 2, 3, 1},      {BATCH, 9, 20, 30},
                                    {TRMM, 5, 7, 1}};
enum { N_SIZES = sizeof sizes / sizeof *sizes };
static const device_size two_blocks = {GEMM, 65, 34, 130}, long_gemm = {GEMM, 70, 40, 1300};

static const char *name_of(const device_job *j)
{
    static char name[24];
    device_case_name(&j->c, name);
    return name;
}

static struct {
    long live, live_events, live_handles;
} before;

static void note_books(void)
{
    before.live = emulated.live;
    before.live_events = emulated.live_events;
    before.live_handles = emulated.live_handles;
}

static void check_books(const device_job *j)
{
    if (emulated.live != before.live || emulated.live_events != before.live_events ||
        emulated.live_handles != before.live_handles)
        fail_msg("%s, %s failed: something is left", name_of(j), emulated.failed);
}

/* The outcome of a call of which something failed. */
static void check_outcome(device_job *j, exblas_status status)
{
    bool memory = strstr(emulated.failed, "Malloc") != NULL;
    if (status == EXBLAS_OK) { /* by another way: dgemm needs less memory then */
        if (!memory || !job_is_right(j))
            fail_msg("%s: %s failed, and the call did not", name_of(j), emulated.failed);
        return;
    }
    if (status != (memory ? EXBLAS_ENOMEM : EXBLAS_EDEVICE) &&
        !(status == EXBLAS_ENOMEM && strcmp(emulated.failed, "cublasCreate") == 0))
        fail_msg("%s: %s failed, status %d (%s)", name_of(j), emulated.failed, (int)status,
                 exblas_cuda_last_error());
    if (memory && !job_is_untouched(j))
        fail_msg("%s: there was no memory, and the output is another", name_of(j));
    assert_true(job_is_contained(j));
}

static exblas_status set_blocks(exblas_cuda_handle h, bool small)
{
    exblas_status s = set_groups(h, 32, true);
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
        check_books(j);
        return true;
    }
    if (set_blocks(h, small_blocks) != EXBLAS_OK) {
        assert_non_null(emulated.failed);
        assert_int_equal(exblas_cuda_destroy(h), EXBLAS_OK);
        return true;
    }
    device_handle = h;
    exblas_status status = job_call(j);
    emulated.fail_at = 0;
    if (emulated.failed) {
        check_outcome(j, status);
        job_reset(j);
        status = job_call(j);
    }
    if (status || !job_is_right(j))
        fail_msg("%s: after %s had failed, status %d", name_of(j),
                 emulated.failed ? emulated.failed : "nothing", (int)status);
    assert_int_equal(exblas_cuda_destroy(h), EXBLAS_OK);
    check_books(j);
    return emulated.failed != NULL;
}

static long fail_all(device_job j)
{
    bool by_residues = j.c.method && strcmp(j.c.method, "residue") == 0;
    long i = 1;
    while (fail_once(&j, i, by_residues))
        i++;
    job_free(&j);
    exblas_set_method(NULL);
    return i;
}

static void every_routine(NO_STATE)
{
    for (int i = 0; i < N_SIZES; i++)
        for (const char *type = "sd"; *type; type++)
            assert_in_range(fail_all(job_of(&sizes[i], *type, i % 3, "auto")), 10, 100);
}

/* Of complex types, all kinds of scalars. */
static void complex_routines(NO_STATE)
{
    test_random r = test_random_start(1, "cuda complex failures");
    for (int which = 0; which < SCATTER; which++) {
        device_case c = device_case_draw(&r, (routine)which, 0);
        if (which == DOT)
            continue;
        c.type = "cz"[which % 2];
        c.alpha[0] = 0.75;
        device_case_resize(&c, 5, 9, 12);
        assert_in_range(fail_all(job_make(&r, &c)), 10, 200);
    }
}

static void other_methods(NO_STATE)
{
    static const char *const methods[] = {"superacc", "fpe4"};
    for (int i = 0; i < N_SIZES; i++)
        fail_all(job_of(&sizes[i], 'd', HARD, methods[i % 2]));
}

static void residues(NO_STATE)
{
    assert_in_range(fail_all(job_of(&two_blocks, 'd', MODERATE, "residue")), 50, 1000);
}

/* The device has so little memory that blocks shrink, then there are none, then nothing works. */
static void little_memory(NO_STATE)
{
    exblas_cuda_handle h;
    long by_blocks = 0, failed = 0, fewer = 0;
    const size_t all = emulated.memory;
    device_job j = job_of(&long_gemm, 'd', MODERATE, "residue");
    for (size_t left = 8 << 20; left > 1000; left -= left / 4) {
        emulated.memory = emulated.live_bytes + left;
        emulated.products = 0;
        job_reset(&j);
        h = create();
        exblas_cuda_set_param(h, "dgemm", "workspace_mib", 64);
        device_handle = h;
        exblas_status status = job_call(&j);
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
