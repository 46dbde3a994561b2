/* Panels: a few rows of a stored matrix times a vector, from the kernels. */
#pragma once

#include "core/arith/plain.h"
#include "core/method.h"
#include "element/line.h"
#include "element/runs.h"
#include "level2/stored_matrix.h"
#include "level2/vectors.h"

/* Most rows of a panel: where only a triangle or band is there, and of a full matrix, whose
 * columns are better read in long runs. */
enum { EXB_PANEL_ROWS = EXB_ROWS / EXB_PARTS, EXB_TALL_ROWS = EXB_IS_COMPLEX ? 512 : 2048 };

/* The elements (i, j) of a view of an array; conjugated if so marked. */
typedef struct {
    const exb_real *p;
    exb_view view;
    bool conjugate;
} exb_t(panel);

/* A panel of piece k of a matrix, from element (i, j) on. */
EXB_INLINE exb_t(panel) exb_t(panel_from)(const exb_t(matrix) *a, int k, int64_t i, int64_t j)
{
    const exb_piece *piece = &a->pattern.piece[k];
    return (exb_t(panel)){a->p, exb_view_from(piece->view, i, j), piece->conjugate};
}

EXB_INLINE exb_numbers exb_t(numbers)(bool conjugate)
{
    return !EXB_IS_COMPLEX ? EXB_OF_REALS : conjugate ? EXB_OF_CONJUGATES : EXB_OF_COMPLEX;
}

/* Elements j ... j + n - 1 of x as the vector of reals whose dot with a row's elements, conjugated
 * or not, is part k of their product. */
EXB_INLINE void exb_t(prepare_vector)(exb_t(vector) x, int64_t j, int64_t n, bool conjugate, int k,
                                      exb_real *out)
{
    exb_real sign = (k == 0) != conjugate ? -1 : 1;
    for (int64_t l = 0; l < n; l++) {
        const exb_real *e = exb_t(element)(x, j + l);
        out[EXB_PARTS * l] = e[k];
        if (EXB_IS_COMPLEX)
            out[2 * l + 1] = sign * e[EXB_PARTS - 1 - k];
    }
}

/* Where the largest magnitude of n reals is first; n if that is NaN. A guess of the largest product
 * looks at the products with it, too: a reflector's vector begins with a 1 that few others reach.
 */
EXB_INLINE int64_t exb_p(place_of_largest)(int64_t n, const exb_real *x)
{
    double most = exb_from_bits((uint64_t)exb_t_kernels()->peak(1, n, x));
    int64_t i = 0;
    while (i < n && fabs((double)x[i]) != most)
        i++;
    return i;
}

/* out[i] += sum over j of a(i, j) x_j, i < m <= EXB_TALL_ROWS, j < n. One thread. Each
 * element is read once, along its rows or columns, whichever are contiguous; a single row along
 * itself. */
void exb_t(panel_filter)(int m, int64_t n, const exb_t(panel) *a, exb_t(vector) x,
                         exb_t(value) *out);

/* The same for a panel whose rows are contiguous in each column: rs = 1, drs = 0. reversed: the
 * sums of its rows belong to out in reverse. */
void exb_t(panel_sweep)(int m, int64_t n, bool reversed, const exb_t(panel) *a, exb_t(vector) x,
                        exb_t(value) *out);

/* The first products of row 0, a run of part k of their sum; returns how many elements it takes. */
int64_t exb_t(panel_run)(int64_t n, const exb_t(panel) *a, exb_t(vector) x, int k,
                         exb_p(run_space) *space, exb_p(reduction) *run);
