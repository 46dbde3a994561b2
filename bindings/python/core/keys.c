/* Numbers of keys, by their first rows: open addressing, at least half of the slots free. */
#include "chunks.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 1 << 21 };

/* 0: not of pages of its own. */
static size_t pages_of(size_t n_bytes)
{
    return n_bytes < 2 * PAGE ? 0 : (n_bytes + PAGE - 1) / PAGE * PAGE;
}

/* The system's pages are 0, and cost nothing before they are touched. */
void *zeroed(size_t n_bytes)
{
    size_t n = pages_of(n_bytes);
    if (n == 0)
        return calloc(n_bytes + 1, 1);
    char *room = mmap(NULL, n + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return NULL;
    size_t n_before = -(uintptr_t)room % PAGE;
    if (n_before)
        munmap(room, n_before);
    munmap(room + n_before + n, PAGE - n_before);
#ifdef MADV_HUGEPAGE
    madvise(room + n_before, n, MADV_HUGEPAGE);
#endif
    return room + n_before;
}

void release(void *room, size_t n_bytes)
{
    if (pages_of(n_bytes) == 0)
        free(room);
    else
        munmap(room, pages_of(n_bytes));
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
    release(k->slots, sizeof(slot) << k->log2_slots);
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
