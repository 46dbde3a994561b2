/* The kernels of residue_bytes.c, by the name of their instruction set, for those that have more,
 * and what is in all of them (residue.h). */
#pragma once

#if defined(EXB_ISA_avx512)
#include "core/simd/simd_vnni.h"
#elif defined(EXB_ISA_avx2)
#include "core/simd/simd_avxvnni.h"
#else
#include "core/simd/simd_sse2.h"
#endif
#include "level3/residue.h"

#define EXB_RESIDUE_NAME(name, isa) EXB_PASTE4(exb_residue_, name, _, isa)
#define EXB_RESIDUE_PROTOTYPE(name, isa)                                                           \
    __typeof__(*((exb_residue_kernels *)0)->name) EXB_RESIDUE_NAME(name, isa);
#define EXB_RESIDUE_PROTOTYPES(isa)                                                                \
    EXB_RESIDUE_PROTOTYPE(convert, isa)                                                            \
    EXB_RESIDUE_PROTOTYPE(combine, isa)                                                            \
    EXB_RESIDUE_PROTOTYPE(reconstruct, isa)

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
