/* The product of bytes of one tile and one modulus, by seven products of half the size where that
 * is faster. */
#ifndef EXB_RESIDUE_MULTIPLY_H
#define EXB_RESIDUE_MULTIPLY_H

#include "level3/residue.h"

/* Halved n_levels times: rows, columns and kq over the kernels' quads are multiples
 * of 2^n_levels. With so many bytes of
 * scratch memory, for `rows` and `columns` that are elements. */
void exb_residue_multiply(const exb_residue_area *q, int n_levels, uint8_t *scratch);
int64_t exb_residue_halving_bytes(int64_t rows, int64_t columns, int64_t k, int n_levels);

#endif
