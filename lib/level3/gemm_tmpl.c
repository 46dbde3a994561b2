/* gemm: C = RN(alpha op(A) op(B) + beta C);  syrk: the named triangle of
 * C = RN(alpha op(A) op(A)^T + beta C). */
#include "level3/gemm.h"

#include "entry.h"

#include "core/check.h"
#include "core/fpenv.h"

/* alpha and beta are looked at here, inside the guard: under DAZ a subnormal alpha
 * would compare equal to 0. */
static EXB_NOINLINE void compute(exb_t(product) * p)
{
    bool is_empty = p->alpha == 0 || p->k == 0;
    if (is_empty && p->beta == 1)
        return;
    if (is_empty) { /* neither A nor B nor alpha counts */
        p->k = 0;
        p->alpha = 1;
    }
    exb_t(multiply)(p);
}

static void run(exb_t(product) * p)
{
    exb_fpenv env;
    exb_fpenv_enter(&env);
    compute(p);
    exb_fpenv_leave(&env);
}

void exb_entry(gemm)(const exb_site *site, int layout, int transa, int transb, int64_t m, int64_t n,
                     int64_t k, exb_real alpha, const exb_real *a, int64_t lda, const exb_real *b,
                     int64_t ldb, exb_real beta, exb_real *c, int64_t ldc)
{
    if (exb_rejected(site, exb_check_gemm(site, layout, transa, transb, m, n, k, lda, ldb, ldc)))
        return;
    if (m == 0 || n == 0)
        return;
    bool by_rows = layout == EXB_ROW_MAJOR;
    exb_t(product) p = {.m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, .c = c};
    p.a = exb_t(matrix_of)(a, lda, (transa != EXB_NO_TRANS) != by_rows);
    p.b = exb_t(matrix_of)(b, ldb, (transb != EXB_NO_TRANS) != by_rows);
    p.c_rs = by_rows ? ldc : 1;
    p.c_cs = by_rows ? 1 : ldc;
    run(&p);
}

void exb_entry(syrk)(const exb_site *site, int layout, int uplo, int trans, int64_t n, int64_t k,
                     exb_real alpha, const exb_real *a, int64_t lda, exb_real beta, exb_real *c,
                     int64_t ldc)
{
    if (exb_rejected(site, exb_check_syrk(site, layout, uplo, trans, n, k, lda, ldc)))
        return;
    if (n == 0)
        return;
    bool by_rows = layout == EXB_ROW_MAJOR;
    exb_t(product) p = {.m = n, .n = n, .k = k, .alpha = alpha, .beta = beta, .c = c};
    p.a = exb_t(matrix_of)(a, lda, (trans != EXB_NO_TRANS) != by_rows);
    p.b = (exb_t(matrix)){p.a.p, p.a.cs, p.a.rs};
    p.c_rs = by_rows ? ldc : 1;
    p.c_cs = by_rows ? 1 : ldc;
    p.region = uplo == EXB_LOWER ? EXB_REGION_LOWER : EXB_REGION_UPPER;
    run(&p);
}
