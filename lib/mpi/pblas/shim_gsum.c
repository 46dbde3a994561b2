/* gsum2d of BLACS, for Fortran and for C, in the drop-in object. */
#include "mpi/pblas/pblas_gsum.h"

#pragma GCC visibility push(default)

void sgsum2d_(const int *context, const char *scope, const char *topology, const int *m,
              const int *n, float *a, const int *lda, const int *row, const int *col);
void dgsum2d_(const int *context, const char *scope, const char *topology, const int *m,
              const int *n, double *a, const int *lda, const int *row, const int *col);
void cgsum2d_(const int *context, const char *scope, const char *topology, const int *m,
              const int *n, float *a, const int *lda, const int *row, const int *col);
void zgsum2d_(const int *context, const char *scope, const char *topology, const int *m,
              const int *n, double *a, const int *lda, const int *row, const int *col);
void Csgsum2d(int context, char *scope, char *topology, int m, int n, float *a, int lda, int row,
              int col);
void Cdgsum2d(int context, char *scope, char *topology, int m, int n, double *a, int lda, int row,
              int col);
void Ccgsum2d(int context, char *scope, char *topology, int m, int n, float *a, int lda, int row,
              int col);
void Czgsum2d(int context, char *scope, char *topology, int m, int n, double *a, int lda, int row,
              int col);

#pragma GCC visibility pop

void sgsum2d_(const int *context, const char *scope, const char *topology, const int *m,
              const int *n, float *a, const int *lda, const int *row, const int *col)
{
    (void)topology;
    exb_pblas_sgsum(*context, *scope, *m, *n, a, *lda, *row, *col);
}

void dgsum2d_(const int *context, const char *scope, const char *topology, const int *m,
              const int *n, double *a, const int *lda, const int *row, const int *col)
{
    (void)topology;
    exb_pblas_dgsum(*context, *scope, *m, *n, a, *lda, *row, *col);
}

void cgsum2d_(const int *context, const char *scope, const char *topology, const int *m,
              const int *n, float *a, const int *lda, const int *row, const int *col)
{
    (void)topology;
    exb_pblas_sgsum(*context, *scope, 2 * *m, *n, a, 2 * *lda, *row, *col);
}

void zgsum2d_(const int *context, const char *scope, const char *topology, const int *m,
              const int *n, double *a, const int *lda, const int *row, const int *col)
{
    (void)topology;
    exb_pblas_dgsum(*context, *scope, 2 * *m, *n, a, 2 * *lda, *row, *col);
}

void Csgsum2d(int context, char *scope, char *topology, int m, int n, float *a, int lda, int row,
              int col)
{
    sgsum2d_(&context, scope, topology, &m, &n, a, &lda, &row, &col);
}

void Cdgsum2d(int context, char *scope, char *topology, int m, int n, double *a, int lda, int row,
              int col)
{
    dgsum2d_(&context, scope, topology, &m, &n, a, &lda, &row, &col);
}

void Ccgsum2d(int context, char *scope, char *topology, int m, int n, float *a, int lda, int row,
              int col)
{
    cgsum2d_(&context, scope, topology, &m, &n, a, &lda, &row, &col);
}

void Czgsum2d(int context, char *scope, char *topology, int m, int n, double *a, int lda, int row,
              int col)
{
    zgsum2d_(&context, scope, topology, &m, &n, a, &lda, &row, &col);
}
