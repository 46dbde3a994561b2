/* What calls did and how long it took: exblas_stats (exblas.h). Off by default: then a call costs
 * one look at a flag. */
#ifndef EXB_STATS_H
#define EXB_STATS_H

#include <stdatomic.h>
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
    int n_moduli;
    int64_t begin_ns;
    _Atomic int64_t elements, fallbacks, ns[EXB_N_PHASES];
} exb_call_stats;

/* Starts a call: returns s, or NULL if statistics are off. */
exb_call_stats *exb_stats_begin(exb_call_stats *s);

/* Ends a call of `routine` ("cblas_dgemm", "DGEMM": counted as dgemm). s may be NULL. */
void exb_stats_end(exb_call_stats *s, const char *routine);

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

#endif
