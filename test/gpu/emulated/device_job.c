#include "device_job.h"

#include "cuda_testing.h"
#include "on_cuda.h"

#include <string.h>

/* The processor's, from on_cpu.c, which is compiled with this name. */
exblas_status expected_run_on_cpu(const expected_call *c);

int job_number(int size, int kind, int type, int option)
{
    return ((size * 3 + kind) * 2 + type) * 2 + option;
}

enum { GUARD_BYTES = 512, GUARD = 0x5a };

static size_t output_bytes(const device_job *j)
{
    return j->e.call.c_length * expected_bytes(&j->e.call);
}

device_job job_make(int number)
{
    device_job j;
    assert_true(expected_make(number, &j.e));
    expected_call *c = &j.e.call;
    size_t element = expected_bytes(c), bytes = output_bytes(&j);
    j.input = malloc(bytes);
    assert_non_null(j.input);
    memcpy(j.input, c->c, bytes);
    assert_int_equal(expected_run_on_cpu(c), EXBLAS_OK);
    expected_bits(c, j.wanted);
    j.a = upload(c->a_length * element, c->a);
    j.b = upload(c->b_length * element, c->b);
    j.index = upload((size_t)c->n * sizeof *c->index, c->index);
    assert_int_equal(cudaMalloc(&j.guarded, bytes + 2 * GUARD_BYTES), cudaSuccess);
    job_reset(&j);
    return j;
}

void job_free(device_job *j)
{
    cudaFree(j->a);
    cudaFree(j->b);
    cudaFree(j->index);
    cudaFree(j->guarded);
    free(j->input);
    expected_free(&j->e);
}

static char *output_of(const device_job *j)
{
    return (char *)j->guarded + GUARD_BYTES;
}

void job_reset(device_job *j)
{
    size_t bytes = output_bytes(j);
    cudaDeviceSynchronize();
    cudaMemsetAsync(j->guarded, GUARD, bytes + 2 * GUARD_BYTES, NULL);
    cudaMemcpy(output_of(j), j->input, bytes, cudaMemcpyHostToDevice);
}

exblas_status job_call(device_job *j, exblas_cuda_handle h)
{
    const expected_call *c = &j->e.call;
    void *r = output_of(j);
    return expected_run_on_cuda(h, c, j->a, j->b, j->index, r);
}

/* The output to c.c. */
static void read_output(device_job *j)
{
    char guard[2][GUARD_BYTES];
    size_t bytes = output_bytes(j);
    download(j->guarded, GUARD_BYTES, guard[0]);
    download(output_of(j) + bytes, GUARD_BYTES, guard[1]);
    download(output_of(j), bytes, j->e.call.c);
    for (int i = 0; i < GUARD_BYTES; i++)
        if (guard[0][i] != GUARD || guard[1][i] != GUARD)
            fail_msg("%s: written beyond the output", j->e.name);
}

bool job_is_untouched(device_job *j)
{
    read_output(j);
    return memcmp(j->e.call.c, j->input, output_bytes(j)) == 0;
}

bool job_is_right(device_job *j)
{
    char bits[24];
    read_output(j);
    expected_bits(&j->e.call, bits);
    return strcmp(bits, j->wanted) == 0;
}
