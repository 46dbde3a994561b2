/* The tile kernel of gemm (kernels.h): EXB_LANES x TILE_COLS compensated sums in
 * registers, 3 registers a column; the rows of a panel are one vector. */
#include "core/compensated_simd.h"
#include "core/kernels.h"

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
    int64_t exb_isa(T##peak)(int, int64_t, const real *);
DECLARE(s, float)
DECLARE(d, double)

extern const exb_kernels exb_isa(kernels);
const exb_kernels exb_isa(kernels) = {
    .isa = EXB_STRING(EXB_ISA),
    .has_fma = EXB_HAVE_FMA,
    .s = {exb_isa(sfilter), exb_isa(sanchor), exb_isa(slargest), exb_isa(sexpand), exb_isa(sbins),
          exb_isa(ssweep), exb_isa(sanchored_sweep), exb_isa(scolumn_peaks),
          exb_isa(sanchored_rows), exb_isa(saxpy), exb_isa(slinear), exb_isa(supdate),
          exb_isa(speak)},
    .d = {exb_isa(dfilter), exb_isa(danchor), exb_isa(dlargest), exb_isa(dexpand), exb_isa(dbins),
          exb_isa(dsweep), exb_isa(danchored_sweep), exb_isa(dcolumn_peaks),
          exb_isa(danchored_rows), exb_isa(daxpy), exb_isa(dlinear), exb_isa(dupdate),
          exb_isa(dpeak)},
    .tile_rows = EXB_LANES,
    .tile_cols = TILE_COLS,
    .tile = tile_products,
    .tile_exact = tile_exact,
};
