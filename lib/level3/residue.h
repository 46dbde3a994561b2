/* The residue engine: products of matrices of integers modulo N small numbers.
 *
 * Rows of A and columns of B are scaled by powers of two and rounded to integers a', b'; their
 * product C' is known from its residues modulo coprime p_1 ... p_N <= 255, each a product of
 * matrices of bytes, as long as |C'| < P / 2, P = p_1 ... p_N. What rounding left out of A and B is
 * bounded, not guessed: bounds are in residue_operands_tmpl.c.
 *
 * Source: Ozaki, Uchino, Imamura, "Ozaki scheme II" (2025), with a certificate instead of an
 * error estimate.
 *
 * The digits of a' are bytes, u = sum_d 2^(31 d) (u_d - 2^30) with 0 <= u_d <= 2^31, so that a
 * residue is a scalar product of bytes with constants: v = sum over d, i of byte_i(u_d) c_di +
 * const, |v| < 4 * 4 * 255 * 127 + 127 < 2^19.
 *
 * v modulo p in two operations (EXB_REDUCED). With a multiple p m of 256 p, of at least
 * 2^23 + 2^20 and at most 1.5 * 2^23, the bits of the float f = p m + v are those of p m plus v,
 * exactly, and f inverse + (1.5 * 2^23 - m), rounded once, is 1.5 * 2^23 + q. Here q is an integer
 * within 1/2 + 1/p of v / p (proof/reduce.g): 1 / p has a relative error below 2^-24, f < 2^24. The
 * low bytes of both floats are v and q modulo 256; that of v - q p, |v - q p| <= p / 2 + 1, is the
 * residue as a signed byte: from the bound for p < 254, by trying all v for 254 and 255, whose
 * inverse is rounded up so that -128 occurs, but not 128 (test/level3/residue_test.c). */
#pragma once

#include "core/kernels.h"
#include "level3/residue_math.h"

#define EXB_REDUCED (1 << 19)
#define EXB_FLOAT_ONE_UNIT 0x4b000000 /* the bits of 2^23: from there, floats are integers */

enum {
    EXB_DIGITS_MAX = 4,
    EXB_DIGIT_BITS = 31,
    EXB_LIMB_BITS = 32,
    EXB_STRIP = 16,         /* vectors that are converted together, */
    EXB_RESIDUE_TERMS = 64, /* and terms of them */
    EXB_TILE_QUADS = 16,    /* `quads` of kernels whose operands are tiles: all terms */
    EXB_RESIDUE_TILE = 192, /* rows and columns of the least tile, a multiple of 64 */
    EXB_RESIDUE_HALF = 256, /* of those that are halved once: twice as many, and so on */
    EXB_RESIDUE_LEVELS = 3,
    EXB_RESIDUE_MOST_TERMS = 1000000, /* of a product */
    EXB_RESIDUE_QUADS = 16384 /* of four elements: 2^31 holds so many sums of 4 * 255 * 128 */
};

typedef struct {
    int p;
    float inverse;                     /* 1 / p, rounded */
    float to_quotient;                 /* 1.5 * 2^23 - m */
    int32_t base;                      /* the bits of the float p m */
    int32_t minus_p;                   /* -p mod 256 */
    uint32_t digit[2][EXB_DIGITS_MAX]; /* for A and for B: four constants c_di as signed bytes */
    int32_t offset[2];                 /* -2^30 sum_d 2^(31 d), times inv for B, mod p */
    uint32_t sum_digit;                /* 256^i mod p as signed bytes: of a sum in 32 bits */
    int32_t sum_offset;                /* -2^31 mod p */
} exb_modulus;

/* Two moduli x and y are put together as R = r_x p_y + r_y p_x, |R| < 2^16, which stands for
 * R * P / (p_x p_y); the last of an odd number has the partner y = 1 with r_y = 0. */
typedef struct {
    int32_t multiply[2]; /* the bytes p_y, p_x, and the same 16 bits higher */
    double limb[EXB_LIMBS_MAX];
} exb_pair;

typedef struct {
    int n_moduli, n_digits, n_pairs, n_limbs;
    double log2_p;
    exb_modulus modulus[EXB_MODULI_MAX];
    exb_pair pair[EXB_PAIRS_MAX];
    double limb[EXB_LIMBS_MAX];  /* of P; limb j is a multiple of 2^(32 j) */
    double carry[EXB_LIMBS_MAX]; /* 1.5 * 2^52 units of limb j + 1: adding it rounds to them */
    double inverse;              /* 1 / P */
} exb_residue_system;

/* For EXB_MODULI_MIN <= n_moduli <= EXB_MODULI_MAX. */
void exb_residue_system_init(exb_residue_system *s, int n_moduli);

/* log2 P of a system, to 2^-20. */
double exb_residue_log2(int n_moduli);

/* How residues become a number, eight or one at a time (reconstruct):
 *
 * Limbs: |R| < 2^16 times 32 bits, at most 16 of them: below 2^52 units, all sums are exact. The
 * sum of the limbs is q P + C' with |C'| < P (1/2 - 2^-8); the two highest are that within 2^-20 P
 * in floating point, so q = rint(sum / P). q P, |q| <= 16, is taken off limb by limb, exactly: the
 * top limb of P has up to 48 bits, and what stays there is C' without its lower limbs. Carries:
 * limb j is rounded to a multiple of the unit of limb j + 1, which moves up, exact; what stays is
 * at most half of that unit. From then on every limb is 0 or larger than the sum of all below it,
 * which is all that fast_two_sum asks for: h = top + next, first = its error; sum = the others from
 * the top; l = first + sum. lost: the rounding errors of the others' sum and of the last addition,
 * exactly. Checked by machine: proof/limbs.g, proof/quotient_estimate.g. */

/* What is known of the vectors of one operand, an array each: the powers of two that scale them and
 * those that take this back; of the scaled vectors the largest magnitude and the 2-norm; and of
 * delta = a mu - a', what they lose, the 1-norm and the 2-norm. */
typedef struct {
    double *factor, *scale, *inf, *two, *lost_1, *lost_2;
} exb_residue_side;

enum { EXB_RESIDUE_SIDE_ARRAYS = 6 };

EXB_INLINE exb_residue_side exb_residue_side_from(exb_residue_side s, int64_t i)
{
    return (exb_residue_side){s.factor + i, s.scale + i,  s.inf + i,
                              s.two + i,    s.lost_1 + i, s.lost_2 + i};
}

/* How residues are put together. */
typedef enum { EXB_PLUS, EXB_MINUS } exb_combination;

/* Strips of an operand (convert), `stride` bytes apart. */
typedef struct {
    const uint8_t *p;
    int64_t stride;
} exb_residue_strips;

/* A product of bytes: rows and columns are strips, k is counted in fours and a multiple of the
 * kernels' quads, kq <= EXB_RESIDUE_QUADS. Residues in [-128, 127] of the sums, plus those that are
 * there already if `add`, at out[j * ld + i]. */
typedef struct {
    const exb_residue_kernels *kernels;
    const exb_modulus *modulus;
    int64_t rows, columns, kq;
    exb_residue_strips a, b;
    int64_t plane_a, plane_b; /* bytes to the operands of the next modulus */
    bool add;
    int8_t *out;
    int64_t ld;
} exb_residue_area;

struct exb_residue_kernels {
    int quads;       /* terms are counted in multiples of so many fours */
    int most_tile;   /* rows and columns of the largest tile whose products are not halved */
    int most_levels; /* products are worth halving so often at most (exb_residue_multiply) */
    double products; /* of bytes, in a cycle, by measurement */
    /* Residues of k <= EXB_RESIDUE_TERMS terms of a strip, those of modulus i at out + i * plane;
     * element l of vector v, scaled, is x[l * EXB_STRIP + v]. Zeros are appended up to a multiple
     * of 4 quads terms. Of n_q fours of terms, byte t of the q-th four of a vector is
     * element n_q t + q, so that whole vectors of residues are put together. Fours lie by terms,
     * that of vector v at 4 (16 q + v); for tiles those of side 1 by vectors, at 4 (16 v + q).
     * side 0: A, in [0, p); side 1: B, times (P / p)^-1, in [-128, 127]. Sums of |delta| and of
     * delta^2 are added to `of`'s lost_1 and lost_2. */
    void (*convert)(const exb_residue_system *s, int quads, int side, int64_t k, const double *x,
                    uint8_t *out, int64_t plane, const exb_residue_side *of);
    void (*multiply)(const exb_residue_area *q);
    /* x + y or x - y modulo m for n residues of a side: 0 in [0, p), 1 of magnitude <= p / 2 + 1 in
     * [-128, 127]. out may be x or y. */
    void (*combine)(const exb_modulus *m, int side, exb_combination how, int64_t n,
                    const uint8_t *x, const uint8_t *y, uint8_t *out);
    /* n rows of a column, residues of modulus i at r + i * plane: the integers h + l, and lost >=
     * what l misses, 0 only if nothing. Reads and writes may go on to the next multiple of 64. */
    void (*reconstruct)(const exb_residue_system *s, int64_t n, const int8_t *r, int64_t plane,
                        double *h, double *l, double *lost);
    /* Adds to e[i], i < n, the bound on what rounding to integers left out of the product of row i
     * and a column with these norms. */
    void (*add_bounds)(int n, const exb_residue_side *rows, double inf, double two, double lost_1,
                       double lost_2, double *e);
};

/* The product of bytes of one tile and one modulus, by seven products of half the size where that
 * is faster: halved n_levels times; rows, columns and kq over the kernels' quads are multiples of
 * 2^n_levels. With so many bytes of scratch memory, for `rows` and `columns` that are elements. */
void exb_residue_multiply(const exb_residue_area *q, int n_levels, uint8_t *scratch);
int64_t exb_residue_halving_bytes(int64_t rows, int64_t columns, int64_t k, int n_levels);

/* Every table has its own copy, for its instruction set. */
EXB_INLINE void exb_add_bounds(int n, const exb_residue_side *rows, double inf, double two,
                               double lost_1, double lost_2, double *e)
{
    for (int i = 0; i < n; i++)
        e[i] = exb_residue_bound(e[i], rows->inf[i], rows->two[i], rows->lost_1[i], rows->lost_2[i],
                                 inf, two, lost_1, lost_2);
}
