/* The engines behind flow_begin. Each begins the flow of f->p, whose other fields are not set yet
 * but for 0 in `memory` and `list`, or returns false. */
#ifndef EXB_ENGINE_H
#define EXB_ENGINE_H

#include "level3/flow.h"

/* f for a product, without an engine. */
void exb_p(flow_init)(exb_p(flow) *f, const exb_p(product) *p);

/* What an engine may use beside the list, with f->n_threads threads, in bytes; and a list with so
 * many bytes behind it, which are returned: NULL if that is more or there is no memory. */
size_t exb_p(flow_limit)(const exb_p(flow) *f);
void *exb_p(flow_memory)(exb_p(flow) *f, size_t bytes);

/* By chains of FMAs; false if the processor has no FMA, k is too large or 0, or there is no
 * memory. */
bool exb_p(chain_begin)(exb_p(flow) *f);

/* From residues modulo n_moduli numbers (residue.h); false if k is 0 or too large or
 * there is not enough memory. */
bool exb_p(residue_begin)(exb_p(flow) *f, const exb_residue_kernels *kernels, int n_moduli);

/* Before the first block of residue_begin's flow: vectors are scaled so that elements may be larger
 * than P by up to n_bits >= 0 bits. What is found is C' modulo P then, of magnitude at most about P
 * / 2, for a caller who knows where C lies. log2 P + n_bits <= 240. */
void exb_p(residue_exceed)(exb_p(flow) *f, double n_bits);

/* The number of moduli with which that is expected to certify all but a few elements; 0 if another
 * engine is expected to be faster, unless `forced`. */
int exb_p(residue_choose)(const exb_p(product) *p, const exb_residue_kernels *kernels, bool forced);

/* By compensated sums, for any product; without a filter nothing is found out. */
void exb_p(general_begin)(exb_p(flow) *f);

#endif
