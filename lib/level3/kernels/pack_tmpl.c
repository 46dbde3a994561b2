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

/* One or two groups of lanes of a strip whose rows are `width` apart, of which the last has n. A
 * group that is not whole is stored whole, too: what follows is overwritten by the next elements,
 * and kept free behind the last ones. */
EXB_INLINE void pack_side_by_side(int groups, int n, int width, int64_t k, const exb_real *x,
                                  int64_t ls, const double *factor, double *out, double *lost)
{
    size_t bytes = (size_t)((groups - 1) * EXB_LANES + n) * sizeof *out;
    lanes q[2];
    double last[2 * EXB_LANES];
#pragma GCC unroll 2
    for (int g = 0; g < groups; g++)
        q[g] = load_lanes(g < groups - 1 ? EXB_LANES : n, factor + g * EXB_LANES,
                          lost + g * EXB_LANES);
    for (int64_t l = 0; l < k; l++, x += ls, out += width) {
        double *to = n == EXB_LANES || l + 1 < k ? out : last;
#pragma GCC unroll 2
        for (int g = 0; g < groups; g++) {
            exb_v e = v_load_up_to_real(x + g * EXB_LANES, g < groups - 1 ? EXB_LANES : n);
            v_store(to + g * EXB_LANES, scale_lanes(&q[g], e));
        }
    }
    if (n < EXB_LANES && k > 0)
        memcpy(out - width, last, bytes);
#pragma GCC unroll 2
    for (int g = 0; g < groups; g++)
        v_store(last + g * EXB_LANES, q[g].lost);
    memcpy(lost, last, bytes);
}

/* A whole strip whose vectors lie side by side. */
static void pack_across(int width, int64_t k, const exb_real *x, int64_t ls, const double *factor,
                        double *out, double *lost)
{
    int v = 0, n = width % EXB_LANES;
    if (n && width < EXB_LANES)
        pack_side_by_side(1, n, width, k, x, ls, factor, out, lost);
    else if (n)
        pack_side_by_side(2, n, width, k, x, ls, factor, out, lost);
    for (; !n && v + 2 * EXB_LANES <= width; v += 2 * EXB_LANES)
        pack_side_by_side(2, EXB_LANES, width, k, x + v, ls, factor + v, out + v, lost + v);
    if (!n && v < width)
        pack_side_by_side(1, EXB_LANES, width, k, x + v, ls, factor + v, out + v, lost + v);
}

/* `rows` elements of n vectors that lie along memory: e[l] has those at l, and zeros. */
EXB_INLINE void load_turned(int64_t n, int64_t rows, const exb_real *x, int64_t vs, exb_v *e)
{
#pragma GCC unroll 8
    for (int v = 0; v < EXB_LANES; v++, x += vs)
        e[v] = v >= n ? v_zero() : rows >= EXB_LANES ? v_load_real(x) : v_load_few_real(x, rows);
    v_transpose(e);
}

/* n vectors that lie along memory as `width` columns of a strip whose rows are `stride` apart, in
 * one or two groups of EXB_LANES. Rows are stored whole, as above, but the last ones. */
EXB_INLINE void pack_turned(int width, int64_t n, int64_t k, const exb_real *x, int64_t vs,
                            const double *factor, int64_t stride, double *out, double *lost)
{
    int groups = (width + EXB_LANES - 1) / EXB_LANES;
    lanes q[2];
    double row[2 * EXB_LANES];
#pragma GCC unroll 2
    for (int g = 0; g < groups; g++) {
        int64_t there = exb_most(exb_least(n - g * EXB_LANES, EXB_LANES), 0);
        q[g] = load_lanes((int)there, factor + g * EXB_LANES, lost + g * EXB_LANES);
    }
    for (int64_t l = 0; l < k; l += EXB_LANES) {
        exb_v e[2][EXB_LANES];
        int64_t rows = k - l;
        bool whole = rows > EXB_LANES || (rows == EXB_LANES && width == groups * EXB_LANES);
#pragma GCC unroll 2
        for (int g = groups; g-- > 0;) /* backwards: what goes too far shows */
            load_turned(n - g * EXB_LANES, rows, x + g * EXB_LANES * vs + l, vs, e[g]);
#pragma GCC unroll 8
        for (int i = 0; i < EXB_LANES; i++) {
            double *to = whole ? out + (l + i) * stride : row;
#pragma GCC unroll 2
            for (int g = 0; g < groups; g++)
                v_store(to + g * EXB_LANES, scale_lanes(&q[g], e[g][i]));
            if (!whole && i < rows)
                memcpy(out + (l + i) * stride, row, (size_t)width * sizeof *out);
        }
    }
#pragma GCC unroll 2
    for (int g = 0; g < groups; g++)
        v_store(row + g * EXB_LANES, q[g].lost);
    if (n > 0)
        memcpy(lost, row, (size_t)exb_least(n, width) * sizeof *lost);
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
    enum { PAIR = EXB_PAIR_VECTORS * EXB_LANES };
    if (width == PAIR && PAIR <= 2 * EXB_LANES) {
        pack_turned(PAIR, n, k, x, vs, factor, width, out, lost);
    } else if (width == EXB_PAIR_COLS && EXB_PAIR_COLS <= 2 * EXB_LANES) {
        pack_turned(EXB_PAIR_COLS, n, k, x, vs, factor, width, out, lost);
    } else if (width % EXB_LANES == 0) {
        for (int v = 0; v < width; v += EXB_LANES)
            pack_turned(EXB_LANES, n - v, k, x + v * vs, vs, factor + v, width, out + v, lost + v);
    } else {
        pack_along(width, n, k, x, vs, 1, factor, out, lost);
    }
}

void exb_ti(pack)(int width, int64_t n, int64_t k, const exb_real *x, int64_t vs, int64_t ls,
                  const double *factor, double *out, int64_t stride, double *lost)
{
    for (int64_t v = 0; v < n; v += width, out += stride) {
        int there = (int)exb_least(n - v, width);
        const exb_real *from = x + v * vs;
        if (vs == 1 && there == width && (width % EXB_LANES == 0 || width < 2 * EXB_LANES))
            pack_across(width, k, from, ls, factor + v, out, lost + v);
        else if (ls == 1)
            pack_lines(width, there, k, from, vs, factor + v, out, lost + v);
        else
            pack_along(width, there, k, from, vs, ls, factor + v, out, lost + v);
    }
}
