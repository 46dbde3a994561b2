/* What must hold between calls, without an oracle and so at any size: the same bits for permuted
 * data, the negative of the bits for negated data; the scaled number for data scaled by a power of
 * two. */
#include "adversarial.h"
#include "blas_run.h"
#include "modes.h"
#include "testing.h"

#include <math.h>

enum { LONGEST = 40000 };

typedef struct {
    test_random random;
    call_mode *modes;
    size_t n_modes, next_mode;
    double *x, *y;
} context;

static double *numbers(size_t n)
{
    double *p = calloc(n, sizeof *p);
    assert_non_null(p);
    return p;
}

static context start(const char *name)
{
    context t = {.random = test_random_start(test_seed(), name)};
    print_message("# seed: TEST_SEED=%llu\n", (unsigned long long)test_seed());
    t.n_modes = modes_pairwise(&t.modes);
    t.x = numbers(LONGEST);
    t.y = numbers(LONGEST);
    return t;
}

static void finish(context *t)
{
    mode_restore();
    free(t->modes);
    free(t->x);
    free(t->y);
}

/* Every call in another mode, which must not show either. */
static void run(context *t, const blas_case *c, double *result)
{
    const call_mode *m = &t->modes[t->next_mode++ % t->n_modes];
    placement p = mode_placement(m);
    mode_select(m);
    assert_null(blas_run(c, &p, result));
}

static double run_level1(context *t, const blas_case *c)
{
    double result;
    run(t, c, &result);
    return result;
}

static void negate(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = -x[i];
}

static void check_negation(context *t, const blas_case *c, double before)
{
    negate(t->x, c->n);
    double after = run_level1(t, c);
    bool keeps = c->op == OP_ASUM || c->op == OP_NRM2 || before != before;
    /* An exact zero stays +0, one by underflow changes its sign. */
    if (same_bits(before, 0) && same_bits(after, 0))
        return;
    assert_same_bits(after, keeps ? before : -before);
}

static bool all_scale(const double *x, int64_t n, int exp2, number_format f)
{
    for (int64_t i = 0; i < n; i++)
        if (x[i] - x[i] != 0 || (x[i] != 0 && scale_if_exact(x[i], exp2, f) == x[i]))
            return false;
    return true;
}

static bool is_normal(double x, number_format f)
{
    return x - x == 0 && fabs(x) >= ldexp(1, limits_of(f).min_normal);
}

/* The scaled sum must be normal before and after; otherwise it may round elsewhere. */
static void check_scaling(context *t, const blas_case *c, double before)
{
    number_format f = blas_input_format(c), g = blas_output_format(c);
    int exp2 = (int)random_between(&t->random, 1, 12);
    exp2 = random_chance(&t->random, 2) ? -exp2 : exp2;
    double expected = scale_if_exact(before, exp2, g);
    if (!all_scale(t->x, c->n, exp2, f) || !is_normal(before, g) || !is_normal(expected, g) ||
        expected == before)
        return;
    for (int64_t i = 0; i < c->n; i++)
        t->x[i] = scale_if_exact(t->x[i], exp2, f);
    assert_same_bits(run_level1(t, c), expected);
}

static void check_relations(context *t, const blas_case *c)
{
    double before = run_level1(t, c);
    shuffle(&t->random, c->n, t->x, t->y);
    assert_same_bits(run_level1(t, c), before);
    check_scaling(t, c, before);
    before = run_level1(t, c);
    check_negation(t, c, before);
}

static void fill(context *t, const blas_case *c, size_t kind)
{
    number_format f = blas_input_format(c);
    if (c->op == OP_DOT || c->op == OP_DSDOT)
        factors_fill(kind % factors_kinds(), &t->random, f, c->n, t->x, t->y);
    else
        terms_fill(kind % terms_kinds(), &t->random, f, c->n, t->x);
}

static void permutation_negation_scaling(void **state)
{
    static const struct {
        blas_op op;
        char type;
    } ops[] = {{OP_SUM, 'd'},  {OP_SUM, 's'}, {OP_ASUM, 'd'}, {OP_ASUM, 's'}, {OP_NRM2, 'd'},
               {OP_NRM2, 's'}, {OP_DOT, 'd'}, {OP_DOT, 's'},  {OP_DSDOT, 's'}};
    static const int64_t lengths[] = {5, 100, 2000, LONGEST};
    (void)state;
    context t = start("relations");
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (size_t kind = 0; kind < terms_kinds(); kind++)
            for (int j = 0; j < 4; j++) {
                blas_case c = {.op = ops[i].op, .type = ops[i].type, .x = t.x, .y = t.y};
                c.n = lengths[j];
                fill(&t, &c, kind);
                check_relations(&t, &c);
            }
    finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutation_negation_scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
