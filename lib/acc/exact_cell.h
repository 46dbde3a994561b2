/* Inside of exblas/cell.h: three doubles whose sum is exact, and what else a cell has. */
#pragma once

#include "core/arith/encode.h"
#include "exblas/cell.h"

#include <float.h>

/* A cell's wide part, or NULL. What n_or_wide is: its last bit tells, addresses are even. */
EXB_INLINE exblas_cell_wide *exb_cell_wide(const exblas_cell *c)
{
    return EXB_UNLIKELY(c->n_or_wide & 1) ? (exblas_cell_wide *)(uintptr_t)(c->n_or_wide - 1)
                                          : NULL;
}

EXB_INLINE int64_t exb_cell_count(const exblas_cell *c)
{
    const exblas_cell_wide *w = exb_cell_wide(c);
    return w ? w->n : c->n_or_wide / 2;
}

EXB_INLINE void exb_cell_count_add(exblas_cell *c, int64_t by)
{
    exblas_cell_wide *w = exb_cell_wide(c);
    *(w ? &w->n : &c->n_or_wide) += w ? by : 2 * by;
}

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

/* RN(t_0 + t_1 + t_2), false if it is not finite. Source: the correctly rounded sum of three
 * numbers of Boldo and Melquiond, "Emulation of FMA and correctly rounded sums" (2008), figure 7:
 * the two errors are added with rounding to odd. Sums have no underflow: what is subnormal is
 * exact. */
EXB_INLINE bool exb_cell_round_terms(const double t[3], double *r)
{
    double low, error, u = exb_two_sum(t[1], t[2], &low), h = exb_two_sum(t[0], u, &error);
    *r = h + exb_add_to_odd(error, low);
    if (*r == 0)
        *r = 0;
    return exb_fabs(*r) <= DBL_MAX;
}

/* a = the sum of the finite terms. */
void exb_cell_finite_sum(const exblas_cell *c, exblas_acc *a);

/* Inf, -Inf or NaN, what the terms that are not finite make of the sum; 0 if there are none. */
double exb_cell_special(const exblas_cell *c);
