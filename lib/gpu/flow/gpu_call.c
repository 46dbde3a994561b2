/* What all backends have: the first failure of a call, and of a thread's calls the last one that
 * failed; scratch memory; the parameters of routines that users may set, of which several threads
 * may make use at once. */
#include "gpu/backend.h"

#include "core/partition.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[sizeof((exb_gpu_head *)0)->text];

const char *exb_gpu_last_error(void)
{
    return last_error;
}

bool exb_gpu_fail(exb_gpu *gpu, exblas_status status, const char *format, ...)
{
    exb_gpu_head *f = exb_gpu_head_of(gpu);
    if (f->status)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
    f->status = status;
    return false;
}

void exb_gpu_fail_memory(exb_gpu *gpu)
{
    exb_gpu_fail(gpu, EXBLAS_ENOMEM, "out of memory");
}

exblas_status exb_gpu_status(const exb_gpu *gpu)
{
    return exb_gpu_head_of(gpu)->status;
}

exb_gpu_ref exb_gpu_try_scratch(exb_gpu *gpu, size_t bytes)
{
    exb_gpu_head *h = exb_gpu_head_of(gpu);
    if (h->n_scratch >= EXB_GPU_MOST_SCRATCH)
        exb_gpu_fail(gpu, EXBLAS_ENOMEM, "a call asks for scratch memory too often");
    void *buffer = h->status ? NULL : exb_gpu_take_scratch(gpu, h->n_scratch, bytes ? bytes : 1);
    h->n_scratch += buffer != NULL;
    return (exb_gpu_ref){buffer, 0};
}

exb_gpu_ref exb_gpu_scratch(exb_gpu *gpu, size_t bytes)
{
    exb_gpu_ref r = exb_gpu_try_scratch(gpu, bytes);
    if (!r.buffer)
        exb_gpu_fail(gpu, EXBLAS_ENOMEM, "no memory on the device for %zu bytes", bytes);
    return r;
}

exblas_status exb_gpu_outcome(const exb_gpu *gpu)
{
    const exb_gpu_head *f = exb_gpu_head_of(gpu);
    exb_fpenv_leave(&f->env);
    if (f->status)
        memcpy(last_error, f->text, sizeof last_error);
    return f->status;
}

/* --- parameters ---------------------------------------------------------------- */

/* "?gemm" stands for dgemm and sgemm, of which each has a value. */
typedef struct {
    const char *routine, *name;
    int least, most;
} known_param;

static const known_param known[] = {
    {"reduce", "group", 1, 256},
    {"reduce", "groups", 1, 512},
    {"?gemm", "group", 1, 256},
    {"?gemm", "rows", 1, 256},
    {"?gemm", "elements", 1, 1 << 21},   /* of C at once, where they are listed */
    {"?gemm", "residue_group", 1, 256},  /* work-items of a group */
    {"?gemm", "moduli", 5, 32},          /* of residues; else foretold */
    {"?gemm", "residue_rows", 1, 32768}, /* of C at once */
    {"?gemm", "residue_columns", 1, 32768},
    {"?gemm", "residue_terms", 1, 131072},  /* multiplied at once */
    {"?gemm", "plane_tiles", 1, 1 << 20},   /* products of fewer go together */
    {"?gemm", "workspace_mib", 1, 1 << 20}, /* for residues and sums */
    {"?gemv", "group", 1, 256},
    {"?gemv", "rows", 1, 256},
    {"?gemv", "elements", 1, 1 << 21},
    {"?trsv", "block", 1, 4096},
    {"?trsv", "group", 1, 256},
    {"scatter", "group", 1, 256},
    {"scatter", "megabytes", 1, 1 << 14},
    {"scatter", "copies", 1, 256},
};

_Static_assert(2 * sizeof known / sizeof *known == EXB_GPU_PARAMS, "each has its places");

/* EXB_GPU_PARAMS if there is none. */
static int index_of(const char *routine, const char *name)
{
    int i = 0;
    for (const known_param *p = known; i < EXB_GPU_PARAMS; i += 2, p++) {
        bool is_typed = *p->routine == '?' && (*routine == 's' || *routine == 'd');
        if (strcmp(p->routine + is_typed, routine + is_typed) == 0 && strcmp(p->name, name) == 0)
            return i + (is_typed && *routine == 's');
    }
    return i;
}

/* The size of a group is also limited by the device. */
static int most_of(const exb_gpu *gpu, const known_param *p)
{
    int group = exb_gpu_get_limits(gpu).max_group;
    return strcmp(p->name, "group") == 0 ? (int)exb_least(group, p->most) : p->most;
}

void exb_gpu_set_param(exb_gpu *gpu, const char *routine, const char *name, int value)
{
    int i = index_of(routine, name);
    const known_param *p = &known[i / 2];
    if (i == EXB_GPU_PARAMS)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "there is no parameter %s of %s", name, routine);
    else if (value < p->least || value > most_of(gpu, p))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s of %s is from %d to %d", name, routine, p->least,
                     most_of(gpu, p));
    else
        atomic_store(&exb_gpu_head_of(gpu)->params[i], value);
}

int exb_gpu_param(const exb_gpu *gpu, const char *routine, const char *name, int standard)
{
    int i = index_of(routine, name);
    int value = i < EXB_GPU_PARAMS ? atomic_load(&exb_gpu_head_of(gpu)->params[i]) : 0;
    return value ? value : standard;
}
