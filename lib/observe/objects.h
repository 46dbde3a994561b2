/* The objects of this process: the program and its libraries, as a list that can be looked at while
 * other threads load and unload. */
#pragma once

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* path: as the loader has it, "" for the program. Memory from begin to end; base: what its
 * tables' addresses are relative to. handle: a reference, for dlsym; NULL: it has none. */
typedef struct {
    char *path;
    uintptr_t base, begin, end;
    const ElfW(Dyn) * dynamic;
    void *handle;
} exb_object;

typedef struct {
    exb_object *list;
    size_t count;
} exb_objects;

/* For the drop-in objects, too. */
#pragma GCC visibility push(default)

/* Calls `visit` with a list without references, while no object can be loaded or unloaded: `visit`
 * must not call the dynamic linker. Unlike a reference this does not disturb a process that ends:
 * dlopen of an object whose destructors have run, even by RTLD_NOLOAD, runs its constructors
 * again. */
void exb_objects_visit(void (*visit)(const exb_objects *, void *), void *context);

/* Takes a reference to each object, so that none goes away before exb_objects_release; one that
 * another thread unloads at this moment is left out. No object at all if there is no memory. */
void exb_objects_hold(exb_objects *o);
void exb_objects_release(exb_objects *o);

/* The object in which an address lies, or NULL. */
exb_object *exb_objects_at(const exb_objects *o, const void *address);

#pragma GCC visibility pop
