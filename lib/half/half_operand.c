/* Types: s. */
#include "half/half_chain.h"
#include "half/half_operand.h"

#include "core/partition.h"
#include "core/thread.h"

void exb_half_widen(exb_half_kind kind, int64_t n, const uint16_t *x, int64_t incx, float *y,
                    int64_t incy)
{
    if (incx == 1 && incy == 1)
        exb_half_chain_current()->widen(kind, n, x, y);
    for (int64_t i = 0; (incx != 1 || incy != 1) && i < n; i++)
        y[i * incy] = exb_widen_half(kind, x[i * incx]);
}

typedef struct {
    const exb_half_vectors *x;
    int64_t n_lines, length, step, inc; /* of what lies side by side */
    int n_ranges;
    float *out;
} lines;

static void widen_range(void *ctx, int64_t i)
{
    const lines *w = ctx;
    exb_range r = exb_partition_range(w->n_lines, w->n_ranges, (int)i);
    for (int64_t t = r.begin; t < r.end; t++)
        exb_half_widen(w->x->kind, w->length, w->x->p + t * w->step, w->inc, w->out + t * w->length,
                       1);
}

exb_selements exb_half_widen_vectors(const exb_half_vectors *x, float *out)
{
    bool across = x->vs == 1 && x->ls != 1;
    lines w = {x,
               across ? x->k : x->n,
               across ? x->n : x->k,
               across ? x->ls : x->vs,
               across ? x->vs : x->ls,
               1,
               out};
    w.n_ranges = exb_partition_count((double)x->n * (double)x->k, w.n_lines);
    exb_parallel_for(w.n_ranges, w.n_ranges, widen_range, &w);
    return (exb_selements){out, across ? 1 : x->k, across ? x->n : 1};
}

static void gather(const void *source, int64_t v0, int64_t nv, int64_t l0, int64_t nl, float *out)
{
    const exb_half_vectors *x = source;
    const uint16_t *p = x->p + v0 * x->vs + l0 * x->ls;
    bool across = x->vs == 1 && nv > 1;
    for (int64_t v = 0; !across && v < nv; v++)
        exb_half_widen(x->kind, nl, p + v * x->vs, x->ls, out + v * nl, 1);
    for (int64_t l = 0; across && l < nl; l++)
        exb_half_widen(x->kind, nv, p + l * x->ls, 1, out + l, nl);
}

exb_soperand exb_half_operand(const exb_half_vectors *x, const exb_selements *wide)
{
    if (wide)
        return (exb_soperand){.in_place = *wide};
    return (exb_soperand){.gather = gather, .source = x};
}

int exb_half_unit(const exb_half_vectors *x, int64_t v)
{
    enum { PIECE = 512 };
    uint16_t beside[PIECE];
    int16_t least = INT16_MAX; /* of the magnitudes but 0, less 1 */
    for (int64_t l = 0; l < x->k; l += PIECE) {
        const uint16_t *p = x->p + v * x->vs + l * x->ls;
        int n = (int)exb_least(x->k - l, PIECE);
        for (int i = 0; x->ls != 1 && i < n; i++)
            beside[i] = p[i * x->ls];
        p = x->ls != 1 ? beside : p;
        for (int i = 0; i < n; i++) { /* a loop that compilers vectorise */
            int16_t m = (int16_t)((p[i] - 1) & 0x7fff);
            least = m < least ? m : least;
        }
    }
    int field = (least + 1) >> (x->kind == EXB_BF16 ? 7 : 10);
    return (field > 0 ? field - 1 : 0) + (x->kind == EXB_BF16 ? -133 : -24);
}
