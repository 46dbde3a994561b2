/* The routines of one type, each called on the grid and serially; see pblas_routines_tmpl.c. */
#ifndef PBLAS_ROUTINES_H
#define PBLAS_ROUTINES_H

#include "pblas_problem.h"

typedef struct {
    const grid *g;
    char side, uplo, transa, transb, diag;
    int m, n, k;
    double alpha[2], beta[2]; /* as floats in the single types */
    float falpha[2], fbeta[2];
    matrix a, b, c, x, y, real_y;
    bool specials;
} problem;

/* All routines of the type on random problems; each failure is counted. */
void check_routines_s(const grid *g, int block, int rounds);
void check_routines_d(const grid *g, int block, int rounds);
void check_routines_c(const grid *g, int block, int rounds);
void check_routines_z(const grid *g, int block, int rounds);

#endif
