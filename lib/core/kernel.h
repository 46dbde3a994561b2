/* What the file of a kernel includes: the slots of its type (kernel_slots.h) as prototypes of its
 * functions, so that the compiler compares the two. Compiled once per type and instruction set. */
#pragma once

#include "core/kernels.h"
#include "core/type.h"

#define EXB_SLOT(result, name, arguments) result exb_ti(name) arguments;
#if EXB_IS_S
#define EXB_SLOTS_OF_FLOATS
#endif
#include "core/kernel_slots.h"
#undef EXB_SLOT
