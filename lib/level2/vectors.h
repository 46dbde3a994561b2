/* Vectors of elements with any increment. */
#pragma once

#include "level1/reduce.h"

/* Element i is at p[EXB_PARTS * i * inc]. */
typedef struct {
    const exb_real *p;
    int64_t inc;
} exb_t(vector);

EXB_INLINE const exb_real *exb_t(element)(exb_t(vector) x, int64_t i)
{
    return x.p + EXB_PARTS * i * x.inc;
}

/* The place of number i of all parts, one element after the other. */
EXB_INLINE int64_t exb_t(offset_of_part)(int64_t i, int64_t inc)
{
    return i / EXB_PARTS * EXB_PARTS * inc + i % EXB_PARTS;
}

EXB_INLINE exb_t(vector) exb_t(vector_from)(exb_t(vector) x, int64_t i)
{
    return (exb_t(vector)){exb_t(element)(x, i), x.inc};
}

/* x may be NULL where it is not read. */
EXB_INLINE exb_t(vector) exb_t(vector_of)(const exb_real *x, int64_t n, int64_t inc)
{
    return (exb_t(vector)){x ? x + EXB_PARTS * exb_first(n, inc) : x, inc};
}

/* Elements begin ... begin + n - 1 with increment 1: in place, or copied to buffer. */
EXB_INLINE const exb_real *exb_t(side_by_side)(exb_t(vector) x, int64_t begin, int64_t n,
                                               exb_real *buffer)
{
    return exb_p(contiguous)(EXB_PARTS, x.p, x.inc, begin, n, buffer);
}

EXB_INLINE exb_complex exb_t(load)(const exb_real *p)
{
    return (exb_complex){p[0], EXB_IS_COMPLEX ? (double)p[EXB_PARTS - 1] : 0};
}
