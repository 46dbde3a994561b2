/* Some unknowns of a triangular system whose earlier ones are known, as trsv finds them. Exported
 * for the libraries that are built with this one, not for users. */
#ifndef EXB_SOLVE_ENTRY_H
#define EXB_SOLVE_ENTRY_H

#include "core/partition.h"
#include "core/type.h"

/* Some rows of a triangle T of order n: t(i, j) is a[EXB_PARTS * ((i - rows.begin) * rs + j * cs)],
 * or its conjugate. */
typedef struct {
    int64_t n;
    exb_range rows;
    const exb_real *a;
    int64_t rs, cs;
    bool is_lower, unit, conjugate;
} exb_t(some_rows);

#pragma GCC visibility push(default)
/* x_i of these rows: from the first on and given those before if T is lower, from the last on and
 * given those behind if not. x is BLAS's argument for all n unknowns. */
void exb_entry(trsv_rows)(const exb_t(some_rows) *s, exb_real *x, int64_t incx);
#pragma GCC visibility pop

#endif
