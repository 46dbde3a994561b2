/* Plain sums of products of floats in doubles, many rows at once, and the largest magnitude that
 * each of them had or a bound of what they lost (plain.h): a product of two floats is a double. The
 * matrix may have numbers of 16 bits, which are floats.
 * Types: s. */
#include "core/arith/plain.h"
#include "core/simd/element_simd.h"

#if !EXB_IS_S
#error "products of doubles are not doubles"
#endif

enum { STATES = 2, FLIGHT = 4, COLUMNS = 6 };

#include "level2/kernels/rows_sweep.h"

/* The states of a plain sum. */
enum { S, M };

EXB_INLINE lanes add_product(lanes l, exb_v a, exb_v x)
{
    l.v[S] = v_add_product(a, x, l.v[S]);
    l.v[M] = v_max_abs(l.v[M], l.v[S]);
    return l;
}

void exb_ti(plain_sweep)(exb_numbers of, int64_t m, int64_t n, const void *a, int64_t lda,
                         const exb_real *x, double *s, double *peak)
{
    if (of == EXB_OF_B)
        sweep_columns_of(EXB_OF_B, m, n, a, lda, x, (states){s, peak}, NULL);
    else if (of == EXB_OF_H)
        sweep_columns_of(EXB_OF_H, m, n, a, lda, x, (states){s, peak}, NULL);
    else
        sweep_matrix(of, m, n, a, lda, x, (states){s, peak}, NULL);
}

/* --- rows of floats ----------------------------------------------------------- */

/* s[0] + s[1]: the rows' sums with x or, in turn, x and y; t: of each row the magnitudes |a| |x|,
 * or |a| (|x| + |y|), as floats, twice as many at once. Returns how many elements that were. */
EXB_INLINE int64_t add_float_rows(int parts, int64_t n, const float *const *row, int64_t lda,
                                  const float *x, const float *y, exb_v (*s)[EXB_ROW_GROUP],
                                  exb_reals *t)
{
    int64_t i = 0;
    for (; i + EXB_REALS <= n; i += EXB_REALS) {
        int64_t ahead = exb_rows_ahead(EXB_ROW_GROUP / parts, n, lda, i);
        exb_reals size = r_abs(r_load(x + i));
        if (parts == 2)
            size += r_abs(r_load(y + i));
#pragma GCC unroll 4
        for (int r = 0; r < EXB_ROW_GROUP; r += parts) {
            __builtin_prefetch(row[r] + ahead);
            t[r] = r_add_product(r_abs(r_load(row[r] + i)), size, t[r]);
        }
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++) {
            const int64_t at = i + h * EXB_LANES;
            exb_v xi = v_load_real(x + at), yi = parts == 2 ? v_load_real(y + at) : xi;
#pragma GCC unroll 4
            for (int r = 0; r < EXB_ROW_GROUP; r += parts) {
                exb_v ai = v_keep(v_load_real(row[r] + at));
                s[h][r] = v_add_product(ai, xi, s[h][r]);
                if (parts == 2)
                    s[h][r + 1] = v_add_product(ai, yi, s[h][r + 1]);
            }
        }
    }
    return i;
}

/* No product of a and x is other than 0. */
static bool are_zeros(int64_t n, const float *a, const float *x)
{
    const exb_reals zero = {0};
    exb_real_bits any = {0};
    int64_t i = 0;
    for (; i + EXB_REALS <= n; i += EXB_REALS)
        any |= (exb_real_bits)((r_load(a + i) != zero) & (r_load(x + i) != zero));
    bool found = v_any_nonzero((exb_v)any);
    for (; i < n; i++)
        found |= (a[i] != 0) & (x[i] != 0);
    return !found;
}

/* Each of N = n / EXB_REALS terms of a lane, the addition of s[0] and s[1], up to two terms more
 * and up to three levels of v_sum lose at most u = 2^-53 times what the lanes come to then, which
 * all together is at most T, the sum of the magnitudes: e = (N + 6) u T. The computed T is smaller
 * by (2N + 6) 2^-24 of itself, N < 2^12, and by n 2^-150 of what underflows: where that counts, or
 * floats overflow, n times the largest takes its place, which is 0 only if all products are. */
EXB_INLINE void sum_float_rows(int parts, int64_t n, const float *a, int64_t lda, int64_t growth,
                               const float *x, const float *y, double *sum, double *e)
{
    const double loss = (double)(n / EXB_REALS + 6) * 0x1p-53 * (1 + 0x1p-10);
    const float *row[EXB_ROW_GROUP];
    exb_v s[2][EXB_ROW_GROUP], m[EXB_ROW_GROUP];
    exb_reals t[EXB_ROW_GROUP];
#pragma GCC unroll 4
    for (int r = 0; r < EXB_ROW_GROUP; r++) {
        s[0][r] = s[1][r] = v_zero();
        t[r] = (exb_reals){0};
        row[r] = a + exb_progression(r / parts, lda, growth);
    }
    int64_t i = add_float_rows(parts, n, row, lda, x, y, s, t);
#pragma GCC unroll 4
    for (int r = 0; r < EXB_ROW_GROUP; r++) {
        s[0][r] = v_add(s[0][r], s[1][r]);
        m[r] = v_add(v_half_f(t[r / parts * parts], 0), v_half_f(t[r / parts * parts], 1));
    }
    for (; i < n; i += EXB_LANES)
#pragma GCC unroll 4
        for (int r = 0; r < EXB_ROW_GROUP; r++) {
            exb_v ai = v_load_up_to_real(row[r] + i, n - i);
            exb_v xi = v_load_up_to_real((r % parts == 0 ? x : y) + i, n - i);
            s[0][r] = v_add_product(ai, xi, s[0][r]);
            m[r] = v_add_product(v_abs(ai), v_abs(xi), m[r]);
        }
#pragma GCC unroll 4
    for (int r = 0; r < EXB_ROW_GROUP; r++) {
        double size = v_sum(m[r]);
        sum[r] = v_sum(s[0][r]);
        const float *other = r % parts == 0 ? x : y;
        if (EXB_UNLIKELY(sum[r] == 0) && are_zeros(n, row[r], other))
            size = 0; /* which may have been of both vectors */
        else if (EXB_UNLIKELY(!(size >= 0x1p-100 && size <= FLT_MAX)))
            size = (double)n * exb_ti(largest)(EXB_TERM_XY, n, row[r], other);
        e[r] = size * loss;
    }
}

EXB_INLINE void sum_half_rows(exb_numbers of, int64_t n, const void *a, int64_t lda, const float *x,
                              double *sum, double *e)
{
    lanes l[EXB_ROW_GROUP];
    for (int r = 0; r < EXB_ROW_GROUP; r++)
        l[r] = (lanes){{v_zero(), v_zero()}};
    sweep_row_group(of, 1, n, a, lda, 0, x, x, l);
    for (int r = 0; r < EXB_ROW_GROUP; r++) { /* no more than three additions, of at most v_sum */
        sum[r] = v_sum(l[r].v[S]);
        e[r] = exb_plain_enclosure(sum[r], v_sum(l[r].v[M]), n).e;
    }
}

void exb_ti(plain_rows)(exb_numbers of, int64_t m, int64_t n, const void *a, int64_t lda,
                        int64_t growth, const exb_real *x, const exb_real *y, double *sum,
                        double *e)
{
    for (int64_t step, rows; m > 0; m -= EXB_ROW_GROUP) {
        if (of == EXB_OF_B)
            sum_half_rows(EXB_OF_B, n, a, lda, x, sum, e);
        else if (of == EXB_OF_H)
            sum_half_rows(EXB_OF_H, n, a, lda, x, sum, e);
        else if (y)
            sum_float_rows(2, n, a, lda, growth, x, y, sum, e);
        else
            sum_float_rows(1, n, a, lda, growth, x, x, sum, e);
        step = exb_least(m - EXB_ROW_GROUP, EXB_ROW_GROUP);
        rows = y ? step / 2 : step;
        a = exb_element_at(of, a, exb_progression(rows, lda, growth));
        lda += rows * growth;
        sum += step;
        e += step;
    }
}
