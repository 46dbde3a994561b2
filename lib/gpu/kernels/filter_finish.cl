/* Adds up what the groups of a filter have found and rounds it, or its root, if it is certain:
 * *decided says so. One group. Options: EXB_IS_S. */
#include "gpu/kernels/join.h"

EXB_KERNEL void filter_finish(int root, int n_groups, EXB_PLACE(const exb_enclosure, partial),
                              EXB_PLACE(exb_u32, decided),
                              EXB_PLACE(exb_real, result) EXB_LOCAL_ARG(exb_enclosure, lanes))
{
    EXB_TAKE(const exb_enclosure, partial);
    EXB_TAKE(exb_u32, decided);
    EXB_TAKE(exb_real, result);
    EXB_LOCAL_BLOCK(exb_enclosure, lanes);
    int id = exb_local_id(0), size = exb_local_size(0);
    exb_enclosure v = exb_enclosure_exact(0);
    for (int i = id; i < n_groups; i += size)
        v = exb_enclosure_add(v, partial[i]);
    lanes[id] = v;
    exb_barrier();
    exb_join_lanes(lanes, id, size);
    if (id == 0) {
        exb_real r;
        exb_enclosure total = lanes[0];
        bool certain = exb_round_enclosure(root ? exb_root_of(total) : total, &r);
        *decided = certain ? 1 : 0;
        if (certain)
            *result = r;
    }
}
