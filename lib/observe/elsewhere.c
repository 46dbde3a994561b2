/* Systems: linux. The tables are read when the report is made, so that watching costs a program
 * nothing: for every object of the process, the symbols that its relocations name and where their
 * slots point. Not seen: functions that a program looked up itself with dlsym, and objects that
 * were unloaded. */
#include "observe/elsewhere.h"

#include "core/system.h"
#include "observe/blas_name.h"
#include "observe/symbol_slots.h"
#include "observe/static_blas.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char symbol[64], caller[64], provider[64];
    const char *reason;
    int more; /* symbols of the same kind */
} finding;

/* What an object is found to be; binds_late: a slot of it has never been used. */
typedef struct {
    exb_slots slots;
    bool is_program, is_ours, has_blas, has_lapack;
    bool needs_blas, has_own_blas_slot, binds_late;
} object;

typedef struct {
    const exb_objects *all;
    object *object; /* in the order of all.list */
    finding *found;
    size_t count;
} findings;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *path_of(const object *o)
{
    return o->is_program ? exb_system_program() : o->slots.object->path;
}

/* Addresses in our objects; the drop-in ones may be found under any name and more than once. */
enum { MOST_OWN = 16 };
static const void *own[MOST_OWN];
static atomic_int n_own;

void exb_own_object(const void *inside)
{
    int i = atomic_fetch_add(&n_own, 1);
    if (i < MOST_OWN)
        own[i] = inside;
}

/* Of each kind of integers the first routine that was led on, and how many more. */
static struct {
    _Atomic(const char *) routine;
    char provider[64];
    atomic_int more;
} passed[2];

static bool is_ours(const exb_object *o)
{
    for (int i = 0; i < MOST_OWN && i < atomic_load(&n_own); i++)
        if ((uintptr_t)own[i] >= o->begin && (uintptr_t)own[i] < o->end)
            return true;
    return strncmp(base_name(o->path), "libexblas", 9) == 0;
}

static void copy_name(char out[static 64], const char *text)
{
    snprintf(out, 64, "%s", text);
}

void exb_lapack_passed(const char *routine, int bits, const char *provider)
{
    int i = bits == 64;
    const char *none = NULL;
    if (atomic_compare_exchange_strong(&passed[i].routine, &none, routine))
        copy_name(passed[i].provider, base_name(provider));
    else
        atomic_fetch_add(&passed[i].more, 1);
}

/* The finding that the new one repeats. Of a LAPACK's hundreds of names, and of a vendor's own
 * naming of its BLAS, the first stands for all. */
static finding *same_as(const findings *f, const finding *new)
{
    bool by_symbol =
        strcmp(new->reason, "bundled-lapack") != 0 && strcmp(new->reason, "unknown-prefix") != 0;
    for (size_t i = 0; i < f->count; i++) {
        finding *old = &f->found[i];
        if (strcmp(old->reason, new->reason) == 0 && strcmp(old->caller, new->caller) == 0 &&
            strcmp(old->provider, new->provider) == 0 &&
            (!by_symbol || strcmp(old->symbol, new->symbol) == 0))
            return old;
    }
    return NULL;
}

/* The last argument: how many symbols of the same kind there are besides. */
static void add_finding(findings *f, const char *symbol, const char *caller, const char *provider,
                        const char *reason, int more)
{
    finding new = {.reason = reason, .more = more};
    copy_name(new.symbol, symbol);
    copy_name(new.caller, base_name(caller));
    copy_name(new.provider, base_name(provider));
    finding *old = same_as(f, &new);
    if (old) {
        old->more += strcmp(old->symbol, new.symbol) != 0;
        return;
    }
    finding *found = realloc(f->found, (f->count + 1) * sizeof *found);
    if (!found)
        return;
    f->found = found;
    f->found[f->count++] = new;
}

static object *object_at(const findings *f, const void *address)
{
    const exb_object *o = exb_objects_at(f->all, address);
    return o ? &f->object[o - f->all->list] : NULL;
}

/* A routine in the namings of LAPACK's callers. */
static bool defines_any(const object *o, const char *const names[4])
{
    for (int i = 0; i < 4; i++)
        if (exb_slots_define(&o->slots, names[i]))
            return true;
    return false;
}

/* A name of BLAS's or LAPACK's public interfaces. */
static bool is_public(const char *name)
{
    return exb_name_of(name) != EXB_NAME_OTHER || exb_is_lapack_form(name);
}

/* Whether a LAPACK calls what is inside a BLAS that is another object: functions without
 * Fortran's underscore, such as dgetrf_single, which netlib's does not know. */
static bool uses_kernels(const findings *f, const object *o)
{
    for (exb_slot s = {0}; exb_slots_next(&o->slots, &s);) {
        if (!s.is_needed || is_public(s.name) || s.name[strlen(s.name) - 1] == '_')
            continue;
        const object *provider = object_at(f, s.address);
        if (provider && provider != o && !provider->is_ours && provider->has_blas)
            return true;
    }
    return false;
}

/* A name that might be LAPACK's: where a BLAS and a LAPACK are one object, or two that were made
 * for each other, LAPACK calls the BLAS's kernels; a BLAS alone provides only BLAS; any other
 * LAPACK calls BLAS by its names. */
static const char *reason_of_lapack_form(const findings *f, const object *provider)
{
    if (provider->has_lapack && (provider->has_blas || uses_kernels(f, provider)))
        return "bundled-lapack";
    return provider->has_blas ? "not-covered" : NULL;
}

/* Whether one of our objects has the name and comes before the provider: the linker's usual order
 * leads to us, and only what was loaded with RTLD_DEEPBIND looks into its own libraries first. */
static bool is_behind_ours(const findings *f, const char *symbol, const object *provider)
{
    for (const object *o = f->object; o < provider; o++)
        if (o->is_ours && exb_slots_define(&o->slots, symbol))
            return true;
    return false;
}

/* Whether a library calls the BLAS of another under BLAS's own name, as Armadillo's wrapper2_dgemm_
 * does: where that call leads is looked at for itself. */
static bool is_wrapper(const object *provider, const char *symbol)
{
    for (exb_slot s = {0}; exb_slots_next(&provider->slots, &s);)
        if (s.is_needed && exb_name_of(s.name) == EXB_NAME_COVERED &&
            exb_name_wraps(symbol, s.name))
            return true;
    return false;
}

static const char *reason_of(const findings *f, const char *symbol, const object *provider)
{
    switch (exb_name_of(symbol)) {
    case EXB_NAME_COVERED: /* ours, had the drop-in object been there first */
        return is_behind_ours(f, symbol, provider) ? "deepbind" : "not-covered";
    case EXB_NAME_EXTENSION:
        return "not-covered";
    case EXB_NAME_PREFIXED:
        return is_wrapper(provider, symbol) ? NULL : "unknown-prefix";
    default:
        return exb_is_lapack_form(symbol) ? reason_of_lapack_form(f, provider) : NULL;
    }
}

/* What an object has bound to others. */
static void look_at_slots(findings *f, object *o)
{
    for (exb_slot s = {0}; exb_slots_next(&o->slots, &s);) {
        o->binds_late = o->binds_late || s.is_late;
        if (!is_public(s.name))
            continue;
        o->needs_blas = o->needs_blas || s.is_needed;
        o->has_own_blas_slot =
            o->has_own_blas_slot || (!s.is_needed && exb_name_of(s.name) == EXB_NAME_COVERED);
        const object *provider = s.is_inside ? NULL : object_at(f, s.address);
        if (!provider || provider->is_ours)
            continue;
        const char *reason = reason_of(f, s.name, provider);
        if (reason)
            add_finding(f, s.name, path_of(o), path_of(provider), reason, 0);
    }
}

static const object *by_soname(const findings *f, const char *soname)
{
    for (size_t i = 0; i < f->all->count; i++) {
        const object *o = &f->object[i];
        const char *name = exb_slots_text(&o->slots, DT_SONAME, 0);
        if (strcmp(name ? name : base_name(o->slots.object->path), soname) == 0)
            return o;
    }
    return NULL;
}

/* The first of the libraries with which an object was linked that defines a name. */
static const object *linked_for(const findings *f, const object *o, const char *symbol)
{
    const char *soname;
    for (size_t i = 0; (soname = exb_slots_text(&o->slots, DT_NEEDED, i)) != NULL; i++) {
        const object *library = by_soname(f, soname);
        if (library && exb_slots_define(&library->slots, symbol))
            return library;
    }
    return NULL;
}

/* Whether an object was linked with another for its BLAS or LAPACK, be it for the kernels beneath.
 */
static bool is_linked_for_blas(const findings *f, const object *o, const object *provider)
{
    for (exb_slot s = {0}; exb_slots_next(&o->slots, &s);)
        if (s.is_needed && (o->has_blas || o->has_lapack || is_public(s.name)) &&
            linked_for(f, o, s.name) == provider)
            return true;
    return false;
}

static bool serves_blas(const findings *f, const object *provider)
{
    for (size_t i = 0; i < f->all->count; i++) {
        const object *o = &f->object[i];
        if (o != provider && !o->is_ours && is_linked_for_blas(f, o, provider))
            return true;
    }
    return false;
}

/* What an object has bound to itself. A BLAS that serves others and was bound when it was loaded
 * tells nothing: all its slots are filled, whether used or not. */
static void look_inside(findings *f, const object *o)
{
    if (!o->has_blas || (!o->binds_late && serves_blas(f, o)))
        return;
    for (exb_slot s = {0}; exb_slots_next(&o->slots, &s);) {
        if (!s.is_own || !is_public(s.name))
            continue;
        const char *reason =
            exb_name_of(s.name) == EXB_NAME_COVERED ? "static" : reason_of(f, s.name, o);
        if (reason && (o->has_lapack || exb_name_of(s.name) != EXB_NAME_OTHER))
            add_finding(f, s.name, path_of(o), path_of(o), reason, 0);
    }
}

/* A BLAS that was linked into an object whose calls leave no slot. A library that others call for
 * its BLAS is one, and not the user of one. */
static void look_for_static(findings *f, const object *o)
{
    char symbol[64];
    bool exported;
    if (o->needs_blas || o->has_own_blas_slot)
        return;
    if (exb_static_blas(o->is_program ? "/proc/self/exe" : path_of(o), symbol, &exported) &&
        (o->is_program || !exported || !serves_blas(f, o)))
        add_finding(f, symbol, path_of(o), path_of(o), "static", 0);
}

static object described_object(const exb_object *place)
{
    static const char *const blas[] = {"dgemm_", "dgemm_64_", "scipy_dgemm_", "scipy_dgemm_64_"};
    static const char *const lapack[] = {"dgetrf_", "dgetrf_64_", "scipy_dgetrf_",
                                         "scipy_dgetrf_64_"};
    object o = {.is_program = !*place->path, .is_ours = is_ours(place)};
    exb_slots_read(&o.slots, place);
    o.has_blas = defines_any(&o, blas);
    o.has_lapack = defines_any(&o, lapack);
    return o;
}

static void find_calls(const exb_objects *all, void *context)
{
    findings *f = context;
    f->all = all;
    f->object = calloc(f->all->count ? f->all->count : 1, sizeof *f->object);
    size_t count = f->object ? f->all->count : 0;
    for (size_t i = 0; i < count; i++)
        f->object[i] = described_object(&f->all->list[i]);
    for (size_t i = 0; i < count; i++)
        if (!f->object[i].is_ours)
            look_at_slots(f, &f->object[i]);
    for (size_t i = 0; i < count; i++)
        if (!f->object[i].is_ours) {
            look_inside(f, &f->object[i]);
            look_for_static(f, &f->object[i]);
        }
    free(f->object);
}

static void add_passed(findings *f)
{
    for (int i = 0; i < 2; i++) {
        char symbol[64];
        const char *routine = atomic_load(&passed[i].routine);
        snprintf(symbol, sizeof symbol, "%s%s", routine ? routine : "", i ? "_64_" : "_");
        if (routine)
            add_finding(f, symbol, exb_system_program(), passed[i].provider, "no-lapack",
                        atomic_load(&passed[i].more));
    }
}

void exb_elsewhere_find(bool none_intercepted, void (*report)(void *, const exb_elsewhere *),
                        void *context)
{
    findings f = {.found = NULL};
    exb_objects_visit(find_calls, &f);
    if (none_intercepted)
        add_finding(&f, "-", exb_system_program(), "-", "none-intercepted", 0);
    add_passed(&f);
    for (size_t i = 0; i < f.count; i++) {
        const finding *n = &f.found[i];
        char symbol[96];
        snprintf(symbol, sizeof symbol, "%s%s%.0d", n->symbol, n->more ? "+" : "", n->more);
        report(context, &(exb_elsewhere){symbol, n->caller, n->provider, n->reason});
    }
    free(f.found);
}

static void find_numpy(const exb_objects *all, void *is_there)
{
    for (size_t i = 0; i < all->count; i++)
        if (strstr(all->list[i].path, "_multiarray_umath"))
            *(bool *)is_there = true;
}

bool exb_own_sums_matter(void)
{
    bool is_there = false;
    exb_objects_visit(find_numpy, &is_there);
    return is_there;
}

bool exb_elsewhere_is_known(void)
{
    return true;
}
