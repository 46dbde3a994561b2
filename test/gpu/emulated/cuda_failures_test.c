/* Every call of CUDA and cuBLAS that the library makes fails once: the status says so, nothing is
 * written beyond the output, nothing leaks, and the handle works afterwards. */
#include "cuda_testing.h"
#include "emulated_device.h"

#include <exblas/exblas.h>

#include <string.h>

static const struct {
    const char *routine;
    int m, n, k;
} sizes[] = {
    {"?sum", 1, 1000, 1},        {"?nrm2", 1, 97, 1},         {"?dot", 1, 1000, 1},
    {"?gemv", 33, 129, 1},       {"?trsv", 1, 17, 1},         {"?gemm", 17, 33, 20},
    {"?scatter_add", 90, 40, 1}, {"?scatter_add", 1, 900, 1}, {"?symm", 5, 7, 1},
    {"?syrk", 1, 6, 9},          {"?trsm", 2, 3, 1},          {"?gemm_batch_strided", 9, 20, 30},
    {"?trmm", 5, 7, 1}};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static device_job *job_number(int i, char type, const char *method)
{
    static const fuzz_style styles[] = {STYLE_TAIL, STYLE_INTEGER, STYLE_RANDOM};
    char name[32];
    snprintf(name, sizeof name, "%s", sizes[i].routine);
    name[0] = type;
    return job_of(case_of(name, sizes[i].m, sizes[i].n, sizes[i].k, styles[i % 3], method));
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
        fail_msg("%s, %s failed: something is left", j->c.routine->name, emulated.failed);
}

/* The outcome of a call of which something failed. */
static void check_outcome(device_job *j, exblas_status status)
{
    bool memory = strstr(emulated.failed, "Malloc") != NULL;
    if (status == EXBLAS_OK) { /* by another way: dgemm needs less memory then */
        if (!memory || !job_is_right(j))
            fail_msg("%s: %s failed, and the call did not", j->c.routine->name, emulated.failed);
        return;
    }
    if (status != (memory ? EXBLAS_ENOMEM : EXBLAS_EDEVICE) &&
        !(status == EXBLAS_ENOMEM && strcmp(emulated.failed, "cublasCreate") == 0))
        fail_msg("%s: %s failed, status %d (%s)", j->c.routine->name, emulated.failed, (int)status,
                 exblas_cuda_last_error());
    if (memory && !job_is_untouched(j))
        fail_msg("%s: there was no memory, and the output is another", j->c.routine->name);
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
        fail_msg("%s: after %s had failed, status %d", j->c.routine->name,
                 emulated.failed ? emulated.failed : "nothing", (int)status);
    assert_int_equal(exblas_cuda_destroy(h), EXBLAS_OK);
    check_books(j);
    return emulated.failed != NULL;
}

static long fail_all(device_job *j)
{
    bool by_residues = strcmp(j->c.set.method, "residue") == 0;
    long i = 1;
    while (fail_once(j, i, by_residues))
        i++;
    job_free(j);
    return i;
}

static void every_routine(NO_STATE)
{
    for (int i = 0; i < N_SIZES; i++)
        for (const char *type = "sd"; *type; type++)
            assert_in_range(fail_all(job_number(i, *type, "auto")), 10, 100);
}

/* With scalars whose products are real, and others. */
static void complex_routines(NO_STATE)
{
    static const char *const names[] = {
        "csum",  "dzasum", "scnrm2", "zdotu", "cdotc", "zgemv", "cgemm", "zgemm_batch_strided",
        "csymm", "zhemm",  "csyrk",  "zherk", "ctrsv", "ztrsm", "ctrmm"};
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        fuzz_case c = case_of(names[i / 2], 5, 9, 12, STYLE_RANDOM, "auto");
        c.alpha.im = i % 2 && !c.t.real_alpha ? 0.75 : 0;
        assert_in_range(fail_all(job_of(c)), 10, 200);
    }
}

static void other_methods(NO_STATE)
{
    static const char *const methods[] = {"superacc", "fpe4"};
    for (int i = 0; i < N_SIZES; i++)
        fail_all(job_number(i, 'd', methods[i % 2]));
}

static void residues(NO_STATE)
{
    assert_in_range(fail_all(job_of(case_of("dgemm", 65, 34, 130, STYLE_RANDOM, "residue"))), 50,
                    1000);
}

/* The device has so little memory that blocks shrink, then there are none, then nothing works. */
static void little_memory(NO_STATE)
{
    long by_blocks = 0, failed = 0, fewer = 0;
    const size_t all = emulated.memory;
    device_job *j = job_of(case_of("dgemm", 70, 40, 1300, STYLE_RANDOM, "residue"));
    for (size_t left = 8 << 20; left > 1000; left -= left / 4) {
        emulated.memory = emulated.live_bytes + left;
        emulated.products = 0;
        job_reset(j);
        device_handle = create();
        exblas_cuda_set_param(device_handle, "dgemm", "workspace_mib", 64);
        exblas_status status = job_call(j);
        by_blocks += status == EXBLAS_OK && emulated.products == 0;
        fewer += emulated.products > 32; /* more blocks than one */
        failed += status == EXBLAS_ENOMEM && job_is_untouched(j);
        assert_true(status == EXBLAS_OK ? job_is_right(j) : status == EXBLAS_ENOMEM);
        assert_int_equal(exblas_cuda_destroy(device_handle), EXBLAS_OK);
    }
    emulated.memory = all;
    job_free(j);
    assert_true(fewer > 0 && by_blocks > 0 && failed > 0);
}

TESTS(every_routine, complex_routines, other_methods, residues, little_memory)
