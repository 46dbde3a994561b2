/* Operands of 16-bit numbers: what the engines of floats read of them. */
#pragma once

#include "core/arith/half.h"
#include "level3/operand.h"

/* n vectors of k elements: element l of vector v is p[v * vs + l * ls]. */
typedef struct {
    exb_half_kind kind;
    const uint16_t *p;
    int64_t vs, ls, n, k;
} exb_half_vectors;

EXB_INLINE exb_half_vectors exb_half_from(const exb_half_vectors *x, int64_t v0, int64_t n)
{
    return (exb_half_vectors){x->kind, x->p + v0 * x->vs, x->vs, x->ls, n, x->k};
}

/* n elements, incx apart, as floats, incy apart. */
void exb_half_widen(exb_half_kind kind, int64_t n, const uint16_t *x, int64_t incx, float *y,
                    int64_t incy);

/* All elements of vector v that are finite are multiples of 2^ the result. */
int exb_half_unit(const exb_half_vectors *x, int64_t v);

/* Widened to n * k floats at `out`, lying side by side in the direction in which they did. */
exb_selements exb_half_widen_vectors(const exb_half_vectors *x, float *out);

/* What an engine reads: x widened, or if that is NULL, x, which stays where it is, piece by piece.
 */
exb_soperand exb_half_operand(const exb_half_vectors *x, const exb_selements *wide);
