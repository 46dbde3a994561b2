#include "shim_xerbla.h"

#include "observe/elsewhere.h"

#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* This object is in a program: the report of calls that went elsewhere is not to name it. */
static __attribute__((constructor)) void announce(void)
{
    static const char inside;
    exb_own_object(&inside);
}

/* netlib's: true during a call that came through CBLAS, and whether that was
 * row-major. Programs with their own xerbla_ look at them. */
EXB_SHIM int CBLAS_CallFromC = 0;
EXB_SHIM int RowMajorStrg = 0;

/* Weak, so that no compiler inlines them: calls must go through the dynamic linker. */
#define HANDLER EXB_SHIM __attribute__((weak)) void

/* The argument numbers that a row-major call exchanges on its way to Fortran, as netlib
 * exchanges them back for its message. */
static int as_called(int info, const char *routine)
{
    static const struct {
        const char *routine;
        int one, other;
    } swaps[] = {{"gemm", 4, 5}, {"gemm", 9, 11}, {"symm", 4, 5}, {"hemm", 4, 5}, {"trmm", 6, 7},
                 {"trsm", 6, 7}, {"gemv", 3, 4},  {"gbmv", 3, 4}, {"gbmv", 5, 6}, {"ger", 2, 3},
                 {"ger", 6, 8},  {"her2", 6, 8},  {"hpr2", 6, 8}};
    bool is_kept = strstr(routine, "her2k") || (strstr(routine, "gemmt") && info < 9);
    for (size_t i = 0; RowMajorStrg && i < sizeof swaps / sizeof *swaps && !is_kept; i++)
        if (strstr(routine, swaps[i].routine) && (info == swaps[i].one || info == swaps[i].other))
            return swaps[i].one + swaps[i].other - info;
    return info;
}

HANDLER cblas_xerbla(int info, const char *routine, const char *form, ...)
{
    va_list args;
    va_start(args, form);
    info = as_called(info, routine);
    if (info)
        fprintf(stderr, "Parameter %d to routine %s was incorrect\n", info, routine);
    vfprintf(stderr, form, args);
    va_end(args);
}

/* Of a routine's name, dgemm_batch_strided being the longest. */
enum { MOST_LETTERS = 24 };

/* dgemm, padded to six capitals -> cblas_dgemm. */
static void cblas_name(char out[static 32], const char *name, size_t length)
{
    size_t n = 0;
    memcpy(out, "cblas_", 6);
    for (; n < length && n < MOST_LETTERS && name[n] != ' ' && name[n] != '\0'; n++)
        out[6 + n] = (char)tolower((unsigned char)name[n]);
    out[6 + n] = '\0';
}

static void tell(const char *name, int info, size_t length)
{
    char routine[32];
    if (CBLAS_CallFromC) {
        cblas_name(routine, name, length);
        cblas_xerbla(info + 1, routine, "");
    } else {
        fprintf(stderr, " ** On entry to %.*s parameter number %2d had an illegal value\n",
                (int)length, name, info);
    }
}

HANDLER xerbla_(const char *name, const shim_info *info, size_t length)
{
    tell(name, (int)*info, length);
}

HANDLER xerbla_64_(const char *name, const int64_t *info, size_t length)
{
    tell(name, (int)*info, length);
}

/* cblas_dgemm -> DGEMM, padded to six. */
static void fortran_name(char out[static MOST_LETTERS + 1], const char *routine)
{
    snprintf(out, MOST_LETTERS + 1, "%-6s", routine + strlen("cblas_"));
    for (; *out; out++)
        *out = (char)toupper((unsigned char)*out);
}

static void call_xerbla(bool is_64, const char *name, int position)
{
    if (is_64)
        xerbla_64_(name, &(int64_t){position}, strlen(name));
    else
        xerbla_(name, &(shim_info){position}, strlen(name));
}

static void report(bool is_64, const exb_site *site, exb_fault fault)
{
    char name[MOST_LETTERS + 1];
    if (site->convention == EXB_CALL_FORTRAN) {
        call_xerbla(is_64, site->routine, fault.position);
    } else if (fault.is_option) {
        cblas_xerbla(fault.position, site->routine, "");
    } else {
        fortran_name(name, site->routine);
        CBLAS_CallFromC = 1;
        RowMajorStrg = fault.row_major;
        call_xerbla(is_64, name, fault.position);
        CBLAS_CallFromC = 0;
        RowMajorStrg = 0;
    }
}

void exb_shim_report(const exb_site *site, exb_fault fault)
{
    report(false, site, fault);
}

void exb_shim_report_64(const exb_site *site, exb_fault fault)
{
    report(true, site, fault);
}
