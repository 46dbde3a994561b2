/* Products of a few rows of a sparse matrix, each split at an anchor, and the sums of their parts
 * (csr_block.h has the bounds).
 * Types: s d. */
#include "core/simd/element_simd.h"
#include "core/kernel.h"

/* q + r of a vector of products; takes |q| into *most. */
EXB_INLINE exb_v split(exb_v x, exb_v y, exb_v sigma, exb_v *r, exb_v *most)
{
#if EXB_HAVE_FMA
    exb_v q = v_sub(v_fma(x, y, sigma), sigma);
    *r = v_fms(x, y, q);
#else
    exb_v e = v_zero(), p = EXB_IS_S ? v_mul(x, y) : v_two_prod(x, y, &e);
    exb_v q = v_sub(v_add(p, sigma), sigma);
    *r = v_add(v_sub(p, q), e);
#endif
    *most = v_max_abs(*most, q);
    return q;
}

double exb_ti(split)(int64_t n, const exb_real *x, const exb_real *y, double sigma, double *pairs)
{
    exb_v most = v_zero(), s = v_set1(sigma), q, r;
    int64_t i = 0;
    for (; i + EXB_LANES <= n; i += EXB_LANES) {
        q = split(v_load_real(x + i), v_load_real(y + i), s, &r, &most);
        v_store_pairs(pairs + 2 * i, q, r);
    }
    if (i < n) {
        q = split(v_load_few_real(x + i, n - i), v_load_few_real(y + i, n - i), s, &r, &most);
        v_store_pairs(pairs + 2 * i, q, r);
    }
    return v_largest(most);
}

/* The lanes in which v is no multiple of the unit whose 1.5 * 2^52-fold s is, or no number.
 * |v| <= 2^51 units. */
EXB_INLINE unsigned no_multiples(exb_v v, exb_v s)
{
    return ~v_equal(v_sub(v_add(v, s), s), v) & ((1u << EXB_LANES) - 1);
}

typedef struct {
    exb_v x, y, q; /* the least magnitudes of the factors; the largest q */
    unsigned bad;
} findings;

EXB_INLINE findings look_at(findings f, exb_v x, exb_v y, exb_v sigma, exb_v s)
{
    exb_v e = v_zero(), r;
    if (!EXB_IS_S)
        v_two_prod(x, y, &e);
    split(x, y, sigma, &r, &f.q);
    f.bad |= no_multiples(e, s) | no_multiples(r, s);
    f.x = v_min_nonzero(f.x, x);
    f.y = v_min_nonzero(f.y, y);
    return f;
}

EXB_INLINE double least_of_lanes(exb_v m)
{
    for (int half = EXB_LANES / 2; half > 0; half /= 2)
        m = v_min_nonzero(m, v_swap(m, half));
    return v_first(m);
}

bool exb_ti(are_multiples)(int64_t n, const exb_real *x, const exb_real *y, double sigma)
{
    exb_v s = v_set1(0x1p-43 * sigma), anchor = v_set1(sigma);
    findings f = {.x = v_set1(DBL_MAX), .y = v_set1(DBL_MAX), .q = v_zero()};
    int64_t i = 0;
    for (; i + EXB_LANES <= n && !f.bad; i += EXB_LANES)
        f = look_at(f, v_load_real(x + i), v_load_real(y + i), anchor, s);
    if (i < n && !f.bad)
        f = look_at(f, v_load_few_real(x + i, n - i), v_load_few_real(y + i, n - i), anchor, s);
    bool kept = EXB_IS_S || least_of_lanes(f.x) * least_of_lanes(f.y) >= EXB_PRODUCT_LEAST;
    return kept && !f.bad;
}

/* The sums of the members of n / 2 pairs: first all pairs that are in one place of a vector. */
EXB_INLINE void sum_of_pairs(int64_t n, const double *pairs, double *q, double *r)
{
    exb_v a = v_load_few(pairs, n < EXB_LANES ? n : EXB_LANES);
    int64_t i = EXB_LANES;
    for (; i + EXB_LANES <= n; i += EXB_LANES)
        a = v_add(a, v_load(pairs + i));
    if (i < n)
        a = v_add(a, v_load_few(pairs + i, n - i));
    for (int half = EXB_LANES / 2; half > 1; half /= 2)
        a = v_add(a, v_swap(a, half));
    *q = v_first(a);
    *r = v_first(v_swap(a, 1));
}

/* The same, one number after the other. */
EXB_INLINE void sum_of_few_pairs(int64_t n, const double *pairs, double *q, double *r)
{
    *q = *r = 0;
    for (int64_t i = 0; i < n; i += 2) {
        *q += pairs[i];
        *r += pairs[i + 1];
    }
}

void exb_ti(pair_sums)(int n_pieces, const int32_t *start, const double *pairs, double *q,
                       double *r)
{
    for (int i = 0; i < n_pieces; i++) {
        int64_t n = start[i + 1] - start[i];
        const double *from = pairs + 2 * (int64_t)start[i];
        (EXB_LANES > 1 ? sum_of_pairs : sum_of_few_pairs)(2 * n, from, &q[i], &r[i]);
    }
}

bool exb_ti(indices_fit)(int64_t n, const int32_t *index, int32_t last)
{
    uint32_t most = 0;
    for (int64_t i = 0; i < n; i++)
        most = (uint32_t)index[i] > most ? (uint32_t)index[i] : most;
    return n == 0 || (last >= 0 && most <= (uint32_t)last);
}
