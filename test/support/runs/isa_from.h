/* Loops of tests over the instruction sets of this processor:
 *     for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) */
#pragma once

#include "core/kernels.h"

/* Selects the first instruction set from number isa on that this processor has: its number, or -1.
 */
static inline int isa_from(int isa)
{
    for (; isa < exb_isa_count(); isa++)
        if (exb_isa_select(exb_isa_name(isa)) == 0)
            return isa;
    return -1;
}
