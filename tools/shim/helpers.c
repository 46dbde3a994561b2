/* What netlib's BLAS exports besides its routines. */
#include "shim_xerbla.h"

#include "entry.h"

#include <ctype.h>
#include <string.h>

/* |re| + |im|, rounded once: the sum of absolute values of a vector of one element. */
EXB_SHIM float scabs1_(const void *z)
{
    return exb_entry_scasum(1, z, 1);
}

EXB_SHIM double dcabs1_(const void *z)
{
    return exb_entry_dzasum(1, z, 1);
}

EXB_SHIM __attribute__((alias("scabs1_"))) float cblas_scabs1(const void *z);
EXB_SHIM __attribute__((alias("dcabs1_"))) double cblas_dcabs1(const void *z);

EXB_SHIM void scabs1sub_(const void *z, float *ret)
{
    *ret = exb_entry_scasum(1, z, 1);
}

EXB_SHIM void dcabs1sub_(const void *z, double *ret)
{
    *ret = exb_entry_dzasum(1, z, 1);
}

/* Whether two letters are the same but for case, as a Fortran LOGICAL. */
EXB_SHIM shim_info lsame_(const char *a, const char *b, size_t length_a, size_t length_b)
{
    (void)length_a;
    (void)length_b;
    return toupper((unsigned char)*a) == toupper((unsigned char)*b);
}

EXB_SHIM void xerbla_(const char *name, const shim_info *info, size_t length);

/* xerbla for a name that comes as an array of letters, of which 32 count. */
EXB_SHIM void xerbla_array_(const char *name, const shim_info *length, const shim_info *info,
                            size_t length_of_letter)
{
    char text[32];
    size_t n = *length < 0 ? 0 : *length < 32 ? (size_t)*length : 32;
    (void)length_of_letter;
    memset(text, ' ', sizeof text);
    memcpy(text, name, n);
    xerbla_(text, info, sizeof text);
}
