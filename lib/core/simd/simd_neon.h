/* The vector vocabulary for Advanced SIMD of AArch64: two lanes. */
#include <arm_neon.h>

typedef float64x2_t exb_v;
enum { EXB_PAIR_VECTORS = 2, EXB_PAIR_COLS = 6, EXB_CHAIN_VECTORS = 3, EXB_CHAIN_COLS = 8 };

EXB_INLINE exb_v v_set1(double x)
{
    return vdupq_n_f64(x);
}

#include "core/simd/simd_two.h"

EXB_INLINE exb_v v_load_s(const float *p)
{
    return vcvt_f64_f32(vld1_f32(p));
}

EXB_INLINE unsigned v_same_s(exb_v a, exb_v b, float *p)
{
    float32x2_t x = vcvt_f32_f64(a), y = vcvt_f32_f64(b);
    vst1_f32(p, x);
    uint32x2_t same = vceq_u32(vreinterpret_u32_f32(x), vreinterpret_u32_f32(y));
    return (vget_lane_u32(same, 0) & 1) | (vget_lane_u32(same, 1) & 2);
}

EXB_INLINE exb_v v_max_abs(exb_v m, exb_v a)
{
    return vmaxnmq_f64(m, vabsq_f64(a));
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
