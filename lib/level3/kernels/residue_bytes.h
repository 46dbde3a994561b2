/* The kernels of residue_bytes.c, by the name of their instruction set, for those that have more,
 * and what is in all of them (residue.h). */
#ifndef EXB_RESIDUE_BYTES_H
#define EXB_RESIDUE_BYTES_H

#if defined(EXB_ISA_avx512)
#include "core/simd/simd_vnni.h"
#elif defined(EXB_ISA_avx2)
#include "core/simd/simd_avxvnni.h"
#else
#include "core/simd/simd_sse2.h"
#endif
#include "level3/residue.h"

#define EXB_RESIDUE_NAME(name, isa) EXB_PASTE4(exb_residue_, name, _, isa)
#define EXB_RESIDUE_PROTOTYPE(slot, name, isa)                                                     \
    __typeof__(*((exb_residue_kernels *)0)->slot) EXB_RESIDUE_NAME(name, isa);
#define EXB_RESIDUE_PROTOTYPES(isa)                                                                \
    EXB_RESIDUE_PROTOTYPE(convert, convert, isa)                                                   \
    EXB_RESIDUE_PROTOTYPE(convert, convert_tiles, isa)                                             \
    EXB_RESIDUE_PROTOTYPE(multiply, multiply, isa)                                                 \
    EXB_RESIDUE_PROTOTYPE(combine, combine, isa)                                                   \
    EXB_RESIDUE_PROTOTYPE(reconstruct, reconstruct, isa)                                           \
    EXB_RESIDUE_PROTOTYPE(add_bounds, add_bounds, isa)

/* What brings |v| <= EXB_REDUCED into [-128, 127] modulo p (residue.h). */
typedef struct {
    exb_f inverse, to_quotient;
    exb_w minus_p, sum_digit, sum_start;
} exb_reducer;

EXB_INLINE exb_reducer exb_reducer_of(const exb_modulus *m)
{
    return (exb_reducer){f_set1(m->inverse), f_set1(m->to_quotient), w_set1(m->minus_p),
                         w_set1((int32_t)m->sum_digit), w_set1(m->base + m->sum_offset)};
}

/* The residue, as the low byte, from the bits of p m + v. */
EXB_INLINE exb_w exb_reduce(exb_w bits, const exb_reducer *r)
{
    exb_f q = f_fma(f_of_bits(bits), r->inverse, r->to_quotient);
    return w_dot(bits, w_of_bits(q), r->minus_p);
}

/* Residues of 16 sums of products, and of what is there already if `add`. |sum| <= 255 * 128 *
 * 65536 < 2^31: its bits with the sign bit flipped are sum + 2^31 >= 0. */
EXB_INLINE void exb_store_residues(const exb_reducer *r, exb_w sum, bool add, int8_t *out)
{
    exb_w start = add ? w_add(r->sum_start, w_load_bytes(out)) : r->sum_start;
    exb_w v = w_dot(start, w_xor(sum, w_set1(INT32_MIN)), r->sum_digit);
    w_store_low_bytes(out, exb_reduce(v, r));
}

/* The residues of 64 rows, four moduli side by side. */
enum { EXB_RESIDUE_GROUPS = EXB_MODULI_MAX / 4 };
EXB_INLINE void exb_residue_interleave(const exb_residue_system *s, const int8_t *r, int64_t plane,
                                       exb_w out[EXB_RESIDUE_GROUPS][4])
{
    for (int g = 0; 4 * g < s->n_moduli; g++) {
        exb_w x[4];
        for (int i = 0; i < 4; i++)
            x[i] = 4 * g + i < s->n_moduli ? w_load(r + (4 * g + i) * plane) : w_zero();
        w_interleave4(x[0], x[1], x[2], x[3], out[g]);
    }
}

#endif
