/* Kernels for lines of doubles. */
#pragma once

#include "core/kernels.h"

/* What eliminations and their bounds do beside tiles, in plain arithmetic, each operation rounded.
 * No argument overlaps what is written. */
struct exb_line_kernels {
    /* y += (|m_0| x_0 + |m_1| x_1) + (|m_2| x_2 + |m_3| x_3) for four rows of m, ld apart. */
    void (*add_magnitudes)(int64_t n, const double *m, int64_t ld, const double *x, double *y);
    /* y += (m_0 x_0 + m_1 x_1) + (m_2 x_2 + m_3 x_3). */
    void (*add_products)(int64_t n, const double *m, int64_t ld, const double *x, double *y);
    void (*swap)(int64_t n, double *x, double *y);
};
