/* The vector vocabulary for Advanced SIMD of AArch64: two lanes. */
#include <arm_neon.h>

typedef float64x2_t exb_v;
enum { EXB_LANES = 2, EXB_UNROLL = 4 };
enum { EXB_PAIR_VECTORS = 2, EXB_PAIR_COLS = 6, EXB_CHAIN_VECTORS = 3, EXB_CHAIN_COLS = 8 };

#define EXB_STATIC_ROUNDING 0

EXB_INLINE exb_v v_set1(double x)
{
    return vdupq_n_f64(x);
}

EXB_INLINE exb_v v_load(const double *p)
{
    return vld1q_f64(p);
}

EXB_INLINE exb_v v_load_s(const float *p)
{
    return vcvt_f64_f32(vld1_f32(p));
}

EXB_INLINE exb_v v_load_few(const double *p, int64_t n)
{
    if (n >= EXB_LANES)
        return vld1q_f64(p);
    return n > 0 ? vsetq_lane_f64(*p, v_set1(0), 0) : v_set1(0);
}

EXB_INLINE exb_v v_load_few_s(const float *p, int64_t n)
{
    if (n >= EXB_LANES)
        return vcvt_f64_f32(vld1_f32(p));
    return n > 0 ? vsetq_lane_f64(*p, v_set1(0), 0) : v_set1(0);
}

EXB_INLINE exb_v v_load_between(const double *p, int64_t begin, int64_t end)
{
    exb_v first = begin <= 0 && end > 0 ? vsetq_lane_f64(*p, v_set1(0), 0) : v_set1(0);
    return begin <= 1 && end > 1 ? vsetq_lane_f64(p[1], first, 1) : first;
}

EXB_INLINE exb_v v_load_between_s(const float *p, int64_t begin, int64_t end)
{
    exb_v first = begin <= 0 && end > 0 ? vsetq_lane_f64((double)*p, v_set1(0), 0) : v_set1(0);
    return begin <= 1 && end > 1 ? vsetq_lane_f64((double)p[1], first, 1) : first;
}

#define v_each(f) vsetq_lane_f64(f(1), vdupq_n_f64(f(0)), 1)
#define v_each_s(f) vsetq_lane_f64((double)f(1), vdupq_n_f64((double)f(0)), 1)

EXB_INLINE void v_store(double *p, exb_v a)
{
    vst1q_f64(p, a);
}

EXB_INLINE exb_v v_swap(exb_v a, int half)
{
    (void)half; /* 1 */
    return vextq_f64(a, a, 1);
}

EXB_INLINE void v_transpose(exb_v *a)
{
    exb_v first = vzip1q_f64(a[0], a[1]);
    a[1] = vzip2q_f64(a[0], a[1]);
    a[0] = first;
}

EXB_INLINE unsigned v_same_s(exb_v a, exb_v b, float *p)
{
    float32x2_t x = vcvt_f32_f64(a), y = vcvt_f32_f64(b);
    vst1_f32(p, x);
    uint32x2_t same = vceq_u32(vreinterpret_u32_f32(x), vreinterpret_u32_f32(y));
    return (vget_lane_u32(same, 0) & 1) | (vget_lane_u32(same, 1) & 2);
}

EXB_INLINE exb_v v_abs(exb_v a)
{
    return vabsq_f64(a);
}

EXB_INLINE exb_v v_power(exb_v a)
{
    return (exb_v)((uint64x2_t)a & (uint64x2_t)v_set1((double)INFINITY));
}

EXB_INLINE unsigned v_mask_of(uint64x2_t m)
{
    return (unsigned)(vgetq_lane_u64(m, 0) & 1) | (unsigned)(vgetq_lane_u64(m, 1) & 2);
}

EXB_INLINE bool v_any_nonzero(exb_v a)
{
    return v_mask_of(vceqzq_f64(a)) != 3;
}

EXB_INLINE unsigned v_outside(exb_v a, double lo, double hi)
{
    exb_v m = vabsq_f64(a);
    uint64x2_t inside = vandq_u64(vcgeq_f64(m, v_set1(lo)), vcleq_f64(m, v_set1(hi)));
    return ~v_mask_of(inside) & 3;
}

EXB_INLINE unsigned v_equal(exb_v a, exb_v b)
{
    return v_mask_of(vceqq_f64(a, b));
}

EXB_INLINE unsigned v_at_least(exb_v a, exb_v b)
{
    return v_mask_of(vcgeq_f64(a, b));
}

EXB_INLINE exb_v v_zero_lanes(exb_v a, unsigned mask)
{
    double lane[2];
    vst1q_f64(lane, a);
    for (int i = 0; i < 2; i++)
        if (mask >> i & 1)
            lane[i] = 0;
    return vld1q_f64(lane);
}

EXB_INLINE exb_v v_max_abs(exb_v m, exb_v a)
{
    return vmaxnmq_f64(m, vabsq_f64(a));
}

EXB_INLINE exb_v v_min_nonzero(exb_v m, exb_v a)
{
    float64x2_t b = vabsq_f64(a);
    return vbslq_f64(vandq_u64(vcltq_f64(b, m), vcgtq_f64(b, v_set1(0))), b, m);
}

EXB_INLINE exb_v v_fma(exb_v a, exb_v b, exb_v c)
{
    return vfmaq_f64(c, a, b);
}

EXB_INLINE exb_v v_fms(exb_v a, exb_v b, exb_v c)
{
    return vfmaq_f64(vnegq_f64(c), a, b);
}

EXB_INLINE exb_v v_keep(exb_v a)
{
    __asm__("" : "+w"(a));
    return a;
}
