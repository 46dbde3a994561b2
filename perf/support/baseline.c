#include "baseline.h"

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

void *bench_openblas(const bench_options *o, const char *symbol)
{
    static void *library;
    static bool tried;
    if (!tried)
        library = load(o->openblas);
    tried = true;
    return library ? dlsym(library, symbol) : NULL;
}

void *bench_library(const bench_options *o, int k, const char *symbol)
{
    static void *library[BENCH_LIBRARIES];
    static bool tried[BENCH_LIBRARIES];
    if (!tried[k])
        library[k] = load(o->blas[k]);
    tried[k] = true;
    return library[k] ? dlsym(library[k], symbol) : NULL;
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
        void *function = k < 0 ? bench_openblas(o, symbol) : bench_library(o, k, symbol);
        if (function)
            candidate[n++] = (bench_candidate){
                .name = k < 0 ? "OpenBLAS" : name_of(o->blas[k]), .run = run, .ctx = function};
    }
    return n;
}
