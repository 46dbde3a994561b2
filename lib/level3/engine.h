/* The engines behind product_run, for products with the fields of product.h. */
#ifndef EXB_ENGINE_H
#define EXB_ENGINE_H

#include "level3/product.h"

enum {
    EXB_MOST_WIDTH = 16,      /* of a strip of packed vectors */
    EXB_STACK_DOUBLES = 12288 /* working memory on the stack: 96 KiB */
};

/* All blocks of p by chains of FMAs; false, and nothing done, if the processor has no FMA, k is
 * too large or 0, or there is no memory. */
bool exb_p(chain_run)(const exb_p(product) * p);

#endif
