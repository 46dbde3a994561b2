/* Types: s d c z. */
#include "sparse/csr_block.h"

#include "core/kernels.h"
#include "element/anchored.h"
#include "level1/reduce.h"

/* Where row i begins in the block, in products of a part: more than a block holds, if it is not
 * near. */
EXB_INLINE int32_t start_of(int64_t begin, int64_t at)
{
    return EXB_PARTS * (int32_t)exb_least(at - begin, EXB_CSR_SHORT + 1);
}

static void set_starts(const exb_t(csr) *a, int n, exb_t(csr_block) *b)
{
    const int32_t *narrow = a->row_start.narrow ? a->row_start.narrow + b->first : NULL;
    if (narrow && narrow[n] - b->begin <= EXB_CSR_SHORT) {
        int32_t begin = narrow[0];
        for (int i = 0; i <= n; i++)
            b->start[i] = EXB_PARTS * (narrow[i] - begin);
        return;
    }
    for (int i = 0; i <= n; i++)
        b->start[i] = start_of(b->begin, exb_t(csr_begin)(a, b->first + i));
}

void exb_t(csr_block_at)(const exb_t(csr) *a, int64_t first, int64_t end, exb_t(csr_block) *b)
{
    int n = (int)exb_least(end - first, EXB_CSR_ROWS);
    b->first = first;
    b->begin = exb_t(csr_begin)(a, first);
    set_starts(a, n, b);
    while (b->start[n] > EXB_PARTS * EXB_CSR_SHORT)
        n--;
    if (n < end - first && n > EXB_CSR_GROUP)
        n -= n % EXB_CSR_GROUP;
    b->n_rows = n;
    b->n = b->start[n] / EXB_PARTS;
}

/* Of complex numbers, re of a product is a_re x_re - a_im x_im, im is a_re x_im + a_im x_re. */
EXB_INLINE void put_element(bool conjugated, int k, const exb_real *x, exb_real *out)
{
    exb_real im = k == 0 ? -x[EXB_PARTS - 1] : x[0];
    out[0] = x[k];
    if (EXB_IS_COMPLEX)
        out[EXB_PARTS - 1] = conjugated ? -im : im;
}

void exb_t(csr_gather)(const exb_t(csr_product) *p, int64_t j, int k, int64_t begin, int64_t n,
                       exb_real *out)
{
    const exb_real *x = p->x.p + j * p->x_next;
    int64_t inc = EXB_PARTS * p->x.inc;
    bool conjugated = p->a.conjugated;
#pragma GCC unroll 8
    for (int64_t i = 0; i < n; i++)
        put_element(conjugated, k, x + inc * exb_index_at(p->a.column, begin + i),
                    out + EXB_PARTS * i);
}

/* Part k of all rows, with the x of `column` or those gathered in x. */
typedef struct {
    const exb_t(csr_block) *b;
    exb_t(csr_sums) *s;
    int k;
    const exb_real *value, *x;
    const int32_t *column;
} factors;

static factors factors_of(const exb_t(csr_product) *p, const exb_t(csr_block) *b, int64_t j, int k,
                          exb_t(csr_sums) *s)
{
    factors f = {b, s, k, p->a.value + EXB_PARTS * b->begin, s->x[k], NULL};
    if (!EXB_IS_COMPLEX && p->a.column.narrow && p->x.inc == 1) {
        f.x = p->x.p + j * p->x_next;
        f.column = p->a.column.narrow + b->begin;
    } else {
        exb_t(csr_gather)(p, j, k, b->begin, b->n, s->x[k]);
    }
    return f;
}

static double sweep_part(void *of, int g)
{
    const factors *f = of;
    exb_t(csr_sums) *s = f->s;
    double h[EXB_CSR_LANES], l[EXB_CSR_LANES];
    double most = exb_t_kernels()->row_sums(f->b->n_rows, f->b->start, f->value, f->column, f->x,
                                            exb_anchor_sigma(g), EXB_PARTS > 1 ? h : s->h,
                                            EXB_PARTS > 1 ? l : s->l, &s->least[f->k]);
    for (int i = 0; EXB_PARTS > 1 && i < f->b->n_rows; i++) {
        s->h[EXB_PARTS * i + f->k] = h[i];
        s->l[EXB_PARTS * i + f->k] = l[i];
    }
    s->unit[f->k] = exb_anchor_unit(g);
    return most;
}

bool exb_t(csr_block_sums)(const exb_t(csr_product) *p, const exb_t(csr_block) *b, int64_t j,
                           int *g, exb_t(csr_sums) *s)
{
    int64_t n = EXB_PARTS * b->n;
    s->bound = 0;
    for (int k = 0; k < EXB_PARTS; k++) {
        factors f = factors_of(p, b, j, k, s);
        if (!exb_anchor_fit(g, EXB_ANCHOR_COARSE, sweep_part, &f))
            return false;
        s->bound = fmax(s->bound, exb_anchor_bound(s->unit[k], n, n));
    }
    return true;
}

/* The unit of coefficients of up to SHORT bits, if they are such, from one of them. */
static double short_unit(double value)
{
    enum { SHORT = 8 };
    int g = exb_anchor_exponent(value);
    return g <= EXB_ANCHOR_MAX_G ? exb_pow2(g - SHORT) : 1;
}

bool exb_t(csr_block_is_exact)(const exb_t(csr_product) *p, const exb_t(csr_block) *b,
                               const exb_t(csr_sums) *s)
{
    const exb_real *value = p->a.value + EXB_PARTS * b->begin;
    double unit = b->n > 0 ? short_unit((double)value[0]) : 1;
    for (int k = 0; k < EXB_PARTS; k++) {
        double least = unit * s->least[k]; /* DBL_MAX: all products are 0 */
        if (EXB_PARTS * b->n * s->unit[k] > 2 * least)
            return false;
    }
    return exb_t_kernels()->are_short(EXB_PARTS * b->n, value, unit);
}
