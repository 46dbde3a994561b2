/* The state of a product by residues on a device, and the steps that the host launches: scan,
 * forecast, blocks. */
#pragma once

#include "gpu/flow/gpu_residue.h"

/* Numbers of moduli among which the forecast chooses. */
enum { EXB_CANDIDATES = EXB_MODULI_MAX - EXB_MODULI_MIN + 1 };

/* What the device knows of one operand: vectors along the terms of the product, the rows of `from`.
 */
typedef struct {
    exb_gpu_matrix from;
    exb_i64 n;                  /* vectors */
    int index;                  /* 0: A, 1: B */
    exb_gpu_ref top, norms;     /* of each vector; exb_residue_join_norms */
    exb_gpu_ref partial, side;  /* of each vector and chunk; the arrays of EXB_SIDE_* */
    exb_gpu_ref lost, residues; /* of the sample; of the block that is being multiplied */
    exb_i64 most, plane;        /* vectors of such a block, bytes between residues of two moduli */
} exb_residue_operand;

typedef struct {
    exb_gpu *gpu;
    const exb_gpu_product *p,
        *whole;   /* whole has C: p, or the product of which p is the real one */
    size_t group; /* work-items of a group */
    int n_chunks;
    exb_i64 chunk, panel, stride; /* terms; stride: bytes between residues of two vectors */
    exb_residue_operand a, b;
    exb_residue_system system;
    exb_gpu_ref small; /* the rest of the call's small memory */
    exb_residue_table constants;
    exb_gpu_ref sums, list, count;
    exb_i64 plane; /* of sums, in elements; their leading dimension is a.most */
} exb_residue_flow;

static inline exb_gpu_grid exb_residue_grid(const exb_residue_flow *w, size_t groups_0,
                                            size_t groups_1)
{
    return (exb_gpu_grid){{groups_0, groups_1}, {w->group, 1}, 0};
}

/* A work-item for each of n. */
static inline exb_gpu_grid exb_residue_grid_for(const exb_residue_flow *w, exb_i64 n)
{
    return exb_residue_grid(w, (size_t)exb_tasks_of(n, (exb_i64)w->group), 1);
}

/* Launches kernel `name` of a program with the arguments. */
#define EXB_RESIDUE_LAUNCH(w, program, name, grid, ...)                                            \
    EXB_GPU_LAUNCH((w)->gpu,                                                                       \
                   ((exb_gpu_kernel){program, name, exb_gpu_real_options((w)->p->is_s)}), grid,    \
                   __VA_ARGS__)

/* n doubles of the call's small memory, the next ones; places are aligned as their kernels want. */
static inline exb_gpu_ref exb_residue_doubles(exb_residue_flow *w, exb_i64 n)
{
    exb_gpu_ref r = w->small;
    w->small = exb_gpu_at(r, (size_t)exb_round_up(n, 32) * sizeof(double));
    return r;
}

/* Describes n vectors of operand `index`, and starts on their largest elements and norms. */
void exb_gpu_residue_scan(exb_residue_flow *w, exb_residue_operand *o, exb_gpu_matrix from,
                          exb_i64 n, int index);

/* The smallest number of moduli with which few elements stay open; 0 if there is none, unless
 * `forced`, or if the device failed. From a sample of both operands, for which it waits. */
int exb_gpu_residue_forecast(exb_residue_flow *w, bool forced);

/* All blocks of C: operands scaled and converted, bytes multiplied, elements finished. */
void exb_gpu_residue_blocks(exb_residue_flow *w);
