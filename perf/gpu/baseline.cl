/* What the library is compared with: copying, plain reductions, additions to bins in any order. */
#include "gpu/device.h"

EXB_KERNEL void copy(exb_i64 n, EXB_PLACE(const double, x), EXB_PLACE(double, y))
{
    EXB_TAKE(const double, x);
    EXB_TAKE(double, y);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    for (exb_i64 i = exb_global_id(0); i < n; i += step)
        y[i] = x[i];
}

/* partial[group] = sum of x y over the group's share, of x alone if has_y is 0. */
EXB_KERNEL void plain(int has_y, exb_i64 n, EXB_PLACE(const double, x), EXB_PLACE(const double, y),
                      EXB_PLACE(double, partial))
{
    EXB_TAKE(const double, x);
    EXB_TAKE(const double, y);
    EXB_TAKE(double, partial);
    EXB_LOCAL_ARRAY(double, sum, 256);
    int id = exb_local_id(0), size = exb_local_size(0);
    exb_i64 step = (exb_i64)exb_n_groups(0) * size;
    double s = 0;
    for (exb_i64 i = exb_global_id(0); i < n; i += step)
        s += has_y ? x[i] * y[i] : x[i];
    sum[id] = s;
    exb_barrier();
    if (id == 0) {
        for (int i = 1; i < size; i++)
            s += sum[i];
        partial[exb_group_id(0)] = s;
    }
}

EXB_INLINE void add_unordered(EXB_GLOBAL double *y, double x)
{
#if defined(__CUDACC__)
    atomicAdd(y, x);
#else
    EXB_GLOBAL exb_u64 *p = (EXB_GLOBAL exb_u64 *)y;
    exb_u64 seen = *(volatile EXB_GLOBAL exb_u64 *)p, expected;
    do {
        expected = seen;
        seen = exb_atomic_cas_global(p, expected, exb_bits(exb_from_bits(expected) + x));
    } while (seen != expected);
#endif
}

EXB_KERNEL void scatter_unordered(exb_i64 n, EXB_PLACE(const double, x),
                                  EXB_PLACE(const exb_i32, index), EXB_PLACE(double, y))
{
    EXB_TAKE(const double, x);
    EXB_TAKE(const exb_i32, index);
    EXB_TAKE(double, y);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    for (exb_i64 i = exb_global_id(0); i < n; i += step)
        add_unordered(&y[index[i]], x[i]);
}
