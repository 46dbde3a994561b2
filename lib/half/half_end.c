/* From floats to 16-bit numbers without a second rounding. Let f = RN_float(x). RN to 16 bits is
 * monotone and changes only at midpoints M of neighbours (2^16 - 16 of half and 2^128 - 2^119 of
 * bfloat16, from which on all is Inf, and the halves of the smallest subnormal numbers included),
 * and these are floats. If x < M then f <= M, since RN_float is monotone and leaves M alone; so f
 * lies on the side of every M on which x lies, or is one, and RN_16(f) = RN_16(x) unless f = M.
 * Then the sign of x - M decides: RN_16(x) = RN_16 of the float next to f on that side, which no
 * other midpoint reaches, and a tie of f itself where x = M.
 *
 * One in 2^16 results of bfloat16 and one in 2^13 of half is a midpoint if their bits are random,
 * and up to half of them if they are small integers. These x are floats: multiples of a power of
 * two 2^u, u >= -149, with |f| < 2^(u + 24), hence |x| < 2^(u + 24). u is known from the lowest
 * bits of the row, the column, and the scalars. Types: s. */
#include "core/arith/float_unit.h"
#include "element/decide.h"
#include "half/half_product.h"

enum {
    NOT_KNOWN = -EXB_UNIT_OF_ZERO,
    PIECE = 64 /* elements of a column, or vectors, at once */
};

/* The units of n vectors, unless they are known; at first their lowest bits. */
static void find_units(const exb_soperand *o, int64_t v0, int64_t n, int64_t k, int *u)
{
    float buffer[EXB_GATHER_VECTORS * EXB_GATHER_TERMS];
    int64_t step_v = o->gather ? EXB_GATHER_VECTORS : n, step_l = o->gather ? EXB_GATHER_TERMS : k;
    if (*u != NOT_KNOWN)
        return;
    for (int64_t v = 0; v < n; v++)
        u[v] = exb_lowest_bit(0);
    for (int64_t v = 0; v < n; v += step_v)
        for (int64_t l = 0; l < k; l += step_l) {
            int64_t nv = exb_least(n - v, step_v), nl = exb_least(k - l, step_l);
            exb_selements x = exb_soperand_at(o, v0 + v, nv, l, nl, buffer);
            for (int64_t t = 0; x.vs == 1 && t < nl; t++)
                for (int64_t i = 0; i < nv; i++)
                    u[v + i] = exb_least_bit(exb_lowest_bit(x.p[t * x.ls + i]), u[v + i]);
            for (int64_t i = 0; x.vs != 1 && i < nv; i++)
                u[v + i] = exb_least_bit(exb_lowest_bit_of(nl, x.p + i * x.vs, x.ls), u[v + i]);
        }
    for (int64_t v = 0; v < n; v++)
        u[v] = exb_unit_of(u[v]);
}

/* f, which x was rounded to, is x if that is a multiple of 2^u. */
EXB_INLINE bool is_exact(float f, int u)
{
    int field = (int)(exb_bits_f(f) >> 23 & 0xff);
    return u >= -149 && (field > 0 ? field : 1) - 127 < u + 24;
}

/* The sign of x - f. */
static EXB_NOINLINE int side_of(const exb_half_end *e, int64_t i, int64_t j, float f, float old)
{
    const exb_sproduct_element element = {e->p, i, j};
    const exb_sterms terms = exb_selement_terms(&element);
    exb_product_acc sum_storage;
    exb_finish_acc storage;
    exb_leading leading;
    exb_superacc *sum = exb_product_acc_init(&sum_storage), *x = exb_finish_acc_init(&storage);
    exb_sadd_terms(&terms, 0, e->p->method, false, sum);
    exb_superacc_add_scaled(x, e->alpha, sum);
    if (e->beta != 0)
        exb_superacc_add_product(x, e->beta, old);
    exb_superacc_add(x, -(double)f);
    return !exb_superacc_leading(x, &leading) ? 0 : leading.negative ? -1 : 1;
}

/* f, or its neighbour on the side of x, which is a multiple of 2^u but for beta c. */
static float settled(const exb_half_end *e, int64_t i, int64_t j, float f, int u)
{
    float old = e->beta != 0 ? exb_widen_half(e->kind, e->c[i * e->rs + j * e->cs]) : 0;
    int more = e->beta != 0
                   ? exb_unit_of(exb_lowest_bit((float)e->beta)) + exb_unit_of(exb_lowest_bit(old))
                   : u;
    int side = is_exact(f, more < u ? more : u) ? 0 : side_of(e, i, j, f, old);
    return exb_beside(f, side);
}

/* Some are midpoints and, with units of rows and one for all, not known to be exact. A loop that
 * compilers vectorise. */
static bool are_open(exb_half_kind kind, int n, const float *f, const int *unit, int all)
{
    int any = 0;
    for (int i = 0; i < n; i++) {
        int is_midpoint = kind == EXB_BF16 ? exb_is_midpoint_bf16(f[i]) : exb_is_midpoint_f16(f[i]);
        any |= is_midpoint & (int)!(unit && is_exact(f[i], unit[i] + all));
    }
    return any;
}

EXB_NOINLINE void exb_half_narrow(exb_half_kind kind, int64_t n, const float *f, int64_t incf,
                                  uint16_t *c, int64_t incc)
{
    if (incf == 1 && incc == 1) /* loops that compilers vectorise, of either kind */
        for (int64_t i = 0; i < n; i++)
            c[i] = exb_narrow_half(kind, f[i]);
    else
        for (int64_t i = 0; i < n; i++)
            c[i * incc] = exb_narrow_half(kind, f[i * incf]);
}

/* n <= PIECE elements of column j from row i on. */
static void settle(const exb_half_end *e, int64_t i, int n, int64_t j, float *f, int *unit)
{
    const exb_sproduct *p = e->p;
    if (!are_open(e->kind, n, f, NULL, 0))
        return;
    find_units(&p->a, i, n, p->k, unit + i);
    find_units(&p->b, j, 1, p->k, unit + p->m + j);
    int all = unit[p->m + j] + exb_unit_of(exb_lowest_bit((float)e->alpha));
    if (e->beta == 0 && !are_open(e->kind, n, f, unit + i, all))
        return;
    for (int t = 0; t < n; t++)
        if (are_open(e->kind, 1, f + t, NULL, 0))
            f[t] = settled(e, i + t, j, f[t], unit[i + t] + all);
}

void exb_half_finish(const exb_half_end *e, float *f, int *unit)
{
    int64_t m = e->p->m;
    for (int64_t t = 0; t < m + e->p->n; t++)
        unit[t] = NOT_KNOWN;
    for (int64_t j = 0; j < e->p->n; j++) {
        for (int64_t i = 0; i < m; i += PIECE)
            settle(e, i, (int)exb_least(m - i, PIECE), j, f + j * m + i, unit);
        exb_half_narrow(e->kind, m, f + j * m, 1, e->c + j * e->cs, e->rs);
    }
}

float exb_half_decide(const exb_sproduct *p, int64_t i, const exb_line *line, double old,
                      bool filters)
{
    const exb_enclosure unknown = exb_enclosure_unknown();
    const exb_sproduct_element element = {p, i, 0};
    exb_squestion q = {.line = *line, .method = p->method};
    float f;
    q.c.re = old;
    q.terms = exb_selement_terms(&element);
    exb_sdecide(&q, filters ? NULL : &unknown, &f);
    return f;
}
