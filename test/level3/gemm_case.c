#include "gemm_case.h"

#include "complex_sum.h"

#include <exblas/cblas.h>
#include <math.h>
#include <stdlib.h>

static int parts(const gemm_case *g)
{
    return is_complex_type(g->type) ? 2 : 1;
}

static number_format format(const gemm_case *g)
{
    return format_of_type(g->type);
}

static bool is_float(const gemm_case *g)
{
    return format(g) == FORMAT_S;
}

static double load(const gemm_case *g, const void *p, int64_t at)
{
    return load_number(format(g), p, at);
}

static void store(const gemm_case *g, void *p, int64_t at, double x)
{
    store_number(format(g), p, at, x);
}

/* Where element (i, j) of a stored matrix begins. */
static int64_t place(const gemm_case *g, int64_t ld, int64_t i, int64_t j)
{
    return (g->layout == EXBLAS_ROW_MAJOR ? i * ld + j : j * ld + i) * parts(g);
}

static int64_t a_at(const gemm_case *g, int64_t i, int64_t l)
{
    return g->ta == EXBLAS_NO_TRANS ? place(g, g->lda, i, l) : place(g, g->lda, l, i);
}

static int64_t b_at(const gemm_case *g, int64_t l, int64_t j)
{
    return g->tb == EXBLAS_NO_TRANS ? place(g, g->ldb, l, j) : place(g, g->ldb, j, l);
}

/* --- data ------------------------------------------------------------------ */

/* The parts of op(A)'s rows and of op(B)'s columns as vectors, for the kinds below. */
typedef struct {
    gemm_case *g;
    test_random *r;
    bool is_b;
    int64_t n_vectors;
} operand;

typedef void fill(const operand *o, int64_t v, double *x, int64_t n);

static double any(const operand *o, int exp2)
{
    return random_number(o->r, format(o->g), exp2);
}

static void uniform(const operand *o, int64_t v, double *x, int64_t n)
{
    (void)v;
    for (int64_t l = 0; l < n; l++)
        x[l] = any(o, -(int)random_between(o->r, 1, 4));
}

static void wide(const operand *o, int64_t v, double *x, int64_t n)
{
    (void)v;
    for (int64_t l = 0; l < n; l++)
        x[l] = any(o, (int)random_between(o->r, -30, 30));
}

/* Of a number of bits that depends on the call; sums are integers, ties occur. */
static void integers(const operand *o, int64_t v, double *x, int64_t n)
{
    int bits = 2 + (int)((o->g->m + o->g->n + o->g->k) % 25);
    (void)v;
    for (int64_t l = 0; l < n; l++)
        x[l] = round_to(format(o->g), (double)random_between(o->r, -(1 << bits), 1 << bits));
}

static void sparse(const operand *o, int64_t v, double *x, int64_t n)
{
    for (int64_t l = 0; l < n; l++)
        x[l] =
            v % 5 == 1 || !random_chance(o->r, 12) ? 0 : any(o, (int)random_between(o->r, -3, 3));
}

static void graded(const operand *o, int64_t v, double *x, int64_t n)
{
    int most = is_float(o->g) ? 40 : 300;
    int exp2 = (int)(2 * most * v / (o->n_vectors > 1 ? o->n_vectors - 1 : 1)) - most;
    for (int64_t l = 0; l < n; l++)
        x[l] = any(o, o->is_b ? -exp2 : exp2);
}

/* Second halves take first halves off again, but for 2^-10, 2^-30, 2^-60 of it. */
static void cancelling(const operand *o, int64_t v, double *x, int64_t n)
{
    static const double rest[] = {0x1p-10, 0x1p-30, 0x1p-60, 0};
    double keep = rest[v % 4];
    uniform(o, v, x, n);
    if (o->is_b) /* pairs of equal elements against pairs that cancel */
        for (int64_t l = 0; l + 1 < n; l += 2)
            x[l + 1] = x[l];
    else
        for (int64_t l = 0; l + 1 < n; l += 2)
            x[l + 1] = round_to(format(o->g), -x[l] * (1 - keep));
}

/* Results among the subnormal numbers. */
static void tiny(const operand *o, int64_t v, double *x, int64_t n)
{
    int exp2 = is_float(o->g) ? -72 : -535;
    (void)v;
    for (int64_t l = 0; l < n; l++)
        x[l] = any(o, exp2 + (int)random_between(o->r, -6, 4));
}

/* Results about the largest number. */
static void large(const operand *o, int64_t v, double *x, int64_t n)
{
    int exp2 = is_float(o->g) ? 62 : 510;
    (void)v;
    for (int64_t l = 0; l < n; l++)
        x[l] = any(o, exp2 + (int)random_between(o->r, -5, 1));
}

/* The whole range in one vector: scaling underflows. */
static void whole_range(const operand *o, int64_t v, double *x, int64_t n)
{
    format_limits f = limits_of(format(o->g));
    uniform(o, v, x, n);
    for (int i = 0; i < 3 && v % 2; i++)
        x[random_between(o->r, 0, n - 1)] =
            any(o, (int)random_between(o->r, i ? f.min_exp2 : f.max_exp2 - 9,
                                       i ? f.min_exp2 + 60 : f.max_exp2));
}

static void specials(const operand *o, int64_t v, double *x, int64_t n)
{
    uniform(o, v, x, n);
    if (v % 7 == 3)
        sprinkle_specials(o->r, n, x);
}

/* Powers of two next to their neighbours: norms at the border of a power of two. */
static void borders(const operand *o, int64_t v, double *x, int64_t n)
{
    for (int64_t l = 0; l < n; l++) {
        double y = ldexp(1, -(int)(v % 3));
        x[l] = random_sign(o->r) * (random_chance(o->r, 2) ? y : y - half_ulp(y, format(o->g)));
    }
}

/* Zeros before and behind the others, the same of 16 vectors but for two. */
static void zero_ends(const operand *o, int64_t v, double *x, int64_t n)
{
    int64_t group = v / 16, begin = n * (group % 3) / 5 + v % 3, end = n - n * (group % 2) / 7;
    uniform(o, v, x, n);
    for (int64_t l = 0; l < n; l++)
        if (l < begin || l >= end)
            x[l] = 0;
}

/* Every other element, so that half of the sums are of zeros; some have one product that
 * underflows, or is of a zero and what is not finite. */
static void zero_sums(const operand *o, int64_t v, double *x, int64_t n)
{
    for (int64_t l = 0; l < n; l++)
        x[l] = (l + v) % 2 == o->is_b ? any(o, -(int)random_between(o->r, 1, 4)) : 0;
    if (v % 5 == 1)
        x[v % n] = any(o, limits_of(format(o->g)).min_exp2);
    if (v % 11 == 7)
        x[v % n] = o->is_b ? (double)NAN : -(double)INFINITY;
}

static const struct {
    const char *name;
    fill *fill;
} kinds[] = {{"uniform", uniform},     {"wide", wide},          {"integers", integers},
             {"sparse", sparse},       {"graded", graded},      {"cancelling", cancelling},
             {"tiny", tiny},           {"large", large},        {"whole range", whole_range},
             {"specials", specials},   {"borders", borders},    {"zero ends", zero_ends},
             {"zero sums", zero_sums}, {"boundaries", uniform}, {"some boundaries", uniform}};

enum { BOUNDARIES = sizeof kinds / sizeof *kinds - 2, SOME_BOUNDARIES };

size_t gemm_kinds(void)
{
    return sizeof kinds / sizeof *kinds;
}

size_t gemm_kind(const char *name)
{
    size_t kind = 0;
    while (strcmp(kinds[kind].name, name) != 0)
        kind++;
    return kind;
}

/* Both operands: rows of op(A) with their parts side by side, and so columns of op(B). */
static void fill_operands(gemm_case *g, test_random *r, size_t kind, double *a, double *b)
{
    int64_t length = g->k * parts(g);
    operand rows = {g, r, false, g->m}, columns = {g, r, true, g->n};
    for (int64_t i = 0; i < g->m; i++)
        kinds[kind].fill(&rows, i, a + i * length, length);
    for (int64_t j = 0; j < g->n; j++)
        kinds[kind].fill(&columns, j, b + j * length, length);
}

/* Vectors of reals: b[.] of the last two terms is 1 and rows get two last elements that take the
 * sum with column 0 to a midpoint, or 2^-60 of the last place beside it. The other columns are
 * multiples of column 0 by powers of two. */
static void move_to_boundaries(gemm_case *g, test_random *r, int64_t step, double *a, double *b)
{
    int64_t k = g->k * parts(g);
    oracle o;
    oracle_init(&o);
    b[k - 2] = b[k - 1] = 1;
    for (int64_t j = 1; j < g->n; j++)
        for (int64_t l = 0; l < k; l++)
            b[j * k + l] = ldexp(b[l], (int)(j % 9) - 4);
    for (int64_t i = 0; i < g->m; i += step) {
        double *row = a + i * k;
        row[k - 2] = row[k - 1] = 0;
        oracle_reset(&o);
        for (int64_t l = 0; l < k - 2; l++)
            oracle_add_product(&o, row[l], b[l]);
        double near = oracle_round(&o, format(g)), half = half_ulp(near, format(g));
        oracle_add(&o, -near);
        oracle_add(&o, -half * random_sign(r)); /* what is too much now */
        row[k - 2] = -oracle_round(&o, format(g));
        oracle_add(&o, row[k - 2]);
        row[k - 1] = -oracle_round(&o, format(g));
        if (random_chance(r, 2))
            row[k - 1] = round_to(format(g), row[k - 1] + random_sign(r) * half * 0x1p-60);
    }
    oracle_clear(&o);
}

static void *buffer(const gemm_case *g, int64_t n)
{
    void *p = malloc((size_t)(n ? n : 1) * number_size(format(g)));
    if (!p)
        abort();
    for (int64_t i = 0; i < n; i++)
        store(g, p, i, (double)NAN);
    return p;
}

/* Storage of a matrix of rows x columns. */
static int64_t numbers(const gemm_case *g, int64_t rows, int64_t columns, int64_t ld)
{
    return (g->layout == EXBLAS_ROW_MAJOR ? rows : columns) * ld * parts(g);
}

/* The least, and 0, 1 or 2 more, a number that the other two operands do not have. */
static int64_t leading(const gemm_case *g, int64_t rows, int64_t columns, int64_t padding)
{
    int64_t least = g->layout == EXBLAS_ROW_MAJOR ? columns : rows;
    return (least ? least : 1) + padding % 3;
}

static int transpose(const gemm_case *g, test_random *r)
{
    static const int all[] = {EXBLAS_NO_TRANS, EXBLAS_TRANS, EXBLAS_CONJ_TRANS};
    return all[random_between(r, 0, parts(g))];
}

static void scalars(gemm_case *g, test_random *r)
{
    number_format f = format(g);
    double *both[] = {g->alpha, g->beta};
    for (int i = 0; i < 2; i++)
        for (int part = 0; part < parts(g); part++)
            both[i][part] = part && random_chance(r, 2) ? 0 : random_number(r, f, 0);
    if (random_chance(r, 2)) {
        g->alpha[0] = 1;
        g->alpha[1] = 0;
    }
    if (random_chance(r, 2))
        g->beta[0] = g->beta[1] = 0;
    if (random_chance(r, 8)) /* 0, 1, -1, subnormal, huge, Inf, NaN */
        both[random_between(r, 0, 1)][random_between(r, 0, parts(g) - 1)] = random_scalar(r, f);
}

static void scatter(gemm_case *g, const double *a, const double *b)
{
    int p = parts(g);
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t x = 0; x < g->k * p; x++)
            store(g, g->a, a_at(g, i, x / p) + x % p, a[i * g->k * p + x]);
    for (int64_t j = 0; j < g->n; j++)
        for (int64_t x = 0; x < g->k * p; x++)
            store(g, g->b, b_at(g, x / p, j) + x % p, b[j * g->k * p + x]);
}

/* C is read only if beta is not zero; then it is of the size of the results. */
static void fill_c(gemm_case *g, test_random *r)
{
    bool is_special = g->kind == kinds[gemm_kind("specials")].name;
    if ((g->beta[0] == 0 && g->beta[1] == 0) || g->m == 0 || g->n == 0)
        return;
    int64_t middle = g->k / 2;
    double size =
        g->k ? fabs(load(g, g->a, a_at(g, 0, middle)) * load(g, g->b, b_at(g, middle, 0))) : 1;
    int exp2 = size > 0x1p-120 && size < 0x1p120 ? exponent_of(size) : 0;
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++)
            for (int part = 0; part < parts(g); part++) {
                double x = random_number(r, format(g), exp2 + (int)random_between(r, -3, 3));
                if (is_special && random_chance(r, 20))
                    sprinkle_specials(r, 1, &x);
                store(g, g->c, place(g, g->ldc, i, j) + part, x);
            }
}

/* The products of complex elements have real parts that are at boundaries if those of the vectors
 * of parts are: the imaginary parts of one operand change their signs. */
static void set_boundaries(gemm_case *g, test_random *r, size_t kind, double *a, double *b)
{
    bool same = (g->ta == EXBLAS_CONJ_TRANS) == (g->tb == EXBLAS_CONJ_TRANS);
    move_to_boundaries(g, r, kind == BOUNDARIES ? 1 : 10, a, b);
    for (int64_t l = 1; parts(g) == 2 && same && l < 2 * g->m * g->k; l += 2)
        a[l] = -a[l];
    g->alpha[0] = 1;
    g->alpha[1] = 0;
}

static void lay_out(gemm_case *g, test_random *r)
{
    bool plain_a = g->ta == EXBLAS_NO_TRANS, plain_b = g->tb == EXBLAS_NO_TRANS;
    int64_t m = g->m, n = g->n, k = g->k, padding = random_between(r, 0, 2);
    g->lda = leading(g, plain_a ? m : k, plain_a ? k : m, padding);
    g->ldb = leading(g, plain_b ? k : n, plain_b ? n : k, padding + 1);
    g->ldc = leading(g, m, n, padding + 2);
    g->a = buffer(g, numbers(g, plain_a ? m : k, plain_a ? k : m, g->lda));
    g->b = buffer(g, numbers(g, plain_b ? k : n, plain_b ? n : k, g->ldb));
    int64_t n_c = numbers(g, m, n, g->ldc);
    g->c = buffer(g, n_c);
    g->c_bytes = (size_t)n_c * number_size(format(g));
}

void gemm_case_init_in(gemm_case *g, test_random *r, gemm_way way, bool is_plain, char type,
                       size_t kind, int64_t m, int64_t n, int64_t k)
{
    *g = (gemm_case){.type = type, .m = m, .n = n, .k = k, .kind = kinds[kind].name};
    g->layout = way.layout;
    g->ta = way.ta;
    g->tb = way.tb;
    g->alpha[0] = 1;
    if (!is_plain)
        scalars(g, r);
    lay_out(g, r);
    double *a = calloc((size_t)(m * k * parts(g)) + 1, sizeof *a);
    double *b = calloc((size_t)(n * k * parts(g)) + 1, sizeof *b);
    if (!a || !b)
        abort();
    fill_operands(g, r, kind, a, b);
    if (kind >= BOUNDARIES && m > 0 && n > 0 && k > 3)
        set_boundaries(g, r, kind, a, b);
    scatter(g, a, b);
    fill_c(g, r);
    free(a);
    free(b);
}

void gemm_case_init(gemm_case *g, test_random *r, char type, size_t kind, int64_t m, int64_t n,
                    int64_t k)
{
    gemm_case of_type = {.type = type};
    gemm_way way = {.layout = random_chance(r, 2) ? EXBLAS_ROW_MAJOR : EXBLAS_COL_MAJOR};
    way.ta = transpose(&of_type, r);
    way.tb = transpose(&of_type, r);
    gemm_case_init_in(g, r, way, false, type, kind, m, n, k);
}

void gemm_case_clear(gemm_case *g)
{
    free(g->a);
    free(g->b);
    free(g->c);
}

/* --- the call --------------------------------------------------------------- */

#define CALL(name, alpha, beta)                                                                    \
    excblas_##name##_64(g->layout, g->ta, g->tb, g->m, g->n, g->k, alpha, g->a, g->lda, g->b,      \
                        g->ldb, beta, c, g->ldc)

void gemm_case_call(const gemm_case *g, void *c)
{
    const float alpha[] = {(float)g->alpha[0], (float)g->alpha[1]};
    const float beta[] = {(float)g->beta[0], (float)g->beta[1]};
    switch (g->type) {
    case 's':
        CALL(sgemm, alpha[0], beta[0]);
        break;
    case 'd':
        CALL(dgemm, g->alpha[0], g->beta[0]);
        break;
    case 'c':
        CALL(cgemm, alpha, beta);
        break;
    default:
        CALL(zgemm, g->alpha, g->beta);
    }
}

void gemm_case_run(const gemm_case *g, void *out)
{
    memcpy(out, g->c, g->c_bytes);
    gemm_case_call(g, out);
}

/* --- the answer -------------------------------------------------------------- */

static complex_factor factor(const gemm_case *g, const void *p, int64_t at, int trans)
{
    test_number x = {load(g, p, at), parts(g) == 2 ? load(g, p, at + 1) : 0};
    return (complex_factor){conjugate_if(trans == EXBLAS_CONJ_TRANS, x), false};
}

static complex_factor scalar(const double *x)
{
    return (complex_factor){{x[0], x[1]}, false};
}

/* alpha times the exact element (i, j) of op(A) op(B), which do not count where alpha is 0. */
static void add_products(const gemm_case *g, int64_t i, int64_t j, complex_sum *total)
{
    complex_sum s;
    complex_sum_init(&s, g->type);
    for (int64_t l = 0; l < g->k; l++)
        complex_sum_add_product(&s, factor(g, g->a, a_at(g, i, l), g->ta),
                                factor(g, g->b, b_at(g, l, j), g->tb));
    complex_sum_add_scaled(total, scalar(g->alpha), &s);
    complex_sum_clear(&s);
}

bool gemm_element_is_right(const gemm_case *g, const void *out, int64_t i, int64_t j)
{
    int64_t at = place(g, g->ldc, i, j);
    bool has_sum = g->k > 0 && (g->alpha[0] != 0 || g->alpha[1] != 0);
    complex_factor old = factor(g, g->c, at, EXBLAS_NO_TRANS),
                   found = factor(g, out, at, EXBLAS_NO_TRANS);
    test_number wanted = old.v;
    if (has_sum || g->beta[0] != 1 || g->beta[1] != 0) {
        complex_sum total;
        complex_sum_init(&total, g->type);
        if (has_sum)
            add_products(g, i, j, &total);
        if (g->beta[0] != 0 || g->beta[1] != 0)
            complex_sum_add_product(&total, scalar(g->beta), old);
        wanted = complex_sum_round(&total);
        complex_sum_clear(&total);
    }
    return same_bits(found.v.re, wanted.re) && same_bits(found.v.im, wanted.im);
}

bool gemm_padding_is_left(const gemm_case *g, const void *out)
{
    bool by_rows = g->layout == EXBLAS_ROW_MAJOR;
    int64_t lines = by_rows ? g->m : g->n, length = (by_rows ? g->n : g->m) * parts(g);
    for (int64_t line = 0; line < lines; line++)
        for (int64_t x = length; x < g->ldc * parts(g); x++) {
            int64_t at = line * g->ldc * parts(g) + x;
            if (!same_bits(load(g, out, at), load(g, g->c, at)))
                return false;
        }
    return true;
}
