/* The transpose of a square matrix. The elements of the given one are EXB_TRANSPOSED_TYPE: double,
 * unless the text that includes this says otherwise. */
#ifndef EXB_TRANSPOSED_H
#define EXB_TRANSPOSED_H

#include "core/arith/compiler.h"

#ifndef EXB_TRANSPOSED_TYPE
#define EXB_TRANSPOSED_TYPE double
#endif

enum { EXB_TRANSPOSED_SIDE = 8 }; /* doubles of a line */

/* Rows and columns of a square of whole lines, which the compiler turns in registers. */
EXB_INLINE void exb_transpose_square(const EXB_TRANSPOSED_TYPE *s, int64_t lds, double *t,
                                     int64_t ldt)
{
    for (int64_t i = 0; i < EXB_TRANSPOSED_SIDE; i++)
        for (int64_t j = 0; j < EXB_TRANSPOSED_SIDE; j++)
            t[i * ldt + j] = s[j * lds + i];
}

/* t_ij = s_ji: rows of t are n elements, those of s are lds apart. */
EXB_INLINE void exb_transpose(int64_t n, const EXB_TRANSPOSED_TYPE *s, int64_t lds, double *t)
{
    int64_t whole = n / EXB_TRANSPOSED_SIDE * EXB_TRANSPOSED_SIDE;
    for (int64_t j = 0; j < whole; j += EXB_TRANSPOSED_SIDE)
        for (int64_t i = 0; i < whole; i += EXB_TRANSPOSED_SIDE)
            exb_transpose_square(s + j * lds + i, lds, t + i * n + j, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i < whole ? whole : 0; j < n; j++)
            t[i * n + j] = s[j * lds + i];
}

#endif
