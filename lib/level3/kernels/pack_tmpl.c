/* Norms and packing of the operands of Level 3: kernels scan and pack (kernel_slots.h).
 * Types: s d. */
#include "core/simd/element_simd.h"
#include "core/kernel.h"
#include "core/partition.h"
#include "level3/chain.h"

/* Adds n_rows rows of n elements, ls apart, to the sums of the vectors across them. */
EXB_INLINE void scan_rows(int n_rows, int64_t n, const exb_real *x, int64_t ls, double *sumsq,
                          double *largest)
{
    int64_t v = 0;
    for (; v + EXB_LANES <= n; v += EXB_LANES) {
        exb_v s = v_load(sumsq + v), m = v_load(largest + v);
        for (int l = 0; l < n_rows; l++) {
            exb_v e = v_load_real(x + l * ls + v);
            s = v_add(s, v_mul(e, e));
            m = v_max_abs(m, e);
        }
        v_store(sumsq + v, s);
        v_store(largest + v, m);
    }
    for (; v < n; v++)
        for (int l = 0; l < n_rows; l++) {
            double e = x[l * ls + v];
            sumsq[v] += e * e;
            largest[v] = __builtin_fabs(e) > largest[v] ? __builtin_fabs(e) : largest[v];
        }
}

/* The vectors lie side by side: l outside, so that memory is read in order. */
static void scan_across(int64_t n, int64_t k, const exb_real *x, int64_t ls, double *sumsq,
                        double *largest)
{
    enum { ROWS = 8 };
    int64_t l = 0;
    for (; l + ROWS <= k; l += ROWS)
        scan_rows(ROWS, n, x + l * ls, ls, sumsq, largest);
    for (; l < k; l++)
        scan_rows(1, n, x + l * ls, ls, sumsq, largest);
}

/* A vector that lies along memory. */
static void scan_along(int64_t k, const exb_real *x, double *sumsq, double *largest)
{
    enum { CHAINS = 4 };
    exb_v s[CHAINS], m[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        s[c] = m[c] = v_zero();
    int64_t l = 0;
    for (; l + CHAINS * EXB_LANES <= k; l += CHAINS * EXB_LANES)
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            exb_v e = v_load_real(x + l + c * EXB_LANES);
            s[c] = v_add(s[c], v_mul(e, e));
            m[c] = v_max_abs(m[c], e);
        }
    for (; l < k; l += EXB_LANES) {
        exb_v e = v_load_up_to_real(x + l, k - l);
        s[0] = v_add(s[0], v_mul(e, e));
        m[0] = v_max_abs(m[0], e);
    }
    double most = v_largest(v_max_abs(v_max_abs(m[0], m[1]), v_max_abs(m[2], m[3])));
    *sumsq += v_sum(v_add(v_add(s[0], s[1]), v_add(s[2], s[3])));
    *largest = v_first(v_max_abs(v_set1(most), v_set1(*largest)));
}

void exb_ti(scan)(int64_t n, int64_t k, const exb_real *x, int64_t vs, int64_t ls, double *sumsq,
                  double *largest)
{
    if (vs == 1 && n > 1) {
        enum { BLOCK = 256 };
        for (int64_t v = 0; v < n; v += BLOCK)
            scan_across(exb_least(n - v, BLOCK), k, x + v, ls, sumsq + v, largest + v);
        return;
    }
    for (int64_t v = 0; v < n; v++)
        if (ls == 1)
            scan_along(k, x + v * vs, sumsq + v, largest + v);
        else
            scan_across(1, k, x + v * vs, ls, sumsq + v, largest + v);
}

/* x - RN_grid(x f) / f: zero if and only if x f is an exact multiple of the grid. f is a power of
 * two, |x f| <= 1; the product may underflow, to a number whose grid point is 0, and the grid
 * point over f is exact. */
EXB_INLINE double off_grid(double x, double scaled, double inverse)
{
    const double shift = 0x1.8p52 * EXB_CHAIN_GRID;
    return x - ((scaled + shift) - shift) * inverse;
}

/* Some lanes of the vectors that lie side by side: their factors and what they lose. */
typedef struct {
    exb_v factor, inverse, lost;
} lanes;

EXB_INLINE lanes load_lanes(int n, const double *factor, const double *lost)
{
    double factors[EXB_LANES], inverses[EXB_LANES];
    for (int i = 0; i < EXB_LANES; i++) {
        factors[i] = i < n ? factor[i] : 1;
        inverses[i] = 1 / factors[i];
    }
    return (lanes){v_load(factors), v_load(inverses), v_load_few(lost, n)};
}

/* The elements e, scaled. */
EXB_INLINE exb_v scale_lanes(lanes *q, exb_v e)
{
    const exb_v shift = v_set1(0x1.8p52 * EXB_CHAIN_GRID);
    exb_v y = v_mul(e, q->factor);
    exb_v off = v_sub(e, v_mul(v_sub(v_add(y, shift), shift), q->inverse));
    q->lost = v_max_abs(q->lost, off);
    return y;
}

/* The last n columns of a strip, or EXB_LANES of them, whose rows are `width` apart. If they are
 * not whole vectors they are stored whole, too: what follows is overwritten by the columns that are
 * packed later, and kept free behind the last ones. */
EXB_INLINE void pack_side_by_side(int n, int width, int64_t k, const exb_real *x, int64_t ls,
                                  const double *factor, double *out, double *lost)
{
    size_t bytes = (size_t)n * sizeof *out;
    lanes q = load_lanes(n, factor, lost);
    double last[EXB_LANES];
    for (int64_t l = 0; l < k; l++, x += ls, out += width)
        v_store(n == EXB_LANES || l + 1 < k ? out : last, scale_lanes(&q, v_load_up_to_real(x, n)));
    if (n < EXB_LANES && k > 0)
        memcpy(out - width, last, bytes);
    v_store(last, q.lost);
    memcpy(lost, last, bytes);
}

/* A whole strip whose vectors lie side by side. */
static void pack_across(int width, int64_t k, const exb_real *x, int64_t ls, const double *factor,
                        double *out, double *lost)
{
    int n = width % EXB_LANES, whole = width - n;
    if (n)
        pack_side_by_side(n, width, k, x + whole, ls, factor + whole, out + whole, lost + whole);
    for (int v = 0; v < whole; v += EXB_LANES)
        pack_side_by_side(EXB_LANES, width, k, x + v, ls, factor + v, out + v, lost + v);
}

/* `rows` elements of n vectors that lie along memory: e[l] has those at l, and zeros. */
EXB_INLINE void load_turned(int64_t n, int64_t rows, const exb_real *x, int64_t vs, exb_v *e)
{
#pragma GCC unroll 8
    for (int v = 0; v < EXB_LANES; v++, x += vs)
        e[v] = v >= n ? v_zero() : rows >= EXB_LANES ? v_load_real(x) : v_load_few_real(x, rows);
    v_transpose(e);
}

/* The same of n vectors, or fewer, that lie along memory. Rows are stored whole, as above, but the
 * last ones. */
EXB_INLINE void pack_turned(int n_columns, int64_t n, int width, int64_t k, const exb_real *x,
                            int64_t vs, const double *factor, double *out, double *lost)
{
    int there = (int)exb_most(exb_least(n, n_columns), 0);
    lanes q = load_lanes(there, factor, lost);
    double row[EXB_LANES];
    for (int64_t l = 0; l < k; l += EXB_LANES) {
        exb_v e[EXB_LANES];
        int64_t rows = k - l;
        bool whole = rows > EXB_LANES || (rows == EXB_LANES && n_columns == EXB_LANES);
        load_turned(there, rows, x + l, vs, e);
#pragma GCC unroll 8
        for (int i = 0; i < EXB_LANES; i++) {
            v_store(whole ? out + (l + i) * width : row, scale_lanes(&q, e[i]));
            if (!whole && i < rows)
                memcpy(out + (l + i) * width, row, (size_t)n_columns * sizeof *out);
        }
    }
    v_store(row, q.lost);
    memcpy(lost, row, (size_t)there * sizeof *lost);
}

/* n <= width vectors in any direction. */
static void pack_along(int width, int n, int64_t k, const exb_real *x, int64_t vs, int64_t ls,
                       const double *factor, double *out, double *lost)
{
    for (int v = 0; v < n; v++) {
        double inverse = 1 / factor[v];
        for (int64_t l = 0; l < k; l++) {
            double e = x[v * vs + l * ls], y = e * factor[v];
            out[l * width + v] = y;
            if (off_grid(e, y, inverse) != 0)
                lost[v] = 1;
        }
    }
    for (int v = n; v < width; v++)
        for (int64_t l = 0; l < k; l++)
            out[l * width + v] = 0;
}

/* A strip of n <= width vectors that lie along memory. */
static void pack_lines(int width, int n, int64_t k, const exb_real *x, int64_t vs,
                       const double *factor, double *out, double *lost)
{
    int rest = width % EXB_LANES, whole = width - rest;
    if (rest)
        pack_turned(rest, n - whole, width, k, x + whole * vs, vs, factor + whole, out + whole,
                    lost + whole);
    for (int v = 0; v < whole; v += EXB_LANES)
        pack_turned(EXB_LANES, n - v, width, k, x + v * vs, vs, factor + v, out + v, lost + v);
}

void exb_ti(pack)(int width, int64_t n, int64_t k, const exb_real *x, int64_t vs, int64_t ls,
                  const double *factor, double *out, int64_t stride, double *lost)
{
    for (int64_t v = 0; v < n; v += width, out += stride) {
        int there = (int)exb_least(n - v, width);
        const exb_real *from = x + v * vs;
        if (vs == 1 && there == width)
            pack_across(width, k, from, ls, factor + v, out, lost + v);
        else if (ls == 1)
            pack_lines(width, there, k, from, vs, factor + v, out, lost + v);
        else
            pack_along(width, there, k, from, vs, ls, factor + v, out, lost + v);
    }
}
