/* The vector vocabulary in the vector extensions that GCC and Clang have for any processor: two
 * lanes, in a register where there are registers of 16 bytes, and in two otherwise. */
typedef double exb_v __attribute__((vector_size(16)));
enum { EXB_PAIR_VECTORS = 2, EXB_PAIR_COLS = 4, EXB_CHAIN_VECTORS = 2, EXB_CHAIN_COLS = 4 };

EXB_INLINE exb_v v_set1(double x)
{
    return (exb_v){x, x};
}

#include "core/simd/simd_two.h"

EXB_INLINE exb_v v_load_s(const float *p)
{
    return (exb_v){p[0], p[1]};
}

EXB_INLINE unsigned v_same_s(exb_v a, exb_v b, float *p)
{
    float x[2] = {(float)a[0], (float)a[1]}, y[2] = {(float)b[0], (float)b[1]};
    memcpy(p, x, sizeof x);
    return (memcmp(x, y, sizeof *x) == 0) | (unsigned)(memcmp(x + 1, y + 1, sizeof *x) == 0) << 1;
}

#if EXB_HAVE_FMA
EXB_INLINE exb_v v_fma(exb_v a, exb_v b, exb_v c)
{
    return (exb_v){exb_fma(a[0], b[0], c[0]), exb_fma(a[1], b[1], c[1])};
}

EXB_INLINE exb_v v_fms(exb_v a, exb_v b, exb_v c)
{
    return v_fma(a, b, -c);
}
#else
/* exb_veltkamp_split and exb_two_prod of eft.h. */
EXB_INLINE exb_v v_split(exb_v a, exb_v *lo)
{
    exb_v c = v_set1(0x1.0000002p27) * a;
    exb_v hi = c - (c - a);
    *lo = a - hi;
    return hi;
}

EXB_INLINE exb_v v_two_prod(exb_v a, exb_v b, exb_v *err)
{
    exb_v p = a * b, al, bl;
    exb_v ah = v_split(a, &al), bh = v_split(b, &bl);
    *err = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
    return p;
}
#endif

EXB_INLINE exb_v v_max_abs(exb_v m, exb_v a)
{
    exb_v b = v_abs(a);
    return v_choose(b > m, b, m);
}

EXB_INLINE exb_v v_keep(exb_v a)
{
    return a;
}
