/* Inside of exblas/cell.h: three doubles whose sum is exact, and what else a cell has. */
#ifndef EXB_EXACT_CELL_H
#define EXB_EXACT_CELL_H

#include "core/arith/eft.h"
#include "exblas/cell.h"

/* t += x exactly, or false, with t unchanged: bits are left over, x is not finite, or a sum
 * overflows, which leaves an error that is NaN and differs from 0. */
EXB_INLINE bool exb_terms_add(double t[3], double x)
{
    double left, s = exb_two_sum(t[0], x, &left), c = exb_two_sum(t[1], left, &left);
    if (EXB_UNLIKELY(!(left == 0))) {
        double d = exb_two_sum(t[2], left, &left);
        if (!(left == 0))
            return false;
        t[2] = d;
    }
    t[0] = s;
    t[1] = c;
    return true;
}

/* a = the sum of the finite terms. */
void exb_cell_finite_sum(const exblas_cell *c, exblas_acc *a);

/* Inf, -Inf or NaN, what the terms that are not finite make of the sum; 0 if there are none. */
double exb_cell_special(const exblas_cell *c);

#endif
