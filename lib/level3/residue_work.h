/* The state of the residue engine, and the steps that a block of the product goes through: scale,
 * convert, multiply, reconstruct. */
#ifndef EXB_RESIDUE_WORK_H
#define EXB_RESIDUE_WORK_H

#include "level3/product.h"
#include "level3/residue.h"

/* Planes of residues start at different sets of the first-level cache, since the same place in all
 * of them is used at once; EXB_RESIDUE_APART is an odd number of lines. */
enum {
    EXB_RESIDUE_APART = 5 * 64,
    EXB_RESIDUE_MOST_GROUP = 128,
    EXB_RESIDUE_FOUND_ROWS = 192, /* of a tile at once */
    EXB_RESIDUE_FOUND_COLUMNS = 4,
    EXB_RESIDUE_FOUND = EXB_RESIDUE_FOUND_ROWS * EXB_RESIDUE_FOUND_COLUMNS
};

typedef struct {
    _Alignas(64) double h[EXB_RESIDUE_FOUND], l[EXB_RESIDUE_FOUND], e[EXB_RESIDUE_FOUND];
} exb_residue_enclosures;

/* What is known of the scaled vectors of one operand. */
typedef struct {
    double *factor, *scale;
    exb_residue_norms norms;
} exb_residue_side;

enum { EXB_RESIDUE_SIDE_ARRAYS = 6 };

typedef struct {
    const exb_residue_kernels *kernels;
    exb_residue_system system;
    int64_t l0, k; /* the panel */
    int64_t panel;
    int64_t group;                       /* vectors that are scaled and then converted */
    int n_levels;                        /* of products by halves (residue_multiply.h) */
    int64_t tile, ld, plane;             /* rows and columns of a tile; bytes of a column, of all */
    int64_t padded_rows, padded_columns; /* of the block: strips of zeros behind the operands */
    int64_t plane_a, plane_b;            /* bytes between residues of two moduli */
    exb_residue_side rows, columns;
    uint8_t *a, *b;
    int8_t *kept;    /* residues of all tiles, NULL if there is one panel */
    int8_t *scratch; /* else of one tile for each task */
    uint8_t *halves; /* for products by halves, for each task */
    int64_t halves_bytes;
    int64_t converted;     /* the j0 whose columns are converted already, or -1 */
    int64_t n_new_columns; /* of the block that are not: all or none */
} exb_residue_work;

/* Tiles of a block. */
static inline int64_t exb_residue_tiles(int64_t rows, int64_t columns, int64_t tile)
{
    return exb_tasks_of(rows, tile) * exb_tasks_of(columns, tile);
}

static inline exb_residue_side exb_residue_side_from(exb_residue_side s, int64_t i)
{
    return (exb_residue_side){
        s.factor + i,
        s.scale + i,
        {s.norms.inf + i, s.norms.two + i, s.norms.lost_1 + i, s.norms.lost_2 + i}};
}

typedef struct exb_p(flow) exb_p(flow);
typedef struct exb_p(task) exb_p(task);

/* The residues of the rows of the block, and of its columns unless they are converted already, in
 * the panel: before the first panel they are scaled; after the last, the norms of what was lost. */
void exb_p(residue_convert)(exb_p(flow) *f);

/* Products of all tiles of the block through a panel that is not the last one. */
void exb_p(residue_advance)(exb_p(flow) *f);

/* A task takes a tile after the other through the last panel, and finds a few columns at a time. */
bool exb_p(residue_find)(exb_p(task) *t);

#endif
