/* Argument checks of Level 2, in BLAS's order. */
#include "core/check/check_rules.h"

exb_fault exb_check_gemv(const exb_site *site, int layout, int trans, int64_t m, int64_t n,
                         int64_t lda, int64_t incx, int64_t incy)
{
    exb_fault f = exb_no_fault;
    exb_demand_option(&f, site, 1, exb_is_layout(layout));
    exb_demand_option(&f, site, 2, exb_is_trans(trans));
    if (!f.position && exb_is_swapped(site, layout))
        return exb_from_row_major(
            exb_check_gemv(site, EXB_COL_MAJOR, exb_flip_trans(trans), n, m, lda, incx, incy));
    exb_demand(&f, site, 3, m >= 0);
    exb_demand(&f, site, 4, n >= 0);
    exb_demand(&f, site, 7, lda >= exb_at_least_one(layout == EXB_COL_MAJOR ? m : n));
    exb_demand(&f, site, 9, incx != 0);
    exb_demand(&f, site, 12, incy != 0);
    return f;
}

/* lda > kl + ku, without overflow. */
/* A negative kl has a fault of its own. */
static bool holds_band(int64_t lda, int64_t kl, int64_t ku)
{
    return kl < 0 || (lda > kl && lda - kl > ku);
}

exb_fault exb_check_gbmv(const exb_site *site, int layout, int trans, int64_t m, int64_t n,
                         int64_t kl, int64_t ku, int64_t lda, int64_t incx, int64_t incy)
{
    exb_fault f = exb_no_fault;
    exb_demand_option(&f, site, 1, exb_is_layout(layout));
    exb_demand_option(&f, site, 2, exb_is_trans(trans));
    if (!f.position && exb_is_swapped(site, layout))
        return exb_from_row_major(exb_check_gbmv(site, EXB_COL_MAJOR, exb_flip_trans(trans), n, m,
                                                 ku, kl, lda, incx, incy));
    exb_demand(&f, site, 3, m >= 0);
    exb_demand(&f, site, 4, n >= 0);
    exb_demand(&f, site, 5, kl >= 0);
    exb_demand(&f, site, 6, ku >= 0);
    exb_demand(&f, site, 9, holds_band(lda, kl, ku));
    exb_demand(&f, site, 11, incx != 0);
    exb_demand(&f, site, 14, incy != 0);
    return f;
}

/* Positions after a stored matrix: a band has one argument more before it than a full
 * matrix has, a packed one no leading dimension after it. */
static int before(exb_storage storage)
{
    return storage == EXB_BAND;
}

static int after(exb_storage storage)
{
    return storage == EXB_BAND ? 1 : storage == EXB_PACKED ? -1 : 0;
}

static bool spans(exb_storage storage, int64_t n, int64_t k, int64_t lda)
{
    return storage == EXB_PACKED ||
           (storage == EXB_BAND ? holds_band(lda, k, 0) : lda >= exb_at_least_one(n));
}

exb_fault exb_check_symv(const exb_site *site, exb_storage storage, int layout, int uplo, int64_t n,
                         int64_t k, int64_t lda, int64_t incx, int64_t incy)
{
    exb_fault f = exb_no_fault;
    exb_demand_option(&f, site, 1, exb_is_layout(layout));
    exb_demand_option(&f, site, 2, exb_is_uplo(uplo));
    if (!f.position && exb_is_swapped(site, layout)) /* the arguments stay where they are */
        return exb_from_row_major(exb_check_symv(site, storage, EXB_COL_MAJOR, exb_flip_uplo(uplo),
                                                 n, k, lda, incx, incy));
    exb_demand(&f, site, 3, n >= 0);
    exb_demand(&f, site, 4, storage != EXB_BAND || k >= 0);
    exb_demand(&f, site, 6 + before(storage), spans(storage, n, k, lda));
    exb_demand(&f, site, 8 + after(storage), incx != 0);
    exb_demand(&f, site, 11 + after(storage), incy != 0);
    return f;
}

exb_fault exb_check_trsv(const exb_site *site, exb_storage storage, int layout, int uplo, int trans,
                         int diag, int64_t n, int64_t k, int64_t lda, int64_t incx)
{
    exb_fault f = exb_no_fault;
    exb_demand_option(&f, site, 1, exb_is_layout(layout));
    exb_demand_option(&f, site, 2, exb_is_uplo(uplo));
    exb_demand_option(&f, site, 3, exb_is_trans(trans));
    exb_demand_option(&f, site, 4, exb_is_diag(diag));
    if (!f.position && exb_is_swapped(site, layout)) /* the arguments stay where they are */
        return exb_from_row_major(exb_check_trsv(site, storage, EXB_COL_MAJOR, exb_flip_uplo(uplo),
                                                 exb_flip_trans(trans), diag, n, k, lda, incx));
    exb_demand(&f, site, 5, n >= 0);
    exb_demand(&f, site, 6, storage != EXB_BAND || k >= 0);
    exb_demand(&f, site, 7 + before(storage), spans(storage, n, k, lda));
    exb_demand(&f, site, 9 + after(storage), incx != 0);
    return f;
}

exb_fault exb_check_ger(const exb_site *site, int layout, int64_t m, int64_t n, int64_t incx,
                        int64_t incy, int64_t lda)
{
    exb_fault f = exb_no_fault;
    exb_demand_option(&f, site, 1, exb_is_layout(layout));
    if (!f.position && exb_is_swapped(site, layout))
        return exb_from_row_major(exb_check_ger(site, EXB_COL_MAJOR, n, m, incy, incx, lda));
    exb_demand(&f, site, 2, m >= 0);
    exb_demand(&f, site, 3, n >= 0);
    exb_demand(&f, site, 6, incx != 0);
    exb_demand(&f, site, 8, incy != 0);
    exb_demand(&f, site, 10, lda >= exb_at_least_one(layout == EXB_COL_MAJOR ? m : n));
    return f;
}

exb_fault exb_check_syr(const exb_site *site, exb_storage storage, bool has_y, bool exchanges,
                        int layout, int uplo, int64_t n, int64_t incx, int64_t incy, int64_t lda)
{
    exb_fault f = exb_no_fault;
    exb_demand_option(&f, site, 1, exb_is_layout(layout));
    exb_demand_option(&f, site, 2, exb_is_uplo(uplo));
    if (!f.position && exb_is_swapped(site, layout))
        return exb_from_row_major(exb_check_syr(site, storage, has_y, exchanges, EXB_COL_MAJOR,
                                                exb_flip_uplo(uplo), n, exchanges ? incy : incx,
                                                exchanges ? incx : incy, lda));
    exb_demand(&f, site, 3, n >= 0);
    exb_demand(&f, site, 6, incx != 0);
    exb_demand(&f, site, 8, !has_y || incy != 0);
    exb_demand(&f, site, has_y ? 10 : 8, spans(storage, n, 0, lda));
    return f;
}

exb_fault exb_check_geadd(const exb_site *site, int layout, int64_t m, int64_t n, int64_t lda,
                          int64_t ldc)
{
    exb_fault f = exb_no_fault;
    int64_t least = exb_at_least_one(layout == EXB_COL_MAJOR ? m : n);
    exb_demand_option(&f, site, 1, exb_is_layout(layout));
    exb_demand(&f, site, 2, m >= 0);
    exb_demand(&f, site, 3, n >= 0);
    exb_demand(&f, site, 6, lda >= least);
    exb_demand(&f, site, 9, ldc >= least);
    return f;
}

exb_fault exb_check_matcopy(const exb_site *site, bool in_place, int order, int op, int64_t m,
                            int64_t n, int64_t lda, int64_t ldb)
{
    exb_site seen = *site;
    exb_fault f = exb_no_fault;
    bool by_columns = order == EXB_COL_MAJOR, transposed = op == EXB_TRANS || op == EXB_CONJ_TRANS;
    if (site->convention == EXB_CALL_FORTRAN)
        seen.convention = EXB_CALL_CBLAS;
    exb_demand_option(&f, &seen, 1, exb_is_layout(order));
    exb_demand_option(&f, &seen, 2, exb_is_trans(op) || op == EXB_CONJ_NO_TRANS);
    exb_demand(&f, &seen, 3, m >= 0);
    exb_demand(&f, &seen, 4, n >= 0);
    exb_demand(&f, &seen, 7, lda >= exb_at_least_one(by_columns ? m : n));
    exb_demand(&f, &seen, in_place ? 8 : 9,
               ldb >= exb_at_least_one(by_columns != transposed ? m : n));
    return f;
}
