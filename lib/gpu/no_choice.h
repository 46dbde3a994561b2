/* The part of backend.h about cases in graphs, for a backend that has none: limits.can_choose is
 * false, and nothing of this is called. Included by one of its sources. */
#ifndef EXB_NO_CHOICE_H
#define EXB_NO_CHOICE_H

#include "gpu/backend.h"

exb_i64 exb_gpu_new_choice(exb_gpu *gpu, exb_gpu_ref memory)
{
    (void)memory;
    exb_gpu_fail(gpu, EXBLAS_EUNSUPPORTED, "there are no cases of graphs");
    return 0;
}

void exb_gpu_open_choice(exb_gpu *gpu, exb_i64 condition, int n)
{
    (void)gpu, (void)condition, (void)n;
}

void exb_gpu_begin_case(exb_gpu *gpu, int i)
{
    (void)gpu, (void)i;
}

void exb_gpu_end_case(exb_gpu *gpu)
{
    (void)gpu;
}

#endif
