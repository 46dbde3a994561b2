/* The blocks of gemm.cl, for the kernel and the host: an item computes EXB_GEMM_SIDE x
 * EXB_GEMM_SIDE elements, and of each vector as many terms are staged at once as EXB_GEMM_RUN bytes
 * have. */
#pragma once

enum { EXB_GEMM_SIDE = 4, EXB_GEMM_RUN = 64 };
