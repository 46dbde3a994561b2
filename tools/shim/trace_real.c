#include "trace_real.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *named;

/* A library that calls BLAS by its names calls its own, not what traces it. */
static void *load(const char *library)
{
#ifdef RTLD_DEEPBIND
    return dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
#else
    return dlopen(library, RTLD_NOW | RTLD_LOCAL);
#endif
}

static void load_named(void)
{
    const char *library = getenv("EXBLAS_TRACE_BLAS");
    if (!library || !*library)
        return;
    named = load(library);
    if (!named) {
        fprintf(stderr, "exblas: EXBLAS_TRACE_BLAS: %s\n", dlerror());
        _exit(127);
    }
}

typedef struct {
    const char *const *names;
    void *found;
} search;

static void *any_of(void *handle, const char *const *names)
{
    void *p = NULL;
    for (; *names && !p; names++)
        p = dlsym(handle, *names);
    return p;
}

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    search *s = context;
    Dl_info place;
    const char *path = info->dlpi_name;
    (void)size;
    if (!path || !*path || strstr(path, "libexblas"))
        return 0;
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return 0;
    void *p = any_of(handle, s->names);
    if (p && dladdr(p, &place) && !strstr(place.dli_fname, "libexblas"))
        s->found = p;
    dlclose(handle);
    return s->found != NULL;
}

static void *find(const char *const *names)
{
    search s = {names, NULL};
    pthread_once(&once, load_named);
    if (named)
        return any_of(named, names);
    dl_iterate_phdr(visit, &s);
    if (s.found)
        return s.found;
    void *standard = load("libblas.so.3");
    return standard ? any_of(standard, names) : NULL;
}

/* POSIX, not C, makes pointers to data and to functions of one kind. */
static exb_function *function_of(void *p)
{
    exb_function *f;
    memcpy(&f, &p, sizeof f);
    return f;
}

exb_function *exb_real(_Atomic(void *) *slot, const char *const *names)
{
    void *p = atomic_load_explicit(slot, memory_order_acquire);
    if (p)
        return function_of(p);
    p = find(names);
    if (!p) {
        fprintf(stderr, "exblas: the BLAS to be traced has no %s\n", *names);
        _exit(127);
    }
    atomic_store_explicit(slot, p, memory_order_release);
    return function_of(p);
}
