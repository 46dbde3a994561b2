/* gsum2d of BLACS, for Fortran and for C, in the drop-in object. Types: s d c z. */
#include "core/type.h"
#include "mpi/pblas/pblas_gsum.h"

#define fortran_gsum EXB_PASTE2(EXB_TYPE, gsum2d_)
#define c_gsum EXB_PASTE3(C, EXB_TYPE, gsum2d)

#pragma GCC visibility push(default)

void fortran_gsum(const int *context, const char *scope, const char *topology, const int *m,
                  const int *n, exb_real *a, const int *lda, const int *row, const int *col);
void c_gsum(int context, char *scope, char *topology, int m, int n, exb_real *a, int lda, int row,
            int col);

#pragma GCC visibility pop

void c_gsum(int context, char *scope, char *topology, int m, int n, exb_real *a, int lda, int row,
            int col)
{
    fortran_gsum(&context, scope, topology, &m, &n, a, &lda, &row, &col);
}

void fortran_gsum(const int *context, const char *scope, const char *topology, const int *m,
                  const int *n, exb_real *a, const int *lda, const int *row, const int *col)
{
    (void)topology;
    EXB_PASTE3(exb_pblas_, EXB_PART, gsum)
    (*context, *scope, EXB_PARTS * *m, *n, a, EXB_PARTS * *lda, *row, *col);
}
