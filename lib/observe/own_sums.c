/* Without locks, since a child of fork may come from the middle of anything. */
#include "observe/own_sums.h"

#include <stdatomic.h>
#include <string.h>

enum { MOST_REASONS = 64, FREE = 0, WRITING, READY };

static struct {
    atomic_int state;
    char reason[64];
    exb_library library;
    _Atomic uint64_t count;
} sums[MOST_REASONS];
static atomic_bool are_counted;

static bool place_holds(int i, exb_library library, const char *reason)
{
    return atomic_load(&sums[i].state) == READY && sums[i].library == library &&
           strncmp(sums[i].reason, reason, 63) == 0;
}

/* The place of a reason; the last one is for all that find none. */
static int place_of(exb_library library, const char *reason)
{
    for (int i = 0; i < MOST_REASONS - 1; i++) {
        int is_free = FREE;
        if (place_holds(i, library, reason))
            return i;
        if (atomic_compare_exchange_strong(&sums[i].state, &is_free, WRITING)) {
            sums[i].library = library;
            strncpy(sums[i].reason, reason, 63);
            atomic_store(&sums[i].state, READY);
            return i;
        }
    }
    return MOST_REASONS - 1;
}

void exb_report_own(exb_library library, const char *reason)
{
    atomic_store(&are_counted, true);
    if (reason)
        atomic_fetch_add(&sums[place_of(library, reason)].count, 1);
}

bool exb_own_sums_are_counted(void)
{
    return atomic_load(&are_counted);
}

bool exb_own_sum_at(int i, exb_own_sum *out)
{
    if (i >= MOST_REASONS)
        return false;
    *out = (exb_own_sum){.library = sums[i].library, .count = atomic_load(&sums[i].count)};
    strcpy(out->reason, i < MOST_REASONS - 1 ? sums[i].reason : "others");
    return true;
}
