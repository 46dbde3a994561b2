/* The kernels of one instruction set, by name: the column of the table in kernels.h. Compiled once
 * per instruction set. */
#include "core/kernels.h"
#include "core/kernels/tile.h"

#define EXB_SLOT_NAME(name) exb_isa(EXB_PASTE2(EXB_SLOT_TYPE, name))

/* Their prototypes, */
#define EXB_SLOT(result, name, arguments) result EXB_SLOT_NAME(name) arguments;
#define EXB_SLOTS_OF_FLOATS
#include "core/kernel_slots.h"
#include "core/kernel_slots.h"
#undef EXB_SLOT

/* and where they go. */
#define EXB_SLOT(result, name, arguments) .name = EXB_SLOT_NAME(name),

extern const exb_kernels exb_isa(kernels);
const exb_kernels exb_isa(kernels) = {
    .isa = EXB_STRING(EXB_ISA),
    .has_fma = EXB_HAVE_FMA,
    .static_rounding = EXB_STATIC_ROUNDING,
    .s =
        {
#define EXB_SLOTS_OF_FLOATS
#include "core/kernel_slots.h"
        },
    .d =
        {
#include "core/kernel_slots.h"
        },
    .lanes = EXB_LANES,
    .plain = &exb_isa(plain_chain),
    .anchored = &exb_isa(anchored_chain),
    .lines = &exb_isa(line_kernels),
    .elimination = &exb_isa(elimination_kernels),
    .half = &exb_isa(half_chain),
};
