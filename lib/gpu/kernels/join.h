/* Enclosures of a group's work-items, joined. */
#pragma once

#include "gpu/device.h"

/* lane[0] becomes the sum of the first `size` lanes, one a work-item. Reached by the whole
 * group; a barrier has passed since the lanes were written, and has when this returns. */
EXB_INLINE void exb_join_lanes(EXB_LOCAL exb_enclosure *lane, int id, int size)
{
    for (int n = size; n > 1;) {
        int half_n = (n + 1) / 2;
        if (id + half_n < n)
            lane[id] = exb_enclosure_add(lane[id], lane[id + half_n]);
        exb_barrier();
        n = half_n;
    }
}
