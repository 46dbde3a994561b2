/* The state of the residue engine, and the steps that a block of the product goes through: scale,
 * convert, multiply, reconstruct. Of doubles. */
#ifndef EXB_RESIDUE_WORK_H
#define EXB_RESIDUE_WORK_H

#include "level3/deferred.h"
#include "level3/residue.h"

#include <stdatomic.h>

/* Planes of residues start at different sets of the first-level cache, since the same place in all
 * of them is used at once; EXB_RESIDUE_APART is an odd number of lines. */
enum {
    EXB_RESIDUE_APART = 5 * 64,
    EXB_RESIDUE_PART_ROWS = 192, /* a multiple of 48 and of 64 */
    EXB_RESIDUE_PART_COLUMNS = 192,
    EXB_RESIDUE_PLANE = EXB_RESIDUE_PART_ROWS * EXB_RESIDUE_PART_COLUMNS + EXB_RESIDUE_APART
};

/* What is known of the scaled vectors of one operand. */
typedef struct {
    double *factor, *scale;
    exb_residue_norms norms;
} exb_residue_side;

enum { EXB_RESIDUE_SIDE_ARRAYS = 6 };

typedef struct {
    const exb_t(product) * p;
    const exb_residue_kernels *kernels;
    const exb_residue_system *system;
    int64_t i0, j0, m, n; /* the block */
    int64_t l0, k;        /* the panel */
    int64_t panel;
    int64_t plane_a, plane_b; /* bytes between residues of two moduli */
    exb_residue_side rows, columns;
    uint8_t *a, *b;
    int8_t *kept;          /* residues of all parts, NULL if there is one panel */
    int8_t *scratch;       /* else of one part for each worker */
    int64_t n_new_columns; /* of the block that are not converted yet: all or none */
    exb_deferred *deferred;
    int n_threads;
    int64_t n_parts;
    _Atomic int64_t next;
} exb_residue_work;

static inline exb_residue_side exb_residue_side_from(exb_residue_side s, int64_t i)
{
    return (exb_residue_side){
        s.factor + i,
        s.scale + i,
        {s.norms.inf + i, s.norms.two + i, s.norms.lost_1 + i, s.norms.lost_2 + i}};
}

/* Scales the rows of the block, and its columns unless they are converted already. */
void exb_residue_scale(exb_residue_work *w);

/* The residues of those vectors in the panel; after the last panel, the norms of what was lost. */
void exb_residue_convert(exb_residue_work *w);

/* Products of all parts of the block through the panel; after the last panel, what they are is
 * handed over. */
void exb_residue_multiply(exb_residue_work *w);

#endif
