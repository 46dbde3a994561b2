/* The engines behind product_run, for products with the fields of product.h. */
#ifndef EXB_ENGINE_H
#define EXB_ENGINE_H

#include "level3/product.h"
#include "level3/residue.h"

/* Working memory on the stack, 16 KiB: sizes up to about 24. Below it lie the sums of a part (36
 * KiB) and what a small block needs that is computed anew (48 KiB); some systems give threads 128
 * KiB. */
enum { EXB_STACK_DOUBLES = 2048 };

/* All blocks of p by chains of FMAs; false, and nothing done, if the processor has no FMA, k is
 * too large or 0, or there is no memory. */
bool exb_p(chain_run)(const exb_p(product) * p);

/* All blocks of a product of doubles from residues modulo n_moduli numbers (residue.h); false, and
 * nothing done, if k is 0 or too large or there is not enough memory. */
bool exb_p(residue_run)(const exb_p(product) * p, const exb_residue_kernels *kernels, int n_moduli);

/* The number of moduli with which that is expected to decide all but a few elements; 0 if another
 * engine is expected to be faster, unless `forced`. */
int exb_p(residue_choose)(const exb_p(product) * p, bool forced);

#endif
