/* A column of results as the kernels `finish` and `keep` take it. */
#pragma once

#include "core/kernels.h"

/* One column of a block of C: alpha * s_i * (h_i - anchor + l_i +- e_i) + beta * c_i, where
 * s_i = row_scale[i] * col_scale, or 1 if row_scale is NULL, are powers of two in [EXB_SCALE_LEAST,
 * EXB_SCALE_MOST], h_i - anchor is exact, e_i is e[i] or, if e is NULL, exb_pair_bound of
 * row_bound[i] and col_bound, and e_i = 0 means that there is no error: then s_i (h_i - anchor) and
 * s_i l_i do not underflow. alpha, beta and c are of the type. beta = 0: c is not read. `other`, if
 * there is one, is added: what the other parts of elements contribute with complex scalars. If it
 * is `exchanged`, parts are neighbours, and what the array holds of real ones is added to imaginary
 * ones, and subtracted the other way round; there are no scales then. */
struct exb_column {
    const double *h, *l, *e, *row_bound, *row_scale;
    double anchor, col_bound, col_scale, alpha, beta;
    const double *c;
    const exb_column *other;
    bool exchanged;
};

/* The bound of a row or column of zeros: its products with what is finite are 0, without error. */
#define EXB_BOUND_OF_ZEROS (-1.0)

/* The bound on an element, from those of its row and of its column. */
EXB_INLINE double exb_pair_bound(double row, double column)
{
    if (row == EXB_BOUND_OF_ZEROS || column == EXB_BOUND_OF_ZEROS)
        return 0;
    return row > column ? row : column;
}

#define EXB_SCALE_LEAST 0x1p-800
#define EXB_SCALE_MOST 0x1p800
/* The product of two such scales is one in that range. */
#define EXB_USUAL_SCALE_LEAST 0x1p-400
#define EXB_USUAL_SCALE_MOST 0x1p400
