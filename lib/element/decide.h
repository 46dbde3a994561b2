/* How an element is decided. A filter says that its sums lie in small intervals; if all numbers of
 * these lead to the same result, that is the correctly rounded one (core/arith/certify.h). If not,
 * sums of three parts, which know ties, zeros and what cancels (core/arith/triple.h); and at last
 * the sums themselves, in long accumulators. Which of these it was never shows in a result.
 *
 * Drivers keep in front of this what is quicker for their shape: kernels that take few terms from
 * memory to the result, and filters of many rows at once, whose enclosures they pass on. */
#pragma once

#include "element/column.h"
#include "element/line.h"
#include "element/runs.h"

typedef enum { EXB_OF_LINE, EXB_OF_ROOT, EXB_OF_QUOTIENT } exb_form;

/* An element as a question: a form (line.h) of sums whose terms are told run by run. `line` of a
 * quotient: alpha c, as a line in c; no divisor: 1. */
typedef struct {
    exb_form form;
    bool is_real;    /* a complex element whose imaginary part is 0, whatever its sums */
    bool by_threads; /* runs are split over as many as pay off */
    exb_line line;
    exb_complex c;
    const exb_t(divisor) *divisor;
    exb_p(terms) terms;
    const exb_method *method;
} exb_t(question);

/* What decided. */
typedef enum { EXB_BY_FILTER, EXB_BY_THREE_PARTS, EXB_EXACTLY } exb_decision;

/* The element to r, given enclosures of its sums; NULL: none yet, so that a filter of its terms
 * goes first. r is written last: terms may hold what stands there. */
exb_decision exb_t(decide)(const exb_t(question) *q, const exb_enclosure *known, exb_real *r);

/* From enclosures alone; returns the parts that they leave open, a bit each. */
unsigned exb_t(decide_known)(const exb_t(question) *q, const exb_enclosure *sum, exb_real *r);

/* The parts in `open` from exact sums in PRODUCT windows, which change. */
void exb_t(decide_exact)(const exb_t(question) *q, exb_superacc *const *sum, unsigned open,
                         exb_real *r);

/* Sum k in three parts. */
exb_enclosure exb_p(terms_in_three_parts)(const exb_p(terms) *t, int k);

/* acc += sum k, exactly. */
void exb_p(add_terms)(const exb_p(terms) *t, int k, const exb_method *method, bool by_threads,
                      exb_superacc *acc);

/* --- many elements ------------------------------------------------------------------ */

enum { EXB_DECIDED = 64, EXB_DECIDED_ROWS = EXB_DECIDED / EXB_PARTS /* at once */ };

/* The set of open parts with all parts of their elements: 0 times a part that is not finite counts,
 * too. */
EXB_INLINE uint64_t exb_t(whole_elements)(uint64_t open)
{
    const uint64_t even = 0x5555555555555555;
    return EXB_IS_COMPLEX ? open | (open & even) << 1 | (open >> 1 & even) : open;
}

/* RN(alpha s_i + beta c_i) of n <= EXB_DECIDED sums, which `column` holds (h, l, scales, and
 * bounds: without those of rows that of the column), c_i at old[i]. The parts of complex numbers
 * are neighbours and have no scales. Arrays go on to a multiple of 8. Returns the set of those that
 * are left open. */
EXB_INLINE uint64_t exb_t(decide_column)(const exb_line *line, int n, exb_column *column,
                                         const double *old, exb_real *r)
{
    static const double no_bounds[EXB_DECIDED];
    if (!column->row_bound)
        column->row_bound = no_bounds;
    column->alpha = line->alpha.re;
    column->beta = line->beta.re;
    column->c = old;
    exb_column other;
    if (EXB_IS_COMPLEX && (line->alpha.im != 0 || line->beta.im != 0)) {
        other = *column;
        other.alpha = line->alpha.im;
        other.beta = line->beta.im;
        other.exchanged = true;
        column->other = &other;
    }
    uint64_t open = exb_t_kernels()->finish(n, column, r);
    column->other = NULL;
    return open;
}

/* The same of n / EXB_PARTS elements from enclosures, c_i at y[EXB_PARTS * i * incy]; all parts of
 * an element are open if one is. */
uint64_t exb_t(decide_values)(const exb_line *line, int n, const exb_enclosure *v,
                              const exb_real *y, int64_t incy, exb_real *r);
