/* The kernels of the residue engine (residue.h) for AVX-512 with VNNI.
 * Instruction sets: avx512vnni. */
#include "level3/kernels/residue_vnni.h"

#include "core/partition.h"

/* What brings |v| <= EXB_REDUCED into [-128, 127] modulo p (residue.h). */
typedef struct {
    exb_f inverse, to_quotient;
    exb_w minus_p;
} reducer;

EXB_INLINE reducer reducer_of(const exb_modulus *m)
{
    return (reducer){f_set1(m->inverse), f_set1(m->to_quotient), w_set1(m->minus_p)};
}

/* The residue, as the low byte, from the bits of p m + v. */
EXB_INLINE exb_w reduce(exb_w bits, reducer r)
{
    exb_f q = f_fma(f_of_bits(bits), r.inverse, r.to_quotient);
    return w_dot(bits, w_of_bits(q), r.minus_p);
}

/* --- convert ------------------------------------------------------------- */

enum { CONVERT_TERMS = 64 };

/* Doubles whose low half holds an integer plus 2^30: rint(y) = t - MAGIC, |rint(y)| <= 2^30. */
#define MAGIC (0x1.8p52 + 0x1p30)

/* y in units of the lowest digit, |y| < 2^(31 (n - 1) + 29): digits from the top, each the rest
 * rounded to the digit's weight w: an FMA with an exact product, rounded once to an integer; the
 * rest y - w d is a multiple of ulp(y), at most w / 2 = 2^30 units of the next digit: exact. What
 * is left below the last digit is delta, |delta| <= 1/2. Returns delta; t[d] as above. */
EXB_INLINE exb_v split(exb_v y, int n_digits, exb_v *t)
{
    const exb_v magic = v_set1(MAGIC);
    static const double up[] = {0x1p0, 0x1p31, 0x1p62, 0x1p93};
    static const double down[] = {0x1p0, 0x1p-31, 0x1p-62, 0x1p-93};
    for (int d = n_digits - 1; d > 0; d--) {
        t[d] = v_fma(y, v_set1(down[d]), magic);
        y = v_fma(v_sub(magic, t[d]), v_set1(up[d]), y);
    }
    t[0] = v_add(y, magic);
    return v_sub(y, v_sub(t[0], magic));
}

/* The digits of up to CONVERT_TERMS elements of a strip: digit[d][l], one vector each. */
EXB_INLINE void to_digits(int n_digits, int64_t k, const double *x, exb_w digit[][CONVERT_TERMS],
                          exb_lost lost)
{
    exb_v one[2], two[2];
    for (int h = 0; h < 2; h++) {
        one[h] = v_load(lost.lost_1 + h * EXB_LANES);
        two[h] = v_load(lost.lost_2 + h * EXB_LANES);
    }
    for (int64_t l = 0; l < k; l++) {
        exb_v t[2][EXB_DIGITS_MAX];
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++) {
            exb_v delta = split(v_load(x + l * EXB_STRIP + h * EXB_LANES), n_digits, t[h]);
            one[h] = v_add(one[h], v_abs(delta));
            two[h] = v_fma(delta, delta, two[h]);
        }
        for (int d = 0; d < n_digits; d++)
            digit[d][l] = w_low_halves(t[0][d], t[1][d]);
    }
    for (int h = 0; h < 2; h++) {
        v_store(lost.lost_1 + h * EXB_LANES, one[h]);
        v_store(lost.lost_2 + h * EXB_LANES, two[h]);
    }
}

/* Residues modulo m of 4 n_quads elements. */
EXB_INLINE void to_residues(const exb_modulus *m, int side, int n_digits, int64_t n_quads,
                            exb_w digit[][CONVERT_TERMS], uint8_t *out, const uint8_t *next)
{
    const reducer by = reducer_of(m);
    const exb_w start = w_set1(m->base + m->offset[side]);
    exb_w c[EXB_DIGITS_MAX];
    for (int d = 0; d < n_digits; d++)
        c[d] = w_set1((int32_t)m->digit[side][d]);
    for (int64_t q = 0; q < n_quads; q++) {
        exb_w r[4];
        __builtin_prefetch(next + 64 * q, 1, 3); /* for the next modulus to write */
#pragma GCC unroll 4
        for (int t = 0; t < 4; t++) {
            exb_w v = start;
            for (int d = 0; d < n_digits; d++)
                v = w_dot(v, digit[d][4 * q + t], c[d]);
            r[t] = reduce(v, by);
        }
        exb_w bytes = w_low_bytes4(r[0], r[1], r[2], r[3]);
        w_store(out + 64 * q, side == 0 ? w_wrap_bytes(bytes, m->p) : bytes);
    }
}

EXB_INLINE void convert_with(int n_digits, const exb_residue_system *s, int side, int64_t k,
                             const double *x, uint8_t *out, int64_t plane, exb_lost lost)
{
    exb_w digit[EXB_DIGITS_MAX][CONVERT_TERMS];
    for (int64_t l = 0; l < k; l += CONVERT_TERMS) {
        int64_t n = exb_least(k - l, CONVERT_TERMS);
        to_digits(n_digits, n, x + l * EXB_STRIP, digit, lost);
        for (int64_t pad = n; pad % 4 != 0; pad++)
            for (int d = 0; d < n_digits; d++)
                digit[d][pad] = w_set1(1 << (EXB_DIGIT_BITS - 1)); /* 0 */
        uint8_t *to = out + l * EXB_STRIP;
        for (int i = 0; i < s->n_moduli; i++, to += plane)
            to_residues(&s->modulus[i], side, n_digits, (n + 3) / 4, digit, to,
                        i + 1 < s->n_moduli ? to + plane : to);
    }
}

void exb_residue_convert_vnni(const exb_residue_system *s, int side, int64_t k, const double *x,
                              uint8_t *out, int64_t plane, exb_lost lost)
{
    if (s->n_digits == 2)
        convert_with(2, s, side, k, x, out, plane, lost);
    else if (s->n_digits == 3)
        convert_with(3, s, side, k, x, out, plane, lost);
    else
        convert_with(4, s, side, k, x, out, plane, lost);
}

/* --- multiply ------------------------------------------------------------ */

enum { STRIPS = EXB_RESIDUE_ROWS / EXB_STRIP };

/* |sum| <= 255 * 128 * 65536 < 2^31: its bits with the sign bit flipped are sum + 2^31 >= 0. */
EXB_INLINE void store_residues(const exb_modulus *m, exb_w sum, bool add, int8_t *out)
{
    const exb_w top = w_set1(INT32_MIN), c = w_set1((int32_t)m->sum_digit);
    exb_w start = w_set1(m->base + m->sum_offset);
    if (add)
        start = w_add(start, w_load_bytes(out));
    exb_w v = w_dot(start, w_xor(sum, top), c);
    w_store_low_bytes(out, reduce(v, reducer_of(m)));
}

EXB_INLINE void multiply_strips(int n_strips, const exb_modulus *m, int64_t kq, const uint8_t *a,
                                int64_t a_stride, const int8_t *b, const uint8_t *ahead, bool add,
                                int8_t *out, int64_t ld)
{
    exb_w sum[EXB_RESIDUE_COLS][STRIPS];
#pragma GCC unroll 8
    for (int j = 0; j < EXB_RESIDUE_COLS; j++)
#pragma GCC unroll 3
        for (int i = 0; i < n_strips; i++)
            sum[j][i] = w_zero();
    for (int64_t q = 0; q < kq; q++) {
        exb_w x[STRIPS];
        __builtin_prefetch(ahead + 64 * q, 0, 2);
#pragma GCC unroll 3
        for (int i = 0; i < n_strips; i++)
            x[i] = w_load(a + i * a_stride + 64 * q);
#pragma GCC unroll 8
        for (int j = 0; j < EXB_RESIDUE_COLS; j++) {
            int32_t four;
            memcpy(&four, b + 64 * q + 4 * j, sizeof four);
            exb_w y = w_set1(four);
#pragma GCC unroll 3
            for (int i = 0; i < n_strips; i++)
                sum[j][i] = w_dot(sum[j][i], x[i], y);
        }
    }
#pragma GCC unroll 8
    for (int j = 0; j < EXB_RESIDUE_COLS; j++)
#pragma GCC unroll 3
        for (int i = 0; i < n_strips; i++)
            store_residues(m, sum[j][i], add, out + j * ld + EXB_STRIP * i);
}

void exb_residue_multiply_vnni(const exb_modulus *m, int64_t kq, int n_strips, const uint8_t *a,
                               int64_t a_stride, const int8_t *b, const uint8_t *ahead, bool add,
                               int8_t *out, int64_t ld)
{
    if (n_strips == 3)
        multiply_strips(3, m, kq, a, a_stride, b, ahead, add, out, ld);
    else if (n_strips == 2)
        multiply_strips(2, m, kq, a, a_stride, b, ahead, add, out, ld);
    else
        multiply_strips(1, m, kq, a, a_stride, b, ahead, add, out, ld);
}

/* --- combine ------------------------------------------------------------- */

EXB_INLINE exb_w combine_64(const exb_modulus *m, int side, exb_combination how, exb_w x, exb_w y)
{
    if (side == 0)
        return how == EXB_PLUS ? w_plus_bytes(x, y, m->p) : w_minus_bytes(x, y, m->p);
    return how == EXB_PLUS ? w_plus_signed_bytes(x, y, m->p) : w_minus_signed_bytes(x, y, m->p);
}

EXB_INLINE void combine_with(const exb_modulus *m, int side, exb_combination how, int64_t n,
                             const uint8_t *x, const uint8_t *y, uint8_t *out)
{
    int64_t i = 0;
    for (; i + 64 <= n; i += 64)
        w_store(out + i, combine_64(m, side, how, w_load(x + i), w_load(y + i)));
    if (i < n) {
        exb_w z = combine_64(m, side, how, w_load_first(x + i, n - i), w_load_first(y + i, n - i));
        w_store_first(out + i, n - i, z);
    }
}

void exb_residue_combine_vnni(const exb_modulus *m, int side, exb_combination how, int64_t n,
                              const uint8_t *x, const uint8_t *y, uint8_t *out)
{
    if (side == 0 && how == EXB_PLUS)
        combine_with(m, 0, EXB_PLUS, n, x, y, out);
    else if (side == 0)
        combine_with(m, 0, EXB_MINUS, n, x, y, out);
    else if (how == EXB_PLUS)
        combine_with(m, 1, EXB_PLUS, n, x, y, out);
    else
        combine_with(m, 1, EXB_MINUS, n, x, y, out);
}

/* --- reconstruct --------------------------------------------------------- */

/* C' = sum of limbs - q P for eight elements; h, l, lost as join_limbs (residue.h). */
EXB_INLINE void join(const exb_residue_system *s, int n_limbs, exb_v *limb, exb_v *h, exb_v *l,
                     exb_v *lost)
{
    const exb_v magic = v_set1(0x1.8p52);
    exb_v top = limb[n_limbs - 1];
    if (n_limbs > 1)
        top = v_add(top, limb[n_limbs - 2]);
    exb_v q = v_sub(magic, v_fma(top, v_set1(s->inverse), magic));
    for (int j = 0; j < n_limbs; j++)
        limb[j] = v_fma(q, v_set1(s->limb[j]), limb[j]);
    for (int j = 0; j < n_limbs - 1; j++) {
        exb_v unit = v_set1(s->carry[j]);
        exb_v carry = v_sub(v_add(limb[j], unit), unit);
        limb[j] = v_sub(limb[j], carry);
        limb[j + 1] = v_add(limb[j + 1], carry);
    }
    exb_v first = v_zero(), sum = v_zero(), error;
    *h = limb[n_limbs - 1];
    *lost = v_zero();
    if (n_limbs > 1)
        *h = v_fast_two_sum(*h, limb[n_limbs - 2], &first);
    for (int j = n_limbs - 3; j >= 0; j--) {
        sum = j == n_limbs - 3 ? limb[j] : v_fast_two_sum(sum, limb[j], &error);
        if (j < n_limbs - 3)
            *lost = v_add(*lost, v_abs(error));
    }
    *l = v_fast_two_sum(first, sum, &error);
    *lost = v_add(*lost, v_abs(error));
}

EXB_INLINE void reconstruct_16(const exb_residue_system *s, int n_limbs,
                               exb_w group[EXB_RESIDUE_GROUPS][4], int t, double *h, double *l,
                               double *lost)
{
    exb_v limb[2][EXB_LIMBS_MAX];
    for (int j = 0; j < n_limbs; j++)
        limb[0][j] = limb[1][j] = v_zero();
    for (int i = 0; i < s->n_pairs; i++) {
        const exb_pair *pair = &s->pair[i];
        exb_w r = w_dot(w_zero(), w_set1(pair->multiply[i % 2]), group[i / 2][t]);
        exb_v low = v_of_low(r), high = v_of_high(r);
        for (int j = 0; j < n_limbs; j++) {
            exb_v c = v_set1(pair->limb[j]);
            limb[0][j] = v_fma(low, c, limb[0][j]);
            limb[1][j] = v_fma(high, c, limb[1][j]);
        }
    }
    for (int part = 0; part < 2; part++) {
        exb_v vh, vl, ve;
        int64_t at = 32 * part + 4 * t;
        join(s, n_limbs, limb[part], &vh, &vl, &ve);
        v_store_halves(h + at, h + at + 16, vh);
        v_store_halves(l + at, l + at + 16, vl);
        v_store_halves(lost + at, lost + at + 16, ve);
    }
}

EXB_INLINE void reconstruct_with(int n_limbs, const exb_residue_system *s, int64_t n,
                                 const int8_t *r, int64_t plane, double *h, double *l, double *lost)
{
    exb_w group[EXB_RESIDUE_GROUPS][4];
    for (int64_t i = 0; i < n; i += 64) {
        exb_residue_interleave(s, r + i, plane, group);
        for (int t = 0; t < 4; t++)
            reconstruct_16(s, n_limbs, group, t, h + i, l + i, lost + i);
    }
}

void exb_residue_reconstruct_vnni(const exb_residue_system *s, int64_t n, const int8_t *r,
                                  int64_t plane, double *h, double *l, double *lost)
{
    switch (s->n_limbs) {
    case 3:
        reconstruct_with(3, s, n, r, plane, h, l, lost);
        break;
    case 4:
        reconstruct_with(4, s, n, r, plane, h, l, lost);
        break;
    case 5:
        reconstruct_with(5, s, n, r, plane, h, l, lost);
        break;
    default:
        reconstruct_with(s->n_limbs, s, n, r, plane, h, l, lost);
    }
}

void exb_residue_add_bounds_vnni(int n, const exb_residue_norms *rows, double inf, double two,
                                 double lost_1, double lost_2, double *e)
{
    exb_add_bounds(n, rows, inf, two, lost_1, lost_2, e);
}

const exb_residue_kernels exb_residue_avx512vnni = {
    exb_residue_convert_vnni,     exb_residue_multiply_vnni,   exb_residue_combine_vnni,
    exb_residue_reconstruct_vnni, exb_residue_add_bounds_vnni, NULL};
