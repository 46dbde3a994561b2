/* Accumulators of CUDA devices, from and to the host. */
#include "exblas/cuda_acc.h"
#include "gpu/cuda/handle.h"

#include <stdlib.h>

_Static_assert((int)EXBLAS_CUDA_ACC_WORDS == (int)EXB_GPU_ACC_WORDS, "words and counters");

enum { BYTES = EXBLAS_CUDA_ACC_WORDS * sizeof(int64_t) };

/* n accumulators of the caller's. */
static exb_gpu_ref place(exb_gpu *gpu, const int64_t *a, int64_t n)
{
    exb_gpu_operand of = {"a", (void *)(uintptr_t)a, 0, EXB_GPU_DEVICE};
    return exb_gpu_vector_place(gpu, of, n, NULL, BYTES);
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

/* n accumulators on the device from or, `back`, to those of the host. */
static exblas_status copy(exblas_cuda_handle handle, int64_t n, const int64_t *a, exblas_acc *host,
                          bool back)
{
    exb_gpu gpu;
    if (exb_cuda_begin(&gpu, handle)) {
        exb_gpu_ref at = place(&gpu, a, n);
        int64_t *word = host_words(&gpu, n, host);
        for (int64_t i = 0; i < n && word && !back; i++)
            pack(word + i * EXBLAS_CUDA_ACC_WORDS, &host[i]);
        if (word)
            exb_gpu_copy_runs(&gpu, (exb_gpu_copy){at, word, 1, (size_t)n * BYTES, 0}, back);
        for (int64_t i = 0; i < n && back && !exb_gpu_status(&gpu); i++)
            unpack(&host[i], word + i * EXBLAS_CUDA_ACC_WORDS);
        free(word);
    }
    return exb_cuda_end(&gpu);
}

exblas_status exblas_cuda_acc_read(exblas_cuda_handle handle, int64_t n, const int64_t *a,
                                   exblas_acc *to)
{
    return copy(handle, n, a, to, true);
}

/* The host's words are redundant, as those of sums over devices are. */
exblas_status exblas_cuda_acc_write(exblas_cuda_handle handle, int64_t n, const exblas_acc *from,
                                    int64_t *a)
{
    exblas_status status = copy(handle, n, a, (exblas_acc *)(uintptr_t)from, false);
    return status ? status : exblas_cuda_acc_normalize(handle, n, a);
}
