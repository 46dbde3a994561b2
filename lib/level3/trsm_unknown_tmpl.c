/* One unknown of trsm: x = RN((alpha b - sum of t x) / t_ii) from enclosures of the sum, else from
 * a filter of the whole row, else exactly.
 * Types: s d c z. */
#include "element/decide.h"
#include "level3/trsm_system.h"

bool exb_t(solve_unknown)(const exb_t(system) *q, int64_t i, int64_t v, const exb_t(divisor) *d,
                          const exb_t(value) *sum, bool sum_is_best)
{
    exb_real *x = exb_t(unknown)(q, i, v);
    const exb_t(pattern_row) row = {&q->t, {exb_t(unknown)(q, 0, v), q->xl}, i};
    exb_t(question) unknown = {.form = EXB_OF_QUOTIENT};
    unknown.line = exb_t(line)(q->alpha, (exb_complex){0, 0});
    unknown.c = exb_t(load)(x);
    unknown.divisor = q->unit ? NULL : d;
    unknown.terms = exb_t(pattern_terms)(&row);
    unknown.method = q->method;
    if (sum && !exb_t(decide_known)(&unknown, sum->part, x))
        return true;
    exb_t(decide)(&unknown, sum && sum_is_best ? sum->part : NULL, x);
    return false;
}
