/* One element of an output: what stands in C, the question that it is (element/decide.h), and its
 * answers; and the elements that enclosures do not certify, which are computed another way. */
#pragma once

#include "element/decide.h"
#include "level3/flow.h"
#include "level3/output.h"

/* The element, without its terms. */
static inline exb_t(question) exb_t(question_of)(const exb_t(output) *o, int64_t i, int64_t j)
{
    exb_t(question) q = {.is_real = EXB_IS_COMPLEX && o->hermitian && i == j};
    q.line = (exb_line){o->alpha, o->beta, !EXB_IS_COMPLEX || o->real_alpha,
                        !EXB_IS_COMPLEX || o->real_beta, o->n_sums};
    q.method = o->product.method;
    if (exb_is_zero(o->beta))
        return q;
    const exb_real *c = exb_t(target_at)(&o->c, i, j);
    q.c = (exb_complex){c[0], EXB_IS_COMPLEX && !q.is_real ? (double)c[EXB_PARTS - 1] : 0};
    return q;
}

/* The bits of rows i0 ... i0 + n - 1 that are wanted in column j. */
static inline uint64_t exb_t(wanted_rows)(const exb_t(output) *o, int64_t i0, int n, int64_t j)
{
    if (o->c.region == EXB_REGION_ALL)
        return exb_first_bits(n);
    exb_range rows = exb_common(exb_region_rows(o->c.region, i0 + n, j), (exb_range){i0, i0 + n});
    return rows.begin < rows.end ? exb_first_bits(rows.end - i0) & ~exb_first_bits(rows.begin - i0)
                                 : 0;
}

/* Element (i, j) of what is found, to C; with f only if a sum of it that seems to be 0 is. False if
 * that does not decide it. */
bool exb_t(round_found)(const exb_t(output) *o, exb_p(flow) *f, const exb_enclosures *found, int i,
                        int j);

/* Element (i, j) by itself, as decide.h does. True if the filter decided. */
bool exb_t(compute_element)(const exb_t(output) *o, int64_t i, int64_t j);

/* Rows of column j from row i on, those of n whose bits are set; r has the parts of the column,
 * EXB_COLUMN each. */
enum { EXB_COLUMN = 64 };
static inline void exb_t(store_column)(const exb_t(output) *o, int64_t i, int64_t n, int64_t j,
                                       const exb_real *r, uint64_t rows)
{
    exb_real *c = exb_t(target_at)(&o->c, i, j);
    bool is_whole = o->c.view.rs == 1 && rows == exb_first_bits(n);
    for (int64_t row = 0; is_whole && row < n; row++)
        for (int part = 0; part < EXB_PARTS; part++)
            c[EXB_PARTS * row + part] = r[part * EXB_COLUMN + row];
    for (; !is_whole && rows; rows &= rows - 1) {
        int row = __builtin_ctzll(rows);
        for (int part = 0; part < EXB_PARTS; part++)
            c[row * o->c.view.rs * EXB_PARTS + part] = r[part * EXB_COLUMN + row];
    }
}

/* Computes elements that enclosures do not certify, a bit each in `open`, in words as theirs: where
 * they are many, small blocks again; what that does not certify, and where they are few, each by
 * itself. Some bits are cleared. The numbers of `found` are not read. */
void exb_t(fall_back)(const exb_t(output) *o, const exb_enclosures *found, uint64_t *open);
