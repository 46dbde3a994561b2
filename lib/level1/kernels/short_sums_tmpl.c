/* Short sums, from their terms to the result. Where instructions name their rounding (simd.h)
 * nothing here reads the caller's floating-point environment or leaves a trace in it: to read it
 * twice takes as long as to add up 16 numbers. So what is computed outside of vectors is exact, or
 * integers, and what is said of subnormal numbers is because FTZ and DAZ may hold then.
 * Types: s d. */
#define EXB_UNGUARDED
#include "core/kernel.h"
#include "core/simd/round_simd.h"
#include "level1/kernels/anchored_steps.h"
#include "level1/kernels/compensated_steps.h"
#include "level1/kernels/plain_steps.h"

#include <float.h>

/* --- the rounding of lane 0 ------------------------------------------------------ */

/* |lane 0| as bits, which are ordered as the numbers are, NaN last. Clang 19 does not
 * see them, or it would compare numbers with 0, to which subnormal ones are equal under DAZ. */
EXB_INLINE uint64_t v_first_key(exb_v a)
{
    uint64_t key = exb_bits(v_first(a)) & INT64_MAX;
    __asm__("" : "+r"(key));
    return key;
}

/* FTZ takes no such float away. */
EXB_INLINE bool is_kept(exb_v sum)
{
    uint64_t key = v_first_key(sum);
    return !EXB_STATIC_ROUNDING || !EXB_IS_S || key == 0 || key > exb_bits(FLT_MIN);
}

/* h + l, which are finite; +0 for a zero. */
EXB_INLINE bool round_exact(exb_v h, exb_v l, exb_real *r)
{
    exb_v sum = v_add(v_add(h, l), v_zero());
#if EXB_IS_S
    *r = v_first_s(sum);
    return is_kept(sum) && v_first_key(l) == 0;
#else
    *r = v_first(sum);
    return true;
#endif
}

/* The test of certify.h, which looks at the result instead of h. Where its two sums are the same
 * number in that range no overflow was on the way, and what underflowed, or FTZ has taken from l -
 * e2 or l + e2, is less than 2^-1022, which the 2^-1020 in e2 covers. */
EXB_INLINE bool round_enclosed(exb_v h, exb_v l, exb_v e, exb_real *r)
{
    exb_v e2 = widened_bound(l, e), lo = v_add(h, v_sub(l, e2)), hi = v_add(h, v_add(l, e2));
    uint64_t key = v_first_key(lo);
    bool in_range = key >= exb_bits(EXB_CERTIFIED_LEAST) && key <= exb_bits(EXB_CERTIFIED_MOST);
#if EXB_IS_S
    exb_v step = v_set1(0x1p-52); /* outwards by at least one double each, as certify_s */
    float other = v_first_s(v_add(hi, v_mul(v_abs(hi), step)));
    *r = v_first_s(v_sub(lo, v_mul(v_abs(lo), step)));
    return in_range && is_kept(lo) && exb_bits_f(*r) == exb_bits_f(other);
#else
    *r = v_first(lo);
    return in_range && exb_bits(*r) == exb_bits(v_first(hi));
#endif
}

/* Notes the enclosure, too. */
EXB_INLINE bool rounded(exb_v h, exb_v l, exb_v e, bool exact, exb_enclosure *v, exb_real *r)
{
    *v = (exb_enclosure){v_first(h), v_first(l), exact ? 0 : v_first(e), exact};
    return exact ? round_exact(h, l, r) : round_enclosed(h, l, e, r);
}

/* --- few ------------------------------------------------------------------------- */

/* Infinite numbers make w NaN, as overflow does, where lanes are joined: then nothing is exact.
 * Numbers, not products, are multiples of g = 2^(k - 52), 2^k <= least, and so is all that is added
 * up in c and w. If w <= least, no addition there was inexact: the first one would have rounded a
 * number above 2^53 g, which is more than least, to no less than that, and w only grows. */
EXB_INLINE bool few(exb_term term, int64_t n, const exb_real *x, const exb_real *y,
                    exb_enclosure *v, exb_real *r)
{
    bool numbers = term != EXB_TERM_XY;
    exb_v least = v_set1(DBL_MAX);
    exb_vcomp a = v_comp_join_lanes(chain(term, n, x, y, &least));
    bool usual = EXB_IS_S || v_all_at_least(least, v_set1(EXB_FEW_LEAST));
    if (EXB_STATIC_ROUNDING && (EXB_IS_S ? v_drops_subnormals() : !usual)) {
        *v = exb_enclosure_unknown();
        return false;
    }
    bool exact_terms = numbers || usual;
    if (!usual)
        least = v_zero(); /* nothing is known of g */
    bool exact = numbers ? v_all_at_least(least, v_set1(v_first(a.w)))
                         : exact_terms && v_equal(a.w, v_zero()) & 1;
    exb_v e = v_mul(a.w, v_set1((double)(n / EXB_LANES + 1 + EXB_LANE_JOINS + 2) * 0x1p-53));
    e = v_mul(v_add(e, v_set1(exact_terms ? 0 : EXB_PRODUCT_LOSS)), v_set1(EXB_BOUND_UP));
    return rounded(a.s, a.c, e, exact, v, r);
}

bool exb_ti(few)(exb_term term, int64_t n, const exb_real *x, const exb_real *y, exb_enclosure *v,
                 exb_real *r)
{
    return EXB_FOR_TERM(few, term, n, x, y, v, r);
}

/* --- some more numbers ----------------------------------------------------------- */

enum {
    SAMPLES = 8, /* numbers that choose the anchor */
    ROOM = 4,    /* bits, for numbers that are larger */
    CHAINS = 4,  /* as many as hide how long additions take */
    STEP = CHAINS * EXB_LANES
};
_Static_assert(EXB_BRIEF / STEP + CHAINS <= 1 << EXB_ANCHOR_NU, "terms of a lane");

/* 2^p of the largest of the samples, or what the least anchor is for. */
EXB_INLINE exb_v sampled_power(int64_t n, const exb_real *x)
{
    exb_v m[2];
    m[0] = m[1] = v_set1(exb_pow2(EXB_ANCHOR_MIN_G - ROOM - 1));
    for (int i = 0; i < SAMPLES; i++)
        m[i % 2] = v_max_abs(m[i % 2], v_set1_real(x[n / SAMPLES * i]));
    return v_power(v_max_abs(m[0], m[1]));
}

/* Its largest number is asked for, also if none is negative. */
EXB_INLINE anchored_lanes add_number(exb_term term, anchored_lanes a, exb_v x)
{
    return add_anchored_number(EXB_TERM_X, a, term == EXB_TERM_ABS_X ? v_abs(x) : x);
}

/* The sums of the lanes, less the anchor, and their largest reach. */
EXB_INLINE anchored_lanes add_all(exb_term term, int64_t n, const exb_real *x, exb_v sigma)
{
    anchored_lanes a[CHAINS];
    for (int j = 0; j < CHAINS; j++)
        a[j] = (anchored_lanes){sigma, v_zero(), v_zero()};
    int64_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int j = 0; j < CHAINS; j++)
            a[j] = add_number(term, a[j], v_load_real(x + i + j * EXB_LANES));
    for (; i + EXB_LANES <= n; i += EXB_LANES)
        a[0] = add_number(term, a[0], v_load_real(x + i));
    if (i < n)
        a[1] = add_number(term, a[1], v_load_few_real(x + i, n - i));
    exb_v fall = v_zero();
    for (int j = 0; j < CHAINS; j++) {
        fall = larger_fall(fall, sigma, a[j].s);
        a[j].s = v_sub(a[j].s, sigma);
    }
    for (int half = CHAINS / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            a[j] = (anchored_lanes){v_add(a[j].s, a[j + half].s), v_add(a[j].c, a[j + half].c),
                                    v_max_upper(a[j].m, a[j + half].m)};
    a[0].m = reach_of_lanes(a[0].m, fall, n / STEP + CHAINS, STEP);
    return a[0];
}

/* Whether the sum h + l +- e of numbers is exact, e in lane 0. None but zeros is smaller than
 * `least`: all are multiples of g = 2^(k - 52), 2^k <= least, and so is all that is added up beside
 * the leading part. Of that the magnitudes have a sum of at most w = n U, and e >= 2^-53 n U
 * (anchor.h). So 2^54 e <= least / 2 says that w < 2^52 g, and no addition rounds. Floats are
 * multiples of g = 2^(k - 23), and so are plain sums, whose magnitudes are below 2^53 e
 * (plain_steps.h), which is below 2^53 g if 2^24 e <= least. */
EXB_INLINE bool lost_nothing(exb_v e, int64_t n, const exb_real *x)
{
    exb_v least = v_least_magnitudes(n, x), of_e = v_set1(EXB_IS_S ? 0x1p-24 : 0x1p-55);
    return v_all_at_least(least, v_set1(EXB_CERTIFIED_LEAST)) &&
           v_all_at_least(v_mul(least, of_e), v_set1(v_first(e)));
}

/* Floats, plainly. */
EXB_INLINE bool brief_plainly(exb_term term, int64_t n, const exb_real *x, exb_enclosure *v,
                              exb_real *r)
{
    plain_lanes l[PLAIN_CHAINS];
    add_plainly(term, false, PLAIN_CHAINS, n, x, x, l);
    exb_v s = v_set1(v_sum(l[0].s)), e = v_set1(v_sum(l[0].m));
    bool known = v_first_key(s) <= exb_bits(DBL_MAX) && !v_drops_subnormals(); /* e drops NaN */
    if (known && (rounded(s, v_zero(), e, false, v, r) ||
                  (lost_nothing(e, n, x) && rounded(s, v_zero(), e, true, v, r))))
        return true;
    *v = exb_enclosure_unknown();
    return false;
}

/* One pass, in which nothing but the anchor waits for the samples: g = p + 1 + ROOM (anchor.h).
 * FTZ and DAZ take less than 2^-1022 from a number, twice from what an addition leaves of it. That
 * is below n u U, of which E has three more than the depth of these additions needs: u U >=
 * 2^-1005. */
EXB_INLINE bool brief(exb_term term, int64_t n, const exb_real *x, exb_enclosure *v, exb_real *r)
{
    if (EXB_IS_S)
        return brief_plainly(term, n, x, v, r);
    const double room = exb_pow2(1 + ROOM), unit = exb_pow2(1 + ROOM + EXB_ANCHOR_NU + 1 - 52);
    exb_v power = sampled_power(n, x), most = v_mul(power, v_set1(room));
    anchored_lanes a = add_all(term, n, x, v_mul(power, v_set1(1.5 * 0x1p52 * unit)));
    exb_v e = v_mul(power, v_set1(exb_anchor_bound(unit, n, n / STEP + CHAINS)));
    exb_v c = v_set1(v_sum(a.c)), l, h = v_two_sum(v_set1(v_sum(a.s)), c, &l);
    bool fits = v_all_at_least(most, a.m) && v_first_key(c) <= exb_bits(DBL_MAX) &&
                v_first_key(most) <= exb_bits(exb_pow2(EXB_ANCHOR_MAX_G));
    if (!fits) {
        *v = exb_enclosure_unknown();
        return false;
    }
    return rounded(h, l, e, false, v, r) || (lost_nothing(e, n, x) && rounded(h, l, e, true, v, r));
}

bool exb_ti(brief)(exb_term term, int64_t n, const exb_real *x, exb_enclosure *v, exb_real *r)
{
    return term == EXB_TERM_X ? brief(EXB_TERM_X, n, x, v, r) : brief(EXB_TERM_ABS_X, n, x, v, r);
}
