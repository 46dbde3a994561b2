#include "csr_case.h"

#include "adversarial.h"
#include "complex_sum.h"
#include "hostile_env.h"

#include <stdio.h>
#include <stdlib.h>

/* --- cases ---------------------------------------------------------------------- */

typedef struct {
    int longest; /* row */
    bool own_columns, one_row, square;
} shape;

static const shape shapes[] = {
    {3, false, false, true},   {8, false, false, false},   {8, true, false, false},
    {70, true, false, false},  {40, false, false, true},   {700, true, false, false},
    {1500, true, true, false}, {5000, false, true, false},
};

size_t csr_shapes(void)
{
    return sizeof shapes / sizeof *shapes;
}

static void *room(int64_t n, size_t size)
{
    void *p = calloc((size_t)n + 1, size);
    if (!p)
        abort();
    return p;
}

csr_case csr_case_empty(char type, int64_t m, int64_t n, int64_t n_entries, int64_t n_vectors)
{
    int64_t side = m > n ? m : n;
    csr_case c = {.type = type, .trans = EXBLAS_NO_TRANS, .uplo = EXBLAS_UPPER, .m = m, .n = n};
    c.n_entries = n_entries;
    c.n_vectors = n_vectors;
    c.n_in = n;
    c.n_out = m;
    c.row_start = room(m + 1, sizeof *c.row_start);
    c.column = room(n_entries, sizeof *c.column);
    c.value = room(n_entries, sizeof *c.value);
    c.x = room(n_vectors * side, sizeof *c.x);
    c.y = room(n_vectors * side, sizeof *c.y);
    c.answer = room(n_vectors * side, sizeof *c.answer);
    return c;
}

void csr_case_free(csr_case *c)
{
    free(c->row_start);
    free(c->column);
    free(c->value);
    free(c->x);
    free(c->y);
    free(c->answer);
}

static test_number random_scalar_of(test_random *r, char type)
{
    number_format f = format_of_type(type);
    test_number a = {random_chance(r, 2) ? 1 : random_scalar(r, f), 0};
    if (random_chance(r, 4))
        a.re = 0;
    if (is_complex_type(type) && random_chance(r, 2))
        a.im = random_scalar(r, f);
    return a;
}

/* Row lengths; returns the number of entries. */
static int64_t choose_lengths(test_random *r, const shape *s, int64_t m, int64_t most,
                              int64_t *row_start)
{
    row_start[0] = random_between(r, 0, 2);
    int64_t begin = row_start[0], alone = s->one_row ? random_between(r, 0, m - 1) : -1;
    for (int64_t i = 0; i < m; i++) {
        int64_t n = random_chance(r, 6) ? 0 : random_between(r, 1, s->longest);
        if (s->one_row)
            n = i == alone ? s->longest : 0;
        if (row_start[i] + n > begin + most)
            n = begin + most - row_start[i];
        row_start[i + 1] = row_start[i] + n;
    }
    return row_start[m];
}

/* Values and x so that the sums of rows are hard: entry k meets x[k], or any x. */
static void fill(test_random *r, csr_case *c, const shape *s, size_t kind)
{
    number_format f = format_of_type(c->type);
    bool complex = is_complex_type(c->type);
    int64_t n = c->n_entries + c->n_in + 1;
    double *u = room(n, sizeof *u), *v = room(n, sizeof *v);
    for (int part = 0; part < (complex ? 2 : 1); part++) {
        for (int64_t i = 0; i < c->m; i++) {
            int64_t at = c->row_start[i];
            factors_fill(kind, r, f, c->row_start[i + 1] - at, u + at, v + at);
        }
        for (int64_t k = 0; k < c->n_entries; k++) {
            *(part ? &c->value[k].im : &c->value[k].re) = u[k];
            if (s->own_columns)
                for (int64_t j = 0; j < c->n_vectors; j++)
                    *(part ? &c->x[j * c->n_in + c->column[k]].im
                           : &c->x[j * c->n_in + c->column[k]].re) = v[k];
        }
        for (int64_t i = 0; i < c->n_vectors * c->n_in && !s->own_columns; i++)
            *(part ? &c->x[i].im : &c->x[i].re) =
                random_number(r, f, (int)random_between(r, -2, 2));
        for (int64_t i = 0; i < c->n_vectors * c->n_out; i++)
            *(part ? &c->y[i].im : &c->y[i].re) =
                random_number(r, f, (int)random_between(r, -2, 2));
    }
    free(u);
    free(v);
}

static void choose_columns(test_random *r, csr_case *c, const shape *s)
{
    for (int64_t k = 0; k < c->n_entries; k++) {
        int64_t other = random_between(r, 0, k);
        c->column[k] = s->own_columns ? k : random_between(r, 0, c->n - 1);
        if (s->own_columns) {
            c->column[k] = c->column[other];
            c->column[other] = k;
        }
    }
}

csr_case csr_case_make(test_random *r, char type, size_t index, size_t kind, int64_t most)
{
    const shape *s = &shapes[index];
    int64_t m = random_between(r, 1, 150), starts[152];
    int64_t n_entries = choose_lengths(r, s, m, most, starts);
    int64_t n = s->own_columns ? n_entries + random_between(r, 1, 3) : random_between(r, 1, 200);
    if (s->square)
        n = m;
    csr_case c = csr_case_empty(type, m, n, n_entries, random_chance(r, 3) ? 3 : 1);
    memcpy(c.row_start, starts, ((size_t)m + 1) * sizeof *starts);
    c.trans = EXBLAS_NO_TRANS + (random_chance(r, 3) ? (int)random_between(r, 1, 2) : 0);
    c.uplo = random_chance(r, 2) ? EXBLAS_UPPER : EXBLAS_LOWER;
    if (s->square && random_chance(r, 2)) {
        c.kind = is_complex_type(type) && random_chance(r, 2) ? CSR_HERMITIAN : CSR_SYMMETRIC;
        c.n_vectors = 1;
    }
    bool transposed = c.kind == CSR_GENERAL && c.trans != EXBLAS_NO_TRANS && !s->own_columns;
    if (!transposed)
        c.trans = EXBLAS_NO_TRANS;
    c.n_in = transposed ? m : n;
    c.n_out = transposed ? n : m;
    choose_columns(r, &c, s);
    fill(r, &c, s, kind);
    c.alpha = random_scalar_of(r, type);
    c.beta = random_scalar_of(r, type);
    csr_case_answer(&c);
    return c;
}

/* --- answers -------------------------------------------------------------------- */

static void add(complex_sum *s, test_number a, test_number x)
{
    complex_sum_add_product(s, (complex_factor){a, false}, (complex_factor){x, false});
}

/* What the stored entry k, at (i, j), adds to the sum s of output `out`. */
static void add_entry(const csr_case *c, complex_sum *s, int64_t out, int64_t i, int64_t k,
                      const test_number *x)
{
    int64_t j = c->column[k];
    test_number a = c->value[k], conjugate = {a.re, -a.im};
    bool stored = c->uplo == EXBLAS_UPPER ? j >= i : j <= i;
    if (c->kind == CSR_GENERAL) {
        bool transposed = c->trans != EXBLAS_NO_TRANS;
        if (out == (transposed ? j : i))
            add(s, c->trans == EXBLAS_CONJ_TRANS ? conjugate : a, x[transposed ? i : j]);
        return;
    }
    if (c->kind == CSR_HERMITIAN && i == j)
        a.im = 0;
    if (stored && out == i)
        add(s, a, x[j]);
    if (stored && i != j && out == j)
        add(s, c->kind == CSR_HERMITIAN ? conjugate : a, x[i]);
}

static test_number answer(const csr_case *c, int64_t out, const test_number *x, test_number y)
{
    bool has_sum = !is_zero_number(c->alpha);
    if (!has_sum && c->beta.re == 1 && c->beta.im == 0)
        return y;
    COMPLEX_SUM(s, c->type);
    COMPLEX_SUM(total, c->type);
    for (int64_t i = 0; i < c->m && has_sum; i++)
        for (int64_t k = c->row_start[i]; k < c->row_start[i + 1]; k++)
            add_entry(c, &s, out, i, k, x);
    if (has_sum)
        complex_sum_add_scaled(&total, (complex_factor){c->alpha, false}, &s);
    if (!is_zero_number(c->beta))
        add(&total, c->beta, y);
    return complex_sum_round(&total);
}

void csr_case_answer(csr_case *c)
{
    for (int64_t v = 0; v < c->n_vectors; v++)
        for (int64_t i = 0; i < c->n_out; i++)
            c->answer[v * c->n_out + i] = answer(c, i, c->x + v * c->n_in, c->y[v * c->n_out + i]);
}

/* --- calls ---------------------------------------------------------------------- */

/* The operands as the routine takes them. */
typedef struct {
    void *row_start, *column, *value, *x, *y, *alpha, *beta;
} csr_arrays;

/* What the types are called in csr_call_tmpl.h. */
typedef float real_s, real_c;
typedef double real_d, real_z;
typedef exblas_int integer;
typedef exblas_int64 integer_64;
#define IS_COMPLEX_s 0
#define IS_COMPLEX_d 0
#define IS_COMPLEX_c 1
#define IS_COMPLEX_z 1
#define PASTE_(a, b, c, d) a##b##c##d
#define PASTE(a, b, c, d) PASTE_(a, b, c, d)
#define E PASTE(real_, TYPE, , )
#define IS_COMPLEX PASTE(IS_COMPLEX_, TYPE, , )
#define INT PASTE(integer, SUFFIX, , )
#define NAME(f) PASTE(TYPE, _, f, SUFFIX)
#define CALL(r) PASTE(exblas_, TYPE, r, SUFFIX)
#define TYPE s
#define SUFFIX
#include "csr_call_tmpl.h"
#define TYPE s
#define SUFFIX _64
#include "csr_call_tmpl.h"
#define TYPE d
#define SUFFIX
#include "csr_call_tmpl.h"
#define TYPE d
#define SUFFIX _64
#include "csr_call_tmpl.h"
#define TYPE c
#define SUFFIX
#include "csr_call_tmpl.h"
#define TYPE c
#define SUFFIX _64
#include "csr_call_tmpl.h"
#define TYPE z
#define SUFFIX
#include "csr_call_tmpl.h"
#define TYPE z
#define SUFFIX _64
#include "csr_call_tmpl.h"

/* Number i of an array of the type. */
static void put(char type, void *to, int64_t i, test_number x)
{
    int parts = is_complex_type(type) ? 2 : 1;
    store_number(format_of_type(type), to, parts * i, x.re);
    if (parts == 2)
        store_number(format_of_type(type), to, 2 * i + 1, x.im);
}

static test_number get(char type, const void *from, int64_t i)
{
    int parts = is_complex_type(type) ? 2 : 1;
    return (test_number){load_number(format_of_type(type), from, parts * i),
                         parts == 2 ? load_number(format_of_type(type), from, 2 * i + 1) : 0};
}

static void *packed(char type, int64_t n, const test_number *x)
{
    void *to = room(n, 2 * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        put(type, to, i, x[i]);
    return to;
}

static void *packed_indices(bool wide, int64_t n, const int64_t *from)
{
    int64_t *to = room(n, sizeof *to);
    for (int64_t i = 0; i < n; i++)
        if (wide)
            to[i] = from[i];
        else
            ((int32_t *)to)[i] = (int32_t)from[i];
    return to;
}

/* Where element i of vector v stands. */
static int64_t place(csr_form f, int64_t ld, int64_t i, int64_t v)
{
    return f.as_matrix && f.by_rows ? i * ld + v : v * ld + i;
}

static int64_t leading(const csr_case *c, csr_form f, int64_t n)
{
    int64_t least = f.as_matrix && f.by_rows ? c->n_vectors : n;
    return (least > 1 ? least : 1) + (f.as_matrix ? f.padding : 0);
}

static void *laid_out(const csr_case *c, csr_form f, int64_t n, const test_number *x)
{
    int64_t ld = leading(c, f, n);
    void *to = room(ld * (f.as_matrix && f.by_rows ? n : c->n_vectors), 2 * sizeof(double));
    for (int64_t v = 0; v < c->n_vectors; v++)
        for (int64_t i = 0; i < n; i++)
            put(c->type, to, place(f, ld, i, v), x[v * n + i]);
    return to;
}

static exblas_status call_type(const csr_arrays *a, const csr_case *c, csr_form f)
{
    typedef exblas_status call(const csr_arrays *, const csr_case *, int64_t, int64_t, csr_form);
    static call *const calls[4][2] = {
        {s_call, s_call_64}, {d_call, d_call_64}, {c_call, c_call_64}, {z_call, z_call_64}};
    int type = (int)(strchr("sdcz", c->type) - "sdcz");
    return calls[type][f.wide](a, c, leading(c, f, c->n_in), leading(c, f, c->n_out), f);
}

bool csr_case_has_handle(const csr_case *c)
{
    return !is_complex_type(c->type) && c->kind == CSR_GENERAL && c->trans == EXBLAS_NO_TRANS &&
           c->n_vectors == 1;
}

exblas_status csr_call(const csr_case *c, csr_form f, int environment, test_number *result)
{
    csr_arrays a = {packed_indices(f.wide, c->m + 1, c->row_start),
                    packed_indices(f.wide, c->n_entries, c->column),
                    packed(c->type, c->n_entries, c->value),
                    laid_out(c, f, c->n_in, c->x),
                    laid_out(c, f, c->n_out, c->y),
                    packed(c->type, 1, &c->alpha),
                    packed(c->type, 1, &c->beta)};
    hostile_env_enter(environment);
    exblas_status status = call_type(&a, c, f);
    if (!hostile_env_leave()) {
        fprintf(stderr, "a call changed the floating-point environment\n");
        abort();
    }
    int64_t ld = leading(c, f, c->n_out);
    for (int64_t v = 0; v < c->n_vectors; v++)
        for (int64_t i = 0; i < c->n_out; i++)
            result[v * c->n_out + i] = get(c->type, a.y, place(f, ld, i, v));
    void *all[] = {a.row_start, a.column, a.value, a.x, a.y, a.alpha, a.beta};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return status;
}

bool csr_case_holds(const csr_case *c, const test_number *result)
{
    for (int64_t i = 0; i < c->n_vectors * c->n_out; i++)
        if (!same_bits(result[i].re, c->answer[i].re) ||
            !same_bits(result[i].im, c->answer[i].im)) {
            printf("# %c, kind %d, trans %d, result %lld of %lld x %lld: %a %a, not %a %a\n",
                   c->type, (int)c->kind, c->trans, (long long)i, (long long)c->n_out,
                   (long long)c->n_vectors, result[i].re, result[i].im, c->answer[i].re,
                   c->answer[i].im);
            return false;
        }
    return true;
}
