/* How the operands of a case lie in memory. */
#include "case.h"

#include <stdlib.h>

enum { BATCH_GAP = 5 /* elements between the matrices of a batch */ };

/* Of Level 2's A, from BLAS's descriptions. */
static int64_t level2_place(const fuzz_case *c, bool by_rows, int64_t lda, int64_t i, int64_t j)
{
    bool is_lower = c->uplo == 'l', is_general = c->t.shape == SHAPE_GENERAL;
    if (c->t.is_band) {
        int64_t kl = is_general ? c->kl : is_lower ? c->ku : 0;
        int64_t ku = is_general || !is_lower ? c->ku : 0;
        return by_rows ? i * lda + kl + j - i : j * lda + ku + i - j;
    }
    if (!c->t.is_packed)
        return by_rows ? i * lda + j : j * lda + i;
    int64_t n = c->n, line = by_rows ? i : j, at = by_rows ? j : i;
    bool grows = is_lower == by_rows; /* lines of 1, 2, ... elements, else of n, n - 1, ... */
    return grows ? line * (line + 1) / 2 + at : line * (2 * n - line - 1) / 2 + at;
}

static int64_t vector_place(int64_t n, int64_t inc, int64_t i)
{
    return inc < 0 ? (i - (n - 1)) * inc : i * inc;
}

double poison(number_format f)
{
    double x = from_bits(0x7ffdeadbe0000000u), y; /* the payload fits a float */
    store_number(f, &y, 0, x);
    return load_number(f, &y, 0);
}

static int64_t leading_dimension(const fuzz_case *c, fuzz_which which)
{
    const fuzz_operand *o = &c->operand[which];
    int64_t padding = c->padding[which];
    if (c->t.is_packed)
        return padding;
    if (c->t.is_band)
        return (c->t.shape == SHAPE_GENERAL ? c->kl : 0) + c->ku + 1 + padding;
    int64_t span = fuzz_by_rows(c) ? o->cols / c->batch : o->rows;
    return (span > 1 ? span : 1) + padding;
}

static int64_t batch_stride(const fuzz_case *c, fuzz_which which)
{
    const fuzz_operand *o = &c->operand[which];
    int64_t lines = fuzz_by_rows(c) ? o->rows : o->cols / c->batch;
    return leading_dimension(c, which) * lines + BATCH_GAP;
}

int64_t fuzz_integer(const fuzz_case *c, const char *name)
{
    bool level2 = c->group == GROUP_LEVEL2;
    switch (name[0]) {
    case 'm':
        return c->m;
    case 'n':
        return strcmp(name, "n_bins") == 0 ? c->n_bins : c->n;
    case 'k':
        if (name[1] == 'l')
            return c->kl;
        return name[1] == 'u' || level2 ? c->ku : c->k;
    case 'i':
        return name[3] == 'x' || name[3] == 'i' ? c->incx : c->incy;
    case 'b':
        return c->batch;
    default: {
        char last = name[strlen(name) - 1]; /* ld and stride of a, b or c */
        fuzz_which which = last == 'a' ? OPERAND_A : last == 'b' ? OPERAND_B : OPERAND_C;
        bool in_c = c->group == GROUP_LEVEL3 && last == 'b' && !c->t.has_beta;
        which = in_c ? OPERAND_C : which;
        return name[0] == 's' ? batch_stride(c, which) : leading_dimension(c, which);
    }
    }
}

int64_t fuzz_place(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j)
{
    bool by_rows = fuzz_by_rows(c);
    if (c->group == GROUP_LEVEL2 && which == OPERAND_A)
        return level2_place(c, by_rows, leading_dimension(c, which), i, j);
    if (c->group == GROUP_LEVEL3) {
        int64_t each = c->operand[which].cols / c->batch, copy = j / each,
                ld = leading_dimension(c, which);
        j %= each;
        int64_t stride = c->batch > 1 ? batch_stride(c, which) : 0;
        return copy * stride + (by_rows ? i * ld + j : j * ld + i);
    }
    bool has_inc = c->group <= GROUP_ELEMENTS || c->group == GROUP_LEVEL2;
    if (!has_inc || which < OPERAND_X)
        return i;
    return vector_place(c->operand[which].rows, which == OPERAND_X ? c->incx : c->incy, i);
}

/* A band or a packed triangle has elements only where they are stored. */
static bool has_place(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j)
{
    return !(c->t.is_band || c->t.is_packed) || fuzz_is_stored(c, which, i, j);
}

static int64_t extent(const fuzz_case *c, fuzz_which which)
{
    const fuzz_operand *o = &c->operand[which];
    int64_t n = 0;
    for (int64_t j = 0; j < o->cols; j++)
        for (int64_t i = 0; i < o->rows; i++)
            if (has_place(c, which, i, j)) {
                int64_t at = fuzz_place(c, which, i, j);
                n = at + 1 > n ? at + 1 : n;
            }
    return n;
}

fuzz_image fuzz_lay_out(const fuzz_case *c, fuzz_which which)
{
    const fuzz_operand *o = &c->operand[which];
    fuzz_image m = {.parts = fuzz_operand_parts(c, which)};
    double nan = poison(fuzz_operand_format(c, which));
    m.n = extent(c, which) * m.parts;
    m.v = fuzz_malloc((size_t)(m.n + 2 * FUZZ_GUARD) * sizeof *m.v);
    m.first = m.v + FUZZ_GUARD;
    for (int64_t i = 0; i < m.n + 2 * FUZZ_GUARD; i++)
        m.v[i] = nan;
    bool repeats = which >= OPERAND_X && o->rows > 1 && /* with a stride of 0 */
                   fuzz_place(c, which, 0, 0) == fuzz_place(c, which, 1, 0);
    for (int64_t j = 0; j < o->cols; j++)
        for (int64_t i = 0; i < (repeats ? 1 : o->rows); i++) {
            if (!has_place(c, which, i, j) || !fuzz_is_read(c, which, i, j))
                continue;
            test_number x = o->v[j * o->rows + i];
            double *at = m.first + m.parts * fuzz_place(c, which, i, j);
            at[0] = x.re;
            if (m.parts == 2)
                at[1] = fuzz_is_real(c, which, i, j) ? nan : x.im;
        }
    return m;
}

void fuzz_image_free(fuzz_image *m)
{
    free(m->v);
}
