/* Elements of C that are computed one by one.
 * Types: s d c z. */
#include "level3/output_element.h"

EXB_NOINLINE void exb_t(exact_in_block)(const exb_t(output) *o, exb_p(exact_block) *b, int64_t i,
                                        int64_t j, exb_real *c)
{
    exb_product_acc storage[EXB_MOST_SUMS];
    exb_superacc *sum[EXB_MOST_SUMS];
    exb_t(question) q = exb_t(question_of)(o, i, j);
    for (int k = 0; k < o->n_sums; k++) {
        sum[k] = exb_product_acc_init(&storage[k]);
        exb_p(exact_block_element)(b, i, o->n_sums * j + k, sum[k]);
    }
    exb_t(decide_exact)(&q, sum, (1 << EXB_PARTS) - 1, c);
}

bool exb_t(compute_element)(const exb_t(output) *o, const exb_p(product) *from, int64_t i,
                            int64_t j)
{
    const exb_p(product_element) element = {from, i, o->n_sums * j};
    exb_t(question) q = exb_t(question_of)(o, i, j);
    q.terms = exb_p(element_terms)(&element);
    return exb_t(decide)(&q, NULL, exb_t(target_at)(&o->c, i, j)) == EXB_BY_FILTER;
}
