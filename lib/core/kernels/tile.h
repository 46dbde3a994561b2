/* Tiles of products in registers: their shapes on an instruction set, and the tables of kernels
 * that are compiled once for it. */
#pragma once

#include "core/kernels.h"
#include "core/simd/simd.h"

enum {
    EXB_CHAIN_ROWS = EXB_CHAIN_VECTORS * EXB_LANES,
    EXB_PAIR_ROWS = EXB_PAIR_VECTORS * EXB_LANES
};

extern const exb_line_kernels exb_isa(line_kernels);
extern const exb_chain_kernel exb_isa(plain_chain), exb_isa(anchored_chain);
extern const exb_elimination_kernels exb_isa(elimination_kernels);
extern const exb_half_chain exb_isa(half_chain);
