/* From enclosures to C. */
#ifndef EXB_OUTPUT_FINISH_H
#define EXB_OUTPUT_FINISH_H

#include "level3/flow.h"
#include "level3/output.h"

/* What the tasks of f's block find, to C. */
void exb_t(output_finish)(exb_t(output) *o, exb_p(flow) *f);

#endif
