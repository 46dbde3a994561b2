/* Argument checks of Level 2, in BLAS's order. */
#include "core/check/check_rules.h"

exb_fault exb_check_gemv(const exb_site *site, int layout, int trans, int64_t m, int64_t n,
                         int64_t lda, int64_t incx, int64_t incy)
{
    if (!exb_is_layout(layout))
        return exb_option_fault(site, 1);
    if (!exb_is_trans(trans))
        return exb_option_fault(site, 2);
    if (exb_is_swapped(site, layout))
        return exb_from_row_major(
            exb_check_gemv(site, EXB_COL_MAJOR, exb_flip_trans(trans), n, m, lda, incx, incy));
    if (m < 0)
        return exb_value_fault(site, 3);
    if (n < 0)
        return exb_value_fault(site, 4);
    if (lda < exb_at_least_one(layout == EXB_COL_MAJOR ? m : n))
        return exb_value_fault(site, 7);
    if (incx == 0)
        return exb_value_fault(site, 9);
    return incy == 0 ? exb_value_fault(site, 12) : exb_no_fault;
}

/* lda > kl + ku, without overflow. */
static bool holds_band(int64_t lda, int64_t kl, int64_t ku)
{
    return lda > kl && lda - kl > ku;
}

exb_fault exb_check_gbmv(const exb_site *site, int layout, int trans, int64_t m, int64_t n,
                         int64_t kl, int64_t ku, int64_t lda, int64_t incx, int64_t incy)
{
    if (!exb_is_layout(layout))
        return exb_option_fault(site, 1);
    if (!exb_is_trans(trans))
        return exb_option_fault(site, 2);
    if (exb_is_swapped(site, layout))
        return exb_from_row_major(exb_check_gbmv(site, EXB_COL_MAJOR, exb_flip_trans(trans), n, m,
                                                 ku, kl, lda, incx, incy));
    if (m < 0)
        return exb_value_fault(site, 3);
    if (n < 0)
        return exb_value_fault(site, 4);
    if (kl < 0)
        return exb_value_fault(site, 5);
    if (ku < 0)
        return exb_value_fault(site, 6);
    if (!holds_band(lda, kl, ku))
        return exb_value_fault(site, 9);
    if (incx == 0)
        return exb_value_fault(site, 11);
    return incy == 0 ? exb_value_fault(site, 14) : exb_no_fault;
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
    if (!exb_is_layout(layout))
        return exb_option_fault(site, 1);
    if (!exb_is_uplo(uplo))
        return exb_option_fault(site, 2);
    if (exb_is_swapped(site, layout)) /* the arguments stay where they are */
        return exb_from_row_major(exb_check_symv(site, storage, EXB_COL_MAJOR, exb_flip_uplo(uplo),
                                                 n, k, lda, incx, incy));
    if (n < 0)
        return exb_value_fault(site, 3);
    if (storage == EXB_BAND && k < 0)
        return exb_value_fault(site, 4);
    if (!spans(storage, n, k, lda))
        return exb_value_fault(site, 6 + before(storage));
    if (incx == 0)
        return exb_value_fault(site, 8 + after(storage));
    return incy == 0 ? exb_value_fault(site, 11 + after(storage)) : exb_no_fault;
}

exb_fault exb_check_trsv(const exb_site *site, exb_storage storage, int layout, int uplo, int trans,
                         int diag, int64_t n, int64_t k, int64_t lda, int64_t incx)
{
    if (!exb_is_layout(layout))
        return exb_option_fault(site, 1);
    if (!exb_is_uplo(uplo))
        return exb_option_fault(site, 2);
    if (!exb_is_trans(trans))
        return exb_option_fault(site, 3);
    if (!exb_is_diag(diag))
        return exb_option_fault(site, 4);
    if (exb_is_swapped(site, layout)) /* the arguments stay where they are */
        return exb_from_row_major(exb_check_trsv(site, storage, EXB_COL_MAJOR, exb_flip_uplo(uplo),
                                                 exb_flip_trans(trans), diag, n, k, lda, incx));
    if (n < 0)
        return exb_value_fault(site, 5);
    if (storage == EXB_BAND && k < 0)
        return exb_value_fault(site, 6);
    if (!spans(storage, n, k, lda))
        return exb_value_fault(site, 7 + before(storage));
    return incx == 0 ? exb_value_fault(site, 9 + after(storage)) : exb_no_fault;
}

exb_fault exb_check_ger(const exb_site *site, int layout, int64_t m, int64_t n, int64_t incx,
                        int64_t incy, int64_t lda)
{
    if (!exb_is_layout(layout))
        return exb_option_fault(site, 1);
    if (exb_is_swapped(site, layout))
        return exb_from_row_major(exb_check_ger(site, EXB_COL_MAJOR, n, m, incy, incx, lda));
    if (m < 0)
        return exb_value_fault(site, 2);
    if (n < 0)
        return exb_value_fault(site, 3);
    if (incx == 0)
        return exb_value_fault(site, 6);
    if (incy == 0)
        return exb_value_fault(site, 8);
    return lda < exb_at_least_one(layout == EXB_COL_MAJOR ? m : n) ? exb_value_fault(site, 10)
                                                                   : exb_no_fault;
}

exb_fault exb_check_syr(const exb_site *site, exb_storage storage, bool has_y, bool exchanges,
                        int layout, int uplo, int64_t n, int64_t incx, int64_t incy, int64_t lda)
{
    if (!exb_is_layout(layout))
        return exb_option_fault(site, 1);
    if (!exb_is_uplo(uplo))
        return exb_option_fault(site, 2);
    if (exb_is_swapped(site, layout))
        return exb_from_row_major(exb_check_syr(site, storage, has_y, exchanges, EXB_COL_MAJOR,
                                                exb_flip_uplo(uplo), n, exchanges ? incy : incx,
                                                exchanges ? incx : incy, lda));
    if (n < 0)
        return exb_value_fault(site, 3);
    if (incx == 0)
        return exb_value_fault(site, 6);
    if (has_y && incy == 0)
        return exb_value_fault(site, 8);
    return spans(storage, n, 0, lda) ? exb_no_fault : exb_value_fault(site, has_y ? 10 : 8);
}
