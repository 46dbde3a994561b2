/* Types: s d. */
#include "level3/operand.h"

#include "level1/reduce.h"

enum { PIECE = 64 /* terms of gathered vectors at once */ };

static void scan_in_place(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t k, double *sumsq,
                          double *largest)
{
    for (int64_t l = 0, nl = k; l < k; l += nl, nl = k - l) {
        exb_t(elements) x = exb_t(next_in_place)(o, v0, l, &nl);
        exb_t_kernels()->scan(n, nl, x.p, x.vs, x.ls, sumsq, largest);
    }
}

static void scan_gathered(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t k, double *sumsq,
                          double *largest)
{
    enum { step_v = EXB_GATHER_VECTORS, step_l = PIECE };
    exb_real buffer[step_v * step_l];
    for (int64_t v = 0; v < n; v += step_v)
        for (int64_t l = 0; l < k; l += step_l) {
            int64_t nv = exb_least(n - v, step_v), nl = exb_least(k - l, step_l);
            exb_t(elements) x = exb_t(operand_at)(o, v0 + v, nv, l, nl, buffer);
            exb_t_kernels()->scan(nv, nl, x.p, x.vs, x.ls, sumsq + v, largest + v);
        }
}

/* The sum of squares of a vector whose squares may have left the range, times 4^-e. */
static double scaled_sumsq(const exb_t(operand) *o, int64_t v, int64_t k, int e)
{
    exb_real buffer[EXB_GATHER_TERMS];
    double sum = 0;
    for (int64_t l = 0; l < k; l += EXB_GATHER_TERMS) {
        int64_t nl = exb_least(k - l, EXB_GATHER_TERMS);
        exb_t(elements) x = exb_t(operand_at)(o, v, 1, l, nl, buffer);
        for (int64_t t = 0; t < nl; t++) {
            double y = ldexp((double)x.p[t * x.ls], -e);
            sum += y * y;
        }
    }
    return sum;
}

void exb_t(norms)(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t k, double *sumsq,
                  double *largest, int *shift)
{
    for (int64_t i = 0; i < n; i++) {
        sumsq[i] = largest[i] = 0;
        shift[i] = 0;
    }
    if (exb_t(lies_in_place)(o))
        scan_in_place(o, v0, n, k, sumsq, largest);
    else
        scan_gathered(o, v0, n, k, sumsq, largest);
    for (int64_t i = 0; i < n; i++) {
        double top = largest[i];
        bool in_range = top == 0 || (top >= 0x1p-300 && top <= 0x1p300);
        if (in_range || sumsq[i] != sumsq[i] || top > DBL_MAX)
            continue;
        frexp(top, &shift[i]);
        sumsq[i] = scaled_sumsq(o, v0 + i, k, shift[i]);
    }
}

double exb_t(least_in_vector)(const exb_t(operand) *o, int64_t v, int64_t k)
{
    exb_real buffer[EXB_GATHER_TERMS];
    double least = DBL_MAX;
    for (int64_t l = 0; l < k; l += EXB_GATHER_TERMS) {
        int64_t nl = exb_least(k - l, EXB_GATHER_TERMS);
        exb_t(elements) x = exb_t(operand_at)(o, v, 1, l, nl, buffer);
        for (int64_t t = 0; t < nl; t++)
            least = exb_least_magnitude(least, x.p[t * x.ls]);
    }
    return least;
}

static void pack_gathered(const exb_t(operand) *o, int64_t v0, int n, int64_t l0, int64_t k,
                          exb_strips out)
{
    exb_real strip[EXB_MOST_WIDTH * PIECE];
    for (int64_t l = 0; l < k; l += PIECE) {
        int64_t nl = exb_least(k - l, PIECE);
        for (int g = 0; g < n; g += EXB_GATHER_VECTORS)
            o->gather(o->source, v0 + g, exb_least(n - g, EXB_GATHER_VECTORS), l0 + l, nl,
                      strip + g * nl);
        exb_t_kernels()->pack(out.width, n, nl, strip, nl, 1, out.factor, out.p + l * out.width,
                              out.stride, out.lost);
    }
}

static void pack_in_place(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t l0, int64_t k,
                          exb_strips out)
{
    for (int64_t l = 0, nl = k; l < k; l += nl, nl = k - l) {
        exb_t(elements) x = exb_t(next_in_place)(o, v0, l0 + l, &nl);
        exb_t_kernels()->pack(out.width, n, nl, x.p, x.vs, x.ls, out.factor, out.p + l * out.width,
                              out.stride, out.lost);
    }
}

void exb_t(pack_strips)(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t l0, int64_t k,
                        exb_strips out)
{
    if (exb_t(lies_in_place)(o)) {
        pack_in_place(o, v0, n, l0, k, out);
        return;
    }
    for (int64_t v = 0; v < n; v += out.width) {
        pack_gathered(o, v0 + v, (int)exb_least(n - v, out.width), l0, k, out);
        out.p += out.stride;
        out.factor += out.width;
        out.lost += out.width;
    }
}
