/* What an object has bound: the symbols that its relocations name, and where their slots point. */
#pragma once

#include "observe/objects.h"

#include <stdbool.h>

/* The tables of one object that matter here. count: of its slots. */
typedef struct {
    const exb_object *object;
    const char *strings;
    const ElfW(Sym) * symbols;
    const ElfW(Rela) * rela, *plt;
    size_t n_rela, count;
    const uint32_t *gnu_hash; /* of the defined symbols, by name; NULL: none, see hash */
    const Elf_Symndx *hash;   /* the older form */
} exb_slots;

/* A slot that points into its own object has the definition there (is_own), or into the middle of
 * something, or it has never been used (is_late: it binds when it is first called). is_needed: the
 * object does not define the symbol itself. */
typedef struct {
    const char *name;
    const void *address;
    bool is_needed, is_inside, is_own, is_late;
    size_t next; /* in the object's tables */
} exb_slot;

/* The object must not go away meanwhile. */
void exb_slots_read(exb_slots *s, const exb_object *o);

/* The object's i-th text of a kind: DT_SONAME or, of the libraries that it was linked with,
 * DT_NEEDED; NULL past the end. */
const char *exb_slots_text(const exb_slots *s, ElfW(Sxword) tag, size_t i);

/* Whether the object has a definition of its own; what it is linked with does not count. */
bool exb_slots_define(const exb_slots *s, const char *name);

/* The next slot that has a name, the first one after {0}; false past the last. */
bool exb_slots_next(const exb_slots *s, exb_slot *slot);
