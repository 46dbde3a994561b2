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
    const char *soname;       /* NULL: none */
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
} exb_slot;

/* The object must not go away meanwhile. */
void exb_slots_read(exb_slots *s, const exb_object *o);

/* The name of the i-th library that the object was linked with, as their soname; NULL past the end.
 */
const char *exb_slots_needed(const exb_slots *s, size_t i);

/* Whether the object has a definition of its own; what it is linked with does not count. */
bool exb_slots_define(const exb_slots *s, const char *name);

/* The i-th slot; false if it has no name. */
bool exb_slot_at(const exb_slots *s, size_t i, exb_slot *out);
