/* One element of an output: what stands in C, the parts of alpha s + beta c from enclosures of the
 * sums s, and the element exactly where those do not certify it. For the files of the output. */
#ifndef EXB_OUTPUT_ELEMENT_H
#define EXB_OUTPUT_ELEMENT_H

#include "level3/exact_block.h"
#include "level3/output.h"

/* Which sum im(alpha) multiplies in a part, and the sign of that product. */
static inline int exb_t(other_sum)(const exb_t(output) *o, int part)
{
    return o->n_sums - 1 - part;
}

static inline double exb_sign_of_part(int part)
{
    return part == 0 ? -1 : 1;
}

static inline bool exb_t(is_on_real_diagonal)(const exb_t(output) *o, int64_t i, int64_t j)
{
    return o->hermitian && i == j;
}

static inline bool exb_t(beta_is_zero)(const exb_t(output) *o)
{
    return o->beta.re == 0 && o->beta.im == 0;
}

/* Old values of an element; of none 0. */
static inline exb_complex exb_t(old_value)(const exb_t(output) *o, int64_t i, int64_t j)
{
    if (exb_t(beta_is_zero)(o))
        return (exb_complex){0, 0};
    const exb_real *c = exb_t(target_at)(&o->c, i, j);
    bool has_imaginary = EXB_IS_COMPLEX && !exb_t(is_on_real_diagonal)(o, i, j);
    return (exb_complex){c[0], has_imaginary ? (double)c[EXB_PARTS - 1] : 0};
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

/* A part of alpha * sum + beta * c from enclosures. */
static inline exb_enclosure exb_t(output_part)(const exb_t(output) *o, const exb_enclosure *sum,
                                               exb_complex c, int part)
{
    exb_enclosure v =
        exb_enclosure_affine(o->alpha.re, sum[part], o->beta.re, part == 0 ? c.re : c.im);
    if (!EXB_IS_COMPLEX || (o->real_alpha && o->real_beta))
        return v;
    exb_enclosure w = o->real_alpha ? exb_enclosure_exact(0) : sum[exb_t(other_sum)(o, part)];
    return exb_enclosure_add(v, exb_enclosure_affine(exb_sign_of_part(part) * o->alpha.im, w,
                                                     exb_sign_of_part(part) * o->beta.im,
                                                     part == 0 ? c.im : c.re));
}

/* Element (i, j) from enclosures of its sums, to r; false if they do not decide. */
static inline bool exb_t(round_element)(const exb_t(output) *o, const exb_enclosure *sum, int64_t i,
                                        int64_t j, exb_real *r)
{
    exb_complex c = exb_t(old_value)(o, i, j);
    for (int part = 0; part < EXB_PARTS; part++) {
        r[part] = 0;
        if (part == 1 && exb_t(is_on_real_diagonal)(o, i, j))
            break;
        if (!exb_round_enclosure(exb_t(output_part)(o, sum, c, part), &r[part]))
            return false;
    }
    return true;
}

/* The sums of element j of row i. */
static inline void exb_t(sums_at)(const exb_t(output) *o, const exb_enclosures *found, int i, int j,
                                  exb_enclosure *sum)
{
    for (int k = 0; k < o->n_sums; k++)
        sum[k] = exb_enclosure_at(found, i, o->n_sums * j + k);
}

/* Element (i, j) by itself, from the operands of `from`: filter unless that was tried, then
 * exactly. True if the filter decided. */
bool exb_t(compute_element)(const exb_t(output) *o, const exb_p(product) *from, int64_t i,
                            int64_t j, bool filtered);

/* Element (i, j) exactly, to c: in a small block of which many elements are wanted. */
void exb_t(exact_in_block)(const exb_t(output) *o, exb_p(exact_block) *b, int64_t i, int64_t j,
                           exb_real *c);

#endif
