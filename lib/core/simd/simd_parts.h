/* The vocabulary of simd_vnni.h for registers of 16 or 32 bytes, without EVEX instructions:
 * EXB_PARTS of them, each a exb_part (integers) or exb_part_f (floats). Before this is included,
 * simd_avxvnni.h and simd_sse2.h define these, what differs between them (p_f_fma, p_low_halves,
 * p_store_low_bytes, p_load_bytes, p_piece, with EXB_OWN_DOT p_dot), and
 *
 *   p_op(name)     the intrinsic of this name and width: _mm_name, _mm256_name
 *   p_bits(name)   that which takes the whole register: _mm_name_si128, _mm256_name_si256 */

/* In each 128 bits. */
#define p_zip_low_8 p_op(unpacklo_epi8)
#define p_zip_high_8 p_op(unpackhi_epi8)
#define p_zip_low_16 p_op(unpacklo_epi16)
#define p_zip_high_16 p_op(unpackhi_epi16)
#define p_zip_low_32 p_op(unpacklo_epi32)
#define p_zip_high_32 p_op(unpackhi_epi32)
#define p_zip_low_64 p_op(unpacklo_epi64)
#define p_zip_high_64 p_op(unpackhi_epi64)

typedef struct {
    exb_part part[EXB_PARTS];
} exb_w;

typedef struct {
    exb_part_f part[EXB_PARTS];
} exb_f;

enum { EXB_PART_INTEGERS = 16 / EXB_PARTS };

#define EXB_EACH_PART(i) _Pragma("GCC unroll 4") for (int i = 0; i < EXB_PARTS; i++)

EXB_INLINE exb_w w_set1(int32_t x)
{
    exb_w r;
    EXB_EACH_PART(i)
    r.part[i] = p_op(set1_epi32)(x);
    return r;
}

EXB_INLINE exb_w w_zero(void)
{
    return w_set1(0);
}

EXB_INLINE exb_w w_load(const void *p)
{
    exb_w r;
    EXB_EACH_PART(i)
    r.part[i] = p_bits(loadu)((const void *)((const uint8_t *)p + i * 4 * EXB_PART_INTEGERS));
    return r;
}

EXB_INLINE void w_store(void *p, exb_w x)
{
    EXB_EACH_PART(i)
    p_bits(storeu)((void *)((uint8_t *)p + i * 4 * EXB_PART_INTEGERS), x.part[i]);
}

#ifndef EXB_OWN_DOT
/* Without an instruction for it: bytes 0 and 2, then 1 and 3, as integers of 16 bits; sums of two
 * products are exact in 32. */
EXB_INLINE exb_part p_dot(exb_part c, exb_part u, exb_part s)
{
    exb_part even = p_op(madd_epi16)(p_bits(and)(u, p_op(set1_epi16)(255)),
                                     p_op(srai_epi16)(p_op(slli_epi16)(s, 8), 8));
    exb_part odd = p_op(madd_epi16)(p_op(srli_epi16)(u, 8), p_op(srai_epi16)(s, 8));
    return p_op(add_epi32)(c, p_op(add_epi32)(even, odd));
}
#endif

EXB_INLINE exb_w w_dot(exb_w c, exb_w u, exb_w s)
{
    EXB_EACH_PART(i)
    c.part[i] = p_dot(c.part[i], u.part[i], s.part[i]);
    return c;
}

EXB_INLINE exb_w w_add(exb_w a, exb_w b)
{
    EXB_EACH_PART(i)
    a.part[i] = p_op(add_epi32)(a.part[i], b.part[i]);
    return a;
}

EXB_INLINE exb_w w_xor(exb_w a, exb_w b)
{
    EXB_EACH_PART(i)
    a.part[i] = p_bits(xor)(a.part[i], b.part[i]);
    return a;
}

EXB_INLINE exb_f f_set1(float x)
{
    exb_f r;
    EXB_EACH_PART(i)
    r.part[i] = p_op(set1_ps)(x);
    return r;
}

EXB_INLINE exb_f f_of_bits(exb_w x)
{
    exb_f r;
    EXB_EACH_PART(i)
    r.part[i] = (exb_part_f)x.part[i];
    return r;
}

EXB_INLINE exb_w w_of_bits(exb_f x)
{
    exb_w r;
    EXB_EACH_PART(i)
    r.part[i] = (exb_part)x.part[i];
    return r;
}

EXB_INLINE exb_f f_fma(exb_f a, exb_f b, exb_f c)
{
    EXB_EACH_PART(i)
    a.part[i] = p_f_fma(a.part[i], b.part[i], c.part[i]);
    return a;
}

EXB_INLINE exb_w w_low_halves(const exb_v *x)
{
    exb_w r;
    EXB_EACH_PART(i)
    r.part[i] = p_low_halves(x[2 * i], x[2 * i + 1]);
    return r;
}

EXB_INLINE exb_w w_low_bytes4(exb_w a, exb_w b, exb_w c, exb_w d)
{
    const exb_part low = p_op(set1_epi32)(255);
    EXB_EACH_PART(i)
    {
        exb_part u = p_bits(and)(a.part[i], low), v = p_bits(and)(b.part[i], low);
        exb_part x = p_bits(and)(c.part[i], low), y = p_bits(and)(d.part[i], low);
        exb_part high = p_bits(or)(x, p_op(slli_epi32)(y, 8));
        a.part[i] = p_bits(or)(p_bits(or)(u, p_op(slli_epi32)(v, 8)), p_op(slli_epi32)(high, 16));
    }
    return a;
}

/* In groups of 32 and 64 bits inside each 128; then those of 128 bits change places. */
EXB_INLINE void w_transpose16(exb_w *x)
{
    for (int k = 0; k < 16; k += 4)
        EXB_EACH_PART(i)
        {
            exb_part a = x[k].part[i], b = x[k + 1].part[i], c = x[k + 2].part[i];
            exb_part d = x[k + 3].part[i], ab = p_zip_low_32(a, b), cd = p_zip_low_32(c, d);
            x[k].part[i] = p_zip_low_64(ab, cd);
            x[k + 1].part[i] = p_zip_high_64(ab, cd);
            ab = p_zip_high_32(a, b);
            cd = p_zip_high_32(c, d);
            x[k + 2].part[i] = p_zip_low_64(ab, cd);
            x[k + 3].part[i] = p_zip_high_64(ab, cd);
        }
    for (int t = 0; t < 4; t++) {
        enum { QUARTER = 16, N = 4 };
        uint8_t from[N][N * QUARTER];
        for (int k = 0; k < N; k++)
            w_store(from[k], x[4 * k + t]);
        for (int j = 0; j < N; j++) {
            uint8_t to[N * QUARTER];
            for (int k = 0; k < N; k++)
                memcpy(to + k * QUARTER, from[k] + j * QUARTER, QUARTER);
            x[4 * j + t] = w_load(to);
        }
    }
}

EXB_INLINE void w_store_low_bytes(void *p, exb_w a)
{
    EXB_EACH_PART(i)
    p_store_low_bytes((uint8_t *)p + i * EXB_PART_INTEGERS, a.part[i]);
}

EXB_INLINE exb_w w_load_bytes(const int8_t *p)
{
    exb_w r;
    EXB_EACH_PART(i)
    r.part[i] = p_load_bytes(p + i * EXB_PART_INTEGERS);
    return r;
}

EXB_INLINE exb_w w_wrap_bytes(exb_w a, int p)
{
    EXB_EACH_PART(i)
    {
        exb_part negative = p_op(cmpgt_epi8)(p_bits(setzero)(), a.part[i]);
        a.part[i] = p_op(add_epi8)(a.part[i], p_bits(and)(negative, p_op(set1_epi8)((char)p)));
    }
    return a;
}

EXB_INLINE exb_w w_load_first(const void *p, int64_t n)
{
    uint8_t bytes[64] = {0};
    memcpy(bytes, p, (size_t)n);
    return w_load(bytes);
}

EXB_INLINE void w_store_first(void *p, int64_t n, exb_w x)
{
    uint8_t bytes[64];
    w_store(bytes, x);
    memcpy(p, bytes, (size_t)n);
}

EXB_INLINE exb_part p_plus_bytes(exb_part x, exb_part y, int p)
{
    const exb_part modulus = p_op(set1_epi8)((char)p);
    exb_part over = p_op(cmpeq_epi8)(p_op(max_epu8)(y, p_op(sub_epi8)(modulus, x)), y);
    return p_op(sub_epi8)(p_op(add_epi8)(x, y), p_bits(and)(over, modulus));
}

EXB_INLINE exb_part p_minus_bytes(exb_part x, exb_part y, int p)
{
    exb_part not_under = p_op(cmpeq_epi8)(p_op(max_epu8)(x, y), x);
    return p_op(add_epi8)(p_op(sub_epi8)(x, y),
                          p_bits(andnot)(not_under, p_op(set1_epi8)((char)p)));
}

/* As w_into_range of simd_vnni.h. */
EXB_INLINE exb_part p_into_range(exb_part z, exb_part s, int p)
{
    const exb_part modulus = p_op(set1_epi8)((char)p);
    exb_part over = p_op(cmpgt_epi8)(s, p_op(set1_epi8)((char)(p / 2 - 1)));
    exb_part under = p_op(cmpgt_epi8)(p_op(set1_epi8)((char)(-(p / 2))), s);
    z = p_op(sub_epi8)(z, p_bits(and)(over, modulus));
    return p_op(add_epi8)(z, p_bits(and)(under, modulus));
}

EXB_INLINE exb_w w_combine(bool plus, exb_w x, exb_w y, int p)
{
    EXB_EACH_PART(i)
    x.part[i] =
        plus ? p_plus_bytes(x.part[i], y.part[i], p) : p_minus_bytes(x.part[i], y.part[i], p);
    return x;
}

EXB_INLINE exb_w w_combine_signed(bool plus, exb_w x, exb_w y, int p)
{
    EXB_EACH_PART(i)
    {
        exb_part a = x.part[i], b = y.part[i];
        x.part[i] = plus ? p_into_range(p_op(add_epi8)(a, b), p_op(adds_epi8)(a, b), p)
                         : p_into_range(p_op(sub_epi8)(a, b), p_op(subs_epi8)(a, b), p);
    }
    return x;
}

EXB_INLINE void w_interleave4(exb_w a, exb_w b, exb_w c, exb_w d, exb_w out[4])
{
    EXB_EACH_PART(i)
    {
        exb_part low = p_zip_low_8(a.part[i], b.part[i]), high = p_zip_high_8(a.part[i], b.part[i]);
        exb_part low_2 = p_zip_low_8(c.part[i], d.part[i]);
        exb_part high_2 = p_zip_high_8(c.part[i], d.part[i]);
        out[0].part[i] = p_zip_low_16(low, low_2);
        out[1].part[i] = p_zip_high_16(low, low_2);
        out[2].part[i] = p_zip_low_16(high, high_2);
        out[3].part[i] = p_zip_high_16(high, high_2);
    }
}

EXB_INLINE exb_v w_piece(exb_w a, int piece)
{
    return p_piece(a.part[piece / 2], piece % 2);
}

EXB_INLINE void v_store_piece(double *p, int64_t at, int piece, exb_v x)
{
    int first = piece * EXB_LANES;
    v_store(p + 16 * (first / 4) + 4 * at + first % 4, x);
}
