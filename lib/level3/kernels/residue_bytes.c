/* The kernels of the residue engine (residue.h) for instruction sets with scalar products of four
 * unsigned and four signed bytes.
 * Instruction sets: avx512vnni avxvnni avxvnni-emulated sse2. */
#include "level3/kernels/residue_bytes.h"

#include "core/partition.h"

EXB_RESIDUE_PROTOTYPES(EXB_OWN_ISA)
#define own(name) EXB_RESIDUE_NAME(name, EXB_OWN_ISA)

enum { PIECES = 16 / EXB_LANES /* vectors of doubles for sixteen numbers */ };

/* --- convert ------------------------------------------------------------- */

/* Digits of a block, sixteen each: [d][l] holds those of element l of all vectors. */
typedef exb_w digits[EXB_DIGITS_MAX][EXB_RESIDUE_TERMS];

/* Doubles whose low half holds an integer plus 2^30: rint(y) = t - MAGIC, |rint(y)| <= 2^30. */
#define MAGIC (0x1.8p52 + 0x1p30)

/* y in units of the lowest digit, |y| < 2^(31 (n - 1) + 29): digits from the top, each the rest
 * rounded to the digit's weight w: an exact product (or one far below 1/2, where y / w underflows)
 * plus MAGIC, rounded once to an integer; the rest y - w d is a multiple of ulp(y), at most w / 2 =
 * 2^30 units of the next digit: exact. What is left below the last digit is delta, |delta| <= 1/2.
 * Returns delta; t[d] as above. */
EXB_INLINE exb_v split(exb_v y, int n_digits, exb_v *t)
{
    const exb_v magic = v_set1(MAGIC);
    static const double up[] = {0x1p0, 0x1p31, 0x1p62, 0x1p93};
    static const double down[] = {0x1p0, 0x1p-31, 0x1p-62, 0x1p-93};
    for (int d = n_digits - 1; d > 0; d--) {
        t[d] = v_add_product(y, v_set1(down[d]), magic);
        y = v_add_product(v_sub(magic, t[d]), v_set1(up[d]), y);
    }
    t[0] = v_add(y, magic);
    return v_sub(y, v_sub(t[0], magic));
}

/* Sums of |delta| and delta^2 of sixteen elements, in pieces. */
typedef struct {
    exb_v one[PIECES], two[PIECES];
} losses;

/* Element l of sixteen vectors. */
EXB_INLINE void split_16(int n_digits, const double *x, int64_t l, digits out, losses *lost)
{
    exb_v t[EXB_DIGITS_MAX][PIECES];
#pragma GCC unroll 8
    for (int i = 0; i < PIECES; i++) {
        exb_v all[EXB_DIGITS_MAX];
        exb_v delta = split(v_load(x + i * EXB_LANES), n_digits, all);
        lost->one[i] = v_add(lost->one[i], v_abs(delta));
        lost->two[i] = v_add_product(delta, delta, lost->two[i]);
#pragma GCC unroll 4
        for (int d = 0; d < n_digits; d++)
            t[d][i] = all[d];
    }
#pragma GCC unroll 4
    for (int d = 0; d < n_digits; d++)
        out[d][l] = w_low_halves(t[d]);
}

EXB_INLINE void find_digits(int n_digits, int64_t k, const double *x, digits out,
                            const exb_residue_side *of)
{
    losses sum;
    for (int i = 0; i < PIECES; i++) {
        sum.one[i] = v_load(of->lost_1 + i * EXB_LANES);
        sum.two[i] = v_load(of->lost_2 + i * EXB_LANES);
    }
    for (int64_t l = 0; l < k; l++)
        split_16(n_digits, x + l * EXB_STRIP, l, out, &sum);
    for (int i = 0; i < PIECES; i++) {
        v_store(of->lost_1 + i * EXB_LANES, sum.one[i]);
        v_store(of->lost_2 + i * EXB_LANES, sum.two[i]);
    }
    for (int64_t l = k; l < EXB_RESIDUE_TERMS; l++)
        for (int d = 0; d < n_digits; d++)
            out[d][l] = w_set1(1 << (EXB_DIGIT_BITS - 1)); /* 0 */
}

/* Residues modulo m of 4 n_quads elements of sixteen vectors. */
EXB_INLINE void to_residues(const exb_modulus *m, int side, int n_digits, int64_t n_quads, digits x,
                            uint8_t *out)
{
    const exb_reducer by = exb_reducer_of(m);
    const exb_w start = w_set1(m->base + m->offset[side]);
    exb_w c[EXB_DIGITS_MAX];
    for (int d = 0; d < n_digits; d++)
        c[d] = w_set1((int32_t)m->digit[side][d]);
    for (int64_t q = 0; q < n_quads; q++) {
        exb_w r[4];
#pragma GCC unroll 4
        for (int t = 0; t < 4; t++) {
            exb_w v = start;
            for (int d = 0; d < n_digits; d++)
                v = w_dot(v, x[d][n_quads * t + q], c[d]);
            r[t] = exb_reduce(v, &by);
        }
        exb_w bytes = w_low_bytes4(r[0], r[1], r[2], r[3]);
        if (side == 0)
            bytes = w_wrap_bytes(bytes, m->p);
        w_store(out + 64 * q, bytes);
    }
}

EXB_INLINE void convert_with(int n_digits, int quads, const exb_residue_system *s, int side,
                             int64_t k, const double *x, uint8_t *out, int64_t plane,
                             const exb_residue_side *of)
{
    digits all;
    int64_t n_quads = exb_round_up(k, 4 * quads) / 4;
    find_digits(n_digits, k, x, all, of);
    /* For tiles to [d][16 c + v], those of elements 16 c ... 16 c + 15 of vector v. */
    for (int d = 0; quads == EXB_TILE_QUADS && side == 1 && d < n_digits; d++)
        for (int64_t c = 0; c < EXB_RESIDUE_TERMS; c += 16)
            w_transpose16(all[d] + c);
    for (int i = 0; i < s->n_moduli; i++, out += plane)
        to_residues(&s->modulus[i], side, n_digits, n_quads, all, out);
}

void own(convert)(const exb_residue_system *s, int quads, int side, int64_t k, const double *x,
                  uint8_t *out, int64_t plane, const exb_residue_side *of)
{
    if (s->n_digits == 2)
        convert_with(2, quads, s, side, k, x, out, plane, of);
    else if (s->n_digits == 3)
        convert_with(3, quads, s, side, k, x, out, plane, of);
    else
        convert_with(4, quads, s, side, k, x, out, plane, of);
}

/* --- multiply ------------------------------------------------------------- */

enum { STRIPS = EXB_DOT_STRIPS, COLUMNS = EXB_DOT_COLUMNS }; /* that are multiplied at once */

EXB_INLINE void multiply_strips(int n_strips, const exb_residue_area *area, const uint8_t *a,
                                const uint8_t *b, int8_t *out)
{
    const int64_t stride = area->a.stride;
    exb_w sum[COLUMNS][STRIPS];
#pragma GCC unroll 8
    for (int j = 0; j < COLUMNS; j++)
#pragma GCC unroll 3
        for (int i = 0; i < n_strips; i++)
            sum[j][i] = w_zero();
    for (int64_t q = 0; q < area->kq; q++) {
        exb_w x[STRIPS];
        __builtin_prefetch(area->a.p + 64 * q, 0, 2); /* where the next columns start */
#pragma GCC unroll 3
        for (int i = 0; i < n_strips; i++)
            x[i] = w_load(a + i * stride + 64 * q);
#pragma GCC unroll 8
        for (int j = 0; j < COLUMNS; j++) {
            int32_t four;
            memcpy(&four, b + 64 * q + 4 * j, sizeof four);
            exb_w y = w_set1(four);
#pragma GCC unroll 3
            for (int i = 0; i < n_strips; i++)
                sum[j][i] = w_dot(sum[j][i], x[i], y);
        }
    }
    const exb_reducer by = exb_reducer_of(area->modulus);
#pragma GCC unroll 8
    for (int j = 0; j < COLUMNS; j++)
#pragma GCC unroll 3
        for (int i = 0; i < n_strips; i++)
            exb_store_residues(&by, sum[j][i], area->add, out + j * area->ld + EXB_STRIP * i);
}

static void multiply(const exb_residue_area *area)
{
    for (int64_t c = 0; c < area->columns * EXB_STRIP; c += COLUMNS)
        for (int64_t r = 0; r < area->rows; r += STRIPS) {
            const uint8_t *a = area->a.p + r * area->a.stride;
            const uint8_t *b = area->b.p + c / EXB_STRIP * area->b.stride + c % EXB_STRIP * 4;
            int8_t *out = area->out + c * area->ld + r * EXB_STRIP;
            if (STRIPS > 2 && area->rows - r > 2)
                multiply_strips(STRIPS, area, a, b, out);
            else if (STRIPS > 1 && area->rows - r > 1)
                multiply_strips(2, area, a, b, out);
            else
                multiply_strips(1, area, a, b, out);
        }
}

/* --- combine ------------------------------------------------------------- */

EXB_INLINE exb_w combine_64(const exb_modulus *m, int side, exb_combination how, exb_w x, exb_w y)
{
    bool plus = how == EXB_PLUS;
    return side == 0 ? w_combine(plus, x, y, m->p) : w_combine_signed(plus, x, y, m->p);
}

void own(combine)(const exb_modulus *m, int side, exb_combination how, int64_t n, const uint8_t *x,
                  const uint8_t *y, uint8_t *out)
{
    int64_t i = 0;
    for (; i + 64 <= n; i += 64)
        w_store(out + i, combine_64(m, side, how, w_load(x + i), w_load(y + i)));
    if (i < n) {
        exb_w z = combine_64(m, side, how, w_load_first(x + i, n - i), w_load_first(y + i, n - i));
        w_store_first(out + i, n - i, z);
    }
}

/* --- reconstruct --------------------------------------------------------- */

enum { GROUPS = EXB_MODULI_MAX / 4 /* of four moduli side by side, residues of 64 rows */ };

/* C' = sum of limbs - q P for eight elements; h, l, lost as join_limbs (residue.h). */
EXB_INLINE void join(const exb_residue_system *s, int n_limbs, exb_v *limb, exb_v *h, exb_v *l,
                     exb_v *lost)
{
    const exb_v magic = v_set1(0x1.8p52);
    exb_v top = limb[n_limbs - 1];
    if (n_limbs > 1)
        top = v_add(top, limb[n_limbs - 2]);
    exb_v q = v_sub(magic, v_add_product(top, v_set1(s->inverse), magic));
    for (int j = 0; j < n_limbs; j++)
        limb[j] = v_add_product(q, v_set1(s->limb[j]), limb[j]);
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

EXB_INLINE void reconstruct_16(const exb_residue_system *s, int n_limbs, exb_w group[GROUPS][4],
                               int t, double *h, double *l, double *lost)
{
    exb_v limb[PIECES][EXB_LIMBS_MAX];
    for (int j = 0; j < n_limbs; j++)
        for (int part = 0; part < PIECES; part++)
            limb[part][j] = v_zero();
    for (int i = 0; i < s->n_pairs; i++) {
        const exb_pair *pair = &s->pair[i];
        exb_w r = w_dot(w_zero(), w_set1(pair->multiply[i % 2]), group[i / 2][t]);
#pragma GCC unroll 8
        for (int part = 0; part < PIECES; part++) {
            exb_v x = w_piece(r, part);
            for (int j = 0; j < n_limbs; j++)
                limb[part][j] = v_add_product(x, v_set1(pair->limb[j]), limb[part][j]);
        }
    }
    for (int part = 0; part < PIECES; part++) {
        exb_v vh, vl, ve;
        join(s, n_limbs, limb[part], &vh, &vl, &ve);
        v_store_piece(h, t, part, vh);
        v_store_piece(l, t, part, vl);
        v_store_piece(lost, t, part, ve);
    }
}

EXB_INLINE void reconstruct_with(int n_limbs, const exb_residue_system *s, int64_t n,
                                 const int8_t *r, int64_t plane, double *h, double *l, double *lost)
{
    exb_w group[GROUPS][4];
    for (int64_t i = 0; i < n; i += 64, r += 64) {
        for (int g = 0; 4 * g < s->n_moduli; g++) {
            exb_w x[4];
            for (int m = 0; m < 4; m++)
                x[m] = 4 * g + m < s->n_moduli ? w_load(r + (4 * g + m) * plane) : w_zero();
            w_interleave4(x[0], x[1], x[2], x[3], group[g]);
        }
        for (int t = 0; t < 4; t++)
            reconstruct_16(s, n_limbs, group, t, h + i, l + i, lost + i);
    }
}

void own(reconstruct)(const exb_residue_system *s, int64_t n, const int8_t *r, int64_t plane,
                      double *h, double *l, double *lost)
{
    if (s->n_limbs == 3)
        reconstruct_with(3, s, n, r, plane, h, l, lost);
    else if (s->n_limbs == 4)
        reconstruct_with(4, s, n, r, plane, h, l, lost);
    else if (s->n_limbs == 5)
        reconstruct_with(5, s, n, r, plane, h, l, lost);
    else
        reconstruct_with(s->n_limbs, s, n, r, plane, h, l, lost);
}

const exb_residue_kernels EXB_PASTE2(exb_residue_, EXB_OWN_ISA) = {
    1,        EXB_RESIDUE_TILE, EXB_RESIDUE_LEVELS, EXB_DOT_PRODUCTS, own(convert),
    multiply, own(combine),     own(reconstruct),   exb_add_bounds};
