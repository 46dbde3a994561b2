/* The tables are read when the report is made, so that watching costs a program nothing: for every
 * object of the process, the symbols that its relocations name and where their slots point. A
 * slot that still points into its own object has never been used (lazy binding). Not seen:
 * functions that a program looked up itself with dlsym, and objects that were unloaded. */
#include "observe/elsewhere.h"

#include "observe/blas_name.h"
#include "observe/process.h"
#include "observe/static_blas.h"

#include <dlfcn.h>
#include <link.h>
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

typedef struct {
    finding *found;
    size_t count, room;
} findings;

/* The tables of one object that matter here. */
typedef struct {
    const char *path, *strings;
    uintptr_t base, end;
    const ElfW(Sym) * symbols;
    const ElfW(Rela) * rela, *plt;
    size_t n_rela, n_plt;
    bool imports_blas;
} object;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
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

/* An object by its path and the address where it begins. */
static bool is_ours(const char *path, uintptr_t base)
{
    Dl_info mine;
    for (int i = 0; i < MOST_OWN && i < atomic_load(&n_own); i++)
        if (dladdr(own[i], &mine) && (uintptr_t)mine.dli_fbase == base)
            return true;
    return strncmp(base_name(path), "libexblas", 9) == 0;
}

static void copy(char out[static 64], const char *text)
{
    size_t n = strlen(text);
    n = n < 63 ? n : 63;
    memcpy(out, text, n);
    out[n] = '\0';
}

/* The finding that the new one repeats. Of a LAPACK's hundreds of names the first stands for all.
 */
static finding *same_as(const findings *f, const finding *new)
{
    bool by_symbol = strcmp(new->reason, "bundled-lapack") != 0;
    for (size_t i = 0; i < f->count; i++) {
        finding *old = &f->found[i];
        if (strcmp(old->reason, new->reason) == 0 && strcmp(old->caller, new->caller) == 0 &&
            strcmp(old->provider, new->provider) == 0 &&
            (!by_symbol || strcmp(old->symbol, new->symbol) == 0))
            return old;
    }
    return NULL;
}

static void add(findings *f, const char *symbol, const char *caller, const char *provider,
                const char *reason)
{
    finding new = {.reason = reason};
    copy(new.symbol, symbol);
    copy(new.caller, base_name(caller));
    copy(new.provider, base_name(provider));
    finding *old = same_as(f, &new);
    if (old) {
        old->more += strcmp(old->symbol, new.symbol) != 0;
        return;
    }
    if (f->count == f->room) {
        size_t room = f->room ? 2 * f->room : 64;
        finding *more = realloc(f->found, room * sizeof *more);
        if (!more)
            return;
        f->found = more;
        f->room = room;
    }
    f->found[f->count++] = new;
}

/* Whether the object that holds `address` defines one of four names: a routine in the namings
 * of LAPACK's callers. */
static bool defines(const char *path, const void *address, const char *const names[4])
{
    Dl_info here, there;
    void *handle = dladdr(address, &here) ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    bool found = false;
    for (int i = 0; handle && i < 4 && !found; i++) {
        void *p = dlsym(handle, names[i]);
        found = p && dladdr(p, &there) && there.dli_fbase == here.dli_fbase;
    }
    if (handle)
        dlclose(handle);
    return found;
}

/* A name that might be LAPACK's: where a BLAS and a LAPACK are one object, LAPACK calls its own
 * kernels; a BLAS alone provides only BLAS; a LAPACK alone calls BLAS by its names. */
static const char *reason_of_lapack_form(const char *provider, const void *address)
{
    static const char *const blas[] = {"dgemm_", "dgemm_64_", "scipy_dgemm_", "scipy_dgemm_64_"};
    static const char *const lapack[] = {"dgetrf_", "dgetrf_64_", "scipy_dgetrf_",
                                         "scipy_dgetrf_64_"};
    if (!defines(provider, address, blas))
        return NULL;
    return defines(provider, address, lapack) ? "bundled-lapack" : "not-covered";
}

static const char *reason_of(const char *symbol, const char *provider, const void *address)
{
    switch (exb_name_of(symbol)) {
    case EXB_NAME_COVERED: /* ours, had the drop-in object been there first */
    case EXB_NAME_EXTENSION:
        return "not-covered";
    case EXB_NAME_PREFIXED:
        return "unknown-prefix";
    default:
        return exb_is_lapack_form(symbol) ? reason_of_lapack_form(provider, address) : NULL;
    }
}

static void look(findings *f, object *o, const ElfW(Rela) * rela, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const ElfW(Sym) *s =
            &o->symbols[sizeof(void *) == 8 ? rela[i].r_info >> 32 : rela[i].r_info >> 8];
        const char *name = o->strings + s->st_name;
        if (s == o->symbols || (exb_name_of(name) == EXB_NAME_OTHER && !exb_is_lapack_form(name)))
            continue;
        if (s->st_shndx == SHN_UNDEF)
            o->imports_blas = true;
        void *address;
        Dl_info provider;
        memcpy(&address, (const char *)o->base + rela[i].r_offset, sizeof address);
        if ((uintptr_t)address - o->base < o->end - o->base || !dladdr(address, &provider) ||
            is_ours(provider.dli_fname, (uintptr_t)provider.dli_fbase))
            continue;
        const char *reason = reason_of(name, provider.dli_fname, address);
        if (reason)
            add(f, name, o->path, provider.dli_fname, reason);
    }
}

/* The dynamic linker of most systems has added the base already. */
static const void *table(const object *o, ElfW(Addr) address)
{
    return (const void *)(address < o->base ? o->base + address : address);
}

static void read_dynamic(object *o, const ElfW(Dyn) * d)
{
    for (; d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_STRTAB:
            o->strings = table(o, d->d_un.d_ptr);
            break;
        case DT_SYMTAB:
            o->symbols = table(o, d->d_un.d_ptr);
            break;
        case DT_RELA:
            o->rela = table(o, d->d_un.d_ptr);
            break;
        case DT_RELASZ:
            o->n_rela = d->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_JMPREL:
            o->plt = table(o, d->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            o->n_plt = d->d_un.d_val / sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
}

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    findings *f = context;
    const ElfW(Dyn) *dynamic = NULL;
    bool is_program = !info->dlpi_name || !*info->dlpi_name;
    object o = {.path = is_program ? exb_process_name() : info->dlpi_name, .base = info->dlpi_addr};
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t end = o.base + p->p_vaddr + p->p_memsz;
        if (p->p_type == PT_LOAD && end > o.end)
            o.end = end;
        if (p->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(o.base + p->p_vaddr);
    }
    /* The kernel's own object has no file and no relocations. */
    if (!dynamic || is_ours(o.path, o.base) || strncmp(o.path, "linux-", 6) == 0)
        return 0;
    read_dynamic(&o, dynamic);
    look(f, &o, o.rela, o.n_rela);
    look(f, &o, o.plt, o.n_plt);
    char symbol[64];
    if (!o.imports_blas &&
        exb_static_blas(is_program ? "/proc/self/exe" : o.path, is_program, symbol))
        add(f, symbol, o.path, o.path, "static");
    return 0;
}

void exb_elsewhere_find(bool none_intercepted, void (*report)(void *, const exb_elsewhere *),
                        void *context)
{
    findings f = {NULL, 0, 0};
    dl_iterate_phdr(visit, &f);
    if (none_intercepted)
        add(&f, "-", exb_process_name(), "-", "none-intercepted");
    for (size_t i = 0; i < f.count; i++) {
        const finding *n = &f.found[i];
        char symbol[96];
        snprintf(symbol, sizeof symbol, "%s%s%.0d", n->symbol, n->more ? "+" : "", n->more);
        report(context, &(exb_elsewhere){symbol, n->caller, n->provider, n->reason});
    }
    free(f.found);
}
