/* Products of few terms that are added to C, a whole one: updates, as those of Level 2. */
#ifndef EXB_FEW_TERMS_H
#define EXB_FEW_TERMS_H

#include "level3/output.h"

/* All of o->product to C; false, and nothing done, if it is not one of these. */
bool exb_t(few_terms)(exb_t(output) *o);

#endif
