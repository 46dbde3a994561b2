/* The product of residual_columns.h modulo P, tile by tile, and the sums of its columns. */
#ifndef EXB_RESIDUAL_TILES_H
#define EXB_RESIDUAL_TILES_H

#include "lapack/residual_columns.h"
#include "level3/residue.h"

typedef struct {
    const exb_residual_problem *p;
    const exb_residue_kernels *kernels;
    exb_residue_system system;
    int n_bits, n_threads;
    int64_t n, n_columns;                 /* of A that are wanted */
    int64_t panel;                        /* bytes of a vector's residues */
    int64_t ld;                           /* of tiles */
    int64_t a_plane, s_plane, tile_plane; /* bytes between residues of two moduli */
    uint8_t *a, *s;
    int8_t *tiles;                  /* a tile for each task */
    double *lost, *factor;          /* n_padded: s' and 2^n_bits, of S */
    double *largest, *unit, *range; /* n_columns: of A */
    double *one;                    /* n_columns: 1 in the product of integers */
    double *to_integer;             /* n_columns, in strips: 1 / unit */
    double *sums;                   /* 2 n_columns for each task */
    int64_t *row;                   /* n: where column i of S is in B */
} exb_residual_work;

/* All arrays, for what is set: p, n, n_columns, system, n_threads. False without memory. */
bool exb_residual_allocate(exb_residual_work *w);
void exb_residual_release(exb_residual_work *w);

/* Sums of the columns of W, of A with its largest elements, units and ranges. */
void exb_residual_add_tiles(exb_residual_work *w, double *sums);

#endif
