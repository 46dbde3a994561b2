/* The vocabulary of simd_vnni.h for registers of less than 64 bytes: EXB_PARTS of them, each a
 * exb_part (integers) or exb_part_f (floats), with the operations p_*, which simd_avxvnni.h and
 * simd_sse2.h define. What crosses parts stands here. */
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

/* Through the caches: 64 bytes are not written at once. */
EXB_INLINE void w_stream(void *p, exb_w x)
{
    w_store(p, x);
}

EXB_INLINE void w_end_stream(void) {}

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
    EXB_EACH_PART(i)
    a.part[i] = p_low_bytes4(a.part[i], b.part[i], c.part[i], d.part[i]);
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
    a.part[i] = p_wrap_bytes(a.part[i], p);
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
    x.part[i] = p_combine_signed(plus, x.part[i], y.part[i], p);
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
