/* The list of elements that a filter could not decide: for the kernel `elements`. The order in
 * which they are found does not matter. */
#pragma once

#include "gpu/device.h"

EXB_INLINE void exb_list_uncertified(EXB_GLOBAL exb_u32 *count, EXB_GLOBAL exb_i64 *list, exb_i64 e)
{
    list[exb_atomic_add_global_u32(count, 1)] = e;
}
