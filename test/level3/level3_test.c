/* Every routine of Level 3 in every type against the model, in all pairs of modes: random options,
 * sizes and adversarial numbers, everything that must not be read filled with NaN, everything
 * that must not be written compared byte by byte. */
#include "hard_numbers.h"
#include "level3_run.h"
#include "modes.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

enum { MOST = 150, MOST_ELEMENTS = MOST * MOST };

/* Runs p in a mode and compares with the model; true if all is well. */
static bool check(const level3_problem *p, const call_mode *m, const level2_number *expected,
                  level2_number *got)
{
    placement q = mode_placement(m);
    const char *wrong = level3_difference(p, &q, expected, got);
    char how[200];
    mode_text(m, how);
    if (wrong)
        print_error("%s\n    %s, method %s\n", wrong, how, exblas_get_method());
    return !wrong;
}

/* Numbers of one problem. */
typedef struct {
    level2_number a[MOST_ELEMENTS], b[MOST_ELEMENTS], c[MOST_ELEMENTS], result[MOST_ELEMENTS],
        got[MOST_ELEMENTS];
} numbers;

static void fill_matrix(test_random *r, int64_t n, number_format f, int kind, level2_number *x)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, 0, -0.0, 0x1p-1070, 0x1p-140};
    for (int64_t i = 0; i < n; i++) {
        x[i] = (level2_number){random_number(r, f, (int)random_between(r, -4, 4)),
                               random_number(r, f, (int)random_between(r, -4, 4))};
        if (kind == 0)
            x[i] = (level2_number){small_integer(r), small_integer(r)};
        if (kind == 1 && random_chance(r, 40))
            x[i].re = round_to(f, specials[random_between(r, 0, 6)]);
        if (kind == 1 && random_chance(r, 40))
            x[i].im = round_to(f, specials[random_between(r, 0, 6)]);
    }
}

/* Rows of A and columns of B, in every way of storing them, that make hard sums. */
static void fill_hard(test_random *r, const level3_problem *p, numbers *o)
{
    static double u[2 * MOST], v[2 * MOST];
    number_format f = level2_format(p->type);
    level3_matrix a = level3_matrix_of(p, MATRIX_A), b = level3_matrix_of(p, MATRIX_B);
    const level3_traits *t = &level3_family_traits[p->family];
    level2_number *other = t->has_b ? o->b : o->c;
    if (!t->has_b)
        b = level3_matrix_of(p, MATRIX_C);
    int64_t most = 1;
    int64_t sizes[] = {a.rows, a.cols, b.rows, b.cols};
    for (int i = 0; i < 4; i++)
        most = sizes[i] > most ? sizes[i] : most;
    factors_fill((size_t)random_between(r, 0, (int64_t)factors_kinds() - 1), r, f, 2 * most, u, v);
    bool a_by_rows = random_chance(r, 2), b_by_rows = random_chance(r, 2);
    for (int64_t i = 0; i < a.rows * a.cols; i++) {
        int64_t at = a_by_rows ? i / a.rows : i % a.rows;
        int exp2 = (int)random_between(r, -2, 2) * random_chance(r, 8);
        o->a[i] = (level2_number){scale_if_exact(u[2 * at], exp2, f), u[2 * at + 1]};
    }
    for (int64_t i = 0; i < b.rows * b.cols; i++) {
        int64_t at = b_by_rows ? i / b.rows : i % b.rows;
        int exp2 = (int)random_between(r, -2, 2) * random_chance(r, 8);
        other[i] = (level2_number){scale_if_exact(v[2 * at], exp2, f), v[2 * at + 1]};
    }
}

static void fill(test_random *r, const level3_problem *p, numbers *o)
{
    number_format f = level2_format(p->type);
    int kind = (int)random_between(r, 0, 4);
    fill_matrix(r, MOST_ELEMENTS, f, kind == 0 || kind == 1 ? kind : 2, o->a);
    fill_matrix(r, MOST_ELEMENTS, f, kind == 0 || kind == 1 ? kind : 2, o->b);
    fill_matrix(r, MOST_ELEMENTS, f, kind == 0 || kind == 1 ? kind : 2, o->c);
    if (kind >= 3)
        fill_hard(r, p, o);
    level3_matrix a = level3_matrix_of(p, MATRIX_A);
    for (int64_t i = 0; p->family == L3_TRSM && i < a.rows && random_chance(r, 2); i++)
        o->a[i * a.rows + i] = (level2_number){random_number(r, f, 0), random_number(r, f, -1)};
}

static level3_problem random_problem(test_random *r, level3_family family, char type, int64_t size,
                                     numbers *o)
{
    const level3_traits *t = &level3_family_traits[family];
    bool is_complex = level2_is_complex(type);
    level3_problem p = {.family = family, .type = type, .a = o->a, .b = o->b, .c = o->c};
    p.transa = random_letter(r, level3_transposes(family, type));
    p.transb = random_letter(r, "ntc");
    p.side = random_letter(r, "lr");
    p.uplo = random_letter(r, "lu");
    p.diag = random_letter(r, "nu");
    p.m = random_between(r, size > 20 ? size / 2 : 0, size);
    p.n = random_between(r, size > 20 ? size / 2 : 0, size);
    p.k = random_between(r, size > 20 ? size / 2 : 0, size);
    if (!t->has_m)
        p.m = p.n;
    p.alpha = hard_scalar(r, type, !is_complex || t->real_alpha);
    p.beta =
        t->has_beta ? hard_scalar(r, type, !is_complex || t->real_beta) : (level2_number){0, 0};
    fill(r, &p, o);
    for (int64_t i = 0; i < MOST_ELEMENTS && !is_complex; i++)
        o->a[i].im = o->b[i].im = o->c[i].im = 0; /* what a real type does not have */
    return p;
}

/* A C such that C + sum lies next to a midpoint, as near as a number of the format can bring it:
 * the sum's value v, the rest of it, and half a last place. */
static void make_hard(level3_problem *p, numbers *o)
{
    number_format f = level2_format(p->type);
    level3_matrix c = level3_matrix_of(p, MATRIX_C);
    int64_t n = c.rows * c.cols;
    p->beta = (level2_number){1, 0};
    memset(o->c, 0, (size_t)n * sizeof *o->c);
    level3_model(p, o->result);
    for (int64_t i = 0; i < n; i++)
        o->c[i] = (level2_number){-o->result[i].re, -o->result[i].im};
    level3_model(p, o->got);
    for (int64_t i = 0; i < n; i++)
        o->c[i] = (level2_number){to_midpoint(-o->c[i].re, o->got[i].re, f),
                                  to_midpoint(-o->c[i].im, o->got[i].im, f)};
}

static size_t check_routine(int which, char type, size_t *n_calls)
{
    level3_family family = (level3_family)which;
    static numbers o;
    size_t failures = 0;
    const char *name = level3_name(family, type);
    if (!name)
        return 0;
    test_random r = test_random_start(test_seed(), name);
    enum { SMALL = 60, LARGE = 1 };
    int n = (family == L3_TRSM ? 3 : 1) * SMALL + LARGE;
    static const char *const engines[] = {"residue", "general", "anchor"};
    for (int i = 0; i < n && failures < 3; i++) {
        bool large = i >= n - LARGE;
        int64_t size = large ? (family == L3_TRSM ? 100 : 40) : random_between(&r, 1, 9);
        level3_problem p = random_problem(&r, family, type, size, &o);
        const call_mode *m = mode_random(&r);
        const level3_traits *t = &level3_family_traits[family];
        if (t->has_beta && !large && random_chance(&r, 2) && !level3_returns_quickly(&p))
            make_hard(&p, &o);
        level3_model(&p, o.result);
        mode_select(m);
        if (random_chance(&r, 3))
            exblas_set_method(engines[random_between(&r, 0, 2)]);
        if (family == L3_TRSM && random_chance(&r, 2)) /* the way that others do not take */
            exblas_set_method("auto");
        failures += !check(&p, m, o.result, o.got);
        (*n_calls)++;
    }
    return failures;
}

static void all_routines(void **state)
{
    const char *type = *state;
    assert_int_equal(modes_run_families(L3_FAMILIES, *type, check_routine), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOR_ALL_TYPES(all_routines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
