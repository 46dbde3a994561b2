#include "observe/symbol_slots.h"

#include <string.h>

/* The dynamic linker of most systems has added the base already. */
static const void *table(const exb_object *o, ElfW(Addr) address)
{
    return (const void *)(address < o->base ? o->base + address : address);
}

void exb_slots_read(exb_slots *s, const exb_object *o)
{
    memset(s, 0, sizeof *s);
    s->object = o;
    for (const ElfW(Dyn) *d = o->dynamic; d && d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_STRTAB:
            s->strings = table(o, d->d_un.d_ptr);
            break;
        case DT_SYMTAB:
            s->symbols = table(o, d->d_un.d_ptr);
            break;
        case DT_RELA:
            s->rela = table(o, d->d_un.d_ptr);
            break;
        case DT_RELASZ:
            s->n_rela = d->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_JMPREL:
            s->plt = table(o, d->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            s->n_plt = d->d_un.d_val / sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
    if (s->strings && s->symbols)
        s->count = s->n_rela + s->n_plt;
    for (const ElfW(Dyn) *d = o->dynamic; s->strings && d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_SONAME)
            s->soname = s->strings + d->d_un.d_val;
}

const char *exb_slots_needed(const exb_slots *s, size_t i)
{
    for (const ElfW(Dyn) *d = s->object->dynamic; s->strings && d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && i-- == 0)
            return s->strings + d->d_un.d_val;
    return NULL;
}

bool exb_slot_at(const exb_slots *s, size_t i, exb_slot *out)
{
    const ElfW(Rela) *r = i < s->n_rela ? &s->rela[i] : &s->plt[i - s->n_rela];
    const ElfW(Sym) *symbol = &s->symbols[sizeof(void *) == 8 ? r->r_info >> 32 : r->r_info >> 8];
    if (symbol == s->symbols || !s->strings[symbol->st_name])
        return false;
    uintptr_t address;
    memcpy(&address, (const char *)s->object->base + r->r_offset, sizeof address);
    out->is_inside = address >= s->object->begin && address < s->object->end;
    out->name = s->strings + symbol->st_name;
    out->address = (const void *)address;
    out->is_needed = symbol->st_shndx == SHN_UNDEF;
    out->is_own =
        out->is_inside && !out->is_needed && address == s->object->base + symbol->st_value;
    out->is_late = out->is_inside && !out->is_own && i >= s->n_rela;
    return true;
}
