/* The vocabulary of bytes and 32-bit integers: what the residue engine says to a processor, about
 * 64 bytes at a time, in EXB_PARTS registers of 16, 32 or 64 bytes.
 *
 *   exb_w            16 integers of 32 bits, or 64 bytes
 *   exb_f            16 floats
 *   f_of_bits(x) w_of_bits(x)   the bits as floats, and back
 *   w_dot(c, u, s)   c + the scalar products of four unsigned and four signed bytes
 *   w_low_halves(x)  integers from the low halves of the bits of 16 doubles
 *   w_low_bytes4(a, b, c, d)   byte 4 i + t is the low byte of element i of vector t
 *   w_transpose16(x) sixteen vectors, rows and columns changed, in place
 *   w_store_low_bytes(p, a)   the low bytes of 16 integers, to memory
 *   w_load_bytes(p)  16 signed bytes as integers
 *   w_load_first(p, n) w_store_first(p, n, x)   n < 64 bytes, others 0 or not written
 *   w_wrap_bytes(a, p)   negative bytes + p
 *   w_combine(plus, x, y, p)   x + y or x - y modulo p of bytes in [0, p)
 *   w_combine_signed(plus, x, y, p)   the same of bytes of magnitude <= p / 2 + 1 with signs
 *   w_interleave4(a, b, c, d, out)   64 groups of four bytes: out[t], 128 bits j, holds those of
 *                    elements 16 j + 4 t ... 16 j + 4 t + 3
 *   w_piece(a, piece)   EXB_LANES of the integers, from number EXB_LANES piece on, as doubles
 *   v_store_piece(p, at, piece, x)   such doubles of out[at] to their places among the 64 at p
 *
 * Before this is included, simd_vnni.h, simd_avxvnni.h and simd_sse2.h define what differs:
 * exb_part and exb_part_f (integers, floats), EXB_PARTS, p_f_fma, p_low_halves, p_store_low_bytes,
 * p_load_bytes, p_piece, with EXB_OWN_DOT p_dot, and
 *
 *   p_op(name)     the intrinsic of this name and width: _mm_name, _mm256_name, _mm512_name
 *   p_bits(name)   that which takes the whole register: _mm_name_si128, _mm256_name_si256, ... */

/* Bytes, and comparisons of them: all bits or none of each. */
typedef int8_t exb_signed_bytes __attribute__((vector_size(64 / EXB_PARTS)));
typedef uint8_t exb_bytes __attribute__((vector_size(64 / EXB_PARTS)));

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
            exb_part d = x[k + 3].part[i], ab = p_op(unpacklo_epi32)(a, b),
                     cd = p_op(unpacklo_epi32)(c, d);
            x[k].part[i] = p_op(unpacklo_epi64)(ab, cd);
            x[k + 1].part[i] = p_op(unpackhi_epi64)(ab, cd);
            ab = p_op(unpackhi_epi32)(a, b);
            cd = p_op(unpackhi_epi32)(c, d);
            x[k + 2].part[i] = p_op(unpacklo_epi64)(ab, cd);
            x[k + 3].part[i] = p_op(unpackhi_epi64)(ab, cd);
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
    const exb_bytes modulus = (exb_bytes)p_op(set1_epi8)((char)p);
    EXB_EACH_PART(i)
    {
        exb_bytes negative = (exb_bytes)((exb_signed_bytes)a.part[i] < 0);
        a.part[i] = (exb_part)((exb_bytes)a.part[i] + (negative & modulus));
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

EXB_INLINE exb_w w_combine(bool plus, exb_w a, exb_w b, int p)
{
    const exb_bytes modulus = (exb_bytes)p_op(set1_epi8)((char)p);
    EXB_EACH_PART(i)
    {
        exb_bytes x = (exb_bytes)a.part[i], y = (exb_bytes)b.part[i];
        exb_bytes z = plus ? x + y - ((exb_bytes)(y >= modulus - x) & modulus)
                           : x - y + ((exb_bytes)(x < y) & modulus);
        a.part[i] = (exb_part)z;
    }
    return a;
}

/* z = x +- y modulo 256, s the same saturated: less p from p / 2 on, plus p below -(p / 2), which
 * the ends of the range are beyond for p = 255. What was at most p + 2 in magnitude is at most
 * p / 2 + 1. */
EXB_INLINE exb_part p_into_range(exb_part z, exb_part s, int p)
{
    const exb_bytes modulus = (exb_bytes)p_op(set1_epi8)((char)p);
    exb_bytes over = (exb_bytes)((exb_signed_bytes)s >= (int8_t)(p / 2));
    exb_bytes under = (exb_bytes)((exb_signed_bytes)s < (int8_t)(-(p / 2)));
    return (exb_part)((exb_bytes)z - (over & modulus) + (under & modulus));
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
        exb_part low = p_op(unpacklo_epi8)(a.part[i], b.part[i]),
                 high = p_op(unpackhi_epi8)(a.part[i], b.part[i]);
        exb_part low_2 = p_op(unpacklo_epi8)(c.part[i], d.part[i]);
        exb_part high_2 = p_op(unpackhi_epi8)(c.part[i], d.part[i]);
        out[0].part[i] = p_op(unpacklo_epi16)(low, low_2);
        out[1].part[i] = p_op(unpackhi_epi16)(low, low_2);
        out[2].part[i] = p_op(unpacklo_epi16)(high, high_2);
        out[3].part[i] = p_op(unpackhi_epi16)(high, high_2);
    }
}

EXB_INLINE exb_v w_piece(exb_w a, int piece)
{
    return p_piece(a.part[piece / 2], piece % 2);
}

/* Four doubles at a time. */
EXB_INLINE void v_store_piece(double *p, int64_t at, int piece, exb_v x)
{
    enum { N = EXB_LANES < 4 ? EXB_LANES : 4 };
    double lane[EXB_LANES];
    v_store(lane, x);
    for (int i = 0; i < EXB_LANES; i += N) {
        int first = piece * EXB_LANES + i;
        memcpy(p + 16 * (first / 4) + 4 * at + first % 4, lane + i, N * sizeof *p);
    }
}
