/* Accumulators on CUDA devices. */
#include "exblas/cuda_acc.h"
#include "gpu/cuda/handle.h"
#include "gpu/flow/gpu_reduce.h"
#include "gpu/flow/matrix.h"

#include <stdlib.h>

_Static_assert((int)EXBLAS_CUDA_ACC_WORDS == (int)EXB_GPU_ACC_WORDS, "words and counters");

enum { BYTES = EXBLAS_CUDA_ACC_WORDS * sizeof(int64_t) };

/* n accumulators of the caller's. */
static exb_gpu_ref place(exb_gpu *gpu, const char *name, const void *acc, int64_t n)
{
    return exb_gpu_vector_place(gpu, exb_cuda_operand(name, acc), n, NULL, BYTES);
}

static exblas_status round_all(exblas_cuda_handle handle, bool is_s, int64_t n, const int64_t *a,
                               void *results)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        exb_gpu_ref from = place(&gpu, "a", a, n);
        exb_gpu_ref to = exb_gpu_vector_place(&gpu, exb_cuda_operand("results", results), n, NULL,
                                              exb_gpu_element_bytes(is_s));
        if (n > 0)
            EXB_GPU_LAUNCH(&gpu, ((exb_gpu_kernel){"acc", "acc_round", exb_gpu_real_options(is_s)}),
                           exb_gpu_grid_for(&gpu, n), exb_gpu_i64(n), exb_gpu_place(from),
                           exb_gpu_place(to));
    }
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_dacc_round(exblas_cuda_handle handle, int64_t n, const int64_t *a,
                                     double *results)
{
    return round_all(handle, false, n, a, results);
}

exblas_status exblas_cuda_sacc_round(exblas_cuda_handle handle, int64_t n, const int64_t *a,
                                     float *results)
{
    return round_all(handle, true, n, a, results);
}

exblas_status exblas_cuda_acc_merge(exblas_cuda_handle handle, int64_t n, int64_t *a,
                                    const int64_t *b)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        exb_gpu_ref to = place(&gpu, "a", a, n), from = place(&gpu, "b", b, n);
        exb_gpu_acc_merge(&gpu, n, false, to, from);
    }
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_acc_normalize(exblas_cuda_handle handle, int64_t n, int64_t *a)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        exb_gpu_ref at = place(&gpu, "a", a, n);
        exb_gpu_acc_merge(&gpu, n, true, at, at);
    }
    return exb_cuda_end(&gpu);
}

/* Counters of +Inf, -Inf and NaN, in this order, as flags. */
static void unpack(exblas_acc *to, const int64_t *word)
{
    memset(to, 0, sizeof *to);
    memcpy(to->word, word, sizeof to->word);
    for (int i = 0; i < 3; i++)
        to->special |= word[EXBLAS_ACC_WORDS + i] != 0 ? 1u << i : 0u;
}

static void pack(int64_t *word, const exblas_acc *from)
{
    memcpy(word, from->word, sizeof from->word);
    for (int i = 0; i < 3; i++)
        word[EXBLAS_ACC_WORDS + i] = from->special >> i & 1;
}

/* n accumulators on the host, as the device has them; NULL, and the call has failed, if there is no
 * memory or `other` is NULL. */
static int64_t *host_words(exb_gpu *gpu, int64_t n, const void *other)
{
    int64_t *word = n > 0 && other && !exb_gpu_status(gpu) ? calloc((size_t)n, BYTES) : NULL;
    if (n > 0 && !other)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "the accumulators on the host are NULL");
    else if (n > 0 && !word && !exb_gpu_status(gpu))
        exb_gpu_fail_memory(gpu);
    return word;
}

exblas_status exblas_cuda_acc_read(exblas_cuda_handle handle, int64_t n, const int64_t *a,
                                   exblas_acc *to)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        exb_gpu_ref from = place(&gpu, "a", a, n);
        int64_t *word = host_words(&gpu, n, to);
        if (word)
            exb_gpu_read(&gpu, from, (size_t)n * BYTES, word);
        for (int64_t i = 0; i < n && !exb_gpu_status(&gpu); i++)
            unpack(&to[i], word + i * EXBLAS_CUDA_ACC_WORDS);
        free(word);
    }
    return exb_cuda_end(&gpu);
}

/* The host's words are redundant, as those of sums over devices are. */
exblas_status exblas_cuda_acc_write(exblas_cuda_handle handle, int64_t n, const exblas_acc *from,
                                    int64_t *a)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        exb_gpu_ref to = place(&gpu, "a", a, n);
        int64_t *word = host_words(&gpu, n, from);
        for (int64_t i = 0; i < n && word; i++)
            pack(word + i * EXBLAS_CUDA_ACC_WORDS, &from[i]);
        if (word)
            exb_gpu_write(&gpu, to, (size_t)n * BYTES, word);
        exb_gpu_acc_merge(&gpu, n, true, to, to);
        free(word);
    }
    return exb_cuda_end(&gpu);
}
