/* Functions that stand behind those of this object. */
#pragma once

#include <dlfcn.h>
#include <string.h>

/* Sets a pointer to the next function of that name. */
static inline void exb_find_next(const char *name, void *pointer)
{
    void *next = dlsym(RTLD_NEXT, name);
    memcpy(pointer, &next, sizeof next);
}
