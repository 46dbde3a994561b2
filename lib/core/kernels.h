/* The table of kernels: one column per instruction set, one row per kernel and type
 * (kernel_slots.h), and which column is in force. */
#ifndef EXB_KERNELS_H
#define EXB_KERNELS_H

#include "core/arith/anchor.h"
#include "core/arith/bins.h"
#include "core/arith/triple.h"

/* What a reduction adds up. */
typedef enum { EXB_TERM_X, EXB_TERM_ABS_X, EXB_TERM_XY } exb_term;

enum {
    EXB_PAIR_PARTS = 32,   /* doubles that the kernel `pairs` returns */
    EXB_BRIEF = 2048,      /* most terms of the kernel `brief` */
    EXB_FEW = 64,          /* most terms of the kernel `few` */
    EXB_FEW_PRODUCTS = 24, /* of products, without static_rounding */
    EXB_CHUNK = 4096,      /* most elements a kernel is given at once */
    EXB_GROUP = 128,       /* most elements that are combined at once */
    EXB_ROWS = 64,         /* most rows a row-block kernel is given at once */
    EXB_ROW_GROUP = 4,     /* contiguous rows that are multiplied by a vector at once */
    EXB_SELL_ROWS = 8      /* rows of a slice of a sparse matrix */
};

/* What became of a short sum. Quietly: numbers that are not 0 have magnitudes of at least
 * EXB_FEW_LEAST, or FLT_MIN if they are floats. Then h and l are multiples of 2^-904, which those
 * of products are, the numbers in a bound at least 2^-1020, and nothing was subnormal: if all is
 * finite, no operation has raised another flag than that of inexact results. With static_rounding,
 * none has raised any. */
typedef enum { EXB_OPEN, EXB_ROUNDED, EXB_ROUNDED_QUIETLY } exb_rounding;

#define EXB_FEW_LEAST 0x1p-400

struct exb_slinear;
struct exb_dlinear;
typedef struct exb_residue_kernels exb_residue_kernels;

/* One column of a block of C: alpha * s_i * (h_i - anchor + l_i +- e_i) + beta * c_i, where
 * s_i = row_scale[i] * col_scale, or 1 if row_scale is NULL, are powers of two in [EXB_SCALE_LEAST,
 * EXB_SCALE_MOST], h_i - anchor is exact, e_i is e[i] or, if e is NULL, exb_pair_bound of
 * row_bound[i] and col_bound, and e_i = 0 means that there is no error: then s_i (h_i - anchor) and
 * s_i l_i do not underflow. beta = 0: c is not read. */
typedef struct {
    const double *h, *l, *e, *row_bound, *row_scale;
    double anchor, col_bound, col_scale, alpha, beta;
    const double *c;
    bool has_zeros; /* a bound may be EXB_BOUND_OF_ZEROS */
} exb_column;

/* Unknown i of many systems: (alpha * b_i - sum_i) / divisor, or without the division, where sum_i
 * = s_i + c_i +- (n_terms + 2) 2^-53 w_i (compensated.h; plus EXB_PRODUCT_LOSS unless exact_terms)
 * plus, if there are any, h_i + l_i +- e_i, e_i = 0 if exact. Arrays are readable up to the next
 * multiple of 8. alpha and divisor are finite, EXB_DIVISOR_LEAST <= |divisor| <=
 * EXB_DIVISOR_MOST. */
typedef struct {
    int64_t n_terms;
    bool exact_terms, unit;
    const double *s, *c, *w, *h, *l, *e, *b;
    double alpha, divisor;
} exb_unknowns;

/* An unknown of many systems with one triangle, sides of it: (sign b_i - sum_i) / divisor, or
 * without the division, for side i, where sum_i is that of n_terms <= EXB_SOLVE_ROWS products of
 * coefficients with known unknowns, none of which exceeds peak_i, plus, if there are any, h_i + l_i
 * +- e_i, e_i = 0 if exact. sign is 1 or -1, inverse = RN(1 / divisor), EXB_DIVISOR_LEAST <=
 * |divisor| <= EXB_DIVISOR_MOST. Unknown j of side i is number j * ld + i. Arrays are readable up
 * to the next multiple of 8 sides. */
typedef struct {
    int n_terms;
    bool unit;
    int64_t ld;
    const double *b, *peak, *h, *l, *e;
    double sign, divisor, inverse;
} exb_sides;

/* n <= EXB_SOLVE_ROWS unknowns of n_sides <= EXB_ROWS such systems. Row i has the coefficients of
 * the i unknowns before it, all rows one after the other, its divisor and inverse, and, unless h is
 * NULL, kept sums from i * kept_ld on. Unknown j of side i is number j * EXB_ROWS + i, and has the
 * right-hand side b until it is known. `peak` is working memory. */
typedef struct {
    int n, n_sides;
    bool unit;
    double sign;
    const double *divisor, *inverse, *h, *l, *e;
    int64_t kept_ld;
    double *peak;
} exb_side_rows;

/* The same for complex systems, whose parts have sides of their own, n_terms <= 2 EXB_SOLVE_ROWS
 * products each, and no divisors: that is re + im i, of which |re^2 + im^2 - square - low| <=
 * 2^-103 square, EXB_DIVISOR_LEAST <= square <= EXB_DIVISOR_MOST, inverse = RN(1 / square). */
typedef struct {
    exb_sides part[2];
    double re, im, square, low, inverse;
} exb_complex_sides;

/* A system of n <= EXB_SOLVE_ROWS unknowns: row i is s_i + c_i +- e_i less the products of column j
 * with x_j, j < i, element (i, j) at t[j * ld + i], divided by its divisor unless `unit`; inverse_i
 * = RN(1 / divisor_i), EXB_DIVISOR_LEAST <= |divisor_i| <= EXB_DIVISOR_MOST. At the start w_i =
 * |c_i|, and c_i may be off by 2^-53 of itself. Arrays s, c and w, which are working memory, and
 * the columns of t are there up to the next multiple of 8. */
typedef struct {
    int n;
    bool unit;
    int64_t ld;
    const double *t, *divisor, *inverse, *e;
    double *s, *c, *w;
} exb_rows;

enum { EXB_SOLVE_ROWS = 64 };

/* A triangle of order n <= 2^EXB_ANCHOR_NU whose columns are contiguous, lda apart, its diagonal
 * ones if `unit`, and which products with x a row sum takes: a_ij x_j to row i (by_rows: the
 * triangle), a_ij x_i to row j (by_columns: its transpose), or both (the symmetric matrix). An
 * element of the diagonal counts once. */
typedef struct {
    int64_t n, lda;
    bool is_upper, unit, by_rows, by_columns;
} exb_triangle;

/* A product of a few elements, alpha sum + beta c(i, j) with sums of a(i, l) b(l, j) for i < m,
 * j < n, l < k, all positive, m and n at most EXB_SMALL_MOST, k at most EXB_SMALL_TERMS: a(i, l) =
 * a[i * a_vs + l * a_ls], b(l, j) = b[j * b_vs + l * b_ls], c(i, j) = c[j * ldc + i]. `peak` >= all
 * |a b|, and 2^-800 <= 2 k peak
 * <= 2^800; alpha and beta are finite. beta = 0: c is not read. is_lower, is_upper: only elements
 * with i >= j, with i <= j are wanted. */
typedef struct {
    bool is_lower, is_upper;
    int m, n, k;
    int64_t a_vs, a_ls, b_vs, b_ls, ldc;
    double peak, alpha, beta;
} exb_small;

enum { EXB_SMALL_MOST = 64, EXB_SMALL_TERMS = 448 };

#define EXB_SMALL_LEAST_PEAK 0x1p-800
#define EXB_SMALL_MOST_PEAK 0x1p800

/* The bound of a row or column of zeros: its products with what is finite are 0, without error. */
#define EXB_BOUND_OF_ZEROS (-1.0)

/* The bound on an element, from those of its row and of its column. */
EXB_INLINE double exb_pair_bound(double row, double column)
{
    if (row == EXB_BOUND_OF_ZEROS || column == EXB_BOUND_OF_ZEROS)
        return 0;
    return row > column ? row : column;
}

#define EXB_SCALE_LEAST 0x1p-800
#define EXB_SCALE_MOST 0x1p800
/* The product of two such scales is one in that range. */
#define EXB_USUAL_SCALE_LEAST 0x1p-400
#define EXB_USUAL_SCALE_MOST 0x1p400

#define EXB_DIVISOR_LEAST 0x1p-900
#define EXB_DIVISOR_MOST 0x1p900

#define EXB_KEY_INF 0x7ff0000000000000
#define EXB_KEY_NAN (EXB_KEY_INF + 1)

/* The kernels of a type. */
#define EXB_SLOT(result, name, arguments) result(*name) arguments;

typedef struct {
#define EXB_SLOT_REAL float
#define EXB_SLOT_LINEAR exb_slinear
#define EXB_SLOTS_OF_FLOATS
#include "core/kernel_slots.h"
#undef EXB_SLOT_REAL
#undef EXB_SLOT_LINEAR
#undef EXB_SLOTS_OF_FLOATS
} exb_skernels;

typedef struct {
#define EXB_SLOT_REAL double
#define EXB_SLOT_LINEAR exb_dlinear
#include "core/kernel_slots.h"
#undef EXB_SLOT_REAL
#undef EXB_SLOT_LINEAR
} exb_dkernels;

#undef EXB_SLOT

/* tile_rows x tile_cols elements of C: for packed panels a[k][tile_rows] and
 * b[k][tile_cols], adds the k products of each element to its compensated sum
 * s, c, w, each [tile_cols][tile_rows]. tile_exact is for data whose products are
 * doubles. tile_twice: to S, M, L of two anchors (chain.h); NULL without FMA. */
typedef void exb_tile_kernel(int64_t k, const double *a, const double *b, double *s, double *c,
                             double *w);

/* Packed panels of k > 0 products: n_strips strips of rows, a[t * a_step + l * rows + i] of strip
 * t, and one of columns, b[l * cols + j]. While the first strips go by, ahead[0] ... ahead[cols k -
 * 1] are asked for, the columns that come next; or b, if none do. */
typedef struct {
    int64_t n_strips, k;
    const double *a;
    int64_t a_step;
    const double *b, *ahead;
} exb_chain_panels;

/* What sums against an anchor become: element (i, j) of C, at c[j * ldc + i], is sign s(i, j), or
 * that and what is there if it `adds`; s(i, j) is row_scale[i] * col_scale[j] times S -
 * EXB_CHAIN_ANCHOR + L, which may be off by `bound`. sign is 1 or -1, scales are usual ones. If it
 * `resumes` sums go on from where they are; if it `fetches` C is asked for meanwhile. */
typedef struct {
    double *c;
    int64_t ldc;
    const double *row_scale, *col_scale;
    double sign, bound;
    bool adds, resumes, fetches;
} exb_chain_ending;

/* n_strips x rows x cols sums of products, element (i, j) of strip t at s[j * ld + t * rows + i].
 * Plain: one FMA each (without FMA for products that are exact); anchored, with the corrections
 * added to l: chain.h; NULL without FMA. Sums start at 0, anchored ones at EXB_CHAIN_ANCHOR, or, to
 * `resume`, where they are. `narrow` does the same of the first narrow_cols columns alone; plain:
 * NULL and 0.
 *
 * `end`: anchored sums with their last products, rounded to C. Bit i of open[t * cols + j] is set
 * if element (i, j) of strip t is not certified: it keeps what is there, and the sums of its column
 * are stored.
 *
 * `twice`: sums of one strip against two anchors from the start, S from EXB_CHAIN_ANCHOR, M from
 * `anchor` and L from 0. */
typedef struct {
    int rows, cols;
    void (*run)(const exb_chain_panels *p, bool resume, double *s, double *l, int64_t ld);
    int narrow_cols;
    void (*narrow)(const exb_chain_panels *p, bool resume, double *s, double *l, int64_t ld);
    void (*end)(const exb_chain_panels *p, const exb_chain_ending *q, double *s, double *l,
                int64_t ld, uint64_t *open);
    void (*twice)(int64_t k, const double *a, const double *b, double anchor, double *s, double *m,
                  double *l, int64_t ld);
} exb_chain_kernel;

/* What eliminations and their bounds do beside tiles, in plain arithmetic, each operation rounded.
 * rows: those of `plain`. No argument overlaps what is written. */
typedef struct {
    /* y += (|m_0| x_0 + |m_1| x_1) + (|m_2| x_2 + |m_3| x_3) for four rows of m, ld apart. */
    void (*add_magnitudes)(int64_t n, const double *m, int64_t ld, const double *x, double *y);
    /* y += (m_0 x_0 + m_1 x_1) + (m_2 x_2 + m_3 x_3). */
    void (*add_products)(int64_t n, const double *m, int64_t ld, const double *x, double *y);
    void (*swap)(int64_t n, double *x, double *y);
    /* A whole panel: out[l][rows] = b[l * ldb + j]. */
    void (*pack_columns)(int64_t k, const double *b, int64_t ldb, double *out);
} exb_line_kernels;

enum {
    EXB_UPDATE_RUN = 32, /* products that are summed one after the other */
    EXB_UPDATE_RUNS = 8, /* such sums that are added up */
    EXB_UPDATE_TERMS = EXB_UPDATE_RUN * EXB_UPDATE_RUNS,
    EXB_SMALL_COLUMNS = 8 /* that are eliminated one by one */
};

/* Steps of eliminations in plain arithmetic, of matrices by rows, ld from one to the next; but for
 * the last one `vectors` <= most_vectors vectors of columns at once. */
typedef struct {
    int lanes, most_vectors;
    /* C -= A B: m rows, 0 < k <= EXB_UPDATE_TERMS products. Each run's sum starts at 0, with or
     * without FMA; the sums are added up one after the other and subtracted from C. */
    void (*update)(int64_t m, int vectors, int64_t k, const double *a, int64_t lda, const double *b,
                   int64_t ldb, double *c, int64_t ldc);
    /* L X = X for n <= EXB_UPDATE_TERMS rows, L's diagonal ones: each element in one update at most
     * and fewer than eight subtractions of single products. */
    void (*solve_lower)(int64_t n, int vectors, const double *l, int64_t ldl, double *x,
                        int64_t ldx);
    /* U X = X, multiplied by the reciprocals of U's diagonal. */
    void (*solve_upper)(int64_t n, int vectors, const double *u, int64_t ldu,
                        const double *reciprocal, double *x, int64_t ldx);
    /* The first n <= EXB_SMALL_COLUMNS columns of m >= n rows, with row pivot[k] >= k instead of k
     * in step k, and quotients with at most two roundings. False if a pivot is 0 or not finite.
     * work: EXB_SMALL_COLUMNS columns of m elements, m rounded up to as many. */
    bool (*factor)(int64_t m, int n, double *a, int64_t lda, double *work, int64_t *pivot);
} exb_elimination_kernels;

/* static_rounding: the kernels `few` and `brief` may be called in any floating-point environment,
 * which they leave as it is, flags included. */
typedef struct {
    const char *isa;
    bool has_fma, static_rounding;
    exb_skernels s;
    exb_dkernels d;
    int tile_rows, tile_cols;
    exb_tile_kernel *tile, *tile_exact, *tile_twice;
    exb_chain_kernel plain, anchored;
    exb_line_kernels lines;
    exb_elimination_kernels elimination;
} exb_kernels;

extern const exb_residue_kernels exb_residue_generic, exb_residue_avx512vnni,
    exb_residue_avx512ifma, exb_residue_amx, exb_residue_amx_emulated,
    exb_residue_amx_emulated_avx2, exb_residue_avxvnni, exb_residue_avxvnni_emulated,
    exb_residue_i8mm, exb_residue_sse2;

/* The table in force, its name, and its products of residues (level3/residue.h): `fast` if they
 * beat chains of FMAs. */
const exb_kernels *exb_kernels_current(void);
const char *exb_isa_current(void);
const exb_residue_kernels *exb_residue_current(bool *fast);

/* The same for a product that is going to use them: where the operating system has to permit the
 * instruction set and refuses, the table in force becomes the one before, for good. */
const exb_residue_kernels *exb_residue_permitted(void);

/* The instruction sets this build has, worst first; what is emulated comes last. */
int exb_isa_count(void);
const char *exb_isa_name(int i);

/* Switches to the table of that name: 0, or -1 if the build or the CPU lacks it. */
int exb_isa_select(const char *name);

/* EXBLAS_ISA: the best table up to this name, which is emulated only if it says so. Called by
 * exb_config_load. */
void exb_kernels_configure(const char *cap);

#endif
