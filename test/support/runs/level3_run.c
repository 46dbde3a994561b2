#include "level3_run.h"

#include "guarded_array.h"
#include "hostile_env.h"
#include "test_bits.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    GAP = 5,   /* elements between the matrices of a batch */
    BATCH = 7, /* products of a batch: enough for each of three threads to take two */
};

typedef struct {
    level3_matrix matrix;
    level3_which which;
    int64_t ld, stride;
    bool by_rows;
    guarded_array array;
} operand;

static int n_copies(const level3_problem *p)
{
    return p->family == L3_BATCH ? BATCH : 1;
}

static int64_t place(const operand *o, int copy, int64_t i, int64_t j)
{
    return copy * o->stride + (o->by_rows ? i * o->ld + j : j * o->ld + i);
}

static level2_number negated_if(bool negate, level2_number x)
{
    return negate ? (level2_number){-x.re, -x.im} : x;
}

bool level3_is_read(const level3_problem *p, level3_which which, int64_t i, int64_t j)
{
    const level3_traits *t = &level3_family_traits[p->family];
    if (level3_returns_quickly(p))
        return which == MATRIX_C;
    if (which == MATRIX_C && t->has_beta && level2_number_is_zero(p->beta))
        return false;
    if ((which != MATRIX_C || !t->has_beta) && level3_is_without_product(p))
        return false;
    bool is_unit = which == MATRIX_A && t->has_diag && p->diag == 'u' && i == j;
    return level3_is_stored(p, which, i, j) && !is_unit;
}

static operand lay_out(const level3_problem *p, level3_which which, bool by_rows,
                       const placement *q)
{
    operand o = {level3_matrix_of(p, which), which, .by_rows = by_rows};
    int64_t rows = o.matrix.rows, cols = o.matrix.cols, span = by_rows ? cols : rows;
    o.ld = (span > 1 ? span : 1) + padding_of(q, (int)which);
    o.stride = o.ld * (by_rows ? rows : cols) + GAP;
    bool is_empty = rows == 0 || cols == 0;
    int64_t n = is_empty ? 0 : place(&o, n_copies(p) - 1, rows - 1, cols - 1) + 1;
    o.array = guarded_of(p->type, n, q->offset);
    double nan = poison(level2_format(p->type));
    for (int copy = 0; copy < n_copies(p); copy++)
        for (int64_t j = 0; j < cols; j++)
            for (int64_t i = 0; i < rows; i++)
                if (level3_is_read(p, which, i, j)) {
                    level2_number x =
                        negated_if(copy % 2 == 1 && which != MATRIX_B, o.matrix.p[j * rows + i]);
                    if (level3_is_real(p, which, i, j))
                        x.im = nan;
                    guarded_store(&o.array, place(&o, copy, i, j), x);
                }
    guarded_keep(&o.array);
    return o;
}

/* b, or -b for products that are negated. */
static bool is_as_expected(int copy, double a, double b)
{
    return (a == 0 && b == 0) || (a != a && b != b) || same_bits(a, copy % 2 ? -b : b);
}

/* The elements that the call may have written. */
static const char *take_result(operand *c, const level3_problem *p, level2_number *result)
{
    const char *wrong = NULL;
    for (int copy = 0; copy < n_copies(p); copy++)
        for (int64_t j = 0; j < c->matrix.cols; j++)
            for (int64_t i = 0; i < c->matrix.rows; i++) {
                if (!level3_is_stored(p, MATRIX_C, i, j))
                    continue;
                level2_number x = guarded_take(&c->array, place(c, copy, i, j));
                level2_number *r = &result[j * c->matrix.rows + i];
                if (copy == 0)
                    *r = x;
                else if (!is_as_expected(copy, x.re, r->re) || !is_as_expected(copy, x.im, r->im))
                    wrong = "a later product of a batch is another";
            }
    return wrong;
}

const char *level3_run_problem(const level3_problem *p, const placement *q, level2_number *result)
{
    bool by_rows = q->row_major && (q->form == FORM_CBLAS || q->form == FORM_CBLAS_64);
    operand a = lay_out(p, MATRIX_A, by_rows, q), b = lay_out(p, MATRIX_B, by_rows, q);
    operand c = lay_out(p, MATRIX_C, by_rows, q);
    guarded_array alpha = guarded_of(p->type, 1, 0), beta = guarded_of(p->type, 1, 0);
    guarded_store(&alpha, 0, p->alpha);
    guarded_store(&beta, 0, p->beta);
    const level3_traits *t = &level3_family_traits[p->family];
    const operand *second = t->has_b ? &b : &c; /* what trmm and trsm write is their b */
    routine_call call = {.layout = by_rows ? 'r' : 'c',
                         .side = p->side,
                         .uplo = p->uplo,
                         .trans = p->transa,
                         .transb = p->transb,
                         .diag = p->diag,
                         .m = p->m,
                         .n = p->n,
                         .k = p->k,
                         .alpha = alpha.data,
                         .beta = beta.data,
                         .a = a.array.data,
                         .b = second->array.data,
                         .c = c.array.data,
                         .lda = a.ld,
                         .ldb = second->ld,
                         .ldc = c.ld,
                         .stridea = a.stride,
                         .strideb = b.stride,
                         .stridec = c.stride,
                         .batch = n_copies(p)};
    const char *name = level3_name(p->family, p->type);
    hostile_env_enter(q->environment);
    routine_run(name, q->form, &call);
    const char *wrong = hostile_env_leave() ? NULL : "the environment changed";
    if (!level3_returns_quickly(p)) {
        const char *other = take_result(&c, p, result);
        wrong = wrong ? wrong : other;
    }
    if (!guarded_is_unchanged(&a.array) || !guarded_is_unchanged(&b.array) ||
        !guarded_is_unchanged(&c.array))
        wrong = "something else was written";
    guarded_array *all[] = {&a.array, &b.array, &c.array, &alpha, &beta};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        guarded_release(all[i]);
    return wrong;
}

const char *level3_difference(const level3_problem *p, const placement *q,
                              const level2_number *want, level2_number *result)
{
    static char text[500];
    const char *wrong = level3_run_problem(p, q, result);
    level3_matrix c = level3_matrix_of(p, MATRIX_C);
    int64_t n = level3_returns_quickly(p) ? 0 : c.rows * c.cols, i = 0;
    while (!wrong && i < n &&
           (!level3_is_stored(p, MATRIX_C, i % c.rows, i / c.rows) ||
            (same_bits(result[i].re, want[i].re) && same_bits(result[i].im, want[i].im))))
        i++;
    if (!wrong && i == n)
        return NULL;
    int used = snprintf(text, sizeof text,
                        "%s m=%d n=%d k=%d side=%c uplo=%c trans=%c%c diag=%c alpha=%a,%a "
                        "beta=%a,%a: %s",
                        level3_name(p->family, p->type), (int)p->m, (int)p->n, (int)p->k, p->side,
                        p->uplo, p->transa, p->transb, p->diag, p->alpha.re, p->alpha.im,
                        p->beta.re, p->beta.im, wrong ? wrong : "");
    if (!wrong)
        snprintf(text + used, sizeof text - (size_t)used, "element %d is %a,%a instead of %a,%a",
                 (int)i, result[i].re, result[i].im, want[i].re, want[i].im);
    return text;
}
