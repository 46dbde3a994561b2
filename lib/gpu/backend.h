/* What the host flows ask of a device, in OpenCL and CUDA alike. Flows (gpu/flow/) are plain C
 * and call only this; a backend (gpu/opencl/, gpu/cuda/) implements it.
 *
 * An exb_gpu is one call of a routine on one queue or stream. Its commands run in the order in
 * which they are given, each after the one before; nothing here waits but exb_gpu_read. The
 * first failure of a call is remembered: later commands do nothing, and exb_gpu_status tells. So
 * a flow may issue all its commands and look once at the end. */
#pragma once

#include "core/fpenv.h"
#include "core/method.h"
#include "exblas/types.h"

#include <stdatomic.h>

typedef struct exb_gpu exb_gpu;

/* A place in device memory: a buffer (cl_mem; in CUDA a pointer) and bytes from its start. */
typedef struct {
    void *buffer;
    size_t offset;
} exb_gpu_ref;

EXB_INLINE exb_gpu_ref exb_gpu_at(exb_gpu_ref r, size_t bytes)
{
    r.offset += bytes;
    return r;
}

/* Bytes of the device and of the host: n_runs of `run` bytes, on the device side by side, on the
 * host `step` bytes apart. */
typedef struct {
    exb_gpu_ref at;
    void *host;
    size_t n_runs, run, step;
} exb_gpu_copy;

/* Arguments of a kernel. A place is an EXB_PLACE of the kernel's, constants are its EXB_CONSTANTS.
 */
typedef enum {
    EXB_GPU_PLACE,
    EXB_GPU_CONSTANTS,
    EXB_GPU_I32,
    EXB_GPU_I64,
    EXB_GPU_F64
} exb_gpu_kind;

typedef struct {
    exb_gpu_kind kind;
    union {
        exb_gpu_ref ref;
        const void *host;
        exb_i32 i32;
        exb_i64 i64;
        double f64;
    };
} exb_gpu_arg;

#define exb_gpu_place(r) ((exb_gpu_arg){.kind = EXB_GPU_PLACE, .ref = (r)})
#define exb_gpu_constants(at) ((exb_gpu_arg){.kind = EXB_GPU_CONSTANTS, .host = (at)})
#define exb_gpu_i32(i) ((exb_gpu_arg){.kind = EXB_GPU_I32, .i32 = (i)})
#define exb_gpu_i64(i) ((exb_gpu_arg){.kind = EXB_GPU_I64, .i64 = (i)})
#define exb_gpu_f64(x) ((exb_gpu_arg){.kind = EXB_GPU_F64, .f64 = (x)})

/* A kernel: its program (the file kernels/PROGRAM.cl), its name in it, and the instance as
 * macro definitions "-DEXB_IS_S=1 -DEXB_TERMS=4" in the order in which the program's header
 * comment lists them. Programs are compiled once per context, device and options; the CUDA
 * library has them as a table by the same three strings. */
typedef struct {
    const char *program, *name, *options;
} exb_gpu_kernel;

/* How many work-items in how many groups, in one or two dimensions (0 counts as 1), and the
 * bytes of the block of local memory: 0 if the kernel has none. */
typedef struct {
    size_t groups[2], local[2];
    size_t local_bytes;
} exb_gpu_grid;

void exb_gpu_launch(exb_gpu *gpu, exb_gpu_kernel kernel, exb_gpu_grid grid, int n_args,
                    const exb_gpu_arg *args);

#define EXB_GPU_LAUNCH(gpu, kernel, grid, ...)                                                     \
    exb_gpu_launch(gpu, kernel, grid,                                                              \
                   (int)(sizeof((exb_gpu_arg[]){__VA_ARGS__}) / sizeof(exb_gpu_arg)),              \
                   (exb_gpu_arg[]){__VA_ARGS__})

/* Scratch memory for this call, aligned to 256 bytes, contents undefined. It is kept for later
 * calls and never shared between calls whose commands could overlap. A call may ask
 * EXB_GPU_MOST_SCRATCH times; every place is valid up to the end of the call's commands. */
enum { EXB_GPU_MOST_SCRATCH = 32 };
exb_gpu_ref exb_gpu_scratch(exb_gpu *gpu, size_t bytes);

/* The same, but where there is no memory the buffer is NULL and the call goes on. */
exb_gpu_ref exb_gpu_try_scratch(exb_gpu *gpu, size_t bytes);

/* A backend's part of it: the buffer of place n for bytes > 0. */
void *exb_gpu_take_scratch(exb_gpu *gpu, int n, size_t bytes);

/* Device to host (`back`), when all earlier commands have run: waits. Or host to device: what is on
 * the host is read before the call returns. */
void exb_gpu_copy_runs(exb_gpu *gpu, exb_gpu_copy c, bool back);

EXB_INLINE void exb_gpu_read(exb_gpu *gpu, exb_gpu_ref from, size_t bytes, void *to)
{
    exb_gpu_copy_runs(gpu, (exb_gpu_copy){from, to, 1, bytes, 0}, true);
}

/* Sets bytes, a multiple of 4 as the offset, to zero. */
void exb_gpu_clear(exb_gpu *gpu, exb_gpu_ref to, size_t bytes);

/* n_planes products of matrices of signed bytes in 32-bit integers: of plane i, C = A^T * B, or C +
 * that if `add`. A is k x m and B k x n, column-major, their columns `stride` bytes apart; C is m x
 * n with the leading dimension ldc; planes are plane_a, plane_b bytes and plane_c elements apart.
 * m, n, k, strides and planes are multiples of 16, which cuBLAS asks for. together: a plane alone
 * is too small for the device. */
typedef struct {
    exb_i64 m, n, k;
    int n_planes;
    bool add, together;
    exb_gpu_ref a, b, c;
    exb_i64 stride, ldc, plane_a, plane_b, plane_c;
} exb_gpu_int8;

/* What the device offers. */
typedef struct {
    int n_units;        /* compute units, multiprocessors */
    int max_group;      /* work-items of a group, at most 256 */
    size_t local_bytes; /* local memory of a group */
    /* Products of bytes, much faster than those of doubles; NULL: there are none. */
    void (*multiply_bytes)(exb_gpu *gpu, exb_gpu_int8 p);
    bool is_cpu;        /* OpenCL on a processor: few work-items, much work each */
    bool has_addresses; /* buffers are addresses, which may be compared */
} exb_gpu_limits;

/* What every backend's exb_gpu begins with; of the call's device what it offers, and what users
 * have set (flow/gpu_call.c). */
typedef struct {
    exblas_status status; /* the first failure, and its text */
    char text[256];
    exb_fpenv env; /* the caller's: drivers compute with floating-point numbers, too */
    const exb_gpu_limits *limits;
    atomic_int *params;
    const exb_method *method; /* how the call computes sums */
    exb_gpu_copy output;      /* what goes back to the host when all is done (flow/front.h) */
    int n_scratch;            /* places of scratch memory */
} exb_gpu_head;

EXB_INLINE exb_gpu_head *exb_gpu_head_of(const exb_gpu *gpu)
{
    return (exb_gpu_head *)(uintptr_t)gpu;
}

EXB_INLINE exb_gpu_limits exb_gpu_get_limits(const exb_gpu *gpu)
{
    return *exb_gpu_head_of(gpu)->limits;
}

/* The call fails unless elements 0 ... n - 1, n > 0, of `element` bytes lie in an operand of the
 * caller's (flow/front.h), as far as can be known: OpenCL knows the size and the context of a
 * buffer, CUDA whether a pointer is NULL. n = SIZE_MAX: more than memory has. */
void exb_gpu_check_operand(exb_gpu *gpu, const char *name, void *buffer, size_t n, size_t element);

/* --- for backends and flows: flow/gpu_call.c ------------------------------------- */

/* Remembers a failure, with a line of text; the first one of a call stays. False. */
bool exb_gpu_fail(exb_gpu *gpu, exblas_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void exb_gpu_fail_memory(exb_gpu *gpu); /* of the host */
exblas_status exb_gpu_status(const exb_gpu *gpu);

/* The end of a call: its status, whose text is this thread's last error from now on, and the
 * caller's floating-point environment. */
exblas_status exb_gpu_outcome(const exb_gpu *gpu);
const char *exb_gpu_last_error(void);

/* How many places parameters take. */
enum { EXB_GPU_PARAMS = 40 };

/* Fails if there is no such parameter or the value is out of range. */
void exb_gpu_set_param(exb_gpu *gpu, const char *routine, const char *name, int value);

/* A parameter of a routine ("dot", "group"): what was set, or `standard`. */
int exb_gpu_param(const exb_gpu *gpu, const char *routine, const char *name, int standard);
