/* Argument checks of Level 3, in BLAS's order. */
#include "core/check/check_rules.h"

/* Leading dimensions of A (n x k or, transposed, k x n), B likewise, and C. The positions of theirs
 * are lda, lda + step, and that of C's is given. */
typedef struct {
    int m, n, k, lda, ldb, ldc;
} positions;

static const positions gemm_positions = {4, 5, 6, 9, 11, 14},
                       batch_positions = {4, 5, 6, 9, 12, 16},
                       gemmt_positions = {5, 5, 6, 9, 11, 14};

static exb_fault check_product(const exb_site *site, const positions *at, int layout, int transa,
                               int transb, int64_t m, int64_t n, int64_t k, int64_t lda,
                               int64_t ldb, int64_t ldc)
{
    exb_fault f = exb_no_fault;
    bool by_columns = layout == EXB_COL_MAJOR;
    /* The stored extents along which leading dimensions stride. */
    int64_t a = (transa == EXB_NO_TRANS) == by_columns ? m : k;
    int64_t b = (transb == EXB_NO_TRANS) == by_columns ? k : n;
    exb_demand(&f, site, at->m, m >= 0);
    exb_demand(&f, site, at->n, n >= 0);
    exb_demand(&f, site, at->k, k >= 0);
    exb_demand(&f, site, at->lda, lda >= exb_at_least_one(a));
    exb_demand(&f, site, at->ldb, ldb >= exb_at_least_one(b));
    exb_demand(&f, site, at->ldc, ldc >= exb_at_least_one(by_columns ? m : n));
    return f;
}

static exb_fault check_transposes(const exb_site *site, int layout, int transa, int transb)
{
    exb_fault f = exb_no_fault;
    exb_demand_option(&f, site, 1, exb_is_layout(layout));
    exb_demand_option(&f, site, 2, exb_is_trans(transa));
    exb_demand_option(&f, site, 3, exb_is_trans(transb));
    return f;
}

exb_fault exb_check_gemm(const exb_site *site, int layout, int transa, int transb, int64_t m,
                         int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc)
{
    exb_fault fault = check_transposes(site, layout, transa, transb);
    if (fault.position)
        return fault;
    if (exb_is_swapped(site, layout))
        return exb_from_row_major(check_product(site, &gemm_positions, EXB_COL_MAJOR, transb,
                                                transa, n, m, k, ldb, lda, ldc));
    return check_product(site, &gemm_positions, layout, transa, transb, m, n, k, lda, ldb, ldc);
}

/* Whether matrices of `columns` vectors of `rows` elements, ld apart, lie behind each other. */
static bool are_apart(int64_t rows, int64_t columns, int64_t ld, int64_t stride)
{
    if (rows == 0 || columns == 0)
        return true;
    /* stride >= ld (columns - 1) + rows, without overflow */
    return stride >= rows && (columns == 1 || (stride - rows) / ld >= columns - 1);
}

exb_fault exb_check_gemm_batch(const exb_site *site, int layout, int transa, int transb, int64_t m,
                               int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                               int64_t stridec, int64_t batch)
{
    exb_fault fault = check_transposes(site, layout, transa, transb);
    bool by_columns = layout == EXB_COL_MAJOR;
    if (!fault.position)
        fault =
            check_product(site, &batch_positions, layout, transa, transb, m, n, k, lda, ldb, ldc);
    if (fault.position)
        return fault;
    bool apart = are_apart(by_columns ? m : n, by_columns ? n : m, ldc, stridec);
    exb_demand(&fault, site, 17, batch <= 1 || apart);
    exb_demand(&fault, site, 18, batch >= 0);
    return fault;
}

exb_fault exb_check_gemmt(const exb_site *site, int layout, int uplo, int transa, int transb,
                          int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc)
{
    exb_fault f = exb_no_fault;
    exb_demand_option(&f, site, 1, exb_is_layout(layout));
    exb_demand_option(&f, site, 2, exb_is_uplo(uplo));
    exb_demand_option(&f, site, 3, exb_is_trans(transa));
    exb_demand_option(&f, site, 4, exb_is_trans(transb));
    if (f.position)
        return f;
    if (exb_is_swapped(site, layout))
        return exb_from_row_major(check_product(site, &gemmt_positions, EXB_COL_MAJOR, transb,
                                                transa, n, n, k, ldb, lda, ldc));
    return check_product(site, &gemmt_positions, layout, transa, transb, n, n, k, lda, ldb, ldc);
}

static bool is_trans_of(exb_update_kind kind, int trans)
{
    return trans == EXB_NO_TRANS || (trans == EXB_TRANS && kind != EXB_UPDATE_HERMITIAN) ||
           (trans == EXB_CONJ_TRANS && kind != EXB_UPDATE_SYMMETRIC);
}

/* The transpose that netlib's CBLAS asks Fortran for: it takes either of the two for a
 * row-major N, and complains in Fortran's place about a column-major one. */
static int from_row_major(exb_update_kind kind, int trans)
{
    int transposed = kind == EXB_UPDATE_HERMITIAN ? EXB_CONJ_TRANS : EXB_TRANS;
    return trans == EXB_NO_TRANS ? transposed : EXB_NO_TRANS;
}

static exb_fault check_update(const exb_site *site, exb_update_kind kind, bool has_b, int layout,
                              int uplo, int trans, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                              int64_t ldc)
{
    exb_fault f = exb_no_fault;
    exb_demand_option(&f, site, 1, exb_is_layout(layout));
    exb_demand_option(&f, site, 2, exb_is_uplo(uplo));
    exb_demand_option(&f, site, 3, exb_is_trans(trans));
    if (!f.position && exb_is_swapped(site, layout))
        return exb_from_row_major(check_update(site, kind, has_b, EXB_COL_MAJOR,
                                               exb_flip_uplo(uplo), from_row_major(kind, trans), n,
                                               k, lda, ldb, ldc));
    int64_t least = exb_at_least_one((trans == EXB_NO_TRANS) == (layout == EXB_COL_MAJOR) ? n : k);
    exb_demand(&f, site, 3, is_trans_of(kind, trans));
    exb_demand(&f, site, 4, n >= 0);
    exb_demand(&f, site, 5, k >= 0);
    exb_demand(&f, site, 8, lda >= least);
    exb_demand(&f, site, 10, !has_b || ldb >= least);
    exb_demand(&f, site, has_b ? 13 : 11, ldc >= exb_at_least_one(n));
    return f;
}

exb_fault exb_check_syrk(const exb_site *site, exb_update_kind kind, int layout, int uplo,
                         int trans, int64_t n, int64_t k, int64_t lda, int64_t ldc)
{
    return check_update(site, kind, false, layout, uplo, trans, n, k, lda, lda, ldc);
}

exb_fault exb_check_syr2k(const exb_site *site, exb_update_kind kind, int layout, int uplo,
                          int trans, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc)
{
    return check_update(site, kind, true, layout, uplo, trans, n, k, lda, ldb, ldc);
}

exb_fault exb_check_symm(const exb_site *site, int layout, int side, int uplo, int64_t m, int64_t n,
                         int64_t lda, int64_t ldb, int64_t ldc)
{
    exb_fault f = exb_no_fault;
    exb_demand_option(&f, site, 1, exb_is_layout(layout));
    exb_demand_option(&f, site, 2, exb_is_side(side));
    exb_demand_option(&f, site, 3, exb_is_uplo(uplo));
    if (!f.position && exb_is_swapped(site, layout))
        return exb_from_row_major(exb_check_symm(site, EXB_COL_MAJOR, exb_flip_side(side),
                                                 exb_flip_uplo(uplo), n, m, lda, ldb, ldc));
    int64_t least = exb_at_least_one(layout == EXB_COL_MAJOR ? m : n);
    exb_demand(&f, site, 4, m >= 0);
    exb_demand(&f, site, 5, n >= 0);
    exb_demand(&f, site, 8, lda >= exb_at_least_one(side == EXB_LEFT ? m : n));
    exb_demand(&f, site, 10, ldb >= least);
    exb_demand(&f, site, 13, ldc >= least);
    return f;
}

exb_fault exb_check_trsm(const exb_site *site, int layout, int side, int uplo, int trans, int diag,
                         int64_t m, int64_t n, int64_t lda, int64_t ldb)
{
    exb_fault f = exb_no_fault;
    exb_demand_option(&f, site, 1, exb_is_layout(layout));
    exb_demand_option(&f, site, 2, exb_is_side(side));
    exb_demand_option(&f, site, 3, exb_is_uplo(uplo));
    exb_demand_option(&f, site, 4, exb_is_trans(trans));
    exb_demand_option(&f, site, 5, exb_is_diag(diag));
    if (!f.position && exb_is_swapped(site, layout))
        return exb_from_row_major(exb_check_trsm(site, EXB_COL_MAJOR, exb_flip_side(side),
                                                 exb_flip_uplo(uplo), trans, diag, n, m, lda, ldb));
    exb_demand(&f, site, 6, m >= 0);
    exb_demand(&f, site, 7, n >= 0);
    exb_demand(&f, site, 10, lda >= exb_at_least_one(side == EXB_LEFT ? m : n));
    exb_demand(&f, site, 12, ldb >= exb_at_least_one(layout == EXB_COL_MAJOR ? m : n));
    return f;
}
