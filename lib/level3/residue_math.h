/* The arithmetic of the residue engine that processors and graphics devices share: kernel text as
 * well as C (residue.h says what the names mean and why the steps are exact). */
#pragma once

#include "core/arith/eft.h"

/* What a vector may have lost that was scaled below the range of doubles, where the difference is
 * not known: more than any such element. */
#define EXB_RESIDUE_LOST 0x1p-1000

#ifndef EXB_GLOBAL
#define EXB_GLOBAL /* a processor has one memory */
#endif

enum {
    EXB_MODULI_MIN = 5,
    EXB_MODULI_MAX = 32,
    EXB_PAIRS_MAX = EXB_MODULI_MAX / 2,
    EXB_LIMBS_MAX = 8
};

/* x modulo p, of least magnitude: in (-p / 2, p / 2]. */
EXB_INLINE int exb_symmetric(exb_i64 x, int p)
{
    int r = (int)(x % p);
    r = r < 0 ? r + p : r;
    return r > p / 2 ? r - p : r;
}

/* The lesser of two products of norms bounds a scalar product. */
EXB_INLINE double exb_lesser(double x, double y)
{
    return x < y ? x : y;
}

/* What rounding to integers left out of the product of a row and a column at most, from norms of
 * the scaled row and of the rounded column, added to e. */
EXB_INLINE double exb_residue_bound(double e, double row_inf, double row_two, double row_lost_1,
                                    double row_lost_2, double inf, double two, double lost_1,
                                    double lost_2)
{
    double rows = exb_lesser(row_lost_1 * inf, row_lost_2 * two);
    double columns = exb_lesser(row_inf * lost_1, row_two * lost_2);
    return (e + (rows + columns)) * (1 + 0x1p-18);
}

/* The n limbs of a sum of pairs become those of the symmetric remainder modulo P, each but the top
 * one at most half a unit of the next. */
EXB_INLINE void exb_residue_reduce(int n, double *limb, EXB_GLOBAL const double *limb_of_p,
                                   EXB_GLOBAL const double *carry_unit, double inverse)
{
    double q = rint((limb[n - 1] + (n > 1 ? limb[n - 2] : 0)) * inverse);
    for (int j = 0; j < n; j++)
        limb[j] -= q * limb_of_p[j];
    for (int j = 0; j < n - 1; j++) {
        double carry = (limb[j] + carry_unit[j]) - carry_unit[j];
        limb[j] -= carry;
        limb[j + 1] += carry;
    }
}

/* h + *l is the sum of the limbs, less what *lost bounds; 0 if nothing is lost. */
EXB_INLINE double exb_residue_join(int n, const double *limb, double *l, double *lost)
{
    double first = 0, sum = 0, error, h = limb[n - 1];
    *lost = 0;
    if (n > 1)
        h = exb_fast_two_sum(h, limb[n - 2], &first);
    for (int j = n - 3; j >= 0; j--) {
        sum = exb_fast_two_sum(sum, limb[j], &error);
        *lost += exb_fabs(error);
    }
    *l = exb_fast_two_sum(first, sum, &error);
    *lost += exb_fabs(error);
    return h;
}
