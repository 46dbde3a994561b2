/* Scatter-add in a fixed order: reproducible, not exact (ordered.h). Options: EXB_IS_S, EXB_WIDE.
 *
 * A group takes the next block, sorts it by bin and number (keys are distinct, so that the sort
 * is stable whatever it is), sums the segments, waits for its turn, adds, and lets the next one go.
 * Groups that have started run on, also when others wait: blocks are handed out in the order in
 * which groups start, so the one whose turn it is never waits for one that has not started. Values
 * pass from group to group by atomics only. Source: the ordered-block scheme for reproducible
 * atomics of the exact BLAS papers. */
#include "gpu/device.h"

#include "gpu/kernels/index_type.h"
#include "gpu/ordered.h"
#include "gpu/slots.h"

enum { BLOCK = EXB_ORDERED_BLOCK, NUMBER_MASK = EXB_ORDERED_BLOCK - 1 };
#define NO_TERM 0xffffffffffffffffu

/* Flag EXB_SCATTER_BAD: an index is out of range. */
EXB_KERNEL void scatter_check(exb_i64 n, EXB_PLACE(const exb_index, index), exb_i64 n_bins,
                              EXB_PLACE(exb_u32, flags))
{
    EXB_TAKE(const exb_index, index);
    EXB_TAKE(exb_u32, flags);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    bool bad = false;
    for (exb_i64 i = exb_global_id(0); i < n; i += step)
        bad = bad || index[i] < 0 || index[i] >= n_bins;
    if (bad)
        exb_atomic_max_global_u32(&flags[EXB_SCATTER_BAD], 1);
}

/* One step of a bitonic sort of BLOCK keys. */
EXB_INLINE void exchange(EXB_LOCAL exb_u64 *key, int width, int distance)
{
    for (int i = exb_local_id(0); i < BLOCK / 2; i += exb_local_size(0)) {
        int a = i / distance * 2 * distance + i % distance, b = a + distance;
        exb_u64 ka = key[a], kb = key[b];
        bool is_up = (a & width) == 0;
        if ((ka > kb) == is_up) {
            key[a] = kb;
            key[b] = ka;
        }
    }
    exb_barrier();
}

EXB_INLINE void sort(EXB_LOCAL exb_u64 *key)
{
    for (int width = 2; width <= BLOCK; width *= 2)
        for (int distance = width / 2; distance > 0; distance /= 2)
            exchange(key, width, distance);
}

EXB_INLINE exb_u64 bin_of(exb_u64 key)
{
    return key >> EXB_ORDERED_BLOCK_BITS;
}

/* fl(a + b): of floats, the double sum has more than twice their bits, so that rounding it again
 * is rounding once. */
EXB_INLINE exb_real add(exb_real a, exb_real b)
{
    return (exb_real)((double)a + (double)b);
}

/* to[i] = from[i] + from[i + distance] within a bin: the first of a bin has T of the first 2 *
 * distance of its terms. */
EXB_INLINE void combine(EXB_LOCAL const exb_u64 *key, EXB_LOCAL const exb_real *from,
                        EXB_LOCAL exb_real *to, int distance)
{
    for (int i = exb_local_id(0); i < BLOCK; i += exb_local_size(0)) {
        int j = i + distance;
        bool is_one = j < BLOCK && bin_of(key[i]) == bin_of(key[j]);
        to[i] = is_one ? add(from[i], from[j]) : from[i];
    }
    exb_barrier();
}

/* y += v; only this group is allowed to change y now, but its value may come from another one. */
EXB_INLINE void add_to(EXB_GLOBAL exb_real *y, exb_real v)
{
#if EXB_IS_S
    EXB_GLOBAL exb_u32 *p = (EXB_GLOBAL exb_u32 *)y;
    exb_u32 before = exb_atomic_add_global_u32(p, 0);
    exb_real sum = add(exb_from_bits_f(before), v);
    exb_atomic_add_global_u32(p, (sum == sum ? exb_bits_f(sum) : EXB_CANONICAL_NAN_F) - before);
#else
    EXB_GLOBAL exb_i64 *p = (EXB_GLOBAL exb_i64 *)y;
    exb_u64 before = (exb_u64)exb_atomic_add_global(p, 0);
    exb_real sum = add(exb_from_bits(before), v);
    exb_atomic_add_global(p, (exb_i64)((sum == sum ? exb_bits(sum) : EXB_CANONICAL_NAN) - before));
#endif
}

/* One group for each block. */
EXB_KERNEL void scatter_ordered(exb_i64 n, EXB_PLACE(const exb_real, x),
                                EXB_PLACE(const exb_index, index), EXB_PLACE(exb_real, y),
                                EXB_PLACE(exb_u32, turn), EXB_PLACE(const exb_u32, flags))
{
    EXB_TAKE(const exb_real, x);
    EXB_TAKE(const exb_index, index);
    EXB_TAKE(exb_real, y);
    EXB_TAKE(exb_u32, turn);
    EXB_TAKE(const exb_u32, flags);
    EXB_LOCAL_ARRAY(exb_u64, key, EXB_ORDERED_BLOCK);
    EXB_LOCAL_ARRAY(exb_real, one, EXB_ORDERED_BLOCK);
    EXB_LOCAL_ARRAY(exb_real, other, EXB_ORDERED_BLOCK);
    EXB_LOCAL_ARRAY(exb_u32, mine, 1);
    int id = exb_local_id(0), size = exb_local_size(0);
    if (flags[EXB_SCATTER_BAD] != 0)
        return;
    if (id == 0)
        mine[0] = exb_atomic_add_global_u32(&turn[EXB_ORDERED_NEXT], 1);
    exb_barrier();
    exb_u32 block = mine[0];
    exb_i64 begin = (exb_i64)block << EXB_ORDERED_BLOCK_BITS;
    for (int i = id; i < BLOCK; i += size)
        key[i] = begin + i < n ? (exb_u64)index[begin + i] << EXB_ORDERED_BLOCK_BITS | (exb_u64)i
                               : NO_TERM;
    exb_barrier();
    sort(key);
    for (int i = id; i < BLOCK; i += size)
        one[i] = key[i] == NO_TERM ? 0 : x[begin + (exb_i64)(key[i] & NUMBER_MASK)];
    exb_barrier();
    for (int distance = 1; distance < BLOCK; distance *= 4) {
        combine(key, one, other, distance);
        combine(key, other, one, 2 * distance);
    }
    if (id == 0)
        while (exb_atomic_add_global_u32(&turn[EXB_ORDERED_TURN], 0) != block)
            ;
    exb_barrier();
    for (int i = id; i < BLOCK; i += size)
        if (key[i] != NO_TERM && (i == 0 || bin_of(key[i - 1]) != bin_of(key[i])))
            add_to(&y[bin_of(key[i])], one[i]);
    exb_fence_global();
    exb_barrier();
    if (id == 0)
        exb_atomic_add_global_u32(&turn[EXB_ORDERED_TURN], 1);
}
