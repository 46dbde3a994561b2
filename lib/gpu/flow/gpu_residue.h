/* Products of matrices by residues on a device (level3/residue.h has the arithmetic):
 * scan, foretell how many moduli are needed, convert, multiply bytes, reconstruct and certify; what
 * stays open is summed exactly, element by element. All on the device; the host reads the
 * forecast, once. */
#pragma once

#include "gpu/flow/matrix.h"
#include "gpu/residue_table.h"
#include "level3/residue.h"

/* A product, C and one dimension of A and B with the stride 1; m, n, k > 0, alpha != 0. real: the
 * product itself, or of a complex one A and B with two rows and columns, and two rows, for each
 * element (gpu/kernels/pack.cl); its scalars and C are not looked at. False, and nothing
 * written, if it is not one for this engine: k is beyond 10^6, strides are others, memory is short,
 * or, unless `forced`, another engine is expected to be faster. Failures of the device show in
 * exb_gpu_status. */
bool exb_gpu_residue_run(exb_gpu *gpu, const exb_gpu_product *p, const exb_gpu_product *real,
                         bool forced);

/* Whether a real product is large enough, and the device multiplies bytes fast enough. */
bool exb_gpu_residue_pays(exb_gpu *gpu, const exb_gpu_product *p);

/* The constants for kernels, from those of the processors' engine. */
void exb_residue_table_init(exb_residue_table *table, const exb_residue_system *system);
