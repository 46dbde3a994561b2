#include "gemm_case.h"

#include "oracle.h"

#include <math.h>
#include <stdlib.h>

static bool is_float(const fuzz_case *c)
{
    return fuzz_format(c) == FORMAT_S;
}

/* Element (i, l) of op(A) and (l, j) of op(B). */
static test_number *a_at(const fuzz_case *c, int64_t i, int64_t l)
{
    const fuzz_operand *o = &c->operand[OPERAND_A];
    return &o->v[c->transa == 'n' ? l * o->rows + i : i * o->rows + l];
}

static test_number *b_at(const fuzz_case *c, int64_t l, int64_t j)
{
    const fuzz_operand *o = &c->operand[OPERAND_B];
    return &o->v[c->transb == 'n' ? j * o->rows + l : l * o->rows + j];
}

/* The parts of op(A)'s rows and of op(B)'s columns as vectors, for the kinds below. */
typedef struct {
    const fuzz_case *c;
    test_random *r;
    bool is_b;
    int64_t n_vectors;
} operand;

typedef void fill(const operand *o, int64_t v, double *x, int64_t n);

static double any(const operand *o, int exp2)
{
    return random_number(o->r, fuzz_format(o->c), exp2);
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
    int bits = 2 + (int)((o->c->m + o->c->n + o->c->k) % 25);
    (void)v;
    for (int64_t l = 0; l < n; l++)
        x[l] = round_to(fuzz_format(o->c), (double)random_between(o->r, -(1 << bits), 1 << bits));
}

static void sparse(const operand *o, int64_t v, double *x, int64_t n)
{
    for (int64_t l = 0; l < n; l++)
        x[l] =
            v % 5 == 1 || !random_chance(o->r, 12) ? 0 : any(o, (int)random_between(o->r, -3, 3));
}

static void graded(const operand *o, int64_t v, double *x, int64_t n)
{
    int most = is_float(o->c) ? 40 : 300;
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
            x[l + 1] = round_to(fuzz_format(o->c), -x[l] * (1 - keep));
}

/* Results among the subnormal numbers. */
static void tiny(const operand *o, int64_t v, double *x, int64_t n)
{
    int exp2 = is_float(o->c) ? -72 : -535;
    (void)v;
    for (int64_t l = 0; l < n; l++)
        x[l] = any(o, exp2 + (int)random_between(o->r, -6, 4));
}

/* Results about the largest number. */
static void large(const operand *o, int64_t v, double *x, int64_t n)
{
    int exp2 = is_float(o->c) ? 62 : 510;
    (void)v;
    for (int64_t l = 0; l < n; l++)
        x[l] = any(o, exp2 + (int)random_between(o->r, -5, 1));
}

/* The whole range in one vector: scaling underflows. */
static void whole_range(const operand *o, int64_t v, double *x, int64_t n)
{
    format_limits f = limits_of(fuzz_format(o->c));
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
        x[l] =
            random_sign(o->r) * (random_chance(o->r, 2) ? y : y - half_ulp(y, fuzz_format(o->c)));
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
        x[v % n] = any(o, limits_of(fuzz_format(o->c)).min_exp2);
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

const char *gemm_kind_name(size_t kind)
{
    return kinds[kind].name;
}

/* Both operands: rows of op(A) with their parts side by side, and so columns of op(B). */
static void fill_vectors(const fuzz_case *c, test_random *r, size_t kind, double *a, double *b)
{
    int64_t length = c->k * fuzz_parts(c);
    operand rows = {c, r, false, c->m}, columns = {c, r, true, c->n};
    for (int64_t i = 0; i < c->m; i++)
        kinds[kind].fill(&rows, i, a + i * length, length);
    for (int64_t j = 0; j < c->n; j++)
        kinds[kind].fill(&columns, j, b + j * length, length);
}

/* Vectors of reals: b[.] of the last two terms is 1 and rows get two last elements that take the
 * sum with column 0 to a midpoint, or 2^-60 of the last place beside it. The other columns are
 * multiples of column 0 by powers of two. */
static void move_to_boundaries(const fuzz_case *c, test_random *r, int64_t step, double *a,
                               double *b)
{
    int64_t k = c->k * fuzz_parts(c);
    number_format f = fuzz_format(c);
    ORACLE(o);
    b[k - 2] = b[k - 1] = 1;
    for (int64_t j = 1; j < c->n; j++)
        for (int64_t l = 0; l < k; l++)
            b[j * k + l] = ldexp(b[l], (int)(j % 9) - 4);
    for (int64_t i = 0; i < c->m; i += step) {
        double *row = a + i * k;
        row[k - 2] = row[k - 1] = 0;
        oracle_reset(&o);
        for (int64_t l = 0; l < k - 2; l++)
            oracle_add_product(&o, row[l], b[l]);
        double near = oracle_round(&o, f), half = half_ulp(near, f);
        oracle_add(&o, -near);
        oracle_add(&o, -half * random_sign(r)); /* what is too much now */
        row[k - 2] = -oracle_round(&o, f);
        oracle_add(&o, row[k - 2]);
        row[k - 1] = -oracle_round(&o, f);
        if (random_chance(r, 2))
            row[k - 1] = round_to(f, row[k - 1] + random_sign(r) * half * 0x1p-60);
    }
}

/* The products of complex elements have real parts that are at boundaries if those of the vectors
 * of parts are: the imaginary parts of one operand change their signs. */
static void set_boundaries(fuzz_case *c, test_random *r, size_t kind, double *a, double *b)
{
    bool same = (c->transa == 'c') == (c->transb == 'c');
    move_to_boundaries(c, r, kind == BOUNDARIES ? 1 : 10, a, b);
    for (int64_t l = 1; fuzz_parts(c) == 2 && same && l < 2 * c->m * c->k; l += 2)
        a[l] = -a[l];
    c->alpha = (test_number){1, 0};
}

/* C is of the size of the results. */
static void fill_c(const fuzz_case *c, test_random *r, size_t kind)
{
    int64_t middle = c->k / 2;
    bool has_terms = c->k > 0 && c->m > 0 && c->n > 0;
    double size = has_terms ? fabs(a_at(c, 0, middle)->re * b_at(c, middle, 0)->re) : 1;
    int exp2 = size > 0x1p-120 && size < 0x1p120 ? exponent_of(size) : 0;
    for (int64_t i = 0; i < c->m * c->n; i++)
        for (int part = 0; part < fuzz_parts(c); part++) {
            double *x = part ? &c->operand[OPERAND_C].v[i].im : &c->operand[OPERAND_C].v[i].re;
            *x = random_number(r, fuzz_format(c), exp2 + (int)random_between(r, -3, 3));
            if (kind == gemm_kind("specials") && random_chance(r, 20))
                sprinkle_specials(r, 1, x);
        }
}

static void fill_operands(fuzz_case *c, test_random *r, size_t kind)
{
    int p = fuzz_parts(c);
    double *a = fuzz_malloc((size_t)(c->m * c->k * p) * sizeof *a);
    double *b = fuzz_malloc((size_t)(c->n * c->k * p) * sizeof *b);
    fill_vectors(c, r, kind, a, b);
    if (kind >= BOUNDARIES && c->m > 0 && c->n > 0 && c->k > 3)
        set_boundaries(c, r, kind, a, b);
    for (int64_t at = 0; at < c->m * c->k; at++)
        *a_at(c, at / c->k, at % c->k) = (test_number){a[p * at], p == 2 ? a[2 * at + 1] : 0};
    for (int64_t at = 0; at < c->n * c->k; at++)
        *b_at(c, at % c->k, at / c->k) = (test_number){b[p * at], p == 2 ? b[2 * at + 1] : 0};
    fill_c(c, r, kind);
    free(a);
    free(b);
}

static fuzz_case sized(test_random *r, char type, int64_t m, int64_t n, int64_t k)
{
    char name[] = {type, 'g', 'e', 'm', 'm', '\0'};
    fuzz_case c = fuzz_case_named(name);
    int64_t padding = random_between(r, 0, 2);
    c.m = m;
    c.n = n;
    c.k = k;
    for (int w = 0; w < 3; w++) /* a number that the other two operands do not have */
        c.padding[w] = (padding + w) % 3;
    c.alpha.re = 1;
    c.set.form = FORM_CBLAS_64;
    return c;
}

fuzz_case gemm_plain(test_random *r, char type, size_t kind, int way, int64_t m, int64_t n,
                     int64_t k)
{
    fuzz_case c = sized(r, type, m, n, k);
    c.layout = way & 1 ? 'r' : 'c';
    c.transa = way & 2 ? 't' : 'n';
    c.transb = way & 4 ? 'c' : 'n';
    fuzz_allocate(&c);
    fill_operands(&c, r, kind);
    return c;
}

fuzz_case gemm_random(test_random *r, char type, size_t kind, int64_t m, int64_t n, int64_t k)
{
    fuzz_case c = sized(r, type, m, n, k);
    number_format f = fuzz_format(&c);
    test_number *both[] = {&c.alpha, &c.beta};
    c.layout = random_letter(r, "rc");
    c.transa = random_letter(r, fuzz_parts(&c) == 2 ? "ntc" : "nt");
    c.transb = random_letter(r, fuzz_parts(&c) == 2 ? "ntc" : "nt");
    for (int i = 0; i < 2; i++) {
        both[i]->re = random_number(r, f, 0);
        both[i]->im = fuzz_parts(&c) == 1 || random_chance(r, 2) ? 0 : random_number(r, f, 0);
    }
    if (random_chance(r, 2))
        c.alpha = (test_number){1, 0};
    if (random_chance(r, 2))
        c.beta = (test_number){0, 0};
    if (random_chance(r, 8)) /* 0, 1, -1, subnormal, huge, Inf, NaN */
        *(fuzz_parts(&c) == 2 && random_chance(r, 2) ? &both[random_between(r, 0, 1)]->im
                                                     : &both[random_between(r, 0, 1)]->re) =
            random_scalar(r, f);
    fuzz_allocate(&c);
    fill_operands(&c, r, kind);
    return c;
}
