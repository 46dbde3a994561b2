/* How many moduli a product needs, foretold from a sample of its elements on the device, of which
 * only rates are read back. The sample decides on speed alone. Options: EXB_IS_S.
 *
 * Everything of a sampled vector is in units of 2^e, e the exponent of its largest element. */
#include "gpu/kernels/residue_tile.h"

/* Of a number in [1, 2) of the type of C. */
#define HALF_ULP (EXB_IS_S ? 0x1p-24 : 0x1p-53)

enum { CANDIDATES = EXB_MODULI_MAX - EXB_MODULI_MIN + 1, GROUP_MAX = 256 };

/* One of each of EXB_SAMPLE equal ranges, not equally spaced: every fourth row may be zero. */
EXB_INLINE exb_i64 residue_sampled(exb_i64 n, int i)
{
    exb_i64 begin = n * i / EXB_SAMPLE, end = n * (i + 1) / EXB_SAMPLE;
    exb_u32 any = (exb_u32)(i + 1) * 2654435769u >> 8;
    return end > begin ? begin + any % (end - begin) : (i < n ? i : n - 1);
}

/* The sum over the group of each item's x, for all of it; cells: as many as there are items. */
EXB_INLINE double residue_group_sum(double x, EXB_LOCAL double *cells)
{
    int id = exb_local_id(0), half_n;
    exb_barrier();
    cells[id] = x;
    exb_barrier();
    for (int n = exb_local_size(0); n > 1; n = half_n) {
        half_n = (n + 1) / 2;
        if (id + half_n < n)
            cells[id] += cells[id + half_n];
        exb_barrier();
    }
    return cells[0];
}

/* lost[s][c] = 1-norm and 2-norm of what n_moduli = EXB_MODULI_MIN + c would leave out of sampled
 * vector s. Groups: samples, candidates. */
EXB_KERNEL void residue_foretell(EXB_PLACE(const exb_real, x), exb_i64 vs, exb_i64 ls, exb_i64 n,
                                 exb_i64 k, EXB_PLACE(const exb_u32, top),
                                 EXB_PLACE(const double, norms),
                                 EXB_CONSTANTS(exb_residue_table, table), EXB_PLACE(double, lost))
{
    EXB_LOCAL_ARRAY(double, cells, GROUP_MAX);
    int c = exb_group_id(1);
    exb_i64 v = residue_sampled(n, exb_group_id(0));
    double one = 0, two = 0, norm = norms[v];
    int e = (int)(top[v] >> 20) - 1023;
    /* In units of the last bit of integers that fill half of log2 P. */
    int mu = norm > 0 && norm <= DBL_MAX
                 ? (int)floor((table->log2_of[EXB_MODULI_MIN + c] - 1) / 2 - 0.01 - log2(norm))
                 : 0;
    for (exb_i64 l = exb_local_id(0); l < k; l += exb_local_size(0)) {
        double y = residue_scaled(x[v * vs + l * ls], -e) * residue_pow2(mu);
        double delta = y - rint(y);
        one += exb_fabs(delta);
        two = exb_fma(delta, delta, two);
    }
    one = residue_group_sum(one, cells) * residue_pow2(-mu);
    two = exb_sqrt(residue_group_sum(two, cells)) * residue_pow2(-mu);
    EXB_GLOBAL double *to = lost + 2 * (exb_group_id(0) * CANDIDATES + c);
    if (exb_local_id(0) == 0) {
        to[0] = one;
        to[1] = two;
    }
}

/* value[i][j] = the magnitude of the product of sampled row i and sampled column j. Groups: rows,
 * columns. */
EXB_KERNEL void residue_sample(EXB_PLACE(const exb_real, a), exb_i64 avs, exb_i64 als,
                               EXB_PLACE(const exb_real, b), exb_i64 bvs, exb_i64 bls, exb_i64 m,
                               exb_i64 n, exb_i64 k, EXB_PLACE(const exb_u32, top_a),
                               EXB_PLACE(const exb_u32, top_b), EXB_PLACE(double, value))
{
    EXB_LOCAL_ARRAY(double, cells, GROUP_MAX);
    exb_i64 i = residue_sampled(m, exb_group_id(0)), j = residue_sampled(n, exb_group_id(1));
    int ea = (int)(top_a[i] >> 20) - 1023, eb = (int)(top_b[j] >> 20) - 1023;
    double sum = 0;
    for (exb_i64 l = exb_local_id(0); l < k; l += exb_local_size(0))
        sum +=
            residue_scaled(a[i * avs + l * als], -ea) * residue_scaled(b[j * bvs + l * bls], -eb);
    sum = residue_group_sum(sum, cells);
    if (exb_local_id(0) == 0)
        value[exb_group_id(0) * EXB_SAMPLE + exb_group_id(1)] = exb_fabs(sum);
}

/* rate[c] = the share of sampled elements whose enclosure holds a rounding boundary, if those are
 * ulp(value) apart and lie anywhere. Groups: candidates; work-items share the elements. */
EXB_KERNEL void residue_rates(exb_i64 m, exb_i64 n, EXB_PLACE(const double, norms_a),
                              EXB_PLACE(const double, norms_b), EXB_PLACE(const double, lost_a),
                              EXB_PLACE(const double, lost_b), EXB_PLACE(const double, value),
                              EXB_PLACE(double, rate))
{
    EXB_LOCAL_ARRAY(double, cells, GROUP_MAX);
    int c = exb_group_id(0);
    double sum = 0;
    for (int e = exb_local_id(0); e < EXB_SAMPLE * EXB_SAMPLE; e += exb_local_size(0)) {
        int s = e / EXB_SAMPLE, t = e % EXB_SAMPLE;
        exb_i64 i = residue_sampled(m, s), j = residue_sampled(n, t);
        EXB_GLOBAL const double *la = lost_a + 2 * (s * CANDIDATES + c);
        EXB_GLOBAL const double *lb = lost_b + 2 * (t * CANDIDATES + c);
        double b = exb_residue_bound(0, norms_a[m + i], norms_a[i], la[0], la[1], norms_b[n + j],
                                     norms_b[j], lb[0], lb[1]);
        double share = b / (HALF_ULP * value[e]); /* 2 b / ulp */
        sum += b == 0 ? 0 : share < 1 ? share : 1;
    }
    sum = residue_group_sum(sum, cells);
    if (exb_local_id(0) == 0)
        rate[c] = sum / (EXB_SAMPLE * EXB_SAMPLE);
}
