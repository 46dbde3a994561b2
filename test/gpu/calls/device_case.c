#include "gpu/calls/device_case.h"

#include "adversarial.h"

#include <exblas/cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void device_case_name(const device_case *c, char name[24])
{
    static const char *const names[N_ROUTINES] = {
        "sum",  "asum", "nrm2", "dot",  "dotu", "dotc", "gemv", "gemm",       "gemm_batch_strided",
        "symm", "hemm", "syrk", "herk", "trsv", "trsm", "trmm", "scatter_add"};
    bool has_real_result = c->routine == ASUM || c->routine == NRM2;
    const char *part = !has_real_result ? "" : c->type == 'c' ? "s" : c->type == 'z' ? "d" : "";
    snprintf(name, 24, "%s%c%s", part, c->type, names[c->routine]);
}

static int either(test_random *r, int a, int b)
{
    return random_between(r, 0, 1) ? a : b;
}

/* Scalars 0 and 1, real ones, and others. */
static void draw_scalar(test_random *r, double to[2])
{
    static const double values[] = {0, 1, -1.5, 0.75};
    to[0] = values[random_between(r, 0, 3)];
    to[1] = random_between(r, 0, 1) ? 0 : values[random_between(r, 0, 3)];
}

static char draw_type(test_random *r, routine which)
{
    bool is_complex = which == DOTU || which == DOTC || which == HEMM || which == HERK;
    bool is_real = which == DOT || which == SCATTER;
    return random_letter(r, is_complex ? "cz" : is_real ? "sd" : "sdcz");
}

static const char *draw_method(test_random *r)
{
    static const char *const methods[] = {"auto", "auto", "superacc", "fpe4", "residue"};
    const char *any = methods[random_between(r, 0, 4)];
    return getenv("EXBLAS_METHOD") ? NULL : any;
}

void device_case_resize(device_case *c, int m, int n, int k)
{
    int most = m > n ? m : n;
    c->m = c->routine == SCATTER && m == 0 ? 1 : m;
    c->n = n;
    c->k = k;
    c->ld = (most > k ? most : k) + c->offset % 3 + 1;
}

device_case device_case_draw(test_random *r, routine which, int most)
{
    static const int transposes[] = {EXBLAS_NO_TRANS, EXBLAS_TRANS, EXBLAS_CONJ_TRANS};
    device_case c = {.routine = which,
                     .type = draw_type(r, which),
                     .method = draw_method(r),
                     .kind = (int)random_between(r, 0, N_KINDS - 1),
                     .layout = either(r, EXBLAS_ROW_MAJOR, EXBLAS_COL_MAJOR),
                     .side = either(r, EXBLAS_LEFT, EXBLAS_RIGHT),
                     .uplo = either(r, EXBLAS_UPPER, EXBLAS_LOWER),
                     .transa = transposes[random_between(r, 0, 2)],
                     .transb = transposes[random_between(r, 0, 2)],
                     .diag = either(r, EXBLAS_UNIT, EXBLAS_NON_UNIT),
                     .offset = (int)random_between(r, 0, 4),
                     .wide = random_between(r, 0, 1) == 1};
    do {
        c.incx = (int)random_between(r, -3, 3);
        c.incy = (int)random_between(r, -3, 3);
    } while (which > DOTC && (c.incx == 0 || c.incy == 0));
    if (c.kind == HARD)
        c.incx = c.incy = 1;
    draw_scalar(r, c.alpha);
    draw_scalar(r, c.beta);
    int m = (int)random_between(r, 0, most), n = (int)random_between(r, 0, most);
    device_case_resize(&c, m, n, (int)random_between(r, 0, most));
    return c;
}

exblas_status device_case_set(int group, bool groups_alone,
                              exblas_status (*set)(const char *, const char *, int))
{
    static const struct {
        const char *routine, *name;
        int value; /* 0: the group */
    } all[] = {{"reduce", "group", 0},
               {"scatter", "group", 0},
               {"?gemv", "group", 0},
               {"?trsv", "group", 0},
               {"?gemm", "group", 0},
               {"?gemm", "residue_group", 0},
               {"scatter", "round", 6},
               {"?gemv", "elements", 10},
               {"?gemm", "elements", 16},
               {"?gemm", "residue_rows", 64},
               {"?gemm", "residue_columns", 64},
               {"?gemm", "residue_terms", 512}};
    exblas_status s = EXBLAS_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const char *type = "sd"; *type && !s && !(groups_alone && all[i].value); type++) {
            char routine[16];
            snprintf(routine, sizeof routine, "%s", all[i].routine);
            if (*routine == '?')
                *routine = *type;
            s = set(routine, all[i].name, all[i].value ? all[i].value : group);
        }
    return s;
}

/* --- sizes ---------------------------------------------------------------------------------- */

static int64_t matrix_of(const device_case *c, int rows, int columns)
{
    int outer = c->layout == EXBLAS_ROW_MAJOR ? rows : columns, inner = rows + columns - outer;
    return outer > 0 && inner > 0 ? (int64_t)(outer - 1) * c->ld + inner : 0;
}

static int64_t vector_of(int n, int inc)
{
    return n > 0 ? (int64_t)(n - 1) * abs(inc) + 1 : 0;
}

static int order_of(const device_case *c)
{
    return c->routine == TRSV || c->side == EXBLAS_RIGHT ? c->n : c->m;
}

double device_case_products(const device_case *c)
{
    bool is_update = c->routine == SYRK || c->routine == HERK;
    double rows = is_update || c->routine == TRSV ? c->n : c->m;
    if (c->routine <= DOTC || c->routine == SCATTER)
        return c->n;
    if (c->routine == GEMV || c->routine == TRSV)
        return rows * c->n;
    return rows * c->n *
           (is_update || c->routine == GEMM || c->routine == BATCH ? c->k : order_of(c));
}

/* Elements of a, b and what is written. The second products of a batch have nearly the same A and
 * B as the first ones. */
static void set_lengths(const device_case *c, int64_t length[3])
{
    bool ta = c->transa != EXBLAS_NO_TRANS, tb = c->transb != EXBLAS_NO_TRANS;
    int m = c->m, n = c->n, k = c->k, order = order_of(c), batch = c->routine == BATCH;
    int64_t a = matrix_of(c, order, order), b = 0, to = matrix_of(c, m, n);
    if (c->routine <= DOTC) {
        a = vector_of(n, c->incx);
        b = c->routine >= DOT ? vector_of(n, c->incy) : 0;
        to = 1;
    } else if (c->routine == GEMV) {
        a = matrix_of(c, m, n);
        b = vector_of(ta ? m : n, c->incx);
        to = vector_of(ta ? n : m, c->incy);
    } else if (c->routine == GEMM || batch) {
        a = matrix_of(c, ta ? k : m, ta ? m : k) + batch;
        b = matrix_of(c, tb ? n : k, tb ? k : n) + 2 * batch;
        to += (int64_t)batch * c->ld * c->ld;
    } else if (c->routine == SYMM || c->routine == HEMM) {
        b = to;
    } else if (c->routine == SYRK || c->routine == HERK) {
        a = matrix_of(c, ta ? k : n, ta ? n : k);
        to = matrix_of(c, n, n);
    } else if (c->routine == TRSV) {
        to = vector_of(n, c->incx);
    } else if (c->routine == SCATTER) {
        a = n;
        to = m;
    }
    memcpy(length, (const int64_t[]){a, b, to}, 3 * sizeof *length);
}

/* --- numbers -------------------------------------------------------------------------------- */

static double draw_number(test_random *r, int kind, number_format f)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, 0, -0.0};
    int most_exp2 = f == FORMAT_S ? 120 : 1020;
    double x = random_number(r, f, 0);
    switch (kind) {
    case INTEGERS:
        return (double)random_between(r, -9, 9);
    case WIDE:
        return ldexp(x, (int)random_between(r, -most_exp2, most_exp2));
    case TINY:
        return random_between(r, 0, 2) ? ldexp(x, -most_exp2 / 2 - (int)random_between(r, 0, 20))
                                       : 0;
    case SPECIAL:
        return random_between(r, 0, 15) ? (double)random_between(r, -3, 3)
                                        : specials[random_between(r, 0, 4)];
    case EQUAL:
        return random_sign(r) * ldexp(1, (int)random_between(r, -1, 1));
    default:
        return ldexp(x, (int)random_between(r, -3, 3));
    }
}

static void fill(test_random *r, const device_case *c, char *x, size_t bytes)
{
    number_format f = case_format(c);
    for (size_t i = 0; i < bytes / number_size(f); i++)
        store_number(f, x, (int64_t)i, draw_number(r, c->kind, f));
}

/* The n numbers v as the terms of each of the sums, scaled by powers of two from one to the next.
 */
static void spread(test_random *r, const device_case *c, char *to, int64_t n, const double *v,
                   int n_sums, bool terms_first)
{
    int parts = case_parts(c);
    for (int s = 0; s < n_sums; s++) {
        int exp2 = n_sums > 1 ? (int)random_between(r, -9, 9) : 0;
        for (int64_t i = 0; i < n; i++) {
            int64_t term = i / parts,
                    at = terms_first ? (int64_t)s * c->ld + term : term * c->ld + s;
            store_number(case_format(c), to, at * parts + i % parts,
                         scale_if_exact(v[i], exp2, case_format(c)));
        }
    }
}

static void fill_hard(test_random *r, const device_case *c, char *a, char *b)
{
    bool ta = c->transa != EXBLAS_NO_TRANS, tb = c->transb != EXBLAS_NO_TRANS,
         rows = c->layout == EXBLAS_ROW_MAJOR, has_rows = c->routine >= GEMV;
    int64_t n = case_parts(c) * (c->routine == GEMM         ? c->k
                                 : c->routine == GEMV && ta ? c->m
                                                            : c->n);
    double *v = malloc(2 * (size_t)n * sizeof *v + 1);
    if (!v)
        abort();
    if (n > 0 && c->routine < DOT)
        terms_fill((size_t)random_between(r, 0, (int64_t)terms_kinds() - 1), r, case_format(c), n,
                   v);
    else if (n > 0)
        factors_fill((size_t)random_between(r, 0, (int64_t)factors_kinds() - 1), r, case_format(c),
                     n, v, v + n);
    spread(r, c, a, n, v,
           !has_rows                  ? 1
           : c->routine == GEMV && ta ? c->n
                                      : c->m,
           !has_rows || ta != rows);
    if (c->routine >= DOT)
        spread(r, c, b, n, v + n, c->routine == GEMM ? c->n : 1, c->routine != GEMM || tb == rows);
    free(v);
}

/* A large diagonal: what is solved neither overflows nor vanishes. */
static void enlarge_diagonal(const device_case *c, char *a)
{
    number_format f = case_format(c);
    for (int i = 0; i < order_of(c); i++)
        for (int p = 0; p < case_parts(c); p++) {
            int64_t at = (int64_t)i * (c->ld + 1) * case_parts(c) + p;
            store_number(f, a, at, 64 * load_number(f, a, at));
        }
}

/* --- operands ------------------------------------------------------------------------------- */

void device_case_sizes(const device_case *c, size_t bytes[3])
{
    int64_t length[3];
    set_lengths(c, length);
    length[2] += CASE_GUARDS;
    for (int i = 0; i < 3; i++)
        bytes[i] = (size_t)(c->offset + length[i]) * case_element(c);
}

void device_case_fill(test_random *r, const device_case *c, const size_t bytes[3], char *x[3],
                      int32_t *index)
{
    for (int i = 0; i < 3; i++)
        fill(r, c, x[i], bytes[i]);
    if (c->kind == HARD && c->routine <= GEMM)
        fill_hard(r, c, case_place(c, x[0]), case_place(c, x[1]));
    if ((c->kind == HARD || c->kind == MODERATE) && (c->routine == TRSV || c->routine == TRSM))
        enlarge_diagonal(c, case_place(c, x[0]));
    for (int i = 0; i < c->n; i++)
        index[i] = (int32_t)random_between(r, 0, c->m > 0 ? c->m - 1 : 0);
}
