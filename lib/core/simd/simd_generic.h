/* The vector vocabulary in the vector extensions that GCC and Clang have for any processor: two
 * lanes, in a register where there are registers of 16 bytes, and in two otherwise. */
typedef double exb_v __attribute__((vector_size(16)));
typedef int64_t exb_mask __attribute__((vector_size(16))); /* of a lane all bits or none */
enum { EXB_LANES = 2, EXB_UNROLL = 4 };
enum { EXB_PAIR_VECTORS = 2, EXB_PAIR_COLS = 4, EXB_CHAIN_VECTORS = 2, EXB_CHAIN_COLS = 4 };

EXB_INLINE exb_v v_set1(double x)
{
    return (exb_v){x, x};
}

#define EXB_STATIC_ROUNDING 0

EXB_INLINE exb_v v_load(const double *p)
{
    exb_v a;
    memcpy(&a, p, sizeof a);
    return a;
}

EXB_INLINE exb_v v_load_s(const float *p)
{
    return (exb_v){p[0], p[1]};
}

EXB_INLINE exb_v v_load_few(const double *p, int64_t n)
{
    return n >= EXB_LANES ? v_load(p) : (exb_v){n > 0 ? *p : 0, 0};
}

EXB_INLINE exb_v v_load_few_s(const float *p, int64_t n)
{
    return n >= EXB_LANES ? v_load_s(p) : (exb_v){n > 0 ? *p : 0, 0};
}

EXB_INLINE exb_v v_load_between(const double *p, int64_t begin, int64_t end)
{
    return (exb_v){begin <= 0 && end > 0 ? p[0] : 0, begin <= 1 && end > 1 ? p[1] : 0};
}

EXB_INLINE exb_v v_load_between_s(const float *p, int64_t begin, int64_t end)
{
    return (exb_v){begin <= 0 && end > 0 ? p[0] : 0, begin <= 1 && end > 1 ? p[1] : 0};
}

#define v_each(f) ((exb_v){f(0), f(1)})
#define v_each_s(f) ((exb_v){f(0), f(1)})

EXB_INLINE void v_store(double *p, exb_v a)
{
    memcpy(p, &a, sizeof a);
}

EXB_INLINE exb_v v_swap(exb_v a, int half)
{
    (void)half; /* 1 */
    return (exb_v){a[1], a[0]};
}

EXB_INLINE void v_transpose(exb_v *a)
{
    exb_v first = {a[0][0], a[1][0]};
    a[1] = (exb_v){a[0][1], a[1][1]};
    a[0] = first;
}

EXB_INLINE unsigned v_same_s(exb_v a, exb_v b, float *p)
{
    float x[2] = {(float)a[0], (float)a[1]}, y[2] = {(float)b[0], (float)b[1]};
    memcpy(p, x, sizeof x);
    return (memcmp(x, y, sizeof *x) == 0) | (unsigned)(memcmp(x + 1, y + 1, sizeof *x) == 0) << 1;
}

EXB_INLINE exb_v v_abs(exb_v a)
{
    return (exb_v)((exb_mask)a & INT64_MAX);
}

EXB_INLINE exb_v v_power(exb_v a)
{
    return (exb_v)((exb_mask)a & (exb_mask)v_set1((double)INFINITY));
}

EXB_INLINE exb_v v_choose(exb_mask m, exb_v a, exb_v b)
{
    return (exb_v)(((exb_mask)a & m) | ((exb_mask)b & ~m));
}

EXB_INLINE unsigned v_bits(exb_mask m)
{
    return (unsigned)(m[0] & 1) | (unsigned)(m[1] & 2);
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

EXB_INLINE bool v_any_nonzero(exb_v a)
{
    return v_bits(a != v_set1(0)) != 0;
}

EXB_INLINE unsigned v_outside(exb_v a, double lo, double hi)
{
    exb_v m = v_abs(a);
    return v_bits((m >= v_set1(lo)) & (m <= v_set1(hi))) ^ 3;
}

EXB_INLINE unsigned v_equal(exb_v a, exb_v b)
{
    return v_bits(a == b);
}

EXB_INLINE unsigned v_at_least(exb_v a, exb_v b)
{
    return v_bits(a >= b);
}

EXB_INLINE exb_v v_zero_lanes(exb_v a, unsigned mask)
{
    return (exb_v){mask & 1 ? 0 : a[0], mask & 2 ? 0 : a[1]};
}

EXB_INLINE exb_v v_max_abs(exb_v m, exb_v a)
{
    exb_v b = v_abs(a);
    return v_choose(b > m, b, m);
}

EXB_INLINE exb_v v_min_nonzero(exb_v m, exb_v a)
{
    exb_v b = v_abs(a);
    return v_choose((b < m) & (b > v_set1(0)), b, m);
}

EXB_INLINE exb_v v_keep(exb_v a)
{
    return a;
}
