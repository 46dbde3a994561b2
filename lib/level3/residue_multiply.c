/* The product of bytes of one tile and one modulus: blocks are multiplied by seven products of
 * blocks of half the size instead of eight, which is exact modulo p.
 *
 * Source: Strassen (1969) in the form of Winograd, for C = A B in quadrants:
 *
 *   S1 = A21 + A22, S2 = S1 - A11, S3 = A11 - A21, S4 = A12 - S2
 *   T1 = B12 - B11, T2 = B22 - T1, T3 = B22 - B12, T4 = B21 - T2
 *   X = A11 B11 + S2 T2, Y = S1 T1, Z = X + S3 T3
 *   C11 = A11 B11 + A12 B21, C12 = X + Y + S4 B22, C21 = Z + A22 T4, C22 = Z + Y */
#include "level3/residue.h"

#include "core/partition.h"

#include <string.h>

typedef exb_residue_strips strips;
typedef exb_residue_area area;

/* Half of the rows or columns of an operand from strip v on, and of its terms from quad l on. */
static strips strips_at(strips s, int64_t v, int64_t l)
{
    return (strips){s.p + v * s.stride + l * 4 * EXB_STRIP, s.stride};
}

/* out = x + y or x - y; out may be x or y. */
static strips combine_strips(const area *q, int side, exb_combination how, strips x, strips y,
                             uint8_t *out)
{
    int64_t n = side ? q->columns : q->rows, bytes = q->kq * 4 * EXB_STRIP;
    for (int64_t v = 0; v < n; v++)
        q->kernels->combine(q->modulus, side, how, bytes, x.p + v * x.stride, y.p + v * y.stride,
                            out + v * bytes);
    return (strips){out, bytes};
}

/* out += x, both columns of residues. */
static void add_residues(const area *q, const int8_t *x, int64_t ldx, int8_t *out, int64_t ld)
{
    for (int64_t c = 0; c < q->columns * EXB_STRIP; c++)
        q->kernels->combine(q->modulus, 1, EXB_PLUS, q->rows * EXB_STRIP,
                            (const uint8_t *)x + c * ldx, (uint8_t *)out + c * ld,
                            (uint8_t *)out + c * ld);
}

static void copy_residues(const area *q, const int8_t *x, int64_t ldx, int8_t *out, int64_t ld)
{
    for (int64_t c = 0; c < q->columns * EXB_STRIP; c++)
        memcpy(out + c * ld, x + c * ldx, (size_t)(q->rows * EXB_STRIP));
}

/* a b, of the size of q, to out. */
static void multiply_quadrants(const area *q, strips a, strips b, bool add, int8_t *out, int64_t ld,
                               int n_levels, uint8_t *scratch)
{
    area z = *q;
    z.a = a;
    z.b = b;
    z.add = add;
    z.out = out;
    z.ld = ld;
    exb_residue_multiply(&z, n_levels, scratch);
}

static void multiply_by_halves(const area *q, int n, uint8_t *scratch)
{
    area z = *q; /* the size of a quadrant */
    z.rows /= 2;
    z.columns /= 2;
    z.kq /= 2;
    strips a[2][2], b[2][2], s, t; /* b[l][j] */
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            a[i][j] = strips_at(q->a, i * z.rows, j * z.kq);
            b[j][i] = strips_at(q->b, i * z.columns, j * z.kq);
        }
    int64_t ld = z.rows * EXB_STRIP, quad = 4 * EXB_STRIP * z.kq;
    int8_t *x = (int8_t *)scratch, *y = x + ld * z.columns * EXB_STRIP;
    uint8_t *to_s = (uint8_t *)(y + ld * z.columns * EXB_STRIP), *to_t = to_s + z.rows * quad;
    uint8_t *rest = to_t + z.columns * quad;
    int8_t *c11 = q->out, *c21 = c11 + ld, *c12 = c11 + q->ld * z.columns * EXB_STRIP,
           *c22 = c12 + ld;
    multiply_quadrants(&z, a[0][0], b[0][0], false, x, ld, n, rest);
    multiply_quadrants(&z, a[0][1], b[1][0], q->add, c11, q->ld, n, rest);
    add_residues(&z, x, ld, c11, q->ld);
    s = combine_strips(&z, 0, EXB_PLUS, a[1][0], a[1][1], to_s);
    t = combine_strips(&z, 1, EXB_MINUS, b[0][1], b[0][0], to_t);
    multiply_quadrants(&z, s, t, false, y, ld, n, rest);
    s = combine_strips(&z, 0, EXB_MINUS, s, a[0][0], to_s);
    t = combine_strips(&z, 1, EXB_MINUS, b[1][1], t, to_t);
    multiply_quadrants(&z, s, t, true, x, ld, n, rest);
    s = combine_strips(&z, 0, EXB_MINUS, a[0][1], s, to_s);
    multiply_quadrants(&z, s, b[1][1], q->add, c12, q->ld, n, rest);
    add_residues(&z, x, ld, c12, q->ld);
    add_residues(&z, y, ld, c12, q->ld);
    t = combine_strips(&z, 1, EXB_MINUS, b[1][0], t, to_t);
    multiply_quadrants(&z, a[1][1], t, q->add, c21, q->ld, n, rest);
    s = combine_strips(&z, 0, EXB_MINUS, a[0][0], a[1][0], to_s);
    t = combine_strips(&z, 1, EXB_MINUS, b[1][1], b[0][1], to_t);
    multiply_quadrants(&z, s, t, true, x, ld, n, rest);
    add_residues(&z, x, ld, c21, q->ld);
    add_residues(&z, x, ld, y, ld);
    if (q->add)
        add_residues(&z, y, ld, c22, q->ld);
    else
        copy_residues(&z, y, ld, c22, q->ld);
}

void exb_residue_multiply(const area *q, int n_levels, uint8_t *scratch)
{
    if (n_levels > 0)
        multiply_by_halves(q, n_levels - 1, scratch);
    else
        q->kernels->multiply(q);
}

int64_t exb_residue_halving_bytes(int64_t rows, int64_t columns, int64_t k, int n_levels)
{
    int64_t bytes = 0;
    for (; n_levels > 0; n_levels--) {
        rows /= 2;
        columns /= 2;
        k /= 2;
        bytes += 2 * rows * columns + (rows + columns) * k;
    }
    return bytes;
}
