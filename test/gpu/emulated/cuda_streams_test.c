/* Handles and streams: calls of many on several streams in any order, streams that are destroyed,
 * workspaces, the current device. */
#include "cuda_testing.h"
#include "emulated_device.h"

#include <exblas/exblas.h>

/* Each a routine of its own; dgemm by residues in several blocks and panels. */
enum { N_SIZES = 7, LONG_GEMM = N_SIZES, TWO_BLOCKS, FOUR_TILES };

static device_job *job_number(int i, char type, fuzz_style style, const char *method)
{
    static const struct {
        const char *routine;
        int m, n, k;
    } sizes[] = {{"sum", 1, 1000, 1},        {"dot", 1, 1000, 1},    {"gemv", 33, 129, 1},
                 {"trsv", 1, 17, 1},         {"gemm", 17, 33, 20},   {"nrm2", 1, 97, 1},
                 {"scatter_add", 90, 40, 1}, {"gemm", 70, 40, 1300}, {"gemm", 65, 34, 130},
                 {"gemm", 130, 150, 300}};
    char name[32];
    snprintf(name, sizeof name, "%c%s", type, sizes[i].routine);
    return job_of(case_of(name, sizes[i].m, sizes[i].n, sizes[i].k, style, method));
}

static exblas_status call_on(exblas_cuda_handle h, device_job *j)
{
    device_handle = h;
    return job_call(j);
}

static void set_gemm(exblas_cuda_handle h, const char *name, int value)
{
    cuda_ok(exblas_cuda_set_param(h, "dgemm", name, value));
    cuda_ok(exblas_cuda_set_param(h, "sgemm", name, value));
}

static void small_blocks(exblas_cuda_handle h, int rows, int columns, int terms)
{
    set_gemm(h, "residue_rows", rows);
    set_gemm(h, "residue_columns", columns);
    set_gemm(h, "residue_terms", terms);
    set_gemm(h, "residue_group", 64);
}

static void check(device_job *j)
{
    if (!job_is_right(j))
        fail_msg("not the processor's bits, seed %d", (int)emulated.seed);
}

/* --- many calls at once ---------------------------------------------------------- */

enum { N_JOBS = 24, N_HANDLES = 3, N_STREAMS = 4 };

/* One stream more than there are is the default one. */
static void change_stream(test_random *r, exblas_cuda_handle h, cudaStream_t *stream)
{
    int s = (int)random_between(r, 0, N_STREAMS);
    cuda_ok(exblas_cuda_set_stream(h, s == N_STREAMS ? NULL : stream[s]));
}

static void call_in_any_order(uint64_t seed, device_job *const *jobs)
{
    test_random r = test_random_start(seed, "cuda streams");
    exblas_cuda_handle handle[N_HANDLES];
    cudaStream_t stream[N_STREAMS];
    emulated.seed = seed;
    for (int i = 0; i < N_STREAMS; i++)
        assert_int_equal(cudaStreamCreate(&stream[i]), cudaSuccess);
    for (int i = 0; i < N_HANDLES; i++) {
        handle[i] = create();
        small_blocks(handle[i], 64, 64, 512);
    }
    for (int i = 0; i < N_JOBS; i++) {
        exblas_cuda_handle h = handle[random_between(&r, 0, N_HANDLES - 1)];
        if (random_between(&r, 0, 1) == 0)
            change_stream(&r, h, stream);
        cuda_ok(call_on(h, jobs[i]));
    }
    for (int i = 0; i < N_STREAMS; i++)
        cudaStreamDestroy(stream[i]);
    for (int i = 0; i < N_HANDLES; i++)
        cuda_ok(exblas_cuda_destroy(handle[i]));
    for (int i = 0; i < N_JOBS; i++)
        check(jobs[i]);
}

static void many_streams(NO_STATE)
{
    static const fuzz_style styles[] = {STYLE_TAIL, STYLE_INTEGER, STYLE_RANDOM};
    device_job *jobs[N_JOBS];
    for (int i = 0; i < N_JOBS; i++)
        jobs[i] = job_number(i % 8, "sd"[i / 8 % 2], styles[i % 3], NULL);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        for (int i = 0; i < N_JOBS; i++) {
            jobs[i]->c.set.method = seed == 3 ? "residue" : seed % 2 ? "auto" : "fpe4";
            job_reset(jobs[i]);
        }
        call_in_any_order(seed, jobs);
    }
    for (int i = 0; i < N_JOBS; i++)
        job_free(jobs[i]);
}

/* --- residues --------------------------------------------------------------------- */

/* With any number of moduli: few leave most elements to the kernel for uncertified ones. */
static void fixed_moduli(NO_STATE)
{
    static const int numbers[] = {5, 8, 13, 20, 32};
    static const fuzz_style styles[] = {STYLE_TAIL, STYLE_INTEGER, STYLE_RANDOM};
    for (int kind = 0; kind < 6; kind++) {
        device_job *j = job_number(TWO_BLOCKS, "sd"[kind & 1], styles[kind / 2], "residue");
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            exblas_cuda_handle h = create();
            set_gemm(h, "moduli", numbers[i]);
            emulated.products = 0;
            job_reset(j);
            cuda_ok(call_on(h, j));
            check(j);
            assert_int_equal(emulated.products, numbers[i]);
            cuda_ok(exblas_cuda_destroy(h));
        }
        job_free(j);
    }
}

/* A device that one modulus's product fills is given one after the other, others all at once. */
static void planes(NO_STATE)
{
    device_job *j = job_number(FOUR_TILES, 's', STYLE_RANDOM, "residue");
    for (int units = 1; units <= 3; units += 2)
        for (int tiles = 2; tiles <= 5; tiles += 3) {
            emulated.units = units;
            exblas_cuda_handle h = create();
            if (tiles != 2)
                set_gemm(h, "plane_tiles", tiles);
            emulated.products = emulated.batches = 0;
            job_reset(j);
            cuda_ok(call_on(h, j));
            check(j);
            assert_in_range(emulated.products, 5, 32);
            assert_int_equal(emulated.batches, 4 < units * tiles);
            cuda_ok(exblas_cuda_destroy(h));
        }
    emulated.units = 6;
    job_free(j);
}

/* With so many moduli. */
static long barriers_of(device_job *j, exblas_cuda_handle h, int n_moduli)
{
    long before = emulated.barriers;
    set_gemm(h, "moduli", n_moduli);
    job_reset(j);
    cuda_ok(call_on(h, j));
    check(j);
    return emulated.barriers - before;
}

/* Floats need about half the moduli that doubles do, integers few; and few elements stay open,
 * whose threads would meet at barriers. */
static void foretold_moduli(NO_STATE)
{
    static const struct {
        char type;
        fuzz_style style;
        int least, most;
    } cases[] = {
        {'s', STYLE_RANDOM, 7, 11}, {'d', STYLE_RANDOM, 16, 20}, {'d', STYLE_INTEGER, 5, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        device_job *j = job_number(LONG_GEMM, cases[i].type, cases[i].style, "residue");
        exblas_cuda_handle h = create();
        emulated.products = 0;
        cuda_ok(call_on(h, j));
        check(j);
        int n = (int)emulated.products;
        assert_in_range(n, cases[i].least, cases[i].most);
        assert_in_range(barriers_of(j, h, n), 1, 2 * barriers_of(j, h, 32));
        cuda_ok(exblas_cuda_destroy(h));
        job_free(j);
    }
}

/* --- streams that are gone ------------------------------------------------------------ */

static void destroyed_streams(NO_STATE)
{
    cudaStream_t stream[2];
    device_job *first = job_number(1, 'd', STYLE_TAIL, NULL),
               *second = job_number(0, 's', STYLE_TAIL, NULL);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        emulated.seed = seed;
        exblas_cuda_handle h = create();
        struct CUstream_st *now = NULL;
        for (int i = 0; i < 2; i++)
            assert_int_equal(cudaStreamCreate(&stream[i]), cudaSuccess);
        job_reset(first);
        job_reset(second);
        cuda_ok(exblas_cuda_set_stream(h, stream[0]));
        cuda_ok(call_on(h, first));
        cudaStreamDestroy(stream[0]);
        cuda_ok(exblas_cuda_set_stream(h, stream[1]));
        cuda_ok(exblas_cuda_get_stream(h, &now));
        assert_ptr_equal(now, stream[1]);
        cuda_ok(call_on(h, second));
        cudaStreamDestroy(stream[1]);
        cuda_ok(exblas_cuda_destroy(h));
        check(first);
        check(second);
    }
    job_free(first);
    job_free(second);
}

/* --- memory -------------------------------------------------------------------------------- */

/* Of its exact size a workspace serves; with less the call fails, or finds another way. */
static void check_workspace(int number, fuzz_style style, const char *method)
{
    bool has_another = method != NULL;
    void *memory = NULL;
    size_t bytes = 0;
    device_job *j = job_number(number, 'd', style, method);
    exblas_cuda_handle h = create();
    cuda_ok(call_on(h, j));
    cuda_ok(exblas_cuda_workspace_size(h, &bytes));
    assert_in_range(bytes, 256, 1 << 28);
    cuda_ok(exblas_cuda_destroy(h));
    h = create();
    assert_int_equal(cudaMalloc(&memory, bytes), cudaSuccess);
    cuda_ok(exblas_cuda_set_workspace(h, memory, bytes));
    job_reset(j);
    long allocations = emulated.allocations;
    cuda_ok(call_on(h, j));
    assert_int_equal(emulated.allocations, allocations);
    check(j);
    job_reset(j);
    cuda_ok(exblas_cuda_set_workspace(h, memory, bytes - 256));
    exblas_status status = call_on(h, j);
    assert_int_equal(status, has_another ? EXBLAS_OK : EXBLAS_ENOMEM);
    assert_true(status ? job_is_untouched(j) : job_is_right(j));
    cuda_ok(exblas_cuda_destroy(h));
    cudaFree(memory);
    job_free(j);
}

static void workspaces(NO_STATE)
{
    emulated.seed = 5;
    for (int i = 0; i < N_SIZES; i++)
        check_workspace(i, STYLE_TAIL, NULL);
    check_workspace(LONG_GEMM, STYLE_RANDOM, "residue");
}

/* --- devices ---------------------------------------------------------------------------------- */

static void devices(NO_STATE)
{
    device_job *j = job_number(0, 'd', STYLE_TAIL, NULL);
    exblas_cuda_handle h = create();
    emulated.switches = 0;
    cuda_ok(call_on(h, j));
    assert_int_equal(emulated.switches, 0); /* the current context may be one of the caller's own */
    cudaSetDevice(1);
    cuda_ok(call_on(h, j));
    assert_int_equal(emulated.device, 1);
    assert_int_equal(emulated.switches, 5); /* and twice there and back, for layout and sum */
    cudaSetDevice(0);
    assert_int_equal(emulated.live_handles, 0); /* a sum needs no cuBLAS */
    cuda_ok(exblas_cuda_destroy(h));
    job_free(j);
}

static int nothing_left(NO_STATE)
{
    cudaDeviceSynchronize();
    return emulated.live != 0 || emulated.live_events != 0 || emulated.live_handles != 0;
}

/* --- settings of a handle ------------------------------------------------------------ */

/* Methods of two handles differ. */
static void settings(NO_STATE)
{
    device_job *j = job_number(TWO_BLOCKS, 'd', STYLE_RANDOM, NULL);
    exblas_cuda_handle standard = create(), other = create();
    cuda_ok(exblas_cuda_set_method(other, "residue"));
    for (int i = 0; i < 3; i++) {
        emulated.products = 0;
        job_reset(j);
        cuda_ok(call_on(i == 0 ? standard : other, j));
        check(j);
        assert_int_equal(emulated.products > 0, i == 1);
        cuda_ok(exblas_cuda_set_method(other, i == 0 ? "residue" : NULL));
    }
    job_free(j);
    cuda_ok(exblas_cuda_destroy(standard));
    cuda_ok(exblas_cuda_destroy(other));
}

/* A sum is two launches and nothing else: each of them, of clears and of copies costs as much as to
 * read 10 MB. Of both parts of a complex one, two each. */
static void few_launches(NO_STATE)
{
    double *x = device_upload(8000, (double[1000]){0});
    exblas_cuda_handle h = create();
    emulated.launches = emulated.copies = 0;
    cuda_ok(exblas_cuda_dsum(h, 500, x, 1, x + 999));
    cuda_ok(exblas_cuda_ddot(h, 300, x, 1, x, 2, x + 999));
    cuda_ok(exblas_cuda_dnrm2(h, 3, x, 1, x + 999));
    assert_int_equal(emulated.launches, 6);
    cuda_ok(exblas_cuda_zdotc(h, 200, x, 1, x, 1, x + 998));
    assert_int_equal(emulated.launches, 10);
    assert_int_equal(emulated.copies, 0);
    cuda_ok(exblas_cuda_destroy(h));
    device_release(x);
}

int main(void)
{
    return run_each_between(NULL, nothing_left, many_streams, fixed_moduli, foretold_moduli, planes,
                            destroyed_streams, workspaces, devices, settings, few_launches);
}
