/* Products of a few elements, in one pass and without working memory (kernel small_product). */
#ifndef EXB_SMALL_PRODUCT_H
#define EXB_SMALL_PRODUCT_H

#include "level3/output.h"

/* Fills C, or returns false and has not touched it: the product is too large, its numbers are far
 * from 1, or too many elements are not certified. o->product is set. */
bool exb_t(small_product)(exb_t(output) *o);

#endif
