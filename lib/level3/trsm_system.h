/* The system that trsm solves: a lower triangle, right-hand sides with a step between unknowns and
 * one between sides, and the sums that are kept of the rows still to be solved. For the files of
 * trsm. */
#pragma once

#include "element/line.h"
#include "level2/pattern_rows.h"
#include "level3/call.h"

enum {
    EXB_TRSM_BLOCK = 64,                  /* most unknowns that are solved one after the other */
    EXB_TRSM_GROUP = EXB_ROWS / EXB_PARTS /* sides at once */
};

/* Sums of row parts, [unknown][part][side], from unknown `first` on, as h, l, e; e = 0: exact. What
 * comes is added to what is there, if `adds`. */
typedef struct {
    double *h, *l, *e;
    int64_t ld, first;
    bool adds;
} exb_kept_sums;

/* Unknown i of side v is x[EXB_PARTS * (i xl + v xv)]. */
typedef struct {
    exb_t(matrix) t; /* without its diagonal */
    bool unit;
    int64_t n, n_sides, xl, xv;
    exb_real *x;
    exb_complex alpha;
    const exb_real *given_alpha; /* looked at in the default floating-point environment (call.h) */
    const exb_method *method;
    exb_call_stats *stats;
    exb_kept_sums kept; /* h = NULL: none */
} exb_t(system);

static inline exb_real *exb_t(unknown)(const exb_t(system) *q, int64_t i, int64_t v)
{
    return q->x + EXB_PARTS * (i * q->xl + v * q->xv);
}

/* What unknown i is divided by, 1 if nothing is. */
static inline exb_t(divisor) exb_t(divisor_at)(const exb_t(system) *q, int64_t i)
{
    const exb_complex one = {1, 0};
    return exb_t(divisor_of)(q->unit ? one : exb_t(element_of)(&q->t, i, i));
}

/* Where the sums of part k of unknown i begin. */
static inline int64_t exb_kept_at(const exb_kept_sums *kept, int64_t i, int64_t k)
{
    return (EXB_PARTS * (i - kept->first) + k) * kept->ld;
}

/* Unknown i of side v, divided by d, of which sum encloses the row's products with the unknowns
 * before it. NULL, or if that does not decide: the whole row by itself. sum_is_best: no other
 * filter knows more. True if the sum decided. */
bool exb_t(solve_unknown)(const exb_t(system) *q, int64_t i, int64_t v, const exb_t(divisor) *d,
                          const exb_t(value) *sum, bool sum_is_best);

/* Each of these unknowns by itself, which needs no memory. */
void exb_t(solve_alone)(const exb_t(system) *q, exb_range rows, exb_range sides);

/* Unknowns begin ... end - 1 of all sides, at most EXB_TRSM_BLOCK; `kept` has what their rows have
 * to the left of `begin`, unless that is 0. */
void exb_t(solve_block)(const exb_t(system) *q, int64_t begin, int64_t end);

/* Unknowns rows.begin ... rows.end - 1 of all sides, those before being known; nothing is kept. */
void exb_t(solve_system_rows)(const exb_t(system) *q, exb_range rows);
