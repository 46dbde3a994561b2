/* Types: s d. */
#include "level3/operand.h"

#include "level1/reduce.h"

enum { PIECE = 64 /* terms of gathered vectors at once */ };

static bool lies_in_place(const exb_t(operand) *o)
{
    return !o->gather || o->n_first != 0;
}

/* The next elements of n vectors from l on, at most *k: where they lie, or a piece of them in the
 * buffer, for which n <= EXB_MOST_WIDTH. How many to *k. */
static exb_t(elements) next_elements(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t l,
                                     int64_t *k, exb_real buffer[EXB_MOST_WIDTH * PIECE])
{
    if (lies_in_place(o))
        return exb_t(next_in_place)(o, v0, l, k);
    *k = exb_least(*k, PIECE);
    for (int64_t v = 0; v < n; v += EXB_GATHER_VECTORS)
        o->gather(o->source, v0 + v, exb_least(n - v, EXB_GATHER_VECTORS), l, *k, buffer + v * *k);
    return (exb_t(elements)){buffer, *k, 1};
}

static void scan_vectors(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t k, double *sumsq,
                         double *largest)
{
    exb_real buffer[EXB_MOST_WIDTH * PIECE];
    for (int64_t l = 0, nl = k; l < k; l += nl, nl = k - l) {
        exb_t(elements) x = next_elements(o, v0, n, l, &nl, buffer);
        exb_t_kernels()->scan(n, nl, x.p, x.vs, x.ls, sumsq, largest);
    }
}

/* Of complex matrices, whose elements have n_alike vectors of the same magnitudes: their parts
 * where they lie, along vectors, or across them as two vectors each. */
static void scan_parts(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t k, double *sumsq,
                       double *largest)
{
    const int alike = o->n_alike, n_halves = o->second.p ? 2 : 1, n_elements = (int)n / alike;
    for (int half = 0; half < n_halves; half++) {
        exb_t(elements) x = exb_t(elements_from)(half ? o->second : o->in_place, v0 / alike, 0);
        double squares[2 * EXB_MOST_WIDTH] = {0}, most[2 * EXB_MOST_WIDTH] = {0};
        int across = x.ls != 2, n_scanned = n_elements << across;
        exb_t_kernels()->scan(n_scanned, k / n_halves >> across, x.p, across ? 1 : x.vs,
                              across ? x.ls : 1, squares, most);
        for (int i = 0; i < n_scanned; i++) {
            sumsq[i >> across] += squares[i];
            double *top = largest + (i >> across);
            *top = most[i] > *top ? most[i] : *top;
        }
    }
    for (int v = (int)n - 1; v > 0; v--) {
        sumsq[v] = sumsq[v / alike];
        largest[v] = largest[v / alike];
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
    bool has_parts = o->gather && o->n_first == 0 && (o->in_place.ls == 2 || o->in_place.vs == 2);
    int64_t step = lies_in_place(o) ? n : EXB_MOST_WIDTH;
    for (int64_t v = 0; v < n; v += step)
        (has_parts ? scan_parts : scan_vectors)(o, v0 + v, exb_least(n - v, step), k, sumsq + v,
                                                largest + v);
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

static void pack_vectors(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t l0, int64_t k,
                         exb_strips out)
{
    exb_real buffer[EXB_MOST_WIDTH * PIECE];
    for (int64_t l = 0, nl = k; l < k; l += nl, nl = k - l) {
        exb_t(elements) x = next_elements(o, v0, n, l0 + l, &nl, buffer);
        exb_t_kernels()->pack(out.width, n, nl, x.p, x.vs, x.ls, out.factor, out.p + l * out.width,
                              out.stride, out.lost);
    }
}

void exb_t(pack_strips)(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t l0, int64_t k,
                        exb_strips out)
{
    int64_t step = lies_in_place(o) ? n : out.width;
    for (int64_t v = 0; v < n; v += step) {
        pack_vectors(o, v0 + v, exb_least(n - v, step), l0, k, out);
        out.p += out.stride;
        out.factor += step;
        out.lost += step;
    }
}
