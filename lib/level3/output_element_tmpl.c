/* Elements of C that are computed one by one.
 * Types: s d c z. */
#include "level3/output_element.h"

#include "core/finish.h"

static exb_real exact_part(const exb_t(output) *o, exb_product_acc *sum, exb_complex c, int part)
{
    const double alpha[2] = {o->alpha.re, exb_sign_of_part(part) * o->alpha.im};
    const double beta[2] = {o->beta.re, exb_sign_of_part(part) * o->beta.im};
    const double old[2] = {part == 0 ? c.re : c.im, part == 0 ? c.im : c.re};
    exb_superacc *sums[2] = {&sum[part].acc, &sum[exb_t(other_sum)(o, part)].acc};
    int n_values = exb_t(beta_is_zero)(o) ? 0 : EXB_IS_COMPLEX && !o->real_beta ? 2 : 1;
    return exb_t(finish_exact)(EXB_IS_COMPLEX && !o->real_alpha ? 2 : 1, alpha, sums, n_values,
                               beta, old);
}

/* c = alpha sum + beta c, from the exact sums of the parts. */
static void finish_exactly(const exb_t(output) *o, exb_product_acc *sum, int64_t i, int64_t j,
                           exb_real *c)
{
    exb_complex old = exb_t(old_value)(o, i, j);
    for (int part = 0; part < EXB_PARTS; part++)
        c[part] =
            part == 1 && exb_t(is_on_real_diagonal)(o, i, j) ? 0 : exact_part(o, sum, old, part);
}

static EXB_NOINLINE void exact_element(const exb_t(output) *o, const exb_p(product) *from,
                                       int64_t i, int64_t j, exb_real *c)
{
    exb_product_acc sum[EXB_MOST_SUMS];
    for (int k = 0; k < o->n_sums; k++)
        exb_p(element_exact)(from, i, o->n_sums * j + k, exb_product_acc_init(&sum[k]));
    finish_exactly(o, sum, i, j, c);
}

EXB_NOINLINE void exb_t(exact_in_block)(const exb_t(output) *o, exb_p(exact_block) *b, int64_t i,
                                        int64_t j, exb_real *c)
{
    exb_product_acc sum[EXB_MOST_SUMS];
    for (int k = 0; k < o->n_sums; k++)
        exb_p(exact_block_element)(b, i, o->n_sums * j + k, exb_product_acc_init(&sum[k]));
    finish_exactly(o, sum, i, j, c);
}

/* An element from enclosures of its sums; false if they do not decide. */
static bool filter_element(const exb_t(output) *o,
                           exb_enclosure (*filter)(const exb_p(product) *, int64_t, int64_t),
                           const exb_p(product) *from, int64_t i, int64_t j, exb_real *r)
{
    exb_enclosure sum[EXB_MOST_SUMS];
    for (int k = 0; k < o->n_sums; k++)
        sum[k] = filter(from, i, o->n_sums * j + k);
    return exb_t(round_element)(o, sum, i, j, r);
}

bool exb_t(compute_element)(const exb_t(output) *o, const exb_p(product) *from, int64_t i,
                            int64_t j, bool filtered)
{
    exb_real *c = exb_t(target_at)(&o->c, i, j), r[EXB_PARTS];
    bool has_filter = o->product.method->filter;
    if (has_filter && !filtered && filter_element(o, exb_p(element_filter), from, i, j, r)) {
        memcpy(c, r, sizeof r);
        return true;
    }
    if (has_filter && filter_element(o, exb_p(element_triple), from, i, j, r))
        memcpy(c, r, sizeof r);
    else
        exact_element(o, from, i, j, c);
    return false;
}
