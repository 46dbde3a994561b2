/* gemm: C = RN(alpha op(A) op(B) + beta C);  syrk: the named triangle of
 * C = RN(alpha op(A) op(A)^T + beta C). */
#include "entry.h"

#include "core/check.h"
#include "core/fpenv.h"
#include "level3/complex_operand.h"
#include "level3/output.h"

/* A matrix argument as the vectors that the product reads: element l of vector v is
 * a[v * vs + l * ls]. */
typedef struct {
    const exb_real *a;
    int64_t vs, ls;
    bool conjugate;
} vectors;

typedef struct {
    exb_t(output) output;
    vectors rows, columns; /* of op(A), of op(B) */
    int64_t m, n, k;
    exb_scalar alpha, beta;
} job;

#if EXB_IS_COMPLEX
static void set_operands(job *j, exb_t(complex_source) source[2])
{
    source[0] = (exb_t(complex_source)){j->rows.a, j->rows.vs, j->rows.ls, j->rows.conjugate};
    source[1] =
        (exb_t(complex_source)){j->columns.a, j->columns.vs, j->columns.ls, j->columns.conjugate};
    j->output.product.a = (exb_p(operand)){.gather = exb_t(gather_rows), .source = &source[0]};
    j->output.product.b = (exb_p(operand)){.gather = exb_t(gather_columns), .source = &source[1]};
}
#else
static void set_operands(job *j, exb_t(complex_source) source[2])
{
    (void)source;
    j->output.product.a = (exb_p(operand)){.p = j->rows.a, .vs = j->rows.vs, .ls = j->rows.ls};
    j->output.product.b =
        (exb_p(operand)){.p = j->columns.a, .vs = j->columns.vs, .ls = j->columns.ls};
}
#endif

static bool is(exb_complex a, double re)
{
    return a.re == re && a.im == 0;
}

/* alpha and beta are looked at here, inside the guard: under DAZ a subnormal alpha
 * would compare equal to 0. */
static EXB_NOINLINE void compute(job *j)
{
    exb_t(complex_source) source[2];
    j->output.alpha = exb_scalar_value(j->alpha);
    j->output.beta = exb_scalar_value(j->beta);
    bool is_empty = is(j->output.alpha, 0) || j->k == 0;
    if (is_empty && is(j->output.beta, 1))
        return;
    if (is_empty) { /* neither A nor B nor alpha counts */
        j->k = 0;
        j->output.alpha = (exb_complex){1, 0};
    }
    set_operands(j, source);
    exb_t(output_run)(&j->output, j->m, j->n, j->k);
}

static void run(job *j, const exb_site *site)
{
    exb_fpenv env;
    exb_call_stats stats;
    exb_fpenv_enter(&env);
    j->output.product.stats = exb_stats_begin(&stats);
    compute(j);
    exb_stats_end(j->output.product.stats, site->routine);
    exb_fpenv_leave(&env);
}

/* The rows of op(X) in column-major order; the columns are the rows of its transpose. */
static vectors rows_of(const exb_real *x, int64_t ldx, int trans)
{
    bool is_plain = trans == EXB_NO_TRANS;
    return (vectors){x, is_plain ? 1 : ldx, is_plain ? ldx : 1, trans == EXB_CONJ_TRANS};
}

static vectors columns_of(const exb_real *x, int64_t ldx, int trans)
{
    bool is_plain = trans == EXB_NO_TRANS;
    return (vectors){x, is_plain ? ldx : 1, is_plain ? 1 : ldx, trans == EXB_CONJ_TRANS};
}

/* In row-major order the transposes of all matrices are stored by columns: C^T = op(B)^T op(A)^T,
 * where rows of one are columns of the other. */
void exb_entry(gemm)(const exb_site *site, int layout, int transa, int transb, int64_t m, int64_t n,
                     int64_t k, exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *b,
                     int64_t ldb, exb_scalar beta, exb_real *c, int64_t ldc)
{
    if (exb_rejected(site, exb_check_gemm(site, layout, transa, transb, m, n, k, lda, ldb, ldc)))
        return;
    if (m == 0 || n == 0)
        return;
    bool by_rows = layout == EXB_ROW_MAJOR;
    job j = {.m = by_rows ? n : m, .n = by_rows ? m : n, .k = k, .alpha = alpha, .beta = beta};
    j.rows = by_rows ? rows_of(b, ldb, transb) : rows_of(a, lda, transa);
    j.columns = by_rows ? columns_of(a, lda, transa) : columns_of(b, ldb, transb);
    j.output.c = c;
    j.output.rs = 1;
    j.output.cs = ldc;
    run(&j, site);
}

#if !EXB_IS_COMPLEX
void exb_entry(syrk)(const exb_site *site, int layout, int uplo, int trans, int64_t n, int64_t k,
                     exb_real alpha, const exb_real *a, int64_t lda, exb_real beta, exb_real *c,
                     int64_t ldc)
{
    if (exb_rejected(site, exb_check_syrk(site, layout, uplo, trans, n, k, lda, ldc)))
        return;
    if (n == 0)
        return;
    bool by_rows = layout == EXB_ROW_MAJOR;
    job j = {.m = n, .n = n, .k = k, .alpha = alpha, .beta = beta};
    j.rows = rows_of(a, lda, (trans != EXB_NO_TRANS) != by_rows ? EXB_TRANS : EXB_NO_TRANS);
    j.columns = j.rows;
    j.output.c = c;
    j.output.rs = 1;
    j.output.cs = ldc;
    /* By rows, C^T is what is stored by columns. */
    j.output.region = (uplo == EXB_LOWER) != by_rows ? EXB_REGION_LOWER : EXB_REGION_UPPER;
    run(&j, site);
}
#endif
