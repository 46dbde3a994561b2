/* A device for gpu_bench.c: memory, the kernels of baseline.cl, the library's routines and the
 * vendor's. One of bench_opencl.c and bench_cuda.cu. Failures print a line and end the program. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef void *device_memory;

/* False if there is no device. */
bool device_open(void);
void device_close(void);
const char *device_name(void);
int device_units(void);

/* The largest memory that there can be now. */
size_t device_largest(void);

device_memory device_new(size_t bytes);
void device_free(device_memory m);
void device_write(device_memory to, size_t bytes, const void *from);
void device_write_at(device_memory to, size_t offset, size_t bytes, const void *from);
void device_read(device_memory from, size_t bytes, void *to); /* waits for all commands */
void device_clear(device_memory m, size_t bytes);
/* Within the device, as its own library copies; it enqueues. */
void device_copy(device_memory to, device_memory from, size_t bytes);
void device_finish(void);

/* Arguments of a kernel, in order. */
typedef enum { DEVICE_MEMORY, DEVICE_I32, DEVICE_I64 } device_kind;
typedef struct {
    device_kind kind;
    device_memory memory;
    int64_t number;
} device_arg;

void device_launch(const char *kernel, int groups, int local, int n_args, const device_arg *args);

/* Routines on doubles, packed and column-major; they enqueue. NULL: there is none. */
typedef struct {
    const char *name;
    void (*sum)(int64_t n, device_memory x, device_memory r);
    void (*dot)(int64_t n, device_memory x, device_memory y, device_memory r);
    void (*gemv)(bool trans, int64_t m, int64_t n, device_memory a, device_memory x,
                 device_memory y);
    void (*gemm)(int64_t n, device_memory a, device_memory b, device_memory c);
    void (*scatter)(int64_t n, device_memory x, device_memory index, int64_t n_bins,
                    device_memory y);
} device_routines;

extern const device_routines device_ours, device_vendor;

#if defined(__cplusplus)
}
#endif

#endif
