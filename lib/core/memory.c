#include "core/memory.h"

#include "core/arith/compiler.h"
#include "core/config.h"
#include "core/system.h"
#include "exblas/exblas.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N_KEPT = 6, HEADER = 64, HUGE_PAGE = 1 << 21 };

static const size_t default_limit = (size_t)256 << 20;
/* Times the number of threads it must not overflow. */
static const size_t most_limit = SIZE_MAX >> 12;
static _Atomic size_t limit; /* 0: EXBLAS_WORKSPACE has not been read */

/* The start of every buffer: its bytes of use, which begin HEADER bytes further on. */
typedef size_t header;

/* Buffers that nobody uses. A slot is taken by exchanging it with NULL. */
static _Atomic(header *) kept[N_KEPT];

static void release_all(void)
{
    for (int i = 0; i < N_KEPT; i++)
        exb_system_free(atomic_exchange(&kept[i], NULL));
}

__attribute__((destructor)) static void at_unload(void)
{
    release_all();
}

/* What is in the way is the smallest, which goes. */
static void keep_buffer(header *h)
{
    for (int i = 0; i < N_KEPT && h; i++) {
        header *other = atomic_exchange(&kept[i], NULL), *empty = NULL;
        if (other && *other > *h) {
            header *smaller = h;
            h = other;
            other = smaller;
        }
        if (atomic_compare_exchange_strong(&kept[i], &empty, h))
            h = other;
        else
            exb_system_free(other);
    }
    exb_system_free(h);
}

/* The smallest that is large enough. */
static header *take_kept(size_t bytes)
{
    header *best = NULL;
    for (int i = 0; i < N_KEPT; i++) {
        header *h = atomic_exchange(&kept[i], NULL), *empty = NULL;
        if (h && *h >= bytes && (!best || *h < *best)) {
            header *larger = best;
            best = h;
            h = larger;
        }
        if (h && !atomic_compare_exchange_strong(&kept[i], &empty, h))
            exb_system_free(h); /* another thread was faster */
    }
    return best;
}

static header *allocate_buffer(size_t bytes)
{
    size_t unit = bytes >= 2 * (size_t)HUGE_PAGE ? HUGE_PAGE : HEADER;
    size_t all = (bytes + HEADER + unit - 1) / unit * unit;
    header *h = all > bytes ? exb_system_allocate(unit, all, unit == HUGE_PAGE) : NULL;
    if (h)
        *h = all - HEADER;
    return h;
}

void *exb_memory_get(size_t bytes)
{
    header *h = take_kept(bytes);
    if (!h)
        h = allocate_buffer(bytes);
    return h ? (char *)h + HEADER : NULL;
}

void exb_memory_put(void *p)
{
    if (p)
        keep_buffer((header *)((char *)p - HEADER));
}

static void set_limit(size_t n)
{
    atomic_store(&limit, n < most_limit ? n : most_limit);
}

/* A number of bytes, with K, M or G behind it; 0 if it is none. */
static size_t parse_bytes(const char *text)
{
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    const char *units = "kKmMgG", *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)((unit - units) / 2 + 1) : 0;
    /* strtoull itself would take signs and leading spaces, and ULLONG_MAX for what is too large. */
    bool is_number = *text >= '0' && *text <= '9' && (unit ? !end[1] : !*end);
    return is_number && n != ULLONG_MAX && n <= SIZE_MAX >> shift ? (size_t)n << shift : 0;
}

static void read_setting(void)
{
    const char *text = exb_config_setting("EXBLAS_WORKSPACE");
    size_t n = text ? parse_bytes(text) : default_limit;
    if (n == 0)
        exb_warn("EXBLAS_WORKSPACE=%s is not a size (64M, 65536K, ...); the default is used", text);
    set_limit(n ? n : default_limit);
}

size_t exb_memory_limit(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (EXB_UNLIKELY(atomic_load_explicit(&limit, memory_order_relaxed) == 0))
        pthread_once(&once, read_setting);
    return atomic_load_explicit(&limit, memory_order_relaxed);
}

exblas_status exblas_set_workspace(size_t bytes_per_thread)
{
    exb_memory_limit(); /* what the environment says must not come later */
    set_limit(bytes_per_thread ? bytes_per_thread : default_limit);
    release_all();
    return EXBLAS_OK;
}
