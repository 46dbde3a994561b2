/* Types: s d c z. */
#include "mpi/pblas/pblas_alone.h"

/* An operand as the library's routines take it. */
typedef struct {
    exb_real *p;
    int64_t ld;
} place;

static place place_of(const exb_pblas_call *q, exb_operand_name name)
{
    exb_spread s = exb_pblas_stored(q, name, EXB_SIZE);
    return (place){s.data, exb_most(s.col_stride, 1)};
}

bool exb_pblas_alone(gemm)(const exb_pblas_call *q)
{
    if (q->team.n != 1)
        return false;
    place a = place_of(q, EXB_A), b = place_of(q, EXB_B), c = place_of(q, EXB_C);
    int trans = exb_pblas_trans(q), transb = exb_pblas_transposition(q->transb);
    serial(gemm)(EXBLAS_COL_MAJOR, trans, transb, q->m, q->n, q->k, exb_pblas_scalar(q->alpha), a.p,
                 a.ld, b.p, b.ld, exb_pblas_scalar(q->beta), c.p, c.ld);
    return true;
}

bool exb_pblas_alone(symm)(const exb_pblas_call *q, bool hermitian)
{
    if (q->team.n != 1)
        return false;
    place a = place_of(q, EXB_A), b = place_of(q, EXB_B), c = place_of(q, EXB_C);
    exb_scalar alpha = exb_pblas_scalar(q->alpha), beta = exb_pblas_scalar(q->beta);
    int side = exb_pblas_side(q), uplo = exb_pblas_uplo(q);
#if EXB_IS_COMPLEX
    if (hermitian)
        serial(hemm)(EXBLAS_COL_MAJOR, side, uplo, q->m, q->n, alpha, a.p, a.ld, b.p, b.ld, beta,
                     c.p, c.ld);
#endif
    if (!hermitian)
        serial(symm)(EXBLAS_COL_MAJOR, side, uplo, q->m, q->n, alpha, a.p, a.ld, b.p, b.ld, beta,
                     c.p, c.ld);
    return true;
}

bool exb_pblas_alone(syrk)(const exb_pblas_call *q, bool hermitian)
{
    if (q->team.n != 1)
        return false;
    place a = place_of(q, EXB_A), c = place_of(q, EXB_C);
    int uplo = exb_pblas_uplo(q), trans = exb_pblas_trans(q);
#if EXB_IS_COMPLEX
    if (hermitian)
        serial(herk)(EXBLAS_COL_MAJOR, uplo, trans, q->n, q->k, *(const exb_real *)q->alpha, a.p,
                     a.ld, *(const exb_real *)q->beta, c.p, c.ld);
#endif
    if (!hermitian)
        serial(syrk)(EXBLAS_COL_MAJOR, uplo, trans, q->n, q->k, exb_pblas_scalar(q->alpha), a.p,
                     a.ld, exb_pblas_scalar(q->beta), c.p, c.ld);
    return true;
}

bool exb_pblas_alone(syr2k)(const exb_pblas_call *q, bool hermitian)
{
    if (q->team.n != 1)
        return false;
    place a = place_of(q, EXB_A), b = place_of(q, EXB_B), c = place_of(q, EXB_C);
    int uplo = exb_pblas_uplo(q), trans = exb_pblas_trans(q);
#if EXB_IS_COMPLEX
    if (hermitian)
        serial(her2k)(EXBLAS_COL_MAJOR, uplo, trans, q->n, q->k, exb_pblas_scalar(q->alpha), a.p,
                      a.ld, b.p, b.ld, *(const exb_real *)q->beta, c.p, c.ld);
#endif
    if (!hermitian)
        serial(syr2k)(EXBLAS_COL_MAJOR, uplo, trans, q->n, q->k, exb_pblas_scalar(q->alpha), a.p,
                      a.ld, b.p, b.ld, exb_pblas_scalar(q->beta), c.p, c.ld);
    return true;
}

bool exb_pblas_alone(triangle)(const exb_pblas_call *q, bool solves)
{
    if (q->team.n != 1)
        return false;
    place a = place_of(q, EXB_A), b = place_of(q, EXB_B);
    exb_scalar alpha = exb_pblas_scalar(q->alpha);
    int side = exb_pblas_side(q), uplo = exb_pblas_uplo(q), diag = exb_pblas_diag(q);
    if (solves)
        serial(trsm)(EXBLAS_COL_MAJOR, side, uplo, exb_pblas_trans(q), diag, q->m, q->n, alpha, a.p,
                     a.ld, b.p, b.ld);
    else
        serial(trmm)(EXBLAS_COL_MAJOR, side, uplo, exb_pblas_trans(q), diag, q->m, q->n, alpha, a.p,
                     a.ld, b.p, b.ld);
    return true;
}
