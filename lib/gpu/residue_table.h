/* The constants of the residue engine (level3/residue.h) in the form in which kernels use them:
 * numbers in doubles, made from the same system of moduli. Read by kernels and by the host. */
#pragma once

#include "level3/residue_math.h"

/* An integer of up to 2^131 is sum_d 2^(44 d) x_d, |x_d| <= 2^43 (the top one: 2^43 too). */
enum { EXB_PARTS_MAX = 3, EXB_PART_BITS = 44 };

enum {
    EXB_TILE = 32, /* vectors, and terms, that a work-group reads at once */
    EXB_TILE_CELLS = EXB_TILE * EXB_TILE / 4, /* four terms of a vector each */
    EXB_SCAN_TERMS = 512,                     /* terms that a work-group scans or converts */
    EXB_PANEL_TERMS = 131072,                 /* 128 * 127 * 131072 + 128 < 2^31: sums in 32 bits */
    EXB_TERMS_ALIGN = 64,                     /* residues of a vector start on lines of memory */
    EXB_SAMPLE = 32 /* rows and columns of which a few elements are foretold */
};

typedef struct {
    double p, inverse;               /* 1 / p, rounded */
    double weight[2][EXB_PARTS_MAX]; /* 2^(44 d) mod p for A, times (P / p)^-1 for B; symmetric */
} exb_table_modulus;

typedef struct {
    double multiply[2]; /* R = multiply[0] r_x + multiply[1] r_y */
    double limb[EXB_LIMBS_MAX];
} exb_table_pair;

typedef struct {
    double log2_p, inverse;
    double limb[EXB_LIMBS_MAX], carry[EXB_LIMBS_MAX];
    double log2_of[EXB_MODULI_MAX + 1]; /* log2 P of systems of n moduli, n >= EXB_MODULI_MIN */
    /* One more than there are: with an odd number the last pair's second member has weight 0. */
    exb_table_modulus modulus[EXB_MODULI_MAX + 1];
    exb_table_pair pair[EXB_PAIRS_MAX];
} exb_residue_table;

/* What is known of a vector of an operand. */
typedef struct {
    double factor, scale;  /* mu, a power of two, and 1 / mu; 0 if nothing is known of the vector */
    double inf, two;       /* norms of the scaled vector ... */
    double lost_1, lost_2; /* ... and of what rounding it to integers left out */
} exb_side;

/* v mod p in [-127, 127] for an integer |v| <= 3 2^50: the multiplication by 1 / p errs by less
 * than |v| / p 2^-53 and rounding by 1/2, so that the remainder is below p / 2 + 0.38 < 127.9; all
 * products and differences are integers below 2^53, exact. */
EXB_INLINE double exb_residue_of(double v, double p, double inverse)
{
    double q = exb_fma(v, inverse, 0x1.8p52) - 0x1.8p52;
    return exb_fma(-p, q, v);
}
