/* Products that are captured in a graph take as many moduli as the numbers need that they find when
 * the graph is launched: the device chooses among all of them. */
#include "device_job.h"
#include "emulated_device.h"
#include "testing.h"

#include <cuda_runtime_api.h>
#include <exblas/exblas.h>

/* Of expected_cases.c, 70 x 40 with 1300 terms, by integers and by others. */
enum { LONG_GEMM = 30, HARD = 0, INTEGERS = 1, MODERATE = 2, LEAST = 5 };

static cudaStream_t stream;

static void ok(exblas_status status)
{
    if (status)
        fail_msg("status %d: %s", (int)status, exblas_cuda_last_error());
}

/* In groups of few: threads cost the emulation time. */
static exblas_cuda_handle create(void)
{
    static const char *const names[] = {"group", "residue_group"};
    exblas_cuda_handle h = NULL;
    ok(exblas_cuda_create(&h));
    for (int i = 0; i < 2; i++) {
        ok(exblas_cuda_set_param(h, "dgemm", names[i], 32));
        ok(exblas_cuda_set_param(h, "sgemm", names[i], 32));
    }
    ok(exblas_cuda_set_method(h, "residue"));
    ok(exblas_cuda_set_stream(h, stream));
    return h;
}

/* The number of moduli of a call that waits for the forecast, in one block. */
static int moduli_of_call(device_job *j, exblas_cuda_handle h)
{
    emulated.products = 0;
    job_reset(j);
    ok(job_call(j, h));
    assert_true(job_is_right(j));
    return (int)emulated.products;
}

static cudaGraphExec_t capture(device_job *j, exblas_cuda_handle h)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    job_reset(j);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    ok(job_call(j, h));
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    assert_true(job_is_untouched(j));
    assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    cudaGraphDestroy(graph);
    return exec;
}

/* How many moduli the launched graph took. */
static int moduli_of_graph(cudaGraphExec_t exec, device_job *j)
{
    job_reset(j);
    emulated.chosen = -1;
    cudaGraphLaunch(exec, stream);
    assert_true(job_is_right(j));
    return LEAST + emulated.chosen;
}

static void copy_operands(device_job *to, const device_job *from)
{
    size_t bytes = expected_bytes(&from->e.call);
    cudaMemcpy(to->a, from->a, from->e.call.a_length * bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpy(to->b, from->b, from->e.call.b_length * bytes, cudaMemcpyDeviceToDevice);
    memcpy(to->wanted, from->wanted, sizeof to->wanted);
}

/* One graph, launched with numbers that need few moduli, then with others. */
static void as_many_as_needed(void **state)
{
    (void)state;
    for (int type = 0; type < 2; type++) {
        exblas_cuda_handle h = create();
        emulated.seed = (uint64_t)type + 1;
        device_job few = job_make(job_number(LONG_GEMM, INTEGERS, type, 1)),
                   many = job_make(job_number(LONG_GEMM, MODERATE, type, 1)),
                   other = job_make(job_number(LONG_GEMM, HARD, type, 1));
        int n_many = moduli_of_call(&many, h), n_few = moduli_of_call(&few, h);
        assert_true(n_few + 2 <= n_many);
        cudaGraphExec_t exec = capture(&few, h);
        assert_int_equal(moduli_of_graph(exec, &few), n_few);
        copy_operands(&few, &many);
        assert_int_equal(moduli_of_graph(exec, &few), n_many);
        assert_int_equal(moduli_of_graph(exec, &few), n_many);
        moduli_of_call(&other, h); /* cuBLAS is back on the stream */
        cudaGraphExecDestroy(exec);
        ok(exblas_cuda_destroy(h));
        job_free(&few);
        job_free(&many);
        job_free(&other);
    }
}

/* Sums that no number of moduli decides are summed in the graph, too. */
static void open_elements(void **state)
{
    (void)state;
    device_job j = job_make(job_number(LONG_GEMM, HARD, 1, 0));
    exblas_cuda_handle h = create();
    moduli_of_call(&j, h);
    cudaGraphExec_t exec = capture(&j, h);
    moduli_of_graph(exec, &j);
    cudaGraphExecDestroy(exec);
    ok(exblas_cuda_destroy(h));
    job_free(&j);
}

/* A driver that knows no cases, and a user's number: the graph has one way. */
static void without_cases(void **state)
{
    (void)state;
    device_job j = job_make(job_number(LONG_GEMM, MODERATE, 1, 0));
    for (int fixed = 0; fixed < 2; fixed++) {
        emulated.driver = fixed ? 13000 : 12070;
        exblas_cuda_handle h = create();
        if (fixed)
            ok(exblas_cuda_set_param(h, "dgemm", "moduli", 18));
        moduli_of_call(&j, h);
        emulated.products = 0;
        cudaGraphExec_t exec = capture(&j, h);
        assert_in_range(emulated.products, 18, fixed ? 18 : 21);
        assert_int_equal(moduli_of_graph(exec, &j), LEAST - 1);
        cudaGraphExecDestroy(exec);
        ok(exblas_cuda_destroy(h));
    }
    emulated.driver = 13000;
    job_free(&j);
}

/* Each call of CUDA fails once in a capture: the status says so, and the handle goes on. */
static void failures(void **state)
{
    (void)state;
    device_job j = job_make(job_number(LONG_GEMM, INTEGERS, 0, 0));
    exblas_cuda_handle h = create();
    int wanted = moduli_of_call(&j, h);
    bool failed = true;
    for (long i = 1; failed; i += i < 40 ? 1 : 17) {
        cudaGraph_t graph = NULL;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        emulated.calls = 0;
        emulated.failed = NULL;
        emulated.fail_at = i;
        exblas_status status = job_call(&j, h);
        emulated.fail_at = 0;
        failed = emulated.failed != NULL;
        assert_int_equal(status, failed ? EXBLAS_EDEVICE : EXBLAS_OK);
        if (cudaStreamEndCapture(stream, &graph) == cudaSuccess)
            cudaGraphDestroy(graph);
        if (failed)
            assert_int_equal(moduli_of_call(&j, h), wanted);
    }
    ok(exblas_cuda_destroy(h));
    job_free(&j);
}

static int setup(void **state)
{
    (void)state;
    return cudaStreamCreate(&stream) != cudaSuccess;
}

static int teardown(void **state)
{
    (void)state;
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
    return emulated.live != 0 || emulated.live_events != 0 || emulated.live_handles != 0;
}

int main(void)
{
#define CASE(c) cmocka_unit_test_setup_teardown(c, setup, teardown)
    const struct CMUnitTest tests[] = {CASE(as_many_as_needed), CASE(open_elements),
                                       CASE(without_cases), CASE(failures)};
    return cmocka_run_group_tests_name("cuda_choice", tests, NULL, NULL);
}
