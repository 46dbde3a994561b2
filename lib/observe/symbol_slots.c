/* Systems: linux. */
#include "observe/symbol_slots.h"

#include <string.h>

/* The i-th entry of its kind, NULL past the end. */
static const ElfW(Dyn) * entry_of(const exb_object *o, ElfW(Sxword) tag, size_t i)
{
    for (const ElfW(Dyn) *d = o->dynamic; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag && i-- == 0)
            return d;
    return NULL;
}

/* The dynamic linker of most systems has added the base already. */
static const void *table_of(const exb_object *o, ElfW(Sxword) tag)
{
    const ElfW(Dyn) *d = entry_of(o, tag, 0);
    if (!d)
        return NULL;
    ElfW(Addr) address = d->d_un.d_ptr;
    return (const void *)(address < o->base ? o->base + address : address);
}

static size_t size_of(const exb_object *o, ElfW(Sxword) tag)
{
    const ElfW(Dyn) *d = entry_of(o, tag, 0);
    return d ? d->d_un.d_val : 0;
}

void exb_slots_read(exb_slots *s, const exb_object *o)
{
    memset(s, 0, sizeof *s);
    s->object = o;
    s->strings = table_of(o, DT_STRTAB);
    s->symbols = table_of(o, DT_SYMTAB);
    s->gnu_hash = table_of(o, DT_GNU_HASH);
    s->hash = table_of(o, DT_HASH);
    s->rela = table_of(o, DT_RELA);
    s->plt = table_of(o, DT_JMPREL);
    if (!s->strings || !s->symbols)
        return;
    s->n_rela = size_of(o, DT_RELASZ) / sizeof(ElfW(Rela));
    s->count = s->n_rela + size_of(o, DT_PLTRELSZ) / sizeof(ElfW(Rela));
}

static bool is_definition(const exb_slots *s, size_t i, const char *name)
{
    const ElfW(Sym) *symbol = &s->symbols[i];
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
           strcmp(s->strings + symbol->st_name, name) == 0;
}

/* Four words (buckets, the first symbol that is listed, words of a filter, ...), the filter, the
 * first symbol of each bucket, and a hash of each symbol, whose lowest bit ends the bucket. */
static bool defines_by_gnu_hash(const exb_slots *s, const char *name)
{
    const uint32_t *t = s->gnu_hash;
    uint32_t n_buckets = t[0], first = t[1], h = 5381;
    const uint32_t *bucket = t + 4 + t[2] * (sizeof(ElfW(Addr)) / sizeof *t);
    const uint32_t *hash = bucket + n_buckets;
    for (const char *c = name; *c; c++)
        h = 33 * h + (unsigned char)*c;
    uint32_t i = n_buckets ? bucket[h % n_buckets] : 0;
    for (bool more = i >= first && i > 0; more; i++) {
        if ((hash[i - first] | 1) == (h | 1) && is_definition(s, i, name))
            return true;
        more = !(hash[i - first] & 1);
    }
    return false;
}

/* The numbers of buckets and of symbols, the first symbol of each bucket, the next of each symbol.
 * Source: System V ABI, edition 4.1, Hash Table. */
static bool defines_by_hash(const exb_slots *s, const char *name)
{
    Elf_Symndx n_buckets = s->hash[0];
    const Elf_Symndx *bucket = s->hash + 2, *next = bucket + n_buckets;
    uint32_t h = 0;
    for (const char *c = name; *c; c++) {
        h = (h << 4) + (unsigned char)*c;
        h = (h ^ (h >> 28 << 4)) & 0x0fffffff;
    }
    for (size_t i = n_buckets ? bucket[h % n_buckets] : 0; i != STN_UNDEF; i = next[i])
        if (is_definition(s, i, name))
            return true;
    return false;
}

bool exb_slots_define(const exb_slots *s, const char *name)
{
    if (!s->strings || !s->symbols)
        return false;
    if (s->gnu_hash)
        return defines_by_gnu_hash(s, name);
    return s->hash && defines_by_hash(s, name);
}

const char *exb_slots_text(const exb_slots *s, ElfW(Sxword) tag, size_t i)
{
    const ElfW(Dyn) *d = s->strings ? entry_of(s->object, tag, i) : NULL;
    return d ? s->strings + d->d_un.d_val : NULL;
}

bool exb_slots_next(const exb_slots *s, exb_slot *slot)
{
    const ElfW(Sym) *symbol = s->symbols;
    const ElfW(Rela) *r = NULL;
    while (symbol == s->symbols || !s->strings[symbol->st_name]) {
        if (slot->next == s->count)
            return false;
        r = slot->next < s->n_rela ? &s->rela[slot->next] : &s->plt[slot->next - s->n_rela];
        symbol = &s->symbols[sizeof(void *) == 8 ? r->r_info >> 32 : r->r_info >> 8];
        slot->next++;
    }
    uintptr_t address;
    memcpy(&address, (const char *)s->object->base + r->r_offset, sizeof address);
    slot->is_inside = address >= s->object->begin && address < s->object->end;
    slot->name = s->strings + symbol->st_name;
    slot->address = (const void *)address;
    slot->is_needed = symbol->st_shndx == SHN_UNDEF;
    slot->is_own =
        slot->is_inside && !slot->is_needed && address == s->object->base + symbol->st_value;
    slot->is_late = slot->is_inside && !slot->is_own && slot->next > s->n_rela;
    return true;
}
