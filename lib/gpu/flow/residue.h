/* Products of matrices of doubles by residues on a device (level3/residue.h has the arithmetic):
 * scan, foretell how many moduli are needed, convert, multiply bytes, reconstruct and certify; what
 * stays open is summed exactly, element by element. All on the device; the host reads the
 * forecast, once. */
#ifndef EXB_GPU_RESIDUE_H
#define EXB_GPU_RESIDUE_H

#include "gpu/backend.h"
#include "gpu/residue_table.h"
#include "level3/residue.h"

/* A matrix as vectors along the terms of a product: term l of vector v is x[v * vs + l * ls], one
 * of vs and ls is 1. */
typedef struct {
    exb_gpu_ref x;
    exb_i64 vs, ls;
} exb_gpu_operand;

/* C = RN(alpha A B + beta C): a has the m rows of A, b the n columns of B, C is column-major. */
typedef struct {
    exb_i64 m, n, k;
    double alpha, beta;
    exb_gpu_operand a, b;
    exb_gpu_ref c;
    exb_i64 ldc;
} exb_gpu_product;

/* What a run found out. */
typedef struct {
    int n_moduli;
    exb_i64 n_open; /* elements that were summed exactly */
} exb_gpu_residue_stats;

/* False, and nothing written, if the product is not one for this engine: k or alpha is 0, k is
 * beyond 10^6, or, unless `forced`, another engine is expected to be faster. Failures of the
 * device show in exb_gpu_status. With stats (not NULL) every block is waited for. */
bool exb_gpu_residue_run(exb_gpu *gpu, const exb_gpu_product *p, bool forced,
                         exb_gpu_residue_stats *stats);

/* The constants for kernels, from those of the processors' engine. */
void exb_residue_table_init(exb_residue_table *table, const exb_residue_system *system);

#endif
