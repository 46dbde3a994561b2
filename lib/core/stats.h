/* What calls did and how long it took: exblas_stats (exblas.h). Off by default: then a call costs
 * one look at a flag. */
#pragma once

#include "exblas/exblas.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
    EXB_PHASE_CONVERT,
    EXB_PHASE_PRODUCT,
    EXB_PHASE_RECONSTRUCT,
    EXB_PHASE_CERTIFY,
    EXB_PHASE_FALLBACK,
    EXB_N_PHASES
} exb_phase;

/* One call in the making; its threads add to it. */
typedef struct {
    const char *engine;
    int n_moduli, depth; /* depth: of drivers inside that have joined */
    int64_t begin_ns;
    _Atomic int64_t elements, fallbacks, ns[EXB_N_PHASES];
    _Atomic unsigned ways; /* a bit for each (level3/way.h) */
} exb_call_stats;

bool exb_stats_are_on(void);

/* Who watches calls is not told (exblas_stats_enable does that). */
void exb_stats_set_enabled(bool on);

/* Around a call of a routine, in the thread that makes it; *outer keeps the call inside which it is
 * made. False if statistics are off: then there is nothing to close. Elements that the call has
 * counted itself go before `elements`. Returns what is added to the routine's totals. */
bool exb_stats_open_call(exb_call_stats *s, exb_call_stats **outer);
exblas_stats exb_stats_close_call(exb_call_stats *s, exb_call_stats *outer, const char *routine,
                                  uint64_t elements);

/* What a driver adds to: the call that this thread has open; else *s, a call of its own, if
 * statistics are on; else NULL. */
exb_call_stats *exb_stats_begin_call(exb_call_stats *s);

/* The call that this thread has open, if statistics are on, else NULL: for drivers whose elements
 * are counted by who opened it. */
exb_call_stats *exb_stats_current_call(void);

/* Ends a call of `routine` ("cblas_dgemm", "DGEMM": counted as dgemm) that exb_stats_begin_call
 * started, and no other. s may be NULL. */
void exb_stats_end_call(exb_call_stats *s, const char *routine);

/* The totals of the routine with this number, from 0; its name, NULL if there are no more. */
const char *exb_stats_of(int number, exblas_stats *total);

/* In a forked child: nobody holds the lock. The totals are the parent's, but perhaps for a call
 * that was just being added. */
void exb_stats_after_fork(void);

/* Adds the time since *since to a phase, and sets *since to now. s may be NULL. */
void exb_stats_phase(exb_call_stats *s, exb_phase phase, int64_t *since);

/* Now, if s is not NULL, in nanoseconds. */
int64_t exb_stats_now(const exb_call_stats *s);

static inline void exb_stats_count(exb_call_stats *s, int64_t elements, int64_t fallbacks)
{
    if (s) {
        atomic_fetch_add_explicit(&s->elements, elements, memory_order_relaxed);
        atomic_fetch_add_explicit(&s->fallbacks, fallbacks, memory_order_relaxed);
    }
}
