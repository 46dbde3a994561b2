/* What the library is compared with: copying, plain reductions, additions to bins in any order,
 * and the fixed-point sums of the literature. */
#include "gpu/device.h"

#include "exblas/fixed.h"

enum { SHARED_SUMS = 256, HP_N = 6, HP_K = 3, HALLBERG_N = 10, HALLBERG_M = 38 };

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

/* Work-item i adds to sum i modulo 256, each HP_N words. status: of all conversions and sums. */
EXB_KERNEL void hp_sum(exb_i64 n, EXB_PLACE(const double, x), EXB_PLACE(exblas_hp_word, sums),
                       EXB_PLACE(exb_u32, status))
{
    EXB_TAKE(const double, x);
    EXB_TAKE(exblas_hp_word, sums);
    EXB_TAKE(exb_u32, status);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    EXBLAS_HP_SHARED exblas_hp_word *mine = sums + exb_global_id(0) % SHARED_SUMS * HP_N;
    exblas_hp_word w[HP_N];
    int seen = EXBLAS_OK;
    for (exb_i64 i = exb_global_id(0); i < n; i += step) {
        int converted = exblas_hp_from_double(w, HP_N, HP_K, x[i]);
        seen |= converted == EXBLAS_OK ? exblas_hp_atomic_add(mine, w, HP_N) : converted;
    }
    if (seen)
        exb_atomic_max_global_u32(status, (exb_u32)seen);
}

/* Adds the 256 sums, to the first. One work-item. */
EXB_KERNEL void hp_merge(EXB_PLACE(exblas_hp_word, sums), EXB_PLACE(exb_u32, status))
{
    EXB_TAKE(exblas_hp_word, sums);
    EXB_TAKE(exb_u32, status);
    exblas_hp_word total[HP_N], w[HP_N];
    if (exb_global_id(0) != 0)
        return;
    for (int k = 0; k < HP_N; k++)
        total[k] = sums[k];
    for (int s = 1; s < SHARED_SUMS; s++) {
        for (int k = 0; k < HP_N; k++)
            w[k] = sums[s * HP_N + k];
        *status |= (exb_u32)exblas_hp_add(total, w, HP_N);
    }
    for (int k = 0; k < HP_N; k++)
        sums[k] = total[k];
}

/* 2^e, -1022 <= e <= 1023. */
EXB_INLINE double power(int e)
{
    return exb_from_bits((exb_u64)(e + 1023) << 52);
}

/* The same with Hallberg's words of 38 bits, which need no carries: one atomic addition each. */
EXB_KERNEL void hallberg_sum(exb_i64 n, EXB_PLACE(const double, x), EXB_PLACE(exb_i64, sums))
{
    EXB_TAKE(const double, x);
    EXB_TAKE(exb_i64, sums);
    exb_i64 step = (exb_i64)exb_n_groups(0) * exb_local_size(0);
    EXB_GLOBAL exb_i64 *mine = sums + exb_global_id(0) % SHARED_SUMS * HALLBERG_N;
    for (exb_i64 i = exb_global_id(0); i < n; i += step) {
        double rest = x[i];
        for (int k = HALLBERG_N - 1; k >= 0; k--) {
            int e = HALLBERG_M * (k - HALLBERG_N / 2);
            exb_i64 whole = (exb_i64)(rest * power(-e));
            if (whole != 0)
                exb_atomic_add_global(&mine[k], whole);
            rest -= (double)whole * power(e);
        }
    }
}
