/* Calls as seen from outside: statistics (stats.h), lines and reports (report.h), traces
 * (trace.h). All public names of a routine pass through one place (made by lib/generate.py),
 * which looks at one flag and calls the entry; only while somebody wants to know does a call
 * go through exb_watch_begin and exb_watch_end. */
#pragma once

#include "core/arith/compiler.h"
#include "core/stats.h"
#include "observe/trace.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const exb_routine *routine;
    const exb_value *values;
    exb_call_stats stats, *outer;
    exb_trace_inputs inputs;
    bool counts, traces;
} exb_watch;

/* For the drop-in objects, too. */
#pragma GCC visibility push(default)

/* Reads what the environment asks observers for, when the first of them is entered. Thread-safe. */
void exb_watch_load(void);

/* Not 0 while calls are watched, and before the settings have been read. */
extern atomic_int exb_watching;

/* Around a call with these arguments; result: as routine->result says, NULL if there is none.
 * The floating-point environment and errno are as before. */
void exb_watch_begin(exb_watch *w, const exb_routine *routine, const exb_value *values);
void exb_watch_end(exb_watch *w, const void *result);

/* All routines, NULL at the end. */
extern const exb_routine *const exb_routines[];

/* The routines that preloaded objects have, up to NULL: dgemm in all namings, cblas_dsum in
 * CBLAS's. */
extern const char *const exb_dropin_names[];

#pragma GCC visibility pop

EXB_INLINE bool exb_is_watching(void)
{
    return EXB_UNLIKELY(atomic_load_explicit(&exb_watching, memory_order_relaxed));
}
