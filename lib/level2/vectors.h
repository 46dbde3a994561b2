/* Vectors of elements with any increment. */
#ifndef EXB_VECTORS_H
#define EXB_VECTORS_H

#include "core/type.h"

/* Element i is at p[EXB_PARTS * i * inc]. */
typedef struct {
    const exb_real *p;
    int64_t inc;
} exb_t(vector);

EXB_INLINE const exb_real *exb_t(element)(exb_t(vector) x, int64_t i)
{
    return x.p + EXB_PARTS * i * x.inc;
}

EXB_INLINE exb_t(vector) exb_t(vector_from)(exb_t(vector) x, int64_t i)
{
    return (exb_t(vector)){exb_t(element)(x, i), x.inc};
}

/* The offset of element 0 from a BLAS argument: a negative increment walks backwards from
 * the far end. */
EXB_INLINE int64_t exb_t(first_offset)(int64_t n, int64_t inc)
{
    return inc < 0 && n > 0 ? EXB_PARTS * (1 - n) * inc : 0;
}

/* x may be NULL where it is not read. */
EXB_INLINE exb_t(vector) exb_t(vector_of)(const exb_real *x, int64_t n, int64_t inc)
{
    return (exb_t(vector)){x ? x + exb_t(first_offset)(n, inc) : x, inc};
}

EXB_INLINE exb_complex exb_t(load)(const exb_real *p)
{
    return (exb_complex){p[0], EXB_IS_COMPLEX ? (double)p[EXB_PARTS - 1] : 0};
}

#endif
