/* Types: s d. */
#include "level3/triple_block.h"
#include "level1/reduce.h"

#include "core/memory.h"
#include "level3/exact_block.h"

/* triple.h's bound holds for more; longer vectors would need more memory than the rest of a call.
 */
static const int64_t most_terms = 1 << 16;

void exb_t(triple_block_init)(exb_t(triple_block) *b, const exb_t(product) *p, int64_t i0,
                              int64_t j0)
{
    *b = (exb_t(triple_block)){.p = p, .i0 = i0, .j0 = j0};
}

void exb_t(triple_block_release)(exb_t(triple_block) *b)
{
    exb_memory_put(b->copy);
}

static bool has_memory(exb_t(triple_block) *b)
{
    size_t elements = 2 * EXB_SMALL_BLOCK * (size_t)b->p->k;
    /* An exact block may need its fields beside the copy. */
    bool fits = elements * (sizeof *b->copy + sizeof(exb_field)) <= exb_memory_limit();
    if (!b->tried && b->p->k <= most_terms && fits)
        b->copy = exb_memory_get(elements * sizeof *b->copy);
    b->tried = true;
    return b->copy != NULL;
}

/* In order to out; returns the least magnitude other than 0. */
static double copy_vector(const exb_t(operand) *o, int64_t v, int64_t k, exb_real *out)
{
    exb_real buffer[EXB_GATHER_TERMS];
    double least = DBL_MAX;
    for (int64_t l = 0; l < k; l += EXB_GATHER_TERMS) {
        int64_t nl = exb_least(k - l, EXB_GATHER_TERMS);
        exb_t(elements) x = exb_t(operand_at)(o, v, 1, l, nl, buffer);
        for (int64_t t = 0; t < nl; t++) {
            out[l + t] = x.p[t * x.ls];
            least = exb_least_magnitude(least, out[l + t]);
        }
    }
    return least;
}

static const exb_real *vector_of(exb_t(triple_block) *b, const exb_t(operand) *o, int64_t v,
                                 int slot)
{
    exb_real *copy = b->copy + slot * b->p->k;
    if (!b->ready[slot])
        b->least[slot] = copy_vector(o, v, b->p->k, copy);
    b->ready[slot] = true;
    return copy;
}

exb_enclosure exb_t(triple_block_element)(exb_t(triple_block) *b, int64_t i, int64_t j)
{
    int row = (int)(i - b->i0), column = EXB_SMALL_BLOCK + (int)(j - b->j0);
    exb_triples sum = {{0}, {0}, {0}, {0}};
    if (!has_memory(b))
        return exb_enclosure_unknown();
    const exb_real *x = vector_of(b, &b->p->a, i, row), *y = vector_of(b, &b->p->b, j, column);
    exb_kernels_current()->EXB_PART.triple(EXB_TERM_XY, b->p->k, x, y, &sum);
    bool exact_terms = EXB_IS_S || b->least[row] * b->least[column] >= EXB_PRODUCT_LEAST;
    return exb_t(triples_enclosure)(&sum, b->p->k, exact_terms, 0);
}
