#include "expected.h"

#include "adversarial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes: m, n, k as the operation uses them. */
typedef struct {
    expected_op op;
    const char *name;
    int m, n, k;
} size;

static const size sizes[] = {
    {EXPECTED_SUM, "sum", 1, 1, 1},           {EXPECTED_SUM, "sum", 1, 97, 1},
    {EXPECTED_SUM, "sum", 1, 1000, 1},        {EXPECTED_SUM, "sum", 1, 20011, 1},
    {EXPECTED_ASUM, "asum", 1, 97, 1},        {EXPECTED_ASUM, "asum", 1, 3000, 1},
    {EXPECTED_NRM2, "nrm2", 1, 1, 1},         {EXPECTED_NRM2, "nrm2", 1, 97, 1},
    {EXPECTED_NRM2, "nrm2", 1, 5003, 1},      {EXPECTED_DOT, "dot", 1, 1, 1},
    {EXPECTED_DOT, "dot", 1, 97, 1},          {EXPECTED_DOT, "dot", 1, 1000, 1},
    {EXPECTED_DOT, "dot", 1, 20011, 1},       {EXPECTED_GEMV, "gemv", 1, 1, 1},
    {EXPECTED_GEMV, "gemv", 5, 3, 1},         {EXPECTED_GEMV, "gemv", 33, 129, 1},
    {EXPECTED_GEMV, "gemv", 257, 40, 1},      {EXPECTED_TRSV, "trsv", 1, 1, 1},
    {EXPECTED_TRSV, "trsv", 1, 17, 1},        {EXPECTED_TRSV, "trsv", 1, 70, 1},
    {EXPECTED_GEMM, "gemm", 1, 1, 1},         {EXPECTED_GEMM, "gemm", 3, 5, 7},
    {EXPECTED_GEMM, "gemm", 17, 33, 20},      {EXPECTED_GEMM, "gemm", 65, 34, 130},
    {EXPECTED_GEMM, "gemm", 130, 150, 300},   {EXPECTED_SCATTER, "scatter", 1, 300, 1},
    {EXPECTED_SCATTER, "scatter", 90, 40, 1}, {EXPECTED_SCATTER, "scatter", 300, 5000, 1},
    {EXPECTED_SCATTER, "scatter", 1, 900, 1}, {EXPECTED_SCATTER, "scatter", 90, 1400, 1},
    {EXPECTED_GEMM, "gemm", 70, 40, 1300},    {EXPECTED_SYMM, "symm", 5, 7, 1},
    {EXPECTED_SYMM, "symm", 40, 33, 1},       {EXPECTED_SYRK, "syrk", 1, 6, 9},
    {EXPECTED_SYRK, "syrk", 1, 37, 50},       {EXPECTED_TRSM, "trsm", 1, 3, 1},
    {EXPECTED_TRSM, "trsm", 40, 35, 1},       {EXPECTED_BATCH, "batch", 9, 20, 30},
    {EXPECTED_TRMM, "trmm", 5, 7, 1},         {EXPECTED_TRMM, "trmm", 40, 33, 1},
};

/* What the numbers are like: sums that are hard to round, integers whose sums tie, moderate ones
 * of both signs. */
typedef enum { HARD, INTEGERS, MODERATE, N_KINDS } kind;
static const char *const kind_names[N_KINDS] = {"hard", "integers", "moderate"};

enum { N_SIZES = sizeof sizes / sizeof *sizes, N_TYPES = 2, N_OPTIONS = 2 };

/* Of complex types, after the others: sums that are hard to round, and moderate ones; as they are,
 * transposed, conjugated. */
static const size complex_sizes[] = {
    {EXPECTED_SUM, "sum", 1, 97, 1},     {EXPECTED_ASUM, "asum", 1, 1000, 1},
    {EXPECTED_NRM2, "nrm2", 1, 97, 1},   {EXPECTED_DOT, "dot", 1, 1, 1},
    {EXPECTED_DOT, "dot", 1, 3001, 1},   {EXPECTED_GEMV, "gemv", 5, 3, 1},
    {EXPECTED_GEMV, "gemv", 33, 129, 1}, {EXPECTED_TRSV, "trsv", 1, 37, 1},
    {EXPECTED_GEMM, "gemm", 3, 5, 7},    {EXPECTED_GEMM, "gemm", 35, 34, 70},
    {EXPECTED_SYMM, "symm", 17, 13, 1},  {EXPECTED_HEMM, "hemm", 17, 13, 1},
    {EXPECTED_SYRK, "syrk", 1, 17, 20},  {EXPECTED_HERK, "herk", 1, 17, 20},
    {EXPECTED_TRSM, "trsm", 20, 15, 1},  {EXPECTED_BATCH, "batch", 5, 9, 12},
    {EXPECTED_TRMM, "trmm", 20, 15, 1},
};

enum {
    COMPLEX_SEED = 457, /* of the first one: bits stay when cases are added */
    N_REAL = N_SIZES * N_TYPES * N_KINDS * N_OPTIONS,
    N_COMPLEX_OPTIONS = 3,
    N_COMPLEX_KINDS = 2,
    N_COMPLEX = (int)(sizeof complex_sizes / sizeof *complex_sizes) * N_TYPES * N_COMPLEX_KINDS *
                N_COMPLEX_OPTIONS
};

int expected_count(void)
{
    return N_REAL + N_COMPLEX;
}

int expected_first_complex(void)
{
    return N_REAL;
}

static number_format format_of(const expected_call *c)
{
    return expected_bytes(c) == sizeof(float) ? FORMAT_S : FORMAT_D;
}

static void store(const expected_call *c, void *to, size_t i, double x)
{
    if (expected_bytes(c) == sizeof(float))
        ((float *)to)[i] = (float)x;
    else
        ((double *)to)[i] = x;
}

static double number(test_random *r, number_format f, kind k)
{
    if (k == INTEGERS)
        return (double)random_between(r, -500, 500);
    return random_number(r, f, (int)random_between(r, -12, 3));
}

static bool has_product(expected_op op)
{
    return op == EXPECTED_DOT || op == EXPECTED_GEMV || op == EXPECTED_GEMM;
}

/* Element `term` of sum `which` in a or b: vectors of a hard sum of products along the terms,
 * scaled by powers of two from one sum to the next. */
typedef struct {
    int64_t n_terms, a_sums, b_sums;
    bool a_terms_first, b_terms_first; /* terms are next to each other in memory */
} hard_shape;

static hard_shape shape_of(const expected_call *c)
{
    bool ta = c->transa != EXPECTED_NO_TRANS, tb = c->transb != EXPECTED_NO_TRANS;
    int64_t parts = expected_is_complex(c) ? 2 : 1;
    switch (c->op) {
    case EXPECTED_GEMV:
        return (hard_shape){parts * (ta ? c->m : c->n), ta ? c->n : c->m, 1, ta, true};
    case EXPECTED_GEMM:
        return (hard_shape){parts * c->k, c->m, c->n, ta, !tb};
    default:
        return (hard_shape){parts * c->n, 1, 1, true, true};
    }
}

static void spread(test_random *r, const expected_call *c, void *to, const double *v, int64_t n,
                   int64_t n_sums, bool terms_first)
{
    for (int64_t s = 0; s < n_sums; s++) {
        int exp2 = n_sums > 1 ? (int)random_between(r, -9, 9) : 0;
        for (int64_t i = 0; i < n; i++)
            store(c, to, (size_t)(terms_first ? s * n + i : i * n_sums + s),
                  scale_if_exact(v[i], exp2, format_of(c)));
    }
}

static bool fill_hard(test_random *r, expected_call *c)
{
    hard_shape h = shape_of(c);
    double *x = malloc(2 * (size_t)h.n_terms * sizeof *x);
    if (!x)
        return false;
    if (has_product(c->op)) {
        double *y = x + h.n_terms;
        size_t which = (size_t)random_between(r, 0, (int64_t)factors_kinds() - 1);
        factors_fill(which, r, format_of(c), h.n_terms, x, y);
        spread(r, c, c->a, x, h.n_terms, h.a_sums, h.a_terms_first);
        spread(r, c, c->b, y, h.n_terms, h.b_sums, h.b_terms_first);
    } else {
        size_t which = (size_t)random_between(r, 0, (int64_t)terms_kinds() - 1);
        terms_fill(which, r, format_of(c), h.n_terms, x);
        spread(r, c, c->a, x, h.n_terms, 1, true);
    }
    free(x);
    return true;
}

static void fill(test_random *r, const expected_call *c, void *to, size_t n, kind k)
{
    for (size_t i = 0; i < n; i++)
        store(c, to, i, number(r, format_of(c), k));
}

/* Systems are solved with numbers that neither overflow nor vanish. */
static void fill_triangle(test_random *r, const expected_call *c)
{
    for (size_t i = 0; i < c->a_length; i++) {
        size_t parts = expected_is_complex(c) ? 2 : 1;
        bool is_diagonal = i % (parts * (size_t)(expected_order(c) + 1)) == 0;
        store(c, c->a, i, random_number(r, format_of(c), is_diagonal ? 3 : -2));
    }
}

static void set_lengths(expected_call *c)
{
    size_t m = (size_t)c->m, n = (size_t)c->n, k = (size_t)c->k;
    bool turned = c->transa != EXPECTED_NO_TRANS;
    c->a_length = n;
    c->c_length = 1;
    if (c->op == EXPECTED_DOT)
        c->b_length = n;
    if (c->op == EXPECTED_GEMV) {
        c->a_length = m * n;
        c->b_length = turned ? m : n;
        c->c_length = turned ? n : m;
    }
    if (c->op == EXPECTED_TRSV) {
        c->a_length = n * n;
        c->c_length = n;
    }
    if (c->op == EXPECTED_GEMM) {
        c->a_length = m * k;
        c->b_length = k * n;
        c->c_length = m * n;
    }
    if (c->op == EXPECTED_SCATTER)
        c->c_length = m;
    bool in_place = c->op == EXPECTED_TRSM || c->op == EXPECTED_TRMM;
    if (c->op == EXPECTED_SYMM || c->op == EXPECTED_HEMM || in_place) {
        c->a_length = (size_t)expected_order(c) * (size_t)expected_order(c);
        c->b_length = in_place ? 0 : m * n;
        c->c_length = m * n;
    }
    if (c->op == EXPECTED_SYRK || c->op == EXPECTED_HERK) {
        c->a_length = n * k;
        c->c_length = n * n;
    }
    if (c->op == EXPECTED_BATCH) {
        c->a_length = m * k * EXPECTED_PRODUCTS;
        c->b_length = k * n * EXPECTED_PRODUCTS;
        c->c_length = m * n * EXPECTED_PRODUCTS;
    }
}

/* Of complex elements both parts; asum and nrm2 are numbers. */
static void count_parts(expected_call *c)
{
    bool is_number = c->op == EXPECTED_ASUM || c->op == EXPECTED_NRM2;
    c->a_length *= 2;
    c->b_length *= 2;
    c->c_length *= is_number ? 1 : 2;
}

static bool allocate(expected_call *c)
{
    c->a = calloc(c->a_length, sizeof(double));
    c->b = calloc(c->b_length + 1, sizeof(double));
    c->c = calloc(c->c_length, sizeof(double));
    c->index = calloc((size_t)c->n, sizeof *c->index);
    return c->a && c->b && c->c && c->index;
}

static bool fill_all(test_random *r, expected_call *c, kind k)
{
    fill(r, c, c->c, c->c_length, k);
    fill(r, c, c->a, c->a_length, k);
    fill(r, c, c->b, c->b_length, k);
    for (int i = 0; i < c->n; i++)
        c->index[i] = (int32_t)random_between(r, 0, c->m - 1);
    if (c->op == EXPECTED_TRSV || c->op == EXPECTED_TRSM)
        fill_triangle(r, c);
    else if (k == HARD)
        return fill_hard(r, c);
    return true;
}

static char letter_of(int trans)
{
    return trans == EXPECTED_CONJ_TRANS ? 'c' : trans == EXPECTED_TRANS ? 't' : 'n';
}

static void name_case(expected_case *e, const char *op, kind k)
{
    const expected_call *c = &e->call;
    char im[2][16] = {"", ""};
    if (expected_is_complex(c)) {
        snprintf(im[0], sizeof im[0], "%+gi", c->alpha_im);
        snprintf(im[1], sizeof im[1], "%+gi", c->beta_im);
    }
    snprintf(e->name, sizeof e->name, "%c%s %c%c%c%c m=%d n=%d k=%d alpha=%g%s beta=%g%s %s",
             c->type, op, letter_of(c->transa), letter_of(c->transb),
             c->uplo == EXPECTED_UPPER ? 'u' : 'l', c->diag == EXPECTED_UNIT ? 'u' : 'n', c->m,
             c->n, c->k, c->alpha, im[0], c->beta, im[1], kind_names[k]);
}

static bool finish_case(test_random *r, expected_case *e, const char *op, kind k)
{
    set_lengths(&e->call);
    if (expected_is_complex(&e->call))
        count_parts(&e->call);
    if (allocate(&e->call) && fill_all(r, &e->call, k)) {
        name_case(e, op, k);
        return true;
    }
    expected_free(e);
    return false;
}

/* Scalars are real ones, none, and complex ones. */
static bool make_complex(int i, expected_case *e)
{
    static const int options[] = {EXPECTED_NO_TRANS, EXPECTED_TRANS, EXPECTED_CONJ_TRANS};
    int option = i % N_COMPLEX_OPTIONS, type = i / N_COMPLEX_OPTIONS % N_TYPES;
    kind k = i / (N_COMPLEX_OPTIONS * N_TYPES) % N_COMPLEX_KINDS ? MODERATE : HARD;
    const size *s = &complex_sizes[i / (N_COMPLEX_OPTIONS * N_TYPES * N_COMPLEX_KINDS)];
    test_random r = test_random_start((uint64_t)(COMPLEX_SEED + i), "expected");
    expected_call *c = &e->call;
    *c = (expected_call){.op = s->op, .type = "cz"[type], .m = s->m, .n = s->n, .k = s->k};
    c->transa = options[option];
    if (option > 0 && (c->op == EXPECTED_SYRK || c->op == EXPECTED_HERK))
        c->transa = c->op == EXPECTED_HERK ? EXPECTED_CONJ_TRANS : EXPECTED_TRANS;
    c->transb = k == HARD ? EXPECTED_NO_TRANS : options[(option + 1) % 3];
    c->uplo = option == 1 ? EXPECTED_UPPER : EXPECTED_LOWER;
    c->diag = option == 2 ? EXPECTED_UNIT : EXPECTED_NON_UNIT;
    c->alpha = option == 1 ? 1 : 0.75;
    c->alpha_im = option == 2 ? -0.5 : 0;
    c->beta = option == 1 ? 0 : 0.5;
    c->beta_im = option == 2 ? 0.25 : 0;
    return finish_case(&r, e, s->name, k);
}

bool expected_make(int i, expected_case *e)
{
    if (i >= N_REAL)
        return make_complex(i - N_REAL, e);
    int option = i % N_OPTIONS, type = i / N_OPTIONS % N_TYPES;
    kind k = (kind)(i / (N_OPTIONS * N_TYPES) % N_KINDS);
    const size *s = &sizes[i / (N_OPTIONS * N_TYPES * N_KINDS)];
    test_random r = test_random_start((uint64_t)i + 1, "expected");
    expected_call *c = &e->call;
    *c = (expected_call){.op = s->op, .type = "sd"[type], .m = s->m, .n = s->n, .k = s->k};
    c->transa = option ? EXPECTED_TRANS : EXPECTED_NO_TRANS;
    c->transb = (option != 0) != (k == HARD) ? EXPECTED_TRANS : EXPECTED_NO_TRANS;
    c->uplo = (option != 0) != (k == MODERATE) ? EXPECTED_UPPER : EXPECTED_LOWER;
    c->diag = k == INTEGERS ? EXPECTED_UNIT : EXPECTED_NON_UNIT;
    c->alpha = option ? 1 : k == HARD ? 0.75 : -1.5;
    c->beta = option ? 0 : 0.5;
    return finish_case(&r, e, s->name, k);
}

void expected_free(expected_case *e)
{
    free(e->call.a);
    free(e->call.b);
    free(e->call.c);
    free(e->call.index);
}

double expected_work(const expected_call *c)
{
    double m = c->m, n = c->n, k = c->k;
    if (c->op == EXPECTED_SCATTER)
        return m + n;
    return c->op == EXPECTED_TRSV ? n * n : m * n * k;
}

void expected_bits(const expected_call *c, char text[24])
{
    uint64_t hash = 0xcbf29ce484222325u, b = 0;
    size_t element = expected_bytes(c);
    for (size_t i = 0; i < c->c_length; i++) {
        uint32_t narrow = 0;
        if (element == sizeof narrow) {
            memcpy(&narrow, (const char *)c->c + i * element, element);
            b = narrow;
        } else
            memcpy(&b, (const char *)c->c + i * element, element);
        for (size_t j = 0; j < element; j++) /* least significant byte first everywhere */
            hash = (hash ^ (b >> 8 * j & 0xff)) * 0x100000001b3u;
    }
    snprintf(text, 24, "%016llx", (unsigned long long)(c->c_length == 1 ? b : hash));
}
