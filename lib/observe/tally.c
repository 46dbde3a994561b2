#include "observe/tally.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 160 };

static exb_tally all[EXB_N_TALLIES][PLACES];
static atomic_bool own_sums_are_counted;
static _Thread_local exb_tally *current;

/* Whether a place is, or becomes, that of a name. */
static bool holds(exb_tally *t, const char *name)
{
    size_t bytes = strlen(name) + 1;
    char *there = atomic_load(&t->name), *copy = there ? NULL : malloc(bytes);
    if (copy && atomic_compare_exchange_strong(&t->name, &there, memcpy(copy, name, bytes)))
        return true;
    free(copy);
    return there && strcmp(there, name) == 0;
}

static exb_tally *add(exb_tally_kind kind, const char *name)
{
    exb_tally *t = all[kind], *last = t + PLACES - 1;
    while (t < last && !holds(t, name))
        t++;
    if (t == last)
        holds(t, "others");
    atomic_fetch_add(&t->count, 1);
    return t;
}

const exb_tally *exb_tally_next(exb_tally_kind kind, const exb_tally *before)
{
    const exb_tally *t = before ? before + 1 : all[kind];
    return t < all[kind] + PLACES && atomic_load(&t->name) ? t : NULL;
}

bool exb_own_sums_are_counted(void)
{
    return atomic_load(&own_sums_are_counted);
}

void exb_report_own(exb_tally_kind library, const char *reason)
{
    atomic_store(&own_sums_are_counted, true);
    if (reason)
        add(library, reason);
}

void exb_report_lapack(const char *path)
{
    add(EXB_LAPACKS, path);
}

void exb_report_distributed(const char *routine)
{
    current = add(EXB_DISTRIBUTED, routine);
}

void exb_report_sent(size_t bytes)
{
    if (current)
        atomic_fetch_add(&current->bytes, bytes);
}
