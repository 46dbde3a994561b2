/* A public accumulator is a long accumulator with the words inside: the PRODUCT window, whose
 * signed top word reaches to 2^2139. A view is the core's handle on it; whoever changes the
 * view's counters stores them back. */
#pragma once

#include "core/arith/bigint.h"
#include "core/arith/round.h"
#include "exblas/accumulator.h"

_Static_assert((int)EXBLAS_ACC_WORDS == (int)EXB_PRODUCT_WORDS, "the PRODUCT window");
_Static_assert(sizeof(exblas_acc) == 8 * EXBLAS_ACC_WORDS + 8, "no padding to send");

/* The unit of canonical bytes, and what the value stays below in magnitude. */
enum { EXB_ACC_MIN_EXP2 = -2148, EXB_ACC_MAX_EXP2 = 2139 };

EXB_INLINE exb_superacc exb_acc_view(exblas_acc *a)
{
    return (exb_superacc){a->word, EXB_PRODUCT_FIRST, EXB_PRODUCT_WORDS, a->n_free, a->special};
}

EXB_INLINE void exb_acc_store(exblas_acc *a, const exb_superacc *view)
{
    a->n_free = view->n_free;
    a->special = view->special;
}

/* The sum of its finite terms. */
EXB_INLINE exb_big exb_acc_value(const exblas_acc *a)
{
    exblas_acc sum = *a;
    exb_superacc view = exb_acc_view(&sum);
    return exb_big_of_sum(&view);
}

/* False if a x = 0, else 2^exponent <= |a x| < 2^(exponent + 2). a and x finite; a is
 * normalised. */
EXB_INLINE bool exb_acc_product_exponent(exb_superacc *a, double x, int *exponent)
{
    exb_leading leading;
    exb_decomposed p = exb_split(x);
    if (!p.significand || !exb_superacc_leading(a, &leading))
        return false;
    *exponent = leading.exp2 + 63 + p.exp2 + 63 - __builtin_clzll(p.significand);
    return true;
}
