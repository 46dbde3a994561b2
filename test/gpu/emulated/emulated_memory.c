/* Memory of the emulated device, and what is copied there. */
#include "emulated_device.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NEW = 0xff }; /* doubles of these are NaN */

typedef struct allocation {
    char *start;
    size_t bytes;
    void *pages; /* to give back */
    size_t n_mapped;
    bool in_order; /* of a stream: freeing it waits for nothing */
    struct allocation *next;
} allocation;

static allocation *all;

/* The last byte is that before a page which nobody may touch, and freed memory is no memory: the
 * first byte that is read beyond ends the program, with and without sanitizers. So memory is
 * aligned as its number of bytes is, to 256 at most. */
static bool map(allocation *a)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (a->bytes + page - 1) / page * page;
    a->n_mapped = used + page;
    a->pages = mmap(NULL, a->n_mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (a->pages == MAP_FAILED)
        return false;
    a->start = (char *)a->pages + used - a->bytes;
    if (mprotect(a->pages, used, PROT_READ | PROT_WRITE) != 0)
        emulated_misuse("out of memory");
    memset(a->start, NEW, a->bytes);
    return true;
}

static cudaError_t allocate(void **memory, size_t bytes, bool in_order)
{
    *memory = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > emulated.memory || emulated.live_bytes > emulated.memory - bytes)
        return cudaErrorMemoryAllocation;
    allocation *a = malloc(sizeof *a);
    if (!a)
        return cudaErrorMemoryAllocation;
    *a = (allocation){.bytes = bytes, .in_order = in_order, .next = all};
    if (!map(a)) {
        free(a);
        return cudaErrorMemoryAllocation;
    }
    all = a;
    emulated.allocations++;
    emulated.live++;
    emulated.live_bytes += bytes;
    if (emulated.live_bytes > emulated.most_bytes)
        emulated.most_bytes = emulated.live_bytes;
    *memory = a->start;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = NULL;
    if (emulated_fails("cudaMalloc"))
        return cudaErrorMemoryAllocation;
    return allocate(memory, bytes, false);
}

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    *memory = NULL;
    if (emulated_fails("cudaMallocAsync"))
        return cudaErrorMemoryAllocation;
    return allocate(memory, bytes, true);
}

static allocation **place_of(void *memory)
{
    allocation **p = &all;
    while (*p && (*p)->start != memory)
        p = &(*p)->next;
    if (!*p)
        emulated_misuse("memory is freed that is not allocated");
    return p;
}

static void release(void *memory)
{
    allocation **p = place_of(memory), *a = *p;
    *p = a->next;
    emulated.live--;
    emulated.live_bytes -= a->bytes;
    munmap(a->pages, a->n_mapped);
    free(a);
}

cudaError_t cudaFree(void *memory)
{
    if (!memory)
        return cudaSuccess;
    if (!(*place_of(memory))->in_order)
        emulated_finish();
    release(memory);
    return cudaSuccess;
}

static void run_free(const void *data)
{
    void *memory;
    memcpy(&memory, data, sizeof memory);
    release(memory);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    if (!memory)
        return cudaSuccess;
    emulated_enqueue(stream, run_free, &memory, sizeof memory);
    return cudaSuccess;
}

static const allocation *find(const char *p)
{
    const allocation *a = all;
    while (a && !(p >= a->start && p < a->start + a->bytes))
        a = a->next;
    return a;
}

size_t emulated_offset(const void *p)
{
    const allocation *a = find(p);
    return a ? (size_t)((const char *)p - a->start) : 0;
}

void emulated_check_bytes(const void *p, size_t bytes, const char *what)
{
    const char *from = p;
    const allocation *a = find(from);
    if (!a || bytes > (size_t)(a->start + a->bytes - from))
        emulated_misuse(what);
}

/* --- copies ------------------------------------------------------------------------ */

/* From the host: the bytes follow, as they were when the call was made. */
typedef struct {
    void *to;
    const void *from;
    size_t bytes;
    enum cudaMemcpyKind kind;
} copy;

static void run_copy(const void *data)
{
    const copy *c = data;
    if (c->kind != cudaMemcpyDeviceToHost)
        emulated_check_bytes(c->to, c->bytes, "a copy ends beyond memory");
    if (c->kind != cudaMemcpyHostToDevice)
        emulated_check_bytes(c->from, c->bytes, "a copy begins beyond memory");
    memcpy(c->to, c->kind == cudaMemcpyHostToDevice ? (const char *)(c + 1) : c->from, c->bytes);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    copy c = {to, from, bytes, kind};
    bool from_host = kind == cudaMemcpyHostToDevice;
    if (emulated_fails("cudaMemcpyAsync"))
        return cudaErrorUnknown;
    emulated.copies++;
    char *data = malloc(sizeof c + (from_host ? bytes : 0));
    if (!data)
        emulated_misuse("out of memory");
    memcpy(data, &c, sizeof c);
    if (from_host)
        memcpy(data + sizeof c, from, bytes);
    emulated_enqueue(stream, run_copy, data, sizeof c + (from_host ? bytes : 0));
    free(data);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, NULL);
    return error == cudaSuccess ? cudaStreamSynchronize(NULL) : error;
}

typedef struct {
    void *to;
    size_t bytes;
    int value;
} fill;

static void run_fill(const void *data)
{
    const fill *f = data;
    emulated_check_bytes(f->to, f->bytes, "more is set than memory has");
    memset(f->to, f->value, f->bytes);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    fill f = {to, bytes, value};
    if (emulated_fails("cudaMemsetAsync"))
        return cudaErrorUnknown;
    emulated.copies++;
    emulated_enqueue(stream, run_fill, &f, sizeof f);
    return cudaSuccess;
}
