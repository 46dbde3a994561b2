/* Numbers of keys, by their first rows: open addressing, at least half of the slots free. */
#include "chunks.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 1 << 21 };

/* What the system gives anew is 0, and costs nothing before it is touched. */
void *zeroed(size_t n_bytes)
{
    char *room = calloc(n_bytes + 1, 1);
#ifdef MADV_HUGEPAGE
    size_t n_before = -(uintptr_t)room % PAGE;
    if (room && n_bytes >= 2 * PAGE)
        madvise(room + n_before, (n_bytes - n_before) / PAGE * PAGE, MADV_HUGEPAGE);
#endif
    return room;
}

static uint64_t first_slot(const keys *k, int64_t key)
{
    return (uint64_t)key * 0x9e3779b97f4a7c15u >> (64 - k->log2_slots);
}

static slot *slot_of(const keys *k, int64_t key)
{
    uint64_t mask = ((uint64_t)1 << k->log2_slots) - 1, at = first_slot(k, key);
    while (k->slots[at].number && k->slots[at].key != key)
        at = (at + 1) & mask;
    return &k->slots[at];
}

static int64_t n_slots(const keys *k)
{
    return k->slots ? (int64_t)1 << k->log2_slots : 0;
}

bool keys_reserve(keys *k, int64_t n)
{
    keys larger = *k;
    if (2 * (k->n + n) <= n_slots(k))
        return true;
    while (2 * (k->n + n) > (int64_t)1 << larger.log2_slots || larger.log2_slots < 10)
        larger.log2_slots++;
    larger.slots = zeroed(sizeof(slot) << larger.log2_slots);
    if (!larger.slots)
        return false;
    for (int64_t i = 0; i < n_slots(k); i++)
        if (k->slots[i].number)
            *slot_of(&larger, k->slots[i].key) = k->slots[i];
    keys_release(k);
    *k = larger;
    return true;
}

void keys_release(keys *k)
{
    free(k->slots);
    *k = (keys){0, 0, NULL};
}

bool keys_number(keys *k, int n, int64_t *row, const bool *counts)
{
    if (!keys_reserve(k, n))
        return false;
    for (int i = 0; i < n && k->log2_slots > 12; i++)
        __builtin_prefetch(&k->slots[first_slot(k, row[i])]);
    for (int i = 0; i < n; i++) {
        slot *s = counts[i] ? slot_of(k, row[i]) : NULL;
        if (s && !s->number)
            *s = (slot){row[i], ++k->n};
        row[i] = s ? s->number - 1 : -1;
    }
    return true;
}

void keys_write(const keys *k, int64_t *to)
{
    for (int64_t i = 0; i < n_slots(k); i++)
        if (k->slots[i].number)
            to[k->slots[i].number - 1] = k->slots[i].key;
}
