#include "level2_run.h"

#include "guarded_array.h"
#include "hostile_env.h"

#include <stdlib.h>

/* From BLAS's descriptions. */
int64_t level2_place(const level2_problem *p, bool by_rows, int64_t lda, int64_t i, int64_t j)
{
    const level2_traits *t = &level2_family_traits[p->family];
    bool is_lower = p->uplo == 'l';
    if (t->storage == STORED_FULL)
        return by_rows ? i * lda + j : j * lda + i;
    if (t->storage == STORED_BAND) {
        int64_t kl = t->shape == SHAPE_GENERAL ? p->kl : is_lower ? p->ku : 0;
        int64_t ku = t->shape == SHAPE_GENERAL || !is_lower ? p->ku : 0;
        return by_rows ? i * lda + kl + j - i : j * lda + ku + i - j;
    }
    int64_t n = p->n, line = by_rows ? i : j, at = by_rows ? j : i;
    bool grows = is_lower == by_rows; /* lines of 1, 2, ... elements, else of n, n - 1, ... */
    return grows ? line * (line + 1) / 2 + at : line * (2 * n - line - 1) / 2 + at;
}

int64_t level2_least_lda(const level2_problem *p, bool by_rows)
{
    const level2_traits *t = &level2_family_traits[p->family];
    if (t->storage == STORED_PACKED)
        return 0;
    if (t->storage == STORED_BAND)
        return (t->shape == SHAPE_GENERAL ? p->kl : 0) + p->ku + 1;
    int64_t n = by_rows ? p->n : p->m;
    return n > 1 ? n : 1;
}

bool level2_is_read(const level2_problem *p, int64_t i, int64_t j)
{
    const level2_traits *t = &level2_family_traits[p->family];
    bool unit = t->shape == SHAPE_TRIANGLE && p->diag == 'u' && i == j;
    bool has_alpha = t->has_beta;
    bool skipped = has_alpha && p->alpha.re == 0 && p->alpha.im == 0;
    return level2_is_stored(p, i, j) && !unit && !skipped;
}

/* A row-major band stores for each of its rows lda elements, a column-major one for each column. */
static guarded_array matrix(const level2_problem *p, bool by_rows, int64_t lda, int offset)
{
    const level2_traits *t = &level2_family_traits[p->family];
    int64_t n = 0;
    double nan = poison(level2_format(p->type));
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++)
            if (t->storage == STORED_FULL || level2_is_stored(p, i, j)) {
                int64_t at = level2_place(p, by_rows, lda, i, j);
                n = at + 1 > n ? at + 1 : n;
            }
    guarded_array a = guarded_of(p->type, n, offset);
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++)
            if (level2_is_read(p, i, j)) {
                level2_number x = p->a[j * p->m + i];
                if (level2_is_diagonal_of_hermitian(p, i, j))
                    x.im = nan;
                guarded_store(&a, level2_place(p, by_rows, lda, i, j), x);
            }
    guarded_keep(&a);
    return a;
}

int64_t level2_vector_place(int64_t n, int64_t inc, int64_t i)
{
    return inc < 0 ? (i - (n - 1)) * inc : i * inc;
}

static guarded_array vector(char type, int64_t n, int inc, int offset, const level2_number *values)
{
    guarded_array a = guarded_of(type, n > 0 ? 1 + (n - 1) * abs(inc) : 0, offset);
    for (int64_t i = 0; values && i < n; i++)
        guarded_store(&a, level2_vector_place(n, inc, i), values[i]);
    guarded_keep(&a);
    return a;
}

static void take_matrix(guarded_array *a, const level2_problem *p, bool by_rows, int64_t lda,
                        level2_number *result)
{
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++)
            if (level2_is_stored(p, i, j))
                result[j * p->m + i] = guarded_take(a, level2_place(p, by_rows, lda, i, j));
}

const char *level2_run_problem(const level2_problem *p, const placement *q, level2_number *result)
{
    const level2_traits *t = &level2_family_traits[p->family];
    bool by_rows = q->row_major && (q->form == FORM_CBLAS || q->form == FORM_CBLAS_64);
    bool returns = level2_returns_quickly(p);
    int64_t lda = level2_least_lda(p, by_rows) + (t->storage == STORED_PACKED ? 0 : q->padding);
    int64_t nx = level2_x_length(p), ny = t->has_y ? level2_y_length(p) : 0;
    bool skips_y = t->has_beta && level2_number_is_zero(p->beta) && !returns;
    bool skips_x = t->has_beta && level2_number_is_zero(p->alpha);
    guarded_array a = matrix(p, by_rows, lda, q->offset);
    guarded_array x = vector(p->type, nx, q->incx, q->offset, skips_x ? NULL : p->x);
    guarded_array y = vector(p->type, ny, q->incy, q->offset, skips_y ? NULL : p->y);
    guarded_array alpha = guarded_of(p->type, 1, 0), beta = guarded_of(p->type, 1, 0);
    guarded_store(&alpha, 0, p->alpha);
    guarded_store(&beta, 0, p->beta);
    routine_call c = {.layout = by_rows ? 'r' : 'c',
                      .trans = p->trans,
                      .uplo = p->uplo,
                      .diag = p->diag,
                      .m = p->m,
                      .n = p->n,
                      .k = p->ku,
                      .kl = p->kl,
                      .ku = p->ku,
                      .alpha = alpha.data,
                      .beta = beta.data,
                      .a = a.data,
                      .x = x.data,
                      .y = y.data,
                      .lda = lda,
                      .incx = q->incx,
                      .incy = q->incy};
    const char *name = level2_name(p->family, p->type);
    hostile_env_enter(q->environment);
    routine_run(name, q->form, &c);
    const char *wrong = hostile_env_leave() ? NULL : "the environment changed";
    if (t->updates && !returns)
        take_matrix(&a, p, by_rows, lda, result);
    for (int64_t i = 0; t->has_beta && !returns && i < ny; i++)
        result[i] = guarded_take(&y, level2_vector_place(ny, q->incy, i));
    for (int64_t i = 0; !t->has_beta && !t->updates && i < nx; i++)
        result[i] = guarded_take(&x, level2_vector_place(nx, q->incx, i));
    if (!guarded_is_unchanged(&a) || !guarded_is_unchanged(&x) || !guarded_is_unchanged(&y))
        wrong = "something else was written";
    guarded_array *all[] = {&a, &x, &y, &alpha, &beta};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        guarded_release(all[i]);
    return wrong;
}

int64_t level2_result_length(const level2_problem *p)
{
    const level2_traits *t = &level2_family_traits[p->family];
    return t->updates ? p->m * p->n : t->has_beta ? level2_y_length(p) : level2_x_length(p);
}
