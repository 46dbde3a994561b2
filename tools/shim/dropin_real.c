#include "dropin_real.h"

#include "core/config.h"
#include "observe/objects.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A library that calls BLAS by its names calls its own, not what traces it. */
static void *load(const char *library)
{
#ifdef RTLD_DEEPBIND
    return dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
#else
    return dlopen(library, RTLD_NOW | RTLD_LOCAL);
#endif
}

/* The library that was asked for, or NULL. Nothing is locked around dlopen, which waits while
 * another thread's constructors run, and those may call BLAS: threads that come at once
 * get the same library. */
static void *load_named(void)
{
    static _Atomic(void *) named;
    void *handle = atomic_load_explicit(&named, memory_order_acquire);
    const char *library = handle ? NULL : exb_config_get("EXBLAS_TRACE_BLAS");
    if (!library)
        return handle;
    handle = load(library);
    if (!handle) {
        fprintf(stderr, "exblas: EXBLAS_TRACE_BLAS: %s\n", dlerror());
        _exit(127);
    }
    atomic_store_explicit(&named, handle, memory_order_release);
    return handle;
}

static void *any_of(void *handle, const char *const *names)
{
    void *p = NULL;
    for (; *names && !p; names++)
        p = dlsym(handle, *names);
    return p;
}

static bool is_ours(const exb_object *o)
{
    return strstr(o->path, "libexblas") != NULL;
}

/* Whatever object of the process defines one of the names, or is linked with one that does. Its
 * reference is kept: the function must not go away. */
static void *find_loaded(const char *const *names)
{
    exb_objects all;
    void *found = NULL;
    exb_objects_hold(&all);
    for (size_t i = 0; i < all.count && !found; i++) {
        exb_object *o = &all.list[i];
        void *p = *o->path && !is_ours(o) ? any_of(o->handle, names) : NULL;
        const exb_object *place = p ? exb_objects_at(&all, p) : NULL;
        if (place && !is_ours(place)) {
            found = p;
            o->handle = NULL;
        }
    }
    exb_objects_release(&all);
    return found;
}

static void *find(const char *const *names)
{
    void *named = load_named();
    if (named)
        return any_of(named, names);
    void *found = find_loaded(names);
    if (found)
        return found;
    void *standard = load("libblas.so.3");
    return standard ? any_of(standard, names) : NULL;
}

exb_function *exb_real_named(const char *const *names)
{
    void *named = load_named();
    return exb_function_of(named ? any_of(named, names) : NULL);
}

exb_function *exb_real_loaded(const char *const *names)
{
    return exb_function_of(find_loaded(names));
}

exb_function *exb_function_of(void *p)
{
    exb_function *f;
    memcpy(&f, &p, sizeof f);
    return f;
}

exb_function *exb_real(_Atomic(void *) *slot, const char *const *names)
{
    void *p = atomic_load_explicit(slot, memory_order_acquire);
    if (p)
        return exb_function_of(p);
    p = find(names);
    if (!p) {
        fprintf(stderr, "exblas: the BLAS to be traced has no %s\n", *names);
        _exit(127);
    }
    atomic_store_explicit(slot, p, memory_order_release);
    return exb_function_of(p);
}
