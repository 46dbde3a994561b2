/* The kernels of residue_vnni.c, for instruction sets that have more (residue.h). */
#ifndef EXB_RESIDUE_VNNI_H
#define EXB_RESIDUE_VNNI_H

#include "core/simd/simd_vnni.h"
#include "level3/residue.h"

void exb_residue_convert_vnni(const exb_residue_system *s, int side, int64_t k, const double *x,
                              uint8_t *out, int64_t plane, exb_lost lost);
void exb_residue_multiply_vnni(const exb_modulus *m, int64_t kq, int n_strips, const uint8_t *a,
                               int64_t a_stride, const int8_t *b, const uint8_t *ahead, bool add,
                               int8_t *out, int64_t ld);
void exb_residue_combine_vnni(const exb_modulus *m, int side, exb_combination how, int64_t n,
                              const uint8_t *x, const uint8_t *y, uint8_t *out);
void exb_residue_reconstruct_vnni(const exb_residue_system *s, int64_t n, const int8_t *r,
                                  int64_t plane, double *h, double *l, double *lost);
void exb_residue_add_bounds_vnni(int n, const exb_residue_norms *rows, double inf, double two,
                                 double lost_1, double lost_2, double *e);

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
