/* Single elements of a product: for those that an engine could not decide. */
#include "level1/reduce.h"
#include "level3/product.h"

/* The scalar product of parts l0 ... l0 + nl - 1 of row i and column j. */
static exb_t(reduction) piece(const exb_t(product) * p, int64_t i, int64_t j, int64_t l0,
                              int64_t nl, exb_real *row, exb_real *column)
{
    exb_t(elements) a = exb_t(operand_at)(&p->a, i, 1, l0, nl, row);
    exb_t(elements) b = exb_t(operand_at)(&p->b, j, 1, l0, nl, column);
    return exb_t(dot_of)(nl, a.p, a.ls, b.p, b.ls);
}

/* How many terms go at once: all of dense vectors. */
static int64_t step(const exb_t(product) * p)
{
    return p->a.gather || p->b.gather ? EXB_GATHER_TERMS : p->k;
}

exb_enclosure exb_t(element_filter)(const exb_t(product) * p, int64_t i, int64_t j)
{
    exb_real row[EXB_GATHER_TERMS], column[EXB_GATHER_TERMS];
    exb_enclosure sum = exb_enclosure_exact(0);
    for (int64_t l = 0; l < p->k; l += step(p)) {
        int64_t nl = p->k - l < step(p) ? p->k - l : step(p);
        exb_t(reduction) r = piece(p, i, j, l, nl, row, column);
        exb_enclosure v = exb_t(reduce_filter)(&r);
        sum = l == 0 ? v : exb_enclosure_add(sum, v);
    }
    return sum;
}

void exb_t(element_exact)(const exb_t(product) * p, int64_t i, int64_t j, exb_superacc *acc)
{
    exb_real row[EXB_GATHER_TERMS], column[EXB_GATHER_TERMS];
    for (int64_t l = 0; l < p->k; l += step(p)) {
        int64_t nl = p->k - l < step(p) ? p->k - l : step(p);
        exb_t(reduction) r = piece(p, i, j, l, nl, row, column);
        exb_t(reduce_exact)(&r, p->method, acc);
    }
}
