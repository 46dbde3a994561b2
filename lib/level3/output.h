/* What becomes of the elements of a product: C = RN(alpha A B + beta C), one rounding.
 *
 * Element (i, j) of C is at c[(i * rs + j * cs) * EXB_PARTS]. A real C is the product of the real
 * operands; of a complex one, product column 2j is the real part of column j and 2j + 1 the
 * imaginary part (complex_operand.h). beta = 0: C is not read. C does not overlap A or B. */
#ifndef EXB_OUTPUT_H
#define EXB_OUTPUT_H

#include "level3/product.h"

#include <stdatomic.h>

/* Which elements of C are computed. */
typedef enum { EXB_REGION_ALL, EXB_REGION_LOWER, EXB_REGION_UPPER } exb_region;

typedef struct {
    exb_complex alpha, beta;
    exb_real *c;
    int64_t rs, cs;
    exb_region region;
    _Atomic int64_t n_retried, n_decided; /* by compensated sums, of what engines left open */
    exb_p(product) product; /* set by exb_t(output_run) except for its operands and sizes */
} exb_t(output);

/* Fills C. m, n, k count elements of the type. In the default floating-point environment. */
void exb_t(output_run)(exb_t(output) * o, int64_t m, int64_t n, int64_t k);

#endif
