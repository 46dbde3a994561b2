/* Types: s d c z. */
#include "sparse/csr_block.h"

#include "core/kernels.h"
#include "level1/reduce.h"

/* Where row i begins in the block, in products of a part: more than a block holds, if it is not
 * near. */
EXB_INLINE int32_t start_of(int64_t begin, int64_t at)
{
    return EXB_PARTS * (int32_t)exb_least(at - begin, EXB_CSR_SHORT + 1);
}

void exb_t(csr_block_at)(const exb_t(csr) *a, int64_t first, int64_t end, exb_t(csr_block) *b)
{
    int n = (int)exb_least(end - first, EXB_CSR_ROWS);
    int32_t longest = 0;
    b->first = first;
    b->begin = exb_t(csr_begin)(a, first);
    if (a->row_start.narrow)
        for (int i = 0; i <= n; i++)
            b->start[i] = start_of(b->begin, a->row_start.narrow[first + i]);
    else
        for (int i = 0; i <= n; i++)
            b->start[i] = start_of(b->begin, exb_t(csr_begin)(a, first + i));
    while (b->start[n] > EXB_PARTS * EXB_CSR_SHORT)
        n--;
    for (int i = 0; i < n; i++) {
        int32_t length = b->start[i + 1] - b->start[i];
        longest = length > longest ? length : longest;
    }
    b->n_rows = n;
    b->n = b->start[n] / EXB_PARTS;
    b->longest = longest;
}

#if EXB_IS_COMPLEX
/* re of a product is a_re x_re - a_im x_im, im is a_re x_im + a_im x_re. */
EXB_INLINE void put(bool conjugated, int k, const exb_real *x, exb_real *out)
{
    exb_real re = k == 0 ? x[0] : x[1], im = k == 0 ? -x[1] : x[0];
    out[0] = re;
    out[1] = conjugated ? -im : im;
}
#else
EXB_INLINE void put(bool conjugated, int k, const exb_real *x, exb_real *out)
{
    (void)conjugated;
    (void)k;
    *out = *x;
}
#endif

/* What comes next in the two long streams; beyond their ends it does no harm. */
EXB_INLINE void fetch(const int32_t *column, const exb_real *value)
{
    enum { AHEAD = 4096 };
    __builtin_prefetch((const char *)column + AHEAD / 2);
    __builtin_prefetch((const char *)value + AHEAD);
}

EXB_INLINE void gather_narrow(int64_t n, const int32_t *column, const exb_real *value, int64_t inc,
                              bool conjugated, int k, const exb_real *x, exb_real *out)
{
    enum { STEP = 8 }; /* 64 bytes of doubles */
    int64_t i = 0;
    for (; i + STEP <= n; i += STEP) {
        fetch(column + i, value + EXB_PARTS * i);
        for (int v = 0; v < STEP; v++)
            put(conjugated, k, x + inc * column[i + v], out + EXB_PARTS * (i + v));
    }
    for (; i < n; i++)
        put(conjugated, k, x + inc * column[i], out + EXB_PARTS * i);
}

EXB_INLINE void gather_wide(int64_t n, const int64_t *column, int64_t inc, bool conjugated, int k,
                            const exb_real *x, exb_real *out)
{
    _Pragma("GCC unroll 4") for (int64_t i = 0; i < n; i++)
        put(conjugated, k, x + inc * column[i], out + EXB_PARTS * i);
}

void exb_t(csr_gather)(const exb_t(csr_product) *p, int64_t j, int k, int64_t begin, int64_t n,
                       exb_real *out)
{
    const exb_real *x = p->x.p + j * p->x_next;
    int64_t inc = EXB_PARTS * p->x.inc;
    bool conjugated = p->a.conjugated;
    if (p->a.column.wide)
        gather_wide(n, p->a.column.wide + begin, inc, conjugated, k, x, out);
    else if (inc == EXB_PARTS)
        gather_narrow(n, p->a.column.narrow + begin, p->a.value + EXB_PARTS * begin, EXB_PARTS,
                      conjugated, k, x, out);
    else
        gather_narrow(n, p->a.column.narrow + begin, p->a.value + EXB_PARTS * begin, inc,
                      conjugated, k, x, out);
}

/* Part k of all rows against 2^g. Returns the largest upper part; if it is beyond the anchor, the
 * sums mean nothing. */
static double sums_of_part(const exb_t(csr_product) *p, const exb_t(csr_block) *b, int k, int g,
                           exb_t(csr_sums) *s)
{
    _Alignas(64) double pairs[2 * EXB_CSR_REALS];
    double h[EXB_CSR_LANES], l[EXB_CSR_LANES];
    int n = EXB_PARTS * b->n;
    const exb_real *value = p->a.value + EXB_PARTS * b->begin;
    s->sigma[k] = exb_anchor_sigma(g);
    double most = exb_t_kernels()->split(n, value, s->x[k], s->sigma[k], pairs);
    if (!(most <= exb_pow2(g)))
        return most;
    exb_t_kernels()->pair_sums(b->n_rows, b->start, pairs, EXB_PARTS > 1 ? h : s->h,
                               EXB_PARTS > 1 ? l : s->l);
    for (int i = 0; EXB_PARTS > 1 && i < b->n_rows; i++) {
        s->h[EXB_PARTS * i + k] = h[i];
        s->l[EXB_PARTS * i + k] = l[i];
    }
    s->bound = fmax(s->bound, exb_anchor_bound(exb_anchor_unit(g), b->longest, b->longest));
    return most;
}

/* The exponent that fits the largest product of a block, with room for those of other blocks. */
static int anchor_for(double largest)
{
    enum { ROOM = 4 };
    return exb_anchor_exponent(largest) + ROOM;
}

/* The same with an anchor for these products. */
static double fit_part(const exb_t(csr_product) *p, const exb_t(csr_block) *b, int k, int *g,
                       exb_t(csr_sums) *s)
{
    const exb_real *value = p->a.value + EXB_PARTS * b->begin;
    int fitting =
        anchor_for(exb_t_kernels()->largest(EXB_TERM_XY, EXB_PARTS * b->n, value, s->x[k]));
    if (fitting > EXB_ANCHOR_MAX_G)
        return (double)INFINITY;
    *g = fitting;
    return sums_of_part(p, b, k, fitting, s);
}

bool exb_t(csr_block_sums)(const exb_t(csr_product) *p, const exb_t(csr_block) *b, int64_t j,
                           int *g, exb_t(csr_sums) *s)
{
    enum { COARSE = 20 }; /* bits by which an anchor may be too large */
    s->bound = 0;
    for (int k = 0; k < EXB_PARTS; k++) {
        exb_t(csr_gather)(p, j, k, b->begin, b->n, s->x[k]);
        double most = sums_of_part(p, b, k, *g, s);
        if (!(most <= exb_pow2(*g)) || (most > 0 && anchor_for(most) < *g - COARSE))
            most = fit_part(p, b, k, g, s);
        if (!(most <= exb_pow2(*g)))
            return false;
    }
    return true;
}

bool exb_t(csr_block_is_exact)(const exb_t(csr_product) *p, const exb_t(csr_block) *b,
                               const exb_t(csr_sums) *s)
{
    const exb_real *value = p->a.value + EXB_PARTS * b->begin;
    bool exact = true;
    for (int k = 0; k < EXB_PARTS && exact; k++)
        exact = exb_t_kernels()->are_multiples(EXB_PARTS * b->n, value, s->x[k], s->sigma[k]);
    return exact;
}
