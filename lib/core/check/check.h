/* Argument checks, with BLAS's argument numbers, and how they are reported; the checks themselves,
 * one for each shape of a routine, are made from lib/symbols.list (checks.h, by lib/checks.py).
 *
 * A check sees a call in CBLAS form and finds its first bad argument. It numbers
 * arguments from 1 = layout, as in the call; Fortran numbers are one less. The
 * drop-in's CBLAS names follow netlib, which checks the enums first and then
 * makes the Fortran call (for row-major: the call with the operands exchanged),
 * whose numbers it reports.
 *
 * Source: reference BLAS and CBLAS 3.11. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    EXB_ROW_MAJOR = 101,
    EXB_COL_MAJOR = 102,
    EXB_NO_TRANS = 111,
    EXB_TRANS = 112,
    EXB_CONJ_TRANS = 113,
    EXB_CONJ_NO_TRANS = 114, /* of omatcopy and imatcopy alone */
    EXB_UPPER = 121,
    EXB_LOWER = 122,
    EXB_NON_UNIT = 131,
    EXB_UNIT = 132,
    EXB_LEFT = 141,
    EXB_RIGHT = 142
};

/* What is wrong: the argument's number in the caller's convention (0: nothing),
 * whether it is an enum that has no such value, and whether the number is that
 * of the Fortran call made of a row-major one. */
typedef struct {
    int position;
    bool is_option;
    bool row_major;
} exb_fault;

typedef enum { EXB_CALL_CBLAS, EXB_CALL_FORTRAN, EXB_CALL_NETLIB_CBLAS } exb_convention;

/* Who called, and how to tell them. */
typedef struct exb_site {
    const char *routine; /* "cblas_dgemm", "DGEMM" */
    exb_convention convention;
    void (*report)(const struct exb_site *site, exb_fault fault);
} exb_site;

/* Reports a fault, if it is one. */
static inline bool exb_rejected(const exb_site *site, exb_fault fault)
{
    if (fault.position)
        site->report(site, fault);
    return fault.position != 0;
}

/* The CBLAS value of one of Fortran's option letters, in either case: of those in `letters` the
 * ones from `first` on, 0 if it is none of them. Visible to the drop-in objects. */
__attribute__((visibility("default"))) int exb_option_of(const char *letters, int first,
                                                         const char *letter);

#define exb_trans_of(letter) exb_option_of("ntc", EXB_NO_TRANS, letter)
#define exb_side_of(letter) exb_option_of("lr", EXB_LEFT, letter)
#define exb_uplo_of(letter) exb_option_of("ul", EXB_UPPER, letter)
#define exb_diag_of(letter) exb_option_of("nu", EXB_NON_UNIT, letter)
#define exb_order_of(letter) exb_option_of("rc", EXB_ROW_MAJOR, letter)
#define exb_op_of(letter) exb_option_of("ntcr", EXB_NO_TRANS, letter)

/* How a triangle or a symmetric matrix is stored: leading dimension lda; lda and k diagonals
 * beside the main one; packed. k and lda are looked at where the storage has them. */
typedef enum { EXB_FULL, EXB_BAND, EXB_PACKED } exb_storage;

/* What transposes a rank-k update has: real ones all, complex symmetric ones no conjugate,
 * Hermitian ones no other. */
typedef enum { EXB_UPDATE_REAL, EXB_UPDATE_SYMMETRIC, EXB_UPDATE_HERMITIAN } exb_update_kind;

/* The report of the ex* names: calls the handler set by exblas_set_xerbla. */
void exb_report(const exb_site *site, exb_fault fault);
