/* The tile kernel of gemm (kernels.h): EXB_LANES x TILE_COLS compensated sums in
 * registers, 3 registers a column; the rows of a panel are one vector. */
#include "core/simd/compensated_simd.h"
#include "core/kernels.h"
#include "level3/chain.h"

enum { TILE_COLS = EXB_UNROLL };

EXB_INLINE void tile(bool exact_products, int64_t k, const double *a, const double *b, double *s,
                     double *c, double *w)
{
    exb_vcomp acc[TILE_COLS];
    for (int j = 0; j < TILE_COLS; j++)
        acc[j] = v_comp_load(s + j * EXB_LANES, c + j * EXB_LANES, w + j * EXB_LANES);
    for (int64_t l = 0; l < k; l++) {
        exb_v column = v_load(a + l * EXB_LANES);
        for (int j = 0; j < TILE_COLS; j++) {
            exb_v x = v_set1(b[l * TILE_COLS + j]);
            acc[j] = exact_products ? v_comp_add(acc[j], v_mul(column, x))
                                    : v_comp_add_product(acc[j], column, x);
        }
    }
    for (int j = 0; j < TILE_COLS; j++)
        v_comp_store(acc[j], s + j * EXB_LANES, c + j * EXB_LANES, w + j * EXB_LANES);
}

static void tile_products(int64_t k, const double *a, const double *b, double *s, double *c,
                          double *w)
{
    tile(false, k, a, b, s, c, w);
}

static void tile_exact(int64_t k, const double *a, const double *b, double *s, double *c, double *w)
{
    tile(true, k, a, b, s, c, w);
}

/* Tiles of sums: one chain of FMAs each, or one anchored pair (chain.h). The anchored pair's L is
 * added up in runs, so that its own rounding errors stay those of a short sum. */
enum { CHAIN_ROWS = EXB_CHAIN_VECTORS * EXB_LANES, PAIR_ROWS = EXB_PAIR_VECTORS * EXB_LANES };

/* a b + c in one rounding where FMA is there; else ab must be exact. */
EXB_INLINE exb_v multiply_add(exb_v a, exb_v b, exb_v c)
{
#if EXB_HAVE_FMA
    return v_fma(a, b, c);
#else
    return v_add(v_mul(a, b), c);
#endif
}

/* One run of at most EXB_CHAIN_SHORT_RUN products. */
EXB_INLINE void plain_run(int64_t k, const double *a, const double *b, bool resume, double *s,
                          int64_t ld)
{
    exb_v sum[EXB_CHAIN_COLS][EXB_CHAIN_VECTORS];
#pragma GCC unroll 8
    for (int j = 0; j < EXB_CHAIN_COLS; j++)
#pragma GCC unroll 8
        for (int i = 0; i < EXB_CHAIN_VECTORS; i++)
            sum[j][i] = v_zero();
    for (int64_t t = 0; t < k; t++, a += CHAIN_ROWS, b += EXB_CHAIN_COLS) {
        exb_v x[EXB_CHAIN_VECTORS];
#pragma GCC unroll 8
        for (int i = 0; i < EXB_CHAIN_VECTORS; i++)
            x[i] = v_load(a + i * EXB_LANES);
#pragma GCC unroll 8
        for (int j = 0; j < EXB_CHAIN_COLS; j++) {
            exb_v y = v_set1(b[j]);
#pragma GCC unroll 8
            for (int i = 0; i < EXB_CHAIN_VECTORS; i++)
                sum[j][i] = multiply_add(x[i], y, sum[j][i]);
        }
    }
#pragma GCC unroll 8
    for (int j = 0; j < EXB_CHAIN_COLS; j++)
#pragma GCC unroll 8
        for (int i = 0; i < EXB_CHAIN_VECTORS; i++) {
            double *to = s + j * ld + i * EXB_LANES;
            v_store(to, resume ? v_add(v_load(to), sum[j][i]) : sum[j][i]);
        }
}

static void chain_plain(int64_t k, const double *a, const double *b, bool resume, double *s,
                        double *l, int64_t ld)
{
    (void)l;
    for (int64_t t = 0; t < k; t += EXB_CHAIN_SHORT_RUN)
        plain_run(k - t < EXB_CHAIN_SHORT_RUN ? k - t : EXB_CHAIN_SHORT_RUN, a + t * CHAIN_ROWS,
                  b + t * EXB_CHAIN_COLS, resume || t > 0, s, ld);
}

#if EXB_HAVE_FMA
/* One run of at most EXB_CHAIN_RUN products. */
EXB_INLINE void anchored_run(int64_t k, const double *a, const double *b, bool resume, double *s,
                             double *l, int64_t ld)
{
    exb_v sum[EXB_PAIR_COLS][EXB_PAIR_VECTORS], low[EXB_PAIR_COLS][EXB_PAIR_VECTORS];
#pragma GCC unroll 8
    for (int j = 0; j < EXB_PAIR_COLS; j++)
#pragma GCC unroll 8
        for (int i = 0; i < EXB_PAIR_VECTORS; i++) {
            sum[j][i] = resume ? v_load(s + j * ld + i * EXB_LANES) : v_set1(EXB_CHAIN_ANCHOR);
            low[j][i] = v_zero();
        }
    for (int64_t t = 0; t < k; t++, a += PAIR_ROWS, b += EXB_PAIR_COLS) {
        exb_v x[EXB_PAIR_VECTORS];
#pragma GCC unroll 8
        for (int i = 0; i < EXB_PAIR_VECTORS; i++)
            x[i] = v_load(a + i * EXB_LANES);
#pragma GCC unroll 8
        for (int j = 0; j < EXB_PAIR_COLS; j++) {
            exb_v y = v_set1(b[j]);
#pragma GCC unroll 8
            for (int i = 0; i < EXB_PAIR_VECTORS; i++) {
                exb_v next = v_fma(x[i], y, sum[j][i]);
                exb_v high = v_sub(next, sum[j][i]);
                sum[j][i] = next;
                low[j][i] = v_add(low[j][i], v_fms(x[i], y, high));
            }
        }
    }
#pragma GCC unroll 8
    for (int j = 0; j < EXB_PAIR_COLS; j++)
#pragma GCC unroll 8
        for (int i = 0; i < EXB_PAIR_VECTORS; i++) {
            double *to = l + j * ld + i * EXB_LANES;
            v_store(s + j * ld + i * EXB_LANES, sum[j][i]);
            v_store(to, resume ? v_add(v_load(to), low[j][i]) : low[j][i]);
        }
}

static void chain_anchored(int64_t k, const double *a, const double *b, bool resume, double *s,
                           double *l, int64_t ld)
{
    for (int64_t t = 0; t < k; t += EXB_CHAIN_RUN)
        anchored_run(k - t < EXB_CHAIN_RUN ? k - t : EXB_CHAIN_RUN, a + t * PAIR_ROWS,
                     b + t * EXB_PAIR_COLS, resume || t > 0, s, l, ld);
}
#define anchored_or_none chain_anchored
#else
#define anchored_or_none NULL
#endif

/* The kernels of the two types for this instruction set. */
#define DECLARE(T, real)                                                                           \
    exb_enclosure exb_isa(T##filter)(exb_term, int64_t, const real *, const real *);               \
    void exb_isa(T##anchor)(exb_term, int64_t, const real *, const real *, double,                 \
                            exb_anchored *);                                                       \
    double exb_isa(T##largest)(exb_term, int64_t, const real *, const real *);                     \
    int64_t exb_isa(T##expand)(int, bool, int64_t, exb_term, int64_t, const real *, const real *,  \
                               exb_superacc *);                                                    \
    void exb_isa(T##bins)(exb_bins *, exb_term, int64_t, const real *, const real *,               \
                          exb_superacc *);                                                         \
    void exb_isa(T##sweep)(int, int64_t, const real *, int64_t, const real *, double *, double *,  \
                           double *);                                                              \
    void exb_isa(T##anchored_sweep)(int64_t, int64_t, const real *, int64_t, const real *,         \
                                    double *, double *, double *);                                 \
    void exb_isa(T##column_peaks)(int64_t, const real *, real, double *);                          \
    void exb_isa(T##anchored_rows)(int64_t, const real *, int64_t, const real *, double,           \
                                   exb_anchored *);                                                \
    void exb_isa(T##axpy)(int64_t, real, const real *, real *);                                    \
    void exb_isa(T##linear)(const struct exb_##T##linear *, int64_t, int64_t, int64_t);            \
    bool exb_isa(T##update)(int, int64_t, const double *, const double *, bool, double,            \
                            const double *const *, const real *, real *);                          \
    int64_t exb_isa(T##peak)(int, int64_t, const real *);                                          \
    void exb_isa(T##scan)(int64_t, int64_t, const real *, int64_t, int64_t, double *, double *);   \
    void exb_isa(T##pack)(int, int64_t, int64_t, const real *, int64_t, int64_t, const double *,   \
                          double *, int64_t, double *);                                            \
    uint64_t exb_isa(T##finish)(int, const exb_column *, real *);                                  \
    uint64_t exb_isa(T##solve)(int, const exb_unknowns *, real *);
DECLARE(s, float)
DECLARE(d, double)
void exb_isa(splain_sweep)(int64_t, int64_t, const float *, int64_t, const float *, double *,
                           double *);
void exb_isa(splain_rows)(int64_t, const float *, int64_t, const float *, double *, double *);

extern const exb_kernels exb_isa(kernels);
const exb_kernels exb_isa(kernels) = {
    .isa = EXB_STRING(EXB_ISA),
    .has_fma = EXB_HAVE_FMA,
    .s = {exb_isa(sfilter), exb_isa(sanchor), exb_isa(slargest), exb_isa(sexpand), exb_isa(sbins),
          exb_isa(ssweep), exb_isa(sanchored_sweep), exb_isa(scolumn_peaks),
          exb_isa(sanchored_rows), exb_isa(splain_sweep), exb_isa(splain_rows), exb_isa(saxpy),
          exb_isa(slinear), exb_isa(supdate), exb_isa(speak), exb_isa(sscan), exb_isa(spack),
          exb_isa(sfinish), exb_isa(ssolve)},
    .d = {exb_isa(dfilter), exb_isa(danchor), exb_isa(dlargest), exb_isa(dexpand), exb_isa(dbins),
          exb_isa(dsweep), exb_isa(danchored_sweep), exb_isa(dcolumn_peaks),
          exb_isa(danchored_rows), exb_isa(daxpy), exb_isa(dlinear), exb_isa(dupdate),
          exb_isa(dpeak), exb_isa(dscan), exb_isa(dpack), exb_isa(dfinish), exb_isa(dsolve)},
    .tile_rows = EXB_LANES,
    .tile_cols = TILE_COLS,
    .tile = tile_products,
    .tile_exact = tile_exact,
    .plain = {CHAIN_ROWS, EXB_CHAIN_COLS, chain_plain},
    .anchored = {PAIR_ROWS, EXB_PAIR_COLS, anchored_or_none},
};
