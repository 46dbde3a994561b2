#include "comparators.h"
#include "harness.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* OpenBLAS falls back to its oldest kernels on a processor it does not know by
 * model number; a baseline has to be the best that our instruction set allows. */
void baseline_prepare(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
#if defined(__x86_64__)
    static const char *const kernels[] = {"Prescott", "Haswell", "SkylakeX"};
    setenv("OPENBLAS_CORETYPE", kernels[comparators_width()], 0);
#endif
}

/* Once: with one thread, if it can be told. */
static void *load(const char *path)
{
    void (*set_threads)(int);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *p;
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return NULL;
    }
    p = dlsym(library, "openblas_set_num_threads");
    if (p) {
        memcpy(&set_threads, &p, sizeof p);
        set_threads(1);
    }
    return library;
}

static const char *text_of(const bench_options *o, const char *symbol)
{
    char *(*function)(void);
    void *p = bench_openblas(o, symbol);
    memcpy(&function, &p, sizeof p);
    return p ? function() : "";
}

void bench_name_openblas(const bench_options *o, char *text, size_t n_bytes)
{
    const char *config = text_of(o, "openblas_get_config"), *version = strchr(config, ' ');
    if (version)
        snprintf(text, n_bytes, "OpenBLAS %.*s, kernels %s", (int)strcspn(version + 1, " "),
                 version + 1, text_of(o, "openblas_get_corename"));
    else
        snprintf(text, n_bytes, "%s", bench_openblas(o, "dgemm_") ? o->openblas : "no OpenBLAS");
}

/* Library k of o->blas, or OpenBLAS, -1. */
static void *function_of(const bench_options *o, int k, const char *symbol)
{
    static void *library[1 + BENCH_LIBRARIES];
    static bool tried[1 + BENCH_LIBRARIES];
    if (!tried[k + 1])
        library[k + 1] = load(k < 0 ? o->openblas : o->blas[k]);
    tried[k + 1] = true;
    return library[k + 1] ? dlsym(library[k + 1], symbol) : NULL;
}

void *bench_openblas(const bench_options *o, const char *symbol)
{
    return function_of(o, -1, symbol);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int bench_libraries(const bench_options *o, const char *symbol, void (*run)(void *),
                    bench_candidate *candidate)
{
    int n = 0;
    for (int k = -1; k < o->n_blas; k++) {
        void *function = function_of(o, k, symbol);
        if (function)
            candidate[n++] = (bench_candidate){
                .name = k < 0 ? "OpenBLAS" : name_of(o->blas[k]), .run = run, .ctx = function};
    }
    return n;
}
