/* Every routine of Level 2 in every type against the model, in all pairs of modes: random
 * options, sizes and adversarial numbers, everything that must not be read filled with NaN,
 * everything that must not be written compared byte by byte. */
#include "hard_numbers.h"
#include "level2_model.h"
#include "level2_run.h"
#include "modes.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

enum { MOST = 2600, MOST_ELEMENTS = 500000 };

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

/* Whether result i of the problem is one that the call computes. */
static bool counts(const level2_problem *p, int64_t i)
{
    return !level2_family_traits[p->family].updates || level2_is_stored(p, i % p->m, i / p->m);
}

/* Runs p in a mode and compares with the model; true if all is well. */
static bool check(const level2_problem *p, const call_mode *m, const level2_number *expected,
                  level2_number *got)
{
    placement q = mode_placement(m);
    const char *wrong = level2_run_problem(p, &q, got);
    int64_t n = level2_returns_quickly(p) ? 0 : level2_result_length(p);
    if (wrong) {
        describe(p, m, -1, 0);
        print_error("    %s\n", wrong);
        return false;
    }
    for (int64_t i = 0; i < n; i++)
        if (counts(p, i) &&
            (!same_bits(got[i].re, expected[i].re) || !same_bits(got[i].im, expected[i].im))) {
            describe(p, m, i, expected[i].re);
            return false;
        }
    return true;
}

/* Numbers of one problem. */
typedef struct {
    level2_number a[MOST_ELEMENTS], x[MOST], y[MOST], result[MOST_ELEMENTS], got[MOST_ELEMENTS];
} numbers;

/* n numbers and n others whose products are hard to add, as pairs. */
static void hard_pairs(test_random *r, char type, int64_t n, level2_number *x, level2_number *y)
{
    static double u[2 * MOST], v[2 * MOST];
    if (n == 0)
        return;
    factors_fill((size_t)random_between(r, 0, (int64_t)factors_kinds() - 1), r, level2_format(type),
                 2 * n, u, v);
    /* Of each product a factor is 0, or imaginary parts are, or those and the others' real parts.
     */
    int zeros = (int)random_between(r, 0, 7);
    for (int64_t i = 0; i < 2 * n; i++) {
        if (zeros == 0)
            (random_chance(r, 2) ? u : v)[i] = 0;
        if ((zeros == 1 || zeros == 2) && i % 2)
            u[i] = v[i - (zeros - 1)] = 0;
    }
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
    number_format f = level2_format(p->type);
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

/* Scalars and numbers for a problem of known size. */
static void fill_problem(test_random *r, level2_problem *p, numbers *o)
{
    const level2_traits *t = &level2_family_traits[p->family];
    char type = p->type;
    bool is_complex = level2_is_complex(type), real_alpha = t->updates && !t->has_y;
    p->alpha = t->has_beta || t->updates ? hard_scalar(r, type, !is_complex || real_alpha)
                                         : (level2_number){1, 0};
    p->beta = t->has_beta ? hard_scalar(r, type, !is_complex) : (level2_number){0, 0};
    fill(r, p, o);
    if (!is_complex) /* what a real type does not have */
        for (int64_t i = 0; i < p->m * p->n || i < MOST; i++)
            o->a[i].im = o->x[i % MOST].im = o->y[i % MOST].im = 0;
}

/* Up to `size` rows and columns; more than 20: at least half of that. */
static level2_problem random_problem(test_random *r, level2_family family, char type, int64_t size,
                                     numbers *o)
{
    const level2_traits *t = &level2_family_traits[family];
    level2_problem p = {.family = family, .type = type, .a = o->a, .x = o->x, .y = o->y};
    p.trans = t->updates || t->shape == SHAPE_SYMMETRIC ? 'n' : "ntc"[random_between(r, 0, 2)];
    p.uplo = random_chance(r, 2) ? 'u' : 'l';
    p.diag = random_chance(r, 2) ? 'u' : 'n';
    p.n = random_between(r, size > 20 ? size / 2 : 0, size);
    p.m = t->shape == SHAPE_GENERAL ? random_between(r, size > 20 ? size / 2 : 0, size) : p.n;
    p.kl = random_between(r, 0, size > 20 ? size : 5);
    p.ku = random_between(r, 0, size > 20 ? size : 5);
    fill_problem(r, &p, o);
    return p;
}

/* The old values, y or A, such that old + sum lies next to a midpoint, as near as a number of
 * the format can bring it: the sum's value v, the rest of it, and half a last place. */
static void make_hard(level2_problem *p, numbers *o)
{
    number_format f = level2_format(p->type);
    bool updates = level2_family_traits[p->family].updates;
    level2_number *old = updates ? o->a : o->y;
    int64_t n = level2_result_length(p);
    p->beta = (level2_number){updates ? 0 : 1, 0};
    /* A part of alpha y that cancels but for its last bits. */
    for (int64_t j = 0; updates && p->alpha.im != 0 && j < p->n; j++) {
        double im = p->alpha.re * o->y[j].re / p->alpha.im;
        if (isfinite(im))
            o->y[j].im = round_to(f, j % 2 ? im : -im);
        o->x[level2_x_length(p) * j / p->n].im = 0; /* so that it is the only one */
    }
    memset(old, 0, (size_t)n * sizeof *old);
    level2_model(p, o->result);
    for (int64_t i = 0; i < n; i++)
        old[i] = (level2_number){-o->result[i].re, -o->result[i].im};
    level2_model(p, o->got);
    for (int64_t i = 0; i < n; i++)
        old[i] = (level2_number){to_midpoint(-old[i].re, o->got[i].re, f),
                                 to_midpoint(-old[i].im, o->got[i].im, f)};
}

/* The same of the last unknown, which no other depends on, with a power of two as divisor. */
static void make_hard_solve(level2_problem *p, numbers *o)
{
    number_format f = level2_format(p->type);
    int64_t last = (p->uplo == 'l') == (p->trans == 'n') ? p->n - 1 : 0;
    o->a[last * p->m + last] = (level2_number){1, 0};
    o->x[last] = (level2_number){0, 0};
    level2_model(p, o->result);
    level2_number sum = o->result[last];
    o->x[last] = (level2_number){-sum.re, -sum.im};
    level2_model(p, o->got);
    o->x[last] = (level2_number){to_midpoint(sum.re, o->got[last].re, f),
                                 to_midpoint(sum.im, o->got[last].im, f)};
    o->a[last * p->m + last].re = ldexp(1, (int)(p->n % 9) - 4);
}

static size_t check_routine(int which, char type, size_t *n_calls)
{
    level2_family family = (level2_family)which;
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
        const call_mode *m = mode_random(&r);
        const level2_traits *t = &level2_family_traits[family];
        if ((t->has_beta || t->updates) && !large && random_chance(&r, 2) &&
            !level2_returns_quickly(&p))
            make_hard(&p, &o);
        if (t->solves && p.n > 1 && random_chance(&r, 2))
            make_hard_solve(&p, &o);
        level2_model(&p, o.result);
        mode_select(m);
        failures += !check(&p, m, o.result, o.got);
        (*n_calls)++;
    }
    return failures;
}

static void all_routines(void **state)
{
    const char *type = *state;
    assert_int_equal(modes_run_families(L2_FAMILIES, *type, check_routine), 0);
}

/* More rows than a block of the library has, and more columns than it adds up at once. */
static void tall_and_wide(NO_STATE)
{
    static const struct {
        level2_family family;
        char type, trans;
        int64_t m, n;
    } sizes[] = {
        {L2_GEMV, 'd', 'n', 2500, 60}, {L2_GEMV, 'd', 't', 60, 2500}, {L2_GEMV, 'd', 'n', 50, 2500},
        {L2_GEMV, 'd', 't', 2500, 50}, {L2_GEMV, 's', 'n', 1500, 60}, {L2_GEMV, 'z', 'n', 1100, 30},
        {L2_GEMV, 'z', 'c', 2200, 20}, {L2_TRSV, 'd', 'n', 600, 600}, {L2_TRSV, 'z', 't', 290, 290},
        {L2_SYMV, 'd', 'n', 500, 500}, {L2_TBMV, 'd', 't', 700, 700}, {L2_GER, 'd', 'n', 300, 40}};
    static numbers o;
    test_random r = test_random_start(test_seed(), "tall");
    size_t failures = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const call_mode *m = mode_random(&r);
        level2_problem p = {.family = sizes[i].family, .type = sizes[i].type, .a = o.a};
        p.x = o.x;
        p.y = o.y;
        p.trans = sizes[i].trans;
        p.uplo = random_chance(&r, 2) ? 'u' : 'l';
        p.diag = 'n';
        p.m = sizes[i].m;
        p.n = sizes[i].n;
        p.ku = 150;
        fill_problem(&r, &p, &o);
        level2_model(&p, o.result);
        mode_select(m);
        failures += !check(&p, m, o.result, o.got);
    }
    mode_restore();
    assert_int_equal(failures, 0);
}

/* Rows whose real parts are sums of zeros, and whose imaginary parts underflow, to -0. */
static void parts_that_are_zero(NO_STATE)
{
    enum { ROWS = 40, COLUMNS = 5 };
    double a[2 * ROWS * COLUMNS] = {0}, x[2 * COLUMNS] = {0}, y[2 * ROWS];
    const double one[] = {1, 0}, none[] = {0, 0};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        a[2 * i] = 0x1p-600;
    for (int j = 0; j < COLUMNS; j++)
        x[2 * j + 1] = -0x1p-500;
    excblas_zgemv(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, ROWS, COLUMNS, one, a, ROWS, x, 1, none, y, 1);
    for (int i = 0; i < ROWS; i++) {
        assert_same_bits(y[2 * i], 0);
        assert_same_bits(y[2 * i + 1], -0.0);
    }
}

/* The diagonal of ones is beside the band: rows that are written out in full just find room, which
 * the sanitizers watch. */
static void unit_bands(NO_STATE)
{
    static const int bands[] = {16, 19, 33, 49, 62, 63, 97, 113, 121, 147, 241, 249};
    static double a[2 * 250 * 370], x[2][2 * 370];
    test_random r = test_random_start(test_seed(), "unit bands");
    for (int run = 0; run < 8 * (int)(sizeof bands / sizeof *bands); run++) {
        int k = bands[run / 8], n = k + 120;
        int uplo = run & 1 ? EXBLAS_UPPER : EXBLAS_LOWER;
        int trans = run & 2 ? EXBLAS_TRANS : EXBLAS_NO_TRANS;
        for (int i = 0; i < 2 * (k + 1) * n; i++)
            a[i] = random_number(&r, FORMAT_D, 0);
        if (run / 8 % 2) /* some rows go another way than those that follow */
            a[2 * k] = HUGE_VAL;
        for (int i = 0; i < 2 * n; i++)
            x[0][i] = x[1][i] = random_number(&r, FORMAT_D, 0);
        for (int way = 0; way < 2; way++) {
            assert_int_equal(exblas_set_method(way ? "superacc" : NULL), EXBLAS_OK);
            if (run & 4)
                excblas_ztbmv(EXBLAS_COL_MAJOR, uplo, trans, EXBLAS_UNIT, n, k, a, k + 1, x[way],
                              1);
            else
                excblas_dtbmv(EXBLAS_COL_MAJOR, uplo, trans, EXBLAS_UNIT, n, k, a, k + 1, x[way],
                              1);
        }
        for (int i = 0; i < 2 * n; i++)
            assert_same_bits(x[0][i], x[1][i]);
    }
    exblas_set_method(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOR_ALL_TYPES(all_routines),
        cmocka_unit_test(unit_bands),
        cmocka_unit_test(tall_and_wide),
        cmocka_unit_test(parts_that_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
