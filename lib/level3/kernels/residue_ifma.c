/* The kernels of the residue engine (residue.h) for AVX-512 with VNNI and IFMA: those of VNNI, and
 * fractions of P.
 * Instruction sets: avx512ifma. */
#include "core/simd/simd_ifma.h"
#include "level3/kernels/residue_bytes.h"

/* A fraction in 104 bits: low and high 52, two sums of which add up to the high ones. */
typedef struct {
    exb_i low, high, high_2;
} fraction;

EXB_INLINE fraction add_pair(fraction f, exb_i r, exb_i g_low, exb_i g_high)
{
    f.low = i_madd_low(f.low, r, g_low);
    f.high = i_madd_high(f.high, r, g_low);
    f.high_2 = i_madd_low(f.high_2, r, g_high);
    return f;
}

EXB_INLINE exb_v times_p(const exb_residue_system *s, fraction f, exb_v *l)
{
    exb_v high = v_of_signed_52(i_add(i_add(f.high, f.high_2), i_above_52(f.low)));
    exb_v low = v_of_integer(i_low_52(f.low));
    exb_v p = v_set1(s->p_high * 0x1p-64), h = v_mul(high, p);
    exb_v rest = v_fma(high, p, v_sub(v_zero(), h)); /* exact */
    rest = v_fma(low, v_set1(s->p_high * 0x1p-104), rest);
    *l = v_fma(high, v_set1(s->p_low * 0x1p-64), rest);
    return h;
}

/* Lanes that have no rounding boundary within EXB_FRACTION_LOST P, |h| < P < 2^158. */
EXB_INLINE unsigned clear_lanes(bool to_floats, exb_v h, exb_v l, exb_v lost)
{
    exb_v below = v_add(h, v_sub(l, lost)), above = v_add(h, v_add(l, lost));
    if (!to_floats)
        return v_equal(below, above);
    float unused[EXB_LANES];
    exb_v small = v_set1(0x1p-64), step = v_set1(0x1p-52); /* outwards by a double at least */
    below = v_mul(v_sub(below, v_mul(v_abs(below), step)), small);
    above = v_mul(v_add(above, v_mul(v_abs(above), step)), small);
    return v_same_s(below, above, unused);
}

EXB_INLINE unsigned approximate_16(const exb_residue_system *s, bool to_floats,
                                   exb_w group[EXB_RESIDUE_GROUPS][4], int t, double *h, double *l)
{
    fraction even = {i_set1(s->start[0]), i_set1(s->start[1]), i_zero()}, odd = even;
    for (int i = 0; i < s->n_pairs; i++) {
        const exb_pair *pair = &s->pair[i];
        exb_w r = w_dot(w_set1(EXB_PAIR_OFFSET), w_set1(pair->multiply[i % 2]), group[i / 2][t]);
        exb_i low = i_set1(pair->fraction[0]), high = i_set1(pair->fraction[1]);
        even = add_pair(even, i_even(r), low, high);
        odd = add_pair(odd, i_odd(r), low, high);
    }
    const exb_v lost = v_set1(s->p_high * EXB_FRACTION_LOST);
    exb_v l_even, l_odd, h_even = times_p(s, even, &l_even), h_odd = times_p(s, odd, &l_odd);
    int64_t at = 4 * t;
    v_store_halves(h + at, h + at + 16, v_zip_low(h_even, h_odd));
    v_store_halves(h + at + 32, h + at + 48, v_zip_high(h_even, h_odd));
    v_store_halves(l + at, l + at + 16, v_zip_low(l_even, l_odd));
    v_store_halves(l + at + 32, l + at + 48, v_zip_high(l_even, l_odd));
    return clear_lanes(to_floats, h_even, l_even, lost) &
           clear_lanes(to_floats, h_odd, l_odd, lost);
}

bool exb_residue_approximate_avx512ifma(const exb_residue_system *s, bool to_floats, int64_t n,
                                        const int8_t *r, int64_t plane, double *h, double *l)
{
    exb_w group[EXB_RESIDUE_GROUPS][4];
    unsigned clear = (1u << EXB_LANES) - 1;
    for (int64_t i = 0; i < n; i += 64) {
        exb_residue_interleave(s, r + i, plane, group);
        for (int t = 0; t < 4; t++)
            clear &= approximate_16(s, to_floats, group, t, h + i, l + i);
    }
    return clear == (1u << EXB_LANES) - 1;
}

const exb_residue_kernels exb_residue_avx512ifma = {1,
                                                    EXB_RESIDUE_TILE,
                                                    EXB_RESIDUE_LEVELS,
                                                    EXB_DOT_PRODUCTS,
                                                    exb_residue_convert_avx512vnni,
                                                    exb_residue_multiply_avx512vnni,
                                                    exb_residue_combine_avx512vnni,
                                                    exb_residue_reconstruct_avx512vnni,
                                                    exb_residue_add_bounds_avx512vnni,
                                                    exb_residue_approximate_avx512ifma};
