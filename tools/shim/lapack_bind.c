/* Two LAPACKs are opened, with RTLD_LOCAL both: a program's own stay what they are for whoever asks
 * them by handle. That with 32-bit integers calls BLAS, XERBLA and itself by names that the
 * preloaded objects have in front of everybody: XERBLA may be the program's. That with 64-bit
 * integers has the same names for other functions, so it is opened with RTLD_DEEPBIND and gets
 * its own and those of libblas64.so.3. */
#include "lapack_bind.h"

#include "core/config.h"
#include "observe/elsewhere.h"
#include "observe/objects.h"
#include "observe/tally.h"
#include "observe/watch.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

char exb_lapack_only_watches;

/* This object is in a program: the report of calls that went elsewhere is not to name it. */
static __attribute__((constructor)) void announce(void)
{
    exb_own_object(&exb_lapack_count);
    const char *who = exb_config_get("EXBLAS_LAPACK");
    exb_lapack_only_watches = who && strcmp(who, "program") == 0;
}

/* ---- the LAPACKs ---- */

enum { PATH = 4096 };

/* Why the last library of this thread's search could not be opened. */
static _Thread_local char refusal[PATH];

static void *open_library(const char *path, int flags)
{
    void *handle = dlopen(path, flags);
    if (!handle)
        snprintf(refusal, sizeof refusal, "cannot be opened: %s", dlerror());
    return handle;
}

/* A library in the folder of this object. */
static void *open_beside(const char *name, int flags)
{
    Dl_info here;
    char path[PATH];
    if (!dladdr(&exb_lapack_count, &here) || !here.dli_fname)
        return NULL;
    const char *slash = strrchr(here.dli_fname, '/');
    int folder = slash ? (int)(slash - here.dli_fname) : 0;
    int n = snprintf(path, sizeof path, "%.*s/%s", folder, here.dli_fname, name);
    return slash && n < PATH && access(path, R_OK) == 0 ? open_library(path, flags) : NULL;
}

/* The first library of this name in a folder of libraries, or one of those within, that this
 * processor can load. */
static void *open_any(const char *name, int flags)
{
    static const char *const folders[] = {"/usr/lib/*", "/usr/lib"};
    glob_t found = {.gl_pathc = 0};
    void *handle = NULL;
    for (int f = 0; f < 2; f++) {
        char pattern[PATH];
        snprintf(pattern, sizeof pattern, "%s/%s", folders[f], name);
        (void)glob(pattern, f ? GLOB_APPEND : 0, NULL, &found);
    }
    for (size_t i = 0; i < found.gl_pathc && !handle; i++)
        handle = open_library(found.gl_pathv[i], flags);
    globfree(&found);
    return handle;
}

static atomic_bool is_ours[2];

/* Ours if it was built, else netlib's in the folder that Debian has for it. */
static void *open_lapack(int width, const char *name, const char *debians, int flags)
{
    void *handle = open_beside(name, flags);
    atomic_store(&is_ours[width], handle && dlsym(handle, "exb_lapack_has_doors"));
    return handle ? handle : open_any(debians, flags);
}

static void *open_32(void)
{
    return open_lapack(0, "liblapack.so.3", "lapack/liblapack.so.3", RTLD_LAZY | RTLD_LOCAL);
}

/* It must compute with our BLAS, which is found as what is already loaded under the name that it
 * was linked with: another library may have that name in this process. */
static void *open_64(void)
{
#ifdef RTLD_DEEPBIND
    void *blas = open_beside("libblas64.so.3", RTLD_LAZY | RTLD_LOCAL);
    void *handle = blas ? open_lapack(1, "liblapack64.so.3", "lapack64/liblapack64.so.3",
                                      RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND)
                        : NULL;
    if (handle && dlsym(handle, "dgemm_") == dlsym(blas, "dgemm_"))
        return handle;
    if (handle)
        fputs("exblas: LAPACK with 64-bit integers would use another libblas64.so.3: left alone\n",
              stderr);
#endif
    return NULL;
}

static void tell_report(void *handle)
{
    struct link_map *map;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
        exb_report_lapack(map->l_name);
}

/* There is one, but the loader refuses it: in its own words, here and in the report. */
static void tell_refusal(void)
{
    if (!*refusal)
        return;
    fprintf(stderr, "exblas: LAPACK %s\n", refusal);
    exb_report_lapack(refusal);
}

/* Threads that come at once open the same library. */
static void *lapack_of(int width)
{
    static char none;
    static _Atomic(void *) opened[2];
    void *handle = atomic_load_explicit(&opened[width], memory_order_acquire);
    if (!handle) {
        void *first = NULL;
        *refusal = '\0';
        handle = width ? open_64() : open_32();
        if (handle)
            tell_report(handle);
        bool is_first =
            atomic_compare_exchange_strong(&opened[width], &first, handle ? handle : &none);
        if (!handle && is_first)
            tell_refusal();
        handle = is_first ? handle : first;
    }
    return handle == &none ? NULL : handle;
}

/* ---- functions ---- */

enum { NAME = 64, MOST_FORMS = 3 };

static exb_function *in_lapack(int width, const char *stem)
{
    char name[NAME];
    void *handle = lapack_of(width);
    snprintf(name, sizeof name, "%s_", stem);
    return exb_function_of(handle ? dlsym(handle, name) : NULL);
}

/* Where the call would have gone without us. */
static exb_function *in_program(int width, const char *stem, bool named)
{
    static const char *const forms[2][MOST_FORMS] = {{"%s_", "scipy_%s_"},
                                                     {"%s_64_", "scipy_%s_64_", "%s_64"}};
    char text[MOST_FORMS][NAME];
    const char *names[MOST_FORMS + 1] = {NULL};
    for (int i = 0; i < MOST_FORMS && forms[width][i]; i++) {
        snprintf(text[i], NAME, forms[width][i], stem);
        names[i] = text[i];
    }
    return named ? exb_real_named(names) : exb_real_loaded(names);
}

/* The function; *passes: it is the program's own for want of another. */
static exb_function *find(unsigned number, bool *passes)
{
    int width = number >= exb_lapack_count;
    const char *stem = exb_lapack_names[number % exb_lapack_count];
    bool theirs = exb_lapack_only_watches;
    exb_function *f = theirs ? in_program(width, stem, true) : in_lapack(width, stem);
    *passes = !f && !theirs;
    if (!f)
        f = in_program(width, stem, false);
    if (!f) {
        fprintf(stderr, "exblas: no library has LAPACK's %s for %d-bit integers\n", stem,
                width ? 64 : 32);
        _exit(127);
    }
    return f;
}

typedef struct {
    unsigned number;
    exb_function *function;
    bool passes;
} found_function;

static void note_place(const exb_objects *all, void *context)
{
    const found_function *found = context;
    void *address;
    memcpy(&address, &found->function, sizeof address);
    const exb_object *o = exb_objects_at(all, address);
    if (!o)
        return;
    atomic_store(&exb_lapack_places[found->number].begin, o->begin);
    atomic_store(&exb_lapack_places[found->number].end, o->end);
    if (found->passes)
        exb_lapack_passed(exb_lapack_names[found->number % exb_lapack_count],
                          found->number < exb_lapack_count ? 32 : 64, o->path);
}

exb_function *exb_lapack_target(unsigned number)
{
    return atomic_load_explicit(&exb_lapack_targets[number], memory_order_acquire);
}

/* What only watches leaves the results as they are; our own LAPACK has the doors in itself. */
exb_function *exb_lapack_entry(unsigned number)
{
    exb_function *door = exb_lapack_doors[number];
    bool stands = door && !exb_lapack_only_watches &&
                  !atomic_load_explicit(&is_ours[number >= exb_lapack_count], memory_order_relaxed);
    return stands ? door : exb_lapack_target(number);
}

bool exb_lapack_is_inside(unsigned number, const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    return at >= atomic_load_explicit(&exb_lapack_places[number].begin, memory_order_relaxed) &&
           at < atomic_load_explicit(&exb_lapack_places[number].end, memory_order_relaxed);
}

/* A call of which nothing is known but the name. */
static void tell_of(unsigned number, const void *caller)
{
    exb_routine r = {.name = exb_lapack_names[number % exb_lapack_count],
                     .layout = -1,
                     .alpha = -1,
                     .beta = -1,
                     .batch = -1};
    exb_watch watch;
    if (exb_lapack_is_inside(number, caller))
        return;
    exb_watch_begin(&watch, &r, NULL);
    exb_watch_end(&watch, NULL);
}

/* Threads that come at once find the same; one of them keeps it. */
static exb_function *keep(unsigned number)
{
    found_function found = {.number = number};
    exb_function *none = NULL;
    found.function = find(number, &found.passes);
    if (atomic_compare_exchange_strong(&exb_lapack_targets[number], &none, found.function))
        exb_objects_visit(note_place, &found);
    return found.function;
}

static exb_function *bind(unsigned number, const void *caller)
{
    exb_function *f = exb_lapack_target(number);
    if (!f)
        f = keep(number);
    exb_watch_load();
    f = exb_lapack_entry(number);
    exb_function *next = exb_is_watching() ? exb_lapack_watchers[number] : f;
    if (next) {
        atomic_store_explicit(&exb_lapack_slots[number], next, memory_order_release);
        return next;
    }
    tell_of(number, caller);
    return f;
}

exb_function *exb_lapack_bind(unsigned number, const void *caller)
{
    int saved = errno;
    exb_function *f = bind(number, caller);
    errno = saved;
    return f;
}
