/* Every routine of Level 2 in every type against the model, in all pairs of modes: random
 * options, sizes and adversarial numbers, everything that must not be read filled with NaN,
 * everything that must not be written compared byte by byte. */
#include "adversarial.h"
#include "hostile_env.h"
#include "level2_model.h"
#include "modes.h"
#include "testing.h"

enum { MOST = 150, MOST_ELEMENTS = MOST * MOST };

/* An array in memory with a copy to compare with. */
typedef struct {
    void *block, *before;
    char *data;
    int64_t n;
    char type;
} array;

static size_t real_size(char type)
{
    return type == 's' || type == 'c' ? sizeof(float) : sizeof(double);
}

static int parts(char type)
{
    return level2_is_complex(type) ? 2 : 1;
}

static number_format format_of(char type)
{
    return type == 's' || type == 'c' ? FORMAT_S : FORMAT_D;
}

static void store_real(char type, void *p, int64_t i, double x)
{
    if (real_size(type) == sizeof(float))
        ((float *)p)[i] = (float)x;
    else
        ((double *)p)[i] = x;
}

static double load_real(char type, const void *p, int64_t i)
{
    return real_size(type) == sizeof(float) ? (double)((const float *)p)[i]
                                            : ((const double *)p)[i];
}

static void store(array *a, int64_t i, level2_number x)
{
    store_real(a->type, a->data, parts(a->type) * i, x.re);
    if (parts(a->type) == 2)
        store_real(a->type, a->data, 2 * i + 1, x.im);
}

/* n elements of NaN. The block ends with the last one. */
static array array_of(char type, int64_t n, int offset)
{
    size_t bytes = (size_t)(n * parts(type)) * real_size(type);
    array a = {.n = n, .type = type};
    a.block = malloc(bytes + (size_t)offset * real_size(type) + 1);
    a.before = malloc(bytes + 1);
    assert_true(a.block && a.before);
    a.data = (char *)a.block + (size_t)offset * real_size(type);
    double nan = poison(format_of(type));
    for (int64_t i = 0; i < n; i++)
        store(&a, i, (level2_number){nan, nan});
    return a;
}

static void keep(array *a)
{
    memcpy(a->before, a->data, (size_t)(a->n * parts(a->type)) * real_size(a->type));
}

static void release(array *a)
{
    free(a->block);
    free(a->before);
}

/* Takes part k of element i out, putting the old one back; true if it is x. */
static bool take(array *a, int64_t i, int k, double x)
{
    int64_t at = parts(a->type) * i + k;
    size_t size = real_size(a->type);
    double got = load_real(a->type, a->data, at);
    memcpy(a->data + (size_t)at * size, (char *)a->before + (size_t)at * size, size);
    return same_bits(got, x);
}

static bool take_number(array *a, int64_t i, level2_number x)
{
    bool re = take(a, i, 0, x.re);
    return (parts(a->type) == 1 || take(a, i, 1, x.im)) && re;
}

static bool is_unchanged(const array *a)
{
    return memcmp(a->before, a->data, (size_t)(a->n * parts(a->type)) * real_size(a->type)) == 0;
}

/* Place of (i, j) in storage, from BLAS's descriptions. */
static int64_t place(const level2_problem *p, bool by_rows, int64_t lda, int64_t i, int64_t j)
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

static int64_t least_lda(const level2_problem *p, bool by_rows)
{
    const level2_traits *t = &level2_family_traits[p->family];
    if (t->storage == STORED_PACKED)
        return 0;
    if (t->storage == STORED_BAND)
        return (t->shape == SHAPE_GENERAL ? p->kl : 0) + p->ku + 1;
    int64_t n = by_rows ? p->n : p->m;
    return n > 1 ? n : 1;
}

static bool is_read(const level2_problem *p, int64_t i, int64_t j)
{
    const level2_traits *t = &level2_family_traits[p->family];
    bool unit = t->shape == SHAPE_TRIANGLE && p->diag == 'u' && i == j;
    bool has_alpha = t->has_beta;
    bool skipped = has_alpha && p->alpha.re == 0 && p->alpha.im == 0;
    return level2_is_stored(p, i, j) && !unit && !skipped;
}

/* A row-major band stores for each of its rows lda elements, a column-major one for each column. */
static array matrix(const level2_problem *p, bool by_rows, int64_t lda, int offset)
{
    const level2_traits *t = &level2_family_traits[p->family];
    int64_t n = 0;
    double nan = poison(format_of(p->type));
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++)
            if (t->storage == STORED_FULL || level2_is_stored(p, i, j)) {
                int64_t at = place(p, by_rows, lda, i, j);
                n = at + 1 > n ? at + 1 : n;
            }
    array a = array_of(p->type, n, offset);
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++)
            if (is_read(p, i, j)) {
                level2_number x = p->a[j * p->m + i];
                if (level2_is_diagonal_of_hermitian(p, i, j))
                    x.im = nan;
                store(&a, place(p, by_rows, lda, i, j), x);
            }
    keep(&a);
    return a;
}

static int64_t vector_place(int64_t n, int inc, int64_t i)
{
    return inc < 0 ? (i - (n - 1)) * inc : i * inc;
}

static array vector(char type, int64_t n, int inc, int offset, const level2_number *values)
{
    array a = array_of(type, n > 0 ? 1 + (n - 1) * abs(inc) : 0, offset);
    for (int64_t i = 0; values && i < n; i++)
        store(&a, vector_place(n, inc, i), values[i]);
    keep(&a);
    return a;
}

static void describe(const level2_problem *p, const call_mode *m, int64_t at, double got)
{
    char how[200];
    mode_text(m, how);
    print_error("%s m=%d n=%d kl=%d ku=%d trans=%c uplo=%c diag=%c alpha=%a,%a beta=%a,%a\n    %s\n"
                "    first at %d of the result: expected %a\n",
                level2_name(p->family, p->type), (int)p->m, (int)p->n, (int)p->kl, (int)p->ku,
                p->trans, p->uplo, p->diag, p->alpha.re, p->alpha.im, p->beta.re, p->beta.im, how,
                (int)at, got);
}

static bool check_vector(array *a, int64_t n, int inc, const level2_number *expected,
                         const level2_problem *p, const call_mode *m)
{
    bool ok = true;
    for (int64_t i = 0; i < n; i++)
        if (!take_number(a, vector_place(n, inc, i), expected[i])) {
            if (ok)
                describe(p, m, i, expected[i].re);
            ok = false;
        }
    return ok;
}

static bool check_matrix(array *a, bool by_rows, int64_t lda, const level2_number *expected,
                         const level2_problem *p, const call_mode *m)
{
    bool ok = true;
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++)
            if (level2_is_stored(p, i, j) &&
                !take_number(a, place(p, by_rows, lda, i, j), expected[j * p->m + i])) {
                if (ok)
                    describe(p, m, j * p->m + i, expected[j * p->m + i].re);
                ok = false;
            }
    return ok;
}

/* Runs p in a mode and compares with the model; true if all is well. */
static bool check(const level2_problem *p, const call_mode *m, const level2_number *expected)
{
    const level2_traits *t = &level2_family_traits[p->family];
    placement q = mode_placement(m);
    bool by_rows = q.row_major && (q.form == FORM_CBLAS || q.form == FORM_CBLAS_64);
    int64_t lda = least_lda(p, by_rows) + (t->storage == STORED_PACKED ? 0 : q.padding);
    int64_t nx = level2_x_length(p), ny = t->has_y ? level2_y_length(p) : 0;
    bool skips_y = t->has_beta && p->beta.re == 0 && p->beta.im == 0 && !level2_returns_quickly(p);
    bool skips_x = t->has_beta && p->alpha.re == 0 && p->alpha.im == 0;
    array a = matrix(p, by_rows, lda, q.offset);
    array x = vector(p->type, nx, q.incx, q.offset, skips_x ? NULL : p->x);
    array y = vector(p->type, ny, q.incy, q.offset, skips_y ? NULL : p->y);
    array alpha = array_of(p->type, 1, 0), beta = array_of(p->type, 1, 0);
    store(&alpha, 0, p->alpha);
    store(&beta, 0, p->beta);
    level2_call c = {p->family, p->type, q.form, by_rows, p->trans,   p->uplo,   p->diag,
                     p->m,      p->n,    p->kl,  p->ku,   alpha.data, beta.data, a.data,
                     x.data,    y.data,  lda,    q.incx,  q.incy};
    hostile_env_enter(q.environment);
    level2_run(&c);
    bool ok = hostile_env_leave();
    if (!ok)
        print_error("the environment changed\n");
    if (level2_returns_quickly(p))
        ok = ok && true;
    else if (t->updates)
        ok = check_matrix(&a, by_rows, lda, expected, p, m) && ok;
    else
        ok = check_vector(t->has_beta ? &y : &x, t->has_beta ? ny : nx,
                          t->has_beta ? q.incy : q.incx, expected, p, m) &&
             ok;
    if (!is_unchanged(&a) || !is_unchanged(&x) || !is_unchanged(&y)) {
        describe(p, m, -1, 0);
        print_error("    something else was written\n");
        ok = false;
    }
    array *all[] = {&a, &x, &y, &alpha, &beta};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        release(all[i]);
    return ok;
}

/* Numbers of one problem. */
typedef struct {
    level2_number a[MOST_ELEMENTS], x[MOST], y[MOST], result[MOST_ELEMENTS];
} numbers;

static double small_integer(test_random *r)
{
    double x = (double)random_between(r, -3, 3);
    return x == 0 && random_chance(r, 2) ? -0.0 : x;
}

/* n numbers and n others whose products are hard to add, as pairs. */
static void hard_pairs(test_random *r, char type, int64_t n, level2_number *x, level2_number *y)
{
    static double u[2 * MOST], v[2 * MOST];
    if (n == 0)
        return;
    factors_fill((size_t)random_between(r, 0, (int64_t)factors_kinds() - 1), r, format_of(type),
                 2 * n, u, v);
    for (int64_t i = 0; i < n; i++) {
        x[i] = (level2_number){u[2 * i], u[2 * i + 1]};
        y[i] = (level2_number){v[2 * i], v[2 * i + 1]};
    }
}

static void fill_integers(test_random *r, int64_t n, level2_number *x)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (level2_number){small_integer(r), small_integer(r)};
}

/* Rows that make hard sums with x, up to powers of two; small integers, with ties and zeros;
 * numbers of like size, which the filter decides. */
static void fill(test_random *r, const level2_problem *p, numbers *o)
{
    static level2_number row[MOST], other[MOST];
    int64_t most = p->m > p->n ? p->m : p->n;
    int kind = (int)random_between(r, 0, 3);
    number_format f = format_of(p->type);
    hard_pairs(r, p->type, most, o->x, row);
    hard_pairs(r, p->type, most, o->y, other);
    if (kind == 0) {
        fill_integers(r, most, o->x);
        fill_integers(r, most, o->y);
        fill_integers(r, p->m * p->n, o->a);
        return;
    }
    for (int64_t i = 0; i < p->m; i++) {
        int exp2 = (int)random_between(r, -3, 3);
        for (int64_t j = 0; j < p->n; j++) {
            level2_number hard = row[p->trans == 'n' ? j : i];
            level2_number x = {scale_if_exact(hard.re, exp2, f), scale_if_exact(hard.im, exp2, f)};
            if (kind == 2 || random_chance(r, 12))
                x = (level2_number){random_number(r, f, (int)random_between(r, -4, 4)),
                                    random_number(r, f, (int)random_between(r, -4, 4))};
            o->a[j * p->m + i] = x;
        }
    }
    for (int64_t i = 0; kind == 2 && i < most; i++)
        o->x[i] = (level2_number){random_number(r, f, 0), random_number(r, f, 1)};
    for (int64_t i = 0; i < p->n && p->m == p->n && random_chance(r, 2); i++)
        o->a[i * p->m + i] = (level2_number){random_number(r, f, 0), random_number(r, f, -1)};
}

static level2_number scalar(test_random *r, char type, bool is_real)
{
    number_format f = format_of(type);
    double kinds[] = {1, 0, -1, 0.5};
    level2_number a = {random_chance(r, 4) ? random_scalar(r, f) : random_number(r, f, 0), 0};
    if (random_chance(r, 2))
        a.re = kinds[random_between(r, 0, 3)];
    if (!is_real && random_chance(r, 2))
        a.im = random_chance(r, 4) ? random_scalar(r, f) : random_number(r, f, 0);
    return a;
}

static level2_problem random_problem(test_random *r, level2_family family, char type, int64_t size,
                                     numbers *o)
{
    const level2_traits *t = &level2_family_traits[family];
    bool is_complex = level2_is_complex(type), real_alpha = t->updates && !t->has_y;
    level2_problem p = {.family = family, .type = type, .a = o->a, .x = o->x, .y = o->y};
    p.trans = t->updates || t->shape == SHAPE_SYMMETRIC ? 'n' : "ntc"[random_between(r, 0, 2)];
    p.uplo = random_chance(r, 2) ? 'u' : 'l';
    p.diag = random_chance(r, 2) ? 'u' : 'n';
    p.n = random_between(r, size > 20 ? size / 2 : 0, size);
    p.m = t->shape == SHAPE_GENERAL ? random_between(r, size > 20 ? size / 2 : 0, size) : p.n;
    p.kl = random_between(r, 0, size > 20 ? size : 5);
    p.ku = random_between(r, 0, size > 20 ? size : 5);
    p.alpha = t->has_beta || t->updates ? scalar(r, type, !is_complex || real_alpha)
                                        : (level2_number){1, 0};
    p.beta = t->has_beta ? scalar(r, type, !is_complex) : (level2_number){0, 0};
    fill(r, &p, o);
    if (!is_complex) /* what a real type does not have */
        for (int64_t i = 0; i < MOST_ELEMENTS; i++)
            o->a[i].im = o->x[i % MOST].im = o->y[i % MOST].im = 0;
    return p;
}

static size_t check_routine(level2_family family, char type, const call_mode *modes, size_t n_modes,
                            size_t *n_run)
{
    static numbers o;
    size_t failures = 0;
    const char *name = level2_name(family, type);
    if (!name)
        return 0;
    test_random r = test_random_start(test_seed(), name);
    enum { SMALL = 130, LARGE = 2 };
    for (int i = 0; i < SMALL + LARGE && failures < 3; i++) {
        bool large = i >= SMALL;
        level2_problem p =
            random_problem(&r, family, type, large ? 75 : random_between(&r, 1, 7), &o);
        const call_mode *m = &modes[(size_t)(random_bits(&r) % n_modes)];
        level2_model(&p, o.result);
        mode_select(m);
        failures += !check(&p, m, o.result);
        (*n_run)++;
    }
    return failures;
}

static void all_routines(void **state)
{
    const char *type = *state;
    call_mode *modes;
    size_t n_modes = modes_pairwise(&modes), failures = 0, n_run = 0;
    for (int f = 0; f < L2_FAMILIES; f++)
        failures += check_routine((level2_family)f, *type, modes, n_modes, &n_run);
    mode_restore();
    free(modes);
    printf("# %zu calls, seed %llu\n", n_run, (unsigned long long)test_seed());
    assert_int_equal(failures, 0);
}

int main(void)
{
    static char types[][2] = {"s", "d", "c", "z"};
    const struct CMUnitTest tests[] = {
        {"float", all_routines, NULL, NULL, types[0]},
        {"double", all_routines, NULL, NULL, types[1]},
        {"complex float", all_routines, NULL, NULL, types[2]},
        {"complex double", all_routines, NULL, NULL, types[3]},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
