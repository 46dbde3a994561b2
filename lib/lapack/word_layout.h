/* How the elements of a matrix and of right-hand sides stand: as sums of words. */
#pragma once

#include "core/arith/triple.h"

/* Word w of element (i, j) of n columns is at [i ld + w n + j], that of element i of a right-hand
 * side at [i ld_right + w]. Each counts scale[w]. */
typedef struct {
    int n_words;
    int64_t ld, ld_right;
    double scale[EXB_TRIPLE_LANES];
} exb_layout;
