/* Systems: linux. dl_iterate_phdr holds a lock that dlopen and dlclose take after the loader's main
 * one, and dlopen, dladdr and dlsym take the main one: a callback that called them would wait for a
 * thread that waits for it. So it either calls none of them or only copies; what it copied may be
 * gone afterwards, and something else may have come to its place: the references tell. */
#include "observe/objects.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static exb_object described_object(const struct dl_phdr_info *info)
{
    exb_object o = {.base = info->dlpi_addr, .begin = UINTPTR_MAX};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t begin = o.base + p->p_vaddr, end = begin + p->p_memsz;
        if (p->p_type == PT_LOAD && begin < o.begin)
            o.begin = begin;
        if (p->p_type == PT_LOAD && end > o.end)
            o.end = end;
        if (p->p_type == PT_DYNAMIC)
            o.dynamic = (const ElfW(Dyn) *)begin;
    }
    return o;
}

/* No object at all if there is no memory. */
static int copy_object(struct dl_phdr_info *info, size_t size, void *context)
{
    exb_objects *all = context;
    exb_object *list = realloc(all->list, (all->count + 1) * sizeof *list);
    char *path = strdup(info->dlpi_name ? info->dlpi_name : "");
    (void)size;
    all->list = list ? list : all->list;
    if (!list || !path) {
        free(path);
        exb_objects_release(all);
        return 1;
    }
    list[all->count] = described_object(info);
    list[all->count++].path = path;
    return 0;
}

/* A reference to the very object that was copied. */
static void *reference_to(const exb_object *o)
{
    struct link_map *map = NULL;
    void *handle = dlopen(*o->path ? o->path : NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_addr == o->base &&
        map->l_ld == o->dynamic)
        return handle;
    if (handle)
        dlclose(handle);
    return NULL;
}

typedef struct {
    void (*visit)(const exb_objects *, void *);
    void *context;
} visiting;

/* Called for the first object: the list is made under the lock of this call. */
static int visit_under_lock(struct dl_phdr_info *info, size_t size, void *context)
{
    const visiting *v = context;
    exb_objects all = {NULL, 0};
    (void)info, (void)size;
    dl_iterate_phdr(copy_object, &all);
    v->visit(&all, v->context);
    exb_objects_release(&all);
    return 1;
}

void exb_objects_visit(void (*visit)(const exb_objects *, void *), void *context)
{
    dl_iterate_phdr(visit_under_lock, &(visiting){visit, context});
}

void exb_objects_hold(exb_objects *o)
{
    exb_objects all = {NULL, 0};
    dl_iterate_phdr(copy_object, &all);
    *o = (exb_objects){all.list, 0};
    for (size_t i = 0; i < all.count; i++) {
        exb_object copied = all.list[i];
        copied.handle = reference_to(&copied);
        if (copied.handle)
            o->list[o->count++] = copied;
        else
            free(copied.path);
    }
}

void exb_objects_release(exb_objects *o)
{
    for (size_t i = 0; i < o->count; i++) {
        if (o->list[i].handle)
            dlclose(o->list[i].handle);
        free(o->list[i].path);
    }
    free(o->list);
    *o = (exb_objects){NULL, 0};
}

exb_object *exb_objects_at(const exb_objects *o, const void *address)
{
    uintptr_t a = (uintptr_t)address;
    for (size_t i = 0; i < o->count; i++)
        if (a >= o->list[i].begin && a < o->list[i].end)
            return &o->list[i];
    return NULL;
}
