/* The kernels of the residue engine in plain C: slow, the reference for the others.
 * Instruction sets: generic. */
#include "core/partition.h"
#include "level3/residue.h"

static int signed_byte(uint32_t packed, int i)
{
    return (int8_t)(packed >> (8 * i));
}

/* Digits as in residue.h; returns delta. Products with powers of two are exact. Vectors that are
 * not finite or could not be scaled come here too: any digits will do. */
static double split(double y, int n_digits, uint32_t *digit)
{
    for (int d = n_digits - 1; d >= 0; d--) {
        double weight = ldexp(1, EXB_DIGIT_BITS * d), whole = rint(y / weight);
        int64_t n = fabs(whole) <= 0x1p30 ? (int64_t)whole : 0;
        digit[d] = (uint32_t)(n + (1 << (EXB_DIGIT_BITS - 1)));
        y -= whole * weight;
    }
    return y;
}

static int residue_of(const exb_modulus *m, int side, int n_digits, const uint32_t *digit)
{
    int64_t v = m->offset[side];
    for (int d = 0; d < n_digits; d++)
        for (int i = 0; i < 4; i++)
            v += (int64_t)(digit[d] >> (8 * i) & 255) * signed_byte(m->digit[side][d], i);
    int r = exb_symmetric(v, m->p);
    return side == 0 && r < 0 ? r + m->p : r;
}

static double element(const exb_residue_elements *x, int64_t v, int64_t l)
{
    return v < x->n && l < x->k ? x->p[v * x->vs + l * x->ls] * x->factor[v] : 0;
}

static void convert(const exb_residue_system *s, int quads, int side, const exb_residue_elements *x,
                    uint8_t *out, int64_t plane, const exb_residue_side *of)
{
    int64_t n_quads = exb_tasks_of(x->k, 4 * quads) * quads;
    for (int64_t l = 0; l < 4 * n_quads; l++)
        for (int64_t v = 0; v < EXB_STRIP; v++) {
            uint32_t digit[EXB_DIGITS_MAX];
            double delta = split(element(x, v, l), s->n_digits, digit);
            int64_t at = 4 * (l % n_quads * EXB_STRIP + v) + l / n_quads;
            of->lost_1[v] += fabs(delta);
            of->lost_2[v] += delta * delta;
            for (int i = 0; i < s->n_moduli; i++)
                out[i * plane + at] = (uint8_t)residue_of(&s->modulus[i], side, s->n_digits, digit);
        }
}

/* Byte 0 of the first four of vector v. */
static const uint8_t *vector_at(exb_residue_strips s, int64_t v)
{
    return s.p + v / EXB_STRIP * s.stride + v % EXB_STRIP * 4;
}

static void multiply_residues(const exb_residue_area *area)
{
    for (int64_t j = 0; j < area->columns * EXB_STRIP; j++)
        for (int64_t i = 0; i < area->rows * EXB_STRIP; i++) {
            const uint8_t *row = vector_at(area->a, i);
            const int8_t *column = (const int8_t *)vector_at(area->b, j);
            int8_t *out = area->out + j * area->ld + i;
            int64_t sum = area->add ? *out : 0;
            for (int64_t q = 0; q < area->kq; q++)
                for (int t = 0; t < 4; t++)
                    sum += (int64_t)row[64 * q + t] * column[64 * q + t];
            *out = (int8_t)exb_symmetric(sum, area->modulus->p);
        }
}

static void combine(const exb_modulus *m, int side, exb_combination how, int64_t n,
                    const uint8_t *x, const uint8_t *y, uint8_t *out)
{
    for (int64_t i = 0; i < n; i++) {
        int a = side ? (int8_t)x[i] : x[i], b = side ? (int8_t)y[i] : y[i];
        int r = exb_symmetric(how == EXB_PLUS ? a + b : a - b, m->p);
        out[i] = (uint8_t)(side == 0 && r < 0 ? r + m->p : r);
    }
}

static void sum_limbs(const exb_residue_system *s, const int8_t *r, int64_t plane, double *limb)
{
    for (int i = 0; i < s->n_pairs; i++) {
        int a = r[2 * i * plane], b = 2 * i + 1 < s->n_moduli ? r[(2 * i + 1) * plane] : 0;
        int x = a * (s->pair[i].multiply[0] & 255) + b * (s->pair[i].multiply[0] >> 8);
        for (int j = 0; j < s->n_limbs; j++)
            limb[j] += x * s->pair[i].limb[j];
    }
}

static void reconstruct(const exb_residue_system *s, int64_t n, const int8_t *r, int64_t plane,
                        double *h, double *l, double *lost)
{
    for (int64_t i = 0; i < n; i++) {
        double limb[EXB_LIMBS_MAX] = {0};
        sum_limbs(s, r + i, plane, limb);
        exb_residue_reduce(s->n_limbs, limb, s->limb, s->carry, s->inverse);
        h[i] = exb_residue_join(s->n_limbs, limb, l + i, lost + i);
    }
}

const exb_residue_kernels exb_residue_generic = {1,       EXB_RESIDUE_TILE, EXB_RESIDUE_LEVELS,
                                                 1,       convert,          multiply_residues,
                                                 combine, reconstruct,      exb_add_bounds};
