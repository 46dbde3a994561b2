/* The vector vocabulary in plain C: one lane. The reference for the others. */
typedef double exb_v;
enum { EXB_LANES = 1, EXB_UNROLL = 4 };
enum { EXB_PAIR_VECTORS = 2, EXB_PAIR_COLS = 4, EXB_CHAIN_VECTORS = 2, EXB_CHAIN_COLS = 4 };

EXB_INLINE exb_v v_zero(void)
{
    return 0;
}

EXB_INLINE exb_v v_set1(double x)
{
    return x;
}

EXB_INLINE exb_v v_load(const double *p)
{
    return *p;
}

EXB_INLINE exb_v v_load_s(const float *p)
{
    return *p;
}

EXB_INLINE exb_v v_load_few(const double *p, int64_t n)
{
    return n > 0 ? *p : 0;
}

EXB_INLINE exb_v v_load_few_s(const float *p, int64_t n)
{
    return n > 0 ? *p : 0;
}

EXB_INLINE exb_v v_load_between(const double *p, int64_t begin, int64_t end)
{
    return begin <= 0 && end > 0 ? *p : 0;
}

EXB_INLINE exb_v v_load_between_s(const float *p, int64_t begin, int64_t end)
{
    return begin <= 0 && end > 0 ? *p : 0;
}

#define v_each(f) (f(0))
#define v_each_s(f) (f(0))

EXB_INLINE void v_store(double *p, exb_v a)
{
    *p = a;
}

EXB_INLINE double v_first(exb_v a)
{
    return a;
}

EXB_INLINE exb_v v_swap(exb_v a, int half)
{
    (void)half; /* there is no other lane */
    return a;
}

EXB_INLINE void v_transpose(exb_v *a)
{
    (void)a; /* one lane */
}

EXB_INLINE unsigned v_same_s(exb_v a, exb_v b, float *p)
{
    float x = (float)a, y = (float)b;
    *p = x;
    return memcmp(&x, &y, sizeof x) == 0;
}

EXB_INLINE exb_v v_add(exb_v a, exb_v b)
{
    return a + b;
}

EXB_INLINE exb_v v_sub(exb_v a, exb_v b)
{
    return a - b;
}

EXB_INLINE exb_v v_mul(exb_v a, exb_v b)
{
    return a * b;
}

EXB_INLINE exb_v v_div(exb_v a, exb_v b)
{
    return a / b;
}

EXB_INLINE exb_v v_abs(exb_v a)
{
    return __builtin_fabs(a);
}

EXB_INLINE exb_v v_two_prod(exb_v a, exb_v b, exb_v *err)
{
    return exb_two_prod(a, b, err);
}

EXB_INLINE bool v_any_nonzero(exb_v a)
{
    return a != 0;
}

EXB_INLINE unsigned v_outside(exb_v a, double lo, double hi)
{
    double m = __builtin_fabs(a);
    return !(m >= lo && m <= hi);
}

EXB_INLINE unsigned v_equal(exb_v a, exb_v b)
{
    return a == b;
}

EXB_INLINE exb_v v_zero_lanes(exb_v a, unsigned mask)
{
    return mask & 1 ? 0 : a;
}

EXB_INLINE exb_v v_max_abs(exb_v m, exb_v a)
{
    double b = __builtin_fabs(a);
    return b > m ? b : m;
}

EXB_INLINE exb_v v_min_nonzero(exb_v m, exb_v a)
{
    double b = __builtin_fabs(a);
    return b < m && b > 0 ? b : m;
}

EXB_INLINE exb_v v_keep(exb_v a)
{
    return a;
}

#if EXB_HAVE_FMA
EXB_INLINE exb_v v_fma(exb_v a, exb_v b, exb_v c)
{
    return __builtin_fma(a, b, c);
}

EXB_INLINE exb_v v_fms(exb_v a, exb_v b, exb_v c)
{
    return __builtin_fma(a, b, -c);
}
#endif
