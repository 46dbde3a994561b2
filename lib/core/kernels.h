/* The table of kernels: one column per instruction set, one row per kernel and
 * type. Kernels are correct for all inputs in their contract; which table is in
 * force never shows in a result. */
#ifndef EXB_KERNELS_H
#define EXB_KERNELS_H

#include "core/arith/anchor.h"
#include "core/arith/bins.h"

/* What a reduction adds up. */
typedef enum { EXB_TERM_X, EXB_TERM_ABS_X, EXB_TERM_XY } exb_term;

enum {
    EXB_CHUNK = 4096, /* most elements a kernel is given at once */
    EXB_GROUP = 128,  /* most elements that are combined at once */
    EXB_ROWS = 64,    /* most rows a row-block kernel is given at once */
    EXB_ROW_GROUP = 4 /* contiguous rows that are multiplied by a vector at once */
};

/* Contiguous x, y (y is not used by the terms in x alone); 0 <= n <= EXB_CHUNK.
 *
 * filter   an enclosure of the sum of the terms; unknown if anything overflows
 *          or is not finite
 * anchor   the chunk against the anchor sigma (anchor.h); products of doubles only
 *          if has_fma
 * largest  largest magnitude of a term, rounded; a NaN may be dropped
 * expand   adds the sum of the terms to acc exactly, through expansions of
 *          n_terms terms; special values included. Gives up after more than n_spills
 *          spills into acc; returns the number of terms that are done
 * bins     adds the terms to exponent bins exactly, Inf and NaN to acc; at most
 *          bins->n_free terms
 * sweep    acc_i += a_i1 x_1 + ... + a_in x_n for m <= EXB_ROWS rows of a
 *          column-major block with leading dimension lda, into compensated
 *          sums s, c, w (compensated.h), each EXB_ROWS long
 * anchored_sweep  the same against anchors: s starts at each row's sigma, c and peak, of the
 *          |q|, at 0 (anchor.h; n terms a lane); arrays and any m > 0 rounded up to a multiple of
 *          8. Products of doubles only if has_fma; likewise anchored_rows
 * column_peaks    peak_i = the larger of it and |a_i x|, rounded; arrays as above
 * anchored_rows   EXB_ROW_GROUP rows with stride lda, contiguous in themselves, against one
 *          anchor; at least two lanes a row
 * plain_sweep, plain_rows  of floats, as sweep and anchored_rows: sums that are added up plainly,
 *          and the largest magnitude each had, in plain_rows added over lanes (plain_tmpl.c)
 * axpy     y_i = RN(alpha x_i + y_i), contiguous, any n >= 0
 * linear   elements begin ... end - 1 of all outputs of a linear combination, `step` at a
 *          time (level1/linear.h)
 * update   out_i = RN(a_i + sum of (high_k + low_k) x_k,i) for n <= EXB_GROUP elements and
 *          1, 2 or 4 terms, NaN where that is not decided; |low_k| <= 2^-53 |high_k|; exact:
 *          the coefficients are, otherwise the sum may be off by slack. True if all are
 *          decided
 * peak     the largest key of n contiguous elements of one or two parts: the bits, as
 *          doubles, of |x_i| or of RN(|re| + |im|), EXB_KEY_NAN for NaN; 0 if n = 0
 * scan     n vectors of k elements, element l of vector v at x[v * vs + l * ls]: adds the
 *          squares to sumsq[v], any order, and takes the largest magnitude into
 *          largest[v] (a NaN may be dropped there, not in the sum)
 * pack     the same, times factor[v] (a power of two), as doubles in strips of `width` vectors:
 *          strip s at out + s * stride, element l of its vectors side by side, missing
 *          vectors 0. lost[v] becomes non-zero if an element times factor[v] is not an exact
 *          multiple of EXB_CHAIN_GRID
 * finish   one column of results (exb_column): r[i] for i < n <= 64; returns the set of those
 *          that the enclosure does not decide, whose r[i] means nothing
 * solve    one row of unknowns (exb_unknowns), likewise */
struct exb_slinear;
struct exb_dlinear;
typedef struct exb_residue_kernels exb_residue_kernels;

/* One column of a block of C: alpha * s_i * (h_i - anchor + l_i +- e_i) + beta * c_i, where
 * s_i = row_scale[i] * col_scale, or 1 if row_scale is NULL, are powers of two in [2^-800, 2^800],
 * h_i - anchor is exact, e_i is e[i] or, if e is NULL, the larger of row_bound[i] and col_bound,
 * and e_i = 0 means that there is no error: then s_i (h_i - anchor) and s_i l_i do not underflow.
 * beta = 0: c is not read. */
typedef struct {
    const double *h, *l, *e, *row_bound, *row_scale;
    double anchor, col_bound, col_scale, alpha, beta;
    const double *c;
} exb_column;

/* Unknown i of many systems: (alpha * b_i - sum_i) / divisor, or without the division, where sum_i
 * = s_i + c_i +- (n_terms + 2) 2^-53 w_i (compensated.h; plus EXB_PRODUCT_LOSS unless exact_terms)
 * plus, if there are any, h_i + l_i +- e_i, e_i = 0 if exact. Arrays are readable up to the next
 * multiple of 8. alpha and divisor are finite, 2^-900 <= |divisor| <= 2^900. */
typedef struct {
    int64_t n_terms;
    bool exact_terms, unit;
    const double *s, *c, *w, *h, *l, *e, *b;
    double alpha, divisor;
} exb_unknowns;

#define EXB_KEY_INF 0x7ff0000000000000
#define EXB_KEY_NAN (EXB_KEY_INF + 1)

typedef struct {
    exb_enclosure (*filter)(exb_term term, int64_t n, const float *x, const float *y);
    void (*anchor)(exb_term term, int64_t n, const float *x, const float *y, double sigma,
                   exb_anchored *out);
    double (*largest)(exb_term term, int64_t n, const float *x, const float *y);
    int64_t (*expand)(int n_terms, bool early_exit, int64_t n_spills, exb_term term, int64_t n,
                      const float *x, const float *y, exb_superacc *acc);
    void (*bins)(exb_bins *bins, exb_term term, int64_t n, const float *x, const float *y,
                 exb_superacc *acc);
    void (*sweep)(int m, int64_t n, const float *a, int64_t lda, const float *x, double *s,
                  double *c, double *w);
    void (*anchored_sweep)(int64_t m, int64_t n, const float *a, int64_t lda, const float *x,
                           double *s, double *c, double *peak);
    void (*column_peaks)(int64_t m, const float *a, float x, double *peak);
    void (*anchored_rows)(int64_t n, const float *a, int64_t lda, const float *x, double sigma,
                          exb_anchored *out);
    void (*plain_sweep)(int64_t m, int64_t n, const float *a, int64_t lda, const float *x,
                        double *s, double *peak);
    void (*plain_rows)(int64_t n, const float *a, int64_t lda, const float *x, double *sum,
                       double *most);
    void (*axpy)(int64_t n, float alpha, const float *x, float *y);
    void (*linear)(const struct exb_slinear *l, int64_t begin, int64_t end, int64_t step);
    bool (*update)(int n_terms, int64_t n, const double *high, const double *low, bool exact,
                   double slack, const double *const *x, const float *a, float *out);
    int64_t (*peak)(int n_parts, int64_t n, const float *x);
    void (*scan)(int64_t n, int64_t k, const float *x, int64_t vs, int64_t ls, double *sumsq,
                 double *largest);
    void (*pack)(int width, int64_t n, int64_t k, const float *x, int64_t vs, int64_t ls,
                 const double *factor, double *out, int64_t stride, double *lost);
    uint64_t (*finish)(int n, const exb_column *column, float *r);
    uint64_t (*solve)(int n, const exb_unknowns *unknowns, float *r);
} exb_skernels;

typedef struct {
    exb_enclosure (*filter)(exb_term term, int64_t n, const double *x, const double *y);
    void (*anchor)(exb_term term, int64_t n, const double *x, const double *y, double sigma,
                   exb_anchored *out);
    double (*largest)(exb_term term, int64_t n, const double *x, const double *y);
    int64_t (*expand)(int n_terms, bool early_exit, int64_t n_spills, exb_term term, int64_t n,
                      const double *x, const double *y, exb_superacc *acc);
    void (*bins)(exb_bins *bins, exb_term term, int64_t n, const double *x, const double *y,
                 exb_superacc *acc);
    void (*sweep)(int m, int64_t n, const double *a, int64_t lda, const double *x, double *s,
                  double *c, double *w);
    void (*anchored_sweep)(int64_t m, int64_t n, const double *a, int64_t lda, const double *x,
                           double *s, double *c, double *peak);
    void (*column_peaks)(int64_t m, const double *a, double x, double *peak);
    void (*anchored_rows)(int64_t n, const double *a, int64_t lda, const double *x, double sigma,
                          exb_anchored *out);
    void (*axpy)(int64_t n, double alpha, const double *x, double *y);
    void (*linear)(const struct exb_dlinear *l, int64_t begin, int64_t end, int64_t step);
    bool (*update)(int n_terms, int64_t n, const double *high, const double *low, bool exact,
                   double slack, const double *const *x, const double *a, double *out);
    int64_t (*peak)(int n_parts, int64_t n, const double *x);
    void (*scan)(int64_t n, int64_t k, const double *x, int64_t vs, int64_t ls, double *sumsq,
                 double *largest);
    void (*pack)(int width, int64_t n, int64_t k, const double *x, int64_t vs, int64_t ls,
                 const double *factor, double *out, int64_t stride, double *lost);
    uint64_t (*finish)(int n, const exb_column *column, double *r);
    uint64_t (*solve)(int n, const exb_unknowns *unknowns, double *r);
} exb_dkernels;

/* tile_rows x tile_cols elements of C: for packed panels a[k][tile_rows] and
 * b[k][tile_cols], adds the k products of each element to its compensated sum
 * s, c, w, each [tile_cols][tile_rows]. tile_exact is for data whose products are
 * doubles. */
typedef void exb_tile_kernel(int64_t k, const double *a, const double *b, double *s, double *c,
                             double *w);

/* rows x cols sums of products, element (i, j) at s[j * ld + i], from packed panels a[k][rows] and
 * b[k][cols]. Plain: one FMA each (without FMA for products that are exact); anchored, with the
 * corrections added to l: chain.h; NULL without FMA. Sums start at 0, anchored ones at
 * EXB_CHAIN_ANCHOR, or, to `resume`, where they are. k > 0. */
typedef struct {
    int rows, cols;
    void (*run)(int64_t k, const double *a, const double *b, bool resume, double *s, double *l,
                int64_t ld);
} exb_chain_kernel;

typedef struct {
    const char *isa;
    bool has_fma;
    exb_skernels s;
    exb_dkernels d;
    int tile_rows, tile_cols;
    exb_tile_kernel *tile, *tile_exact;
    exb_chain_kernel plain, anchored;
} exb_kernels;

extern const exb_residue_kernels exb_residue_generic, exb_residue_avx512vnni;

/* The table in force, its name, and its products of residues (level3/residue.h): `fast` if they
 * beat chains of FMAs. */
const exb_kernels *exb_kernels_current(void);
const char *exb_isa_current(void);
const exb_residue_kernels *exb_residue_current(bool *fast);

/* The instruction sets this build has, worst first. */
int exb_isa_count(void);
const char *exb_isa_name(int i);

/* Switches to the table of that name: 0, or -1 if the build or the CPU lacks it. */
int exb_isa_select(const char *name);

/* EXBLAS_ISA: the best table up to this name. Called by exb_config_load. */
void exb_kernels_configure(const char *cap);

#endif
