/* Terms of a chunk into exponent bins (kernel_slots.h). Two loops over small blocks: taking
 * numbers apart, which compilers vectorise, and adding them up, which is scalar.
 * Types: s d. */
#include "core/arith/bins.h"
#include "core/simd/element_simd.h"
#include "core/kernel.h"

enum { BLOCK = 64, SPECIAL = 0x7ff };

/* Exponent (max(field, 1)) and significand of a double, without branches. Those of Inf
 * and NaN are exponent SPECIAL and a significand that the caller must not use. */
EXB_INLINE int64_t significand_of(uint64_t b, int64_t *e)
{
    int64_t field = (int64_t)(b >> 52 & 0x7ff);
    int64_t is_normal = field != 0;
    *e = field + 1 - is_normal;
    return (int64_t)(b & 0xfffffffffffffu) | is_normal << 52;
}

/* Inf and NaN of a chunk, which the bins leave out. */
EXB_INLINE void note_special(exb_term term, int64_t n, const exb_real *x, const exb_real *y,
                             exb_superacc *acc)
{
    for (int64_t i = 0; i < n; i++) {
        double t = x[i];
        if (term == EXB_TERM_XY) {
            if (!isfinite(x[i]) || !isfinite(y[i]))
                exb_superacc_add_product(acc, x[i], y[i]);
        } else if (!isfinite(t)) {
            exb_superacc_add(acc, term == EXB_TERM_ABS_X ? fabs(t) : t);
        }
    }
}

/* n <= BLOCK doubles. Returns true if one was Inf or NaN. */
EXB_INLINE bool add_numbers(exb_bins *bins, int n, const double *x)
{
    int64_t exponent[BLOCK], term[BLOCK];
    int64_t special = 0;
    for (int i = 0; i < n; i++) {
        uint64_t b = exb_bits(x[i]);
        int64_t m = significand_of(b, &exponent[i]);
        m <<= exponent[i] & 7;
        int64_t sign = -(int64_t)(b >> 63), is_special = exponent[i] == SPECIAL;
        special |= is_special;
        term[i] = ((m & (is_special - 1)) ^ sign) - sign;
    }
    for (int i = 0; i < n; i++)
        bins->bin[exponent[i] >> 3] += (exb_u128)(exb_i128)term[i];
    return special;
}

/* n <= BLOCK products of doubles. Returns true if a factor was Inf or NaN. */
EXB_INLINE bool add_products(exb_bins *bins, int n, const double *x, const double *y)
{
    int64_t mx[BLOCK], my[BLOCK], exponent[BLOCK], sign[BLOCK];
    int64_t special = 0;
    for (int i = 0; i < n; i++) {
        int64_t ex, ey;
        uint64_t bx = exb_bits(x[i]), by = exb_bits(y[i]);
        mx[i] = significand_of(bx, &ex);
        my[i] = significand_of(by, &ey);
        my[i] <<= (ex + ey) & 7;
        int64_t is_special = (ex == SPECIAL) | (ey == SPECIAL);
        special |= is_special;
        mx[i] &= is_special - 1;
        exponent[i] = ex + ey;
        sign[i] = -(int64_t)((bx ^ by) >> 63);
    }
    for (int i = 0; i < n; i++) {
        exb_u128 p = (exb_u128)(uint64_t)mx[i] * (uint64_t)my[i];
        exb_u128 mask = (exb_u128)(exb_i128)sign[i]; /* 0 or all ones */
        bins->bin[exponent[i] >> 3] += (p ^ mask) - mask;
    }
    return special;
}

/* The terms as doubles; products of floats are. */
EXB_INLINE void to_doubles(exb_term term, int n, const exb_real *x, const exb_real *y, double *out)
{
    for (int i = 0; i < n; i++) {
        double t = x[i];
        out[i] = term == EXB_TERM_XY ? t * (double)y[i] : term == EXB_TERM_ABS_X ? fabs(t) : t;
    }
}

EXB_INLINE bool add_block(exb_bins *bins, exb_term term, int n, const exb_real *x,
                          const exb_real *y)
{
    double t[BLOCK];
#if !EXB_IS_S
    if (term == EXB_TERM_XY)
        return n == BLOCK ? add_products(bins, BLOCK, x, y) : add_products(bins, n, x, y);
#endif
    to_doubles(term, n, x, y, t);
    return n == BLOCK ? add_numbers(bins, BLOCK, t) : add_numbers(bins, n, t);
}

EXB_INLINE void add_chunk(exb_term term, exb_bins *bins, int64_t n, const exb_real *x,
                          const exb_real *y, exb_superacc *acc)
{
    bool special = false;
    for (int64_t i = 0; i < n; i += BLOCK)
        special |= add_block(bins, term, n - i < BLOCK ? (int)(n - i) : BLOCK, x + i,
                             term == EXB_TERM_XY ? y + i : y);
    if (EXB_UNLIKELY(special))
        note_special(term, n, x, y, acc);
    bins->n_free -= n;
}

void exb_ti(bins)(exb_bins *bins, exb_term term, int64_t n, const exb_real *x, const exb_real *y,
                  exb_superacc *acc)
{
    EXB_FOR_TERM(add_chunk, term, bins, n, x, y, acc);
}
