/* What must hold between calls, without an oracle and so at any size: the same bits
 * for permuted data, for zeros put in between and for the same sum asked of another
 * routine; the negative of the bits for negated data; the scaled number for data
 * scaled by a power of two. */
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

/* Zeros of either sign in front, behind and in between. */
static void zeros_between(void **state)
{
    (void)state;
    context t = start("zeros");
    for (int round = 0; round < 400; round++) {
        blas_case c = {.op = round % 3 ? OP_SUM : OP_NRM2, .type = round % 2 ? 's' : 'd', .x = t.x};
        c.n = random_between(&t.random, 1, 700);
        fill(&t, &c, (size_t)round % terms_kinds());
        double before = run_level1(&t, &c);
        int64_t n = c.n;
        while (c.n < 2 * n)
            t.x[c.n++] = 0.0 * random_sign(&t.random);
        shuffle(&t.random, c.n, t.x, NULL);
        assert_same_bits(run_level1(&t, &c), before);
    }
    finish(&t);
}

/* sum x = x . 1 = the 1 x n gemv = the 1 x 1 gemm; dsdot of floats = dot of the
 * same numbers as doubles. */
static void one_sum_by_many_routines(void **state)
{
    (void)state;
    context t = start("one sum");
    for (int round = 0; round < 600; round++) {
        int64_t n = random_between(&t.random, 1, 900);
        bool of_floats = round % 3 == 0;
        double c[1] = {0}, result;
        factors_fill((size_t)round % factors_kinds(), &t.random, of_floats ? FORMAT_S : FORMAT_D, n,
                     t.x, t.y);
        blas_case dot = {.op = OP_DOT, .type = 'd', .n = n, .x = t.x, .y = t.y};
        blas_case gemv = {.op = OP_GEMV,
                          .type = 'd',
                          .transa = 't',
                          .m = n,
                          .n = 1,
                          .alpha = 1,
                          .a = t.x,
                          .x = t.y,
                          .y = c};
        blas_case gemm = {.op = OP_GEMM,
                          .type = 'd',
                          .transa = 't',
                          .transb = 'n',
                          .m = 1,
                          .n = 1,
                          .k = n,
                          .alpha = 1,
                          .a = t.x,
                          .b = t.y,
                          .c = c};
        blas_case dsdot = {.op = OP_DSDOT, .type = 's', .n = n, .x = t.x, .y = t.y};
        double expected = run_level1(&t, &dot);
        run(&t, &gemv, &result);
        assert_same_bits(result, expected);
        run(&t, &gemm, &result);
        assert_same_bits(result, expected);
        if (of_floats)
            assert_same_bits(run_level1(&t, &dsdot), expected);
    }
    finish(&t);
}

enum { SIDE = 30, DEPTH = 60 };

/* C^T = op(B)^T op(A)^T element by element, and syrk is gemm of A with itself. */
static void transposed_product(void **state)
{
    (void)state;
    context t = start("transposed");
    double c[SIDE * SIDE] = {0}, product[SIDE * SIDE], transposed[SIDE * SIDE], syrk[SIDE * SIDE];
    for (int round = 0; round < 150; round++) {
        int64_t n = random_between(&t.random, 1, SIDE), k = random_between(&t.random, 1, DEPTH);
        blas_case p = {.op = OP_GEMM,
                       .type = round % 2 ? 's' : 'd',
                       .transa = 'n',
                       .transb = 't',
                       .m = n,
                       .n = n,
                       .k = k,
                       .alpha = 1,
                       .a = t.x,
                       .b = t.y,
                       .c = c};
        factors_fill((size_t)round % factors_kinds(), &t.random, blas_input_format(&p), n * k, t.x,
                     t.y);
        run(&t, &p, product);
        p.a = t.y;
        p.b = t.x;
        run(&t, &p, transposed);
        p.a = t.y;
        p.b = t.y;
        for (int64_t i = 0; i < n * n; i++)
            assert_same_bits(transposed[i % n * n + i / n], product[i]);
        run(&t, &p, product);
        p.op = OP_SYRK;
        p.uplo = round % 4 < 2 ? 'l' : 'u';
        run(&t, &p, syrk);
        for (int64_t i = 0; i < n * n; i++)
            if (shape_contains(blas_c_shape(&p), i % n, i / n))
                assert_same_bits(syrk[i], product[i]);
    }
    finish(&t);
}

/* A diagonal of ones, named or stored, and op(T) stored the other way round. */
static void equal_systems(void **state)
{
    (void)state;
    context t = start("systems");
    double named[SIDE], stored[SIDE], a[SIDE * SIDE], b[SIDE * SIDE];
    for (int round = 0; round < 200; round++) {
        blas_case p = {.op = OP_TRSV,
                       .type = round % 2 ? 's' : 'd',
                       .transa = 'n',
                       .diag = 'u',
                       .uplo = round % 4 < 2 ? 'l' : 'u',
                       .n = random_between(&t.random, 1, SIDE),
                       .a = a,
                       .x = t.x};
        number_format f = blas_input_format(&p);
        terms_fill((size_t)round % terms_kinds(), &t.random, f, p.n, t.x);
        for (int64_t i = 0; i < p.n * p.n; i++)
            a[i] = random_number(&t.random, f, (int)random_between(&t.random, -12, 1));
        run(&t, &p, named);
        for (int64_t i = 0; i < p.n; i++)
            a[i * p.n + i] = 1;
        for (int64_t i = 0; i < p.n * p.n; i++)
            b[i % p.n * p.n + i / p.n] = a[i];
        p.diag = 'n';
        p.transa = 't';
        p.uplo = p.uplo == 'l' ? 'u' : 'l';
        p.a = b;
        run(&t, &p, stored);
        for (int64_t i = 0; i < p.n; i++)
            assert_same_bits(stored[i], named[i]);
    }
    finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutation_negation_scaling),
        cmocka_unit_test(zeros_between),
        cmocka_unit_test(one_sum_by_many_routines),
        cmocka_unit_test(transposed_product),
        cmocka_unit_test(equal_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
