/* A CUDA device that is this processor: libexblas_cuda runs on it as it is, its kernels compiled as
 * C++ (emulated_kernel.h, as_cpp.py). Threads of a block are fibers, blocks run one after another.
 *
 * Streams are queues. Commands run when somebody waits for them, or by chance before, those of
 * different streams in any order that events and the default stream permit. Memory is filled with
 * bytes that are no numbers when it is allocated, ends at a page that nobody may touch, and is gone
 * when it is freed. Breaches of CUDA's and
 * cuBLAS's rules, such as copies out of bounds, a barrier that a part of a block reaches, a stream
 * that was destroyed, sums that overflow, end the program with a line of text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* test/bindings/python/test_cuda.py has the fields up to live_handles, in this order. */
typedef struct {
    /* What a test sets. */
    uint64_t seed; /* of the order of commands and threads; 0: commands run at once;
                    * at first the variable EMULATED_SEED */
    long fail_at;  /* the call, counted from 1, that fails; 0: none */
    size_t memory; /* bytes that allocations may have together */
    int units;     /* multiprocessors; few, so that loops over the grid have several turns */
    /* What it looks at. */
    const char *failed; /* the function that failed; NULL: none */
    long calls;         /* that could have failed */
    long launches, copies, products, batches, allocations; /* batches: of products */
    long live, live_events, live_handles; /* of allocations, events, cuBLAS's handles */
    long barriers;
    size_t live_bytes, most_bytes;
    int device;    /* the current one; there are two */
    long switches; /* of the current device */
} emulated_device;

extern emulated_device emulated;

/* --- for its parts ------------------------------------------------------------- */

void emulated_misuse(const char *what) __attribute__((noreturn));

/* Every call that can fail asks: true if it is its turn. */
bool emulated_fails(const char *function);

/* A random number below n. */
unsigned emulated_random(unsigned n);

/* One kernel, as launches name it: arguments are copied when it is launched. */
typedef struct {
    void (*call)(void *const *arguments);
    const size_t *sizes;
    int n_arguments;
} emulated_kernel;

/* Runs all blocks. */
void emulated_run_kernel(const emulated_kernel *kernel, const unsigned groups[2],
                         const unsigned local[2], size_t shared_bytes, void *const *arguments);

/* The bytes lie in one allocation. */
void emulated_check_bytes(const void *p, size_t bytes, const char *what);

/* How far p is behind the start of its allocation, which a device aligns to 256 bytes; 0 if there
 * is none. */
size_t emulated_offset(const void *p);

struct CUstream_st;

/* Appends a command: run(data) later, `data` being copied. */
void emulated_enqueue(struct CUstream_st *stream, void (*run)(const void *), const void *data,
                      size_t bytes);

/* Runs all commands of all streams. */
void emulated_finish(void);

#ifdef __cplusplus
}
#endif
