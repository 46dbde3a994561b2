/* What a reduction adds up, where its numbers lie, and which of complex products are subtracted, as
 * kernels and their host code number them. */
#pragma once

enum { EXB_GPU_X, EXB_GPU_ABS_X, EXB_GPU_XY };

/* Increments count numbers. Number i of pairs is part i % 2 of element i / 2. */
enum { EXB_GPU_STRIDED, EXB_GPU_SIDE_BY_SIDE, EXB_GPU_PAIRS };

/* Of products of pairs. Crossed: a part is multiplied with the other one. Minus: products with the
 * second part of x are subtracted. */
enum { EXB_GPU_CROSSED = 1, EXB_GPU_MINUS = 2 };

/* Where number i lies from the first of its vector; of pairs the other part if flip is 1. */
#define EXB_GPU_NUMBER_AT(layout, i, inc, flip)                                                    \
    ((layout) == EXB_GPU_PAIRS     ? ((i) >> 1) * (inc) + (((i)&1) ^ (flip))                       \
     : (layout) == EXB_GPU_STRIDED ? (i) * (inc)                                                   \
                                   : (i))
