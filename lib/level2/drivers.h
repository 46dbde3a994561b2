/* What the routines that differ in symmetry, storage or action have in common. Their entries, which
 * are made from lib/symbols.list (lib/checks.py), check the arguments. k: the diagonals beside the
 * main one that are stored, of a full or packed matrix n. */
#pragma once

#include "level2/stored_matrix.h"

/* symv, sbmv, spmv, hemv, hbmv, hpmv, skewsymv. */
void exb_t(multiply_symmetric)(exb_symmetry kind, exb_storage storage, int layout, int uplo,
                               int64_t n, int64_t k, exb_scalar alpha, const exb_real *a,
                               int64_t lda, const exb_real *x, int64_t incx, exb_scalar beta,
                               exb_real *y, int64_t incy);

typedef enum { EXB_MULTIPLY, EXB_SOLVE } exb_triangle_action;

/* trmv, tbmv, tpmv, trsv, tbsv, tpsv. */
void exb_t(apply_triangle)(exb_triangle_action what, exb_storage storage, int layout, int uplo,
                           int trans, int diag, int64_t n, int64_t k, const exb_real *a,
                           int64_t lda, exb_real *x, int64_t incx);

/* ger, geru, gerc. */
void exb_t(update_general)(bool conjugate, int layout, int64_t m, int64_t n, exb_scalar alpha,
                           const exb_real *x, int64_t incx, const exb_real *y, int64_t incy,
                           exb_real *a, int64_t lda);
/* syr, spr, her, hpr; alpha of her and hpr has no imaginary part. */
void exb_t(update_rank1)(exb_symmetry kind, exb_storage storage, int layout, int uplo, int64_t n,
                         const exb_real *alpha, const exb_real *x, int64_t incx, exb_real *a,
                         int64_t lda);
/* syr2, spr2, her2, hpr2, skewsyr2. */
void exb_t(update_rank2)(exb_symmetry kind, exb_storage storage, int layout, int uplo, int64_t n,
                         exb_scalar alpha, const exb_real *x, int64_t incx, const exb_real *y,
                         int64_t incy, exb_real *a, int64_t lda);
