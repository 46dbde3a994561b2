/* Random adversarial calls against the MPFR oracle, each in a mode of the pairwise
 * covering; options, shapes and scalars at random, every kind of data in turn. */
#include "adversarial.h"
#include "check_case.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAX_LENGTH = 300, MAX_SIDE = 40 };

typedef struct {
    test_random random;
    call_mode *modes;
    size_t n_modes, next_mode;
    size_t failures;
    double *storage[5]; /* x y a b c */
    double *answer;
} context;

static double *numbers(size_t n)
{
    double *p = calloc(n ? n : 1, sizeof *p);
    assert_non_null(p);
    return p;
}

static context start(const char *name)
{
    context t = {.random = test_random_start(test_seed(), name)};
    t.n_modes = modes_pairwise(&t.modes);
    for (int i = 0; i < 5; i++)
        t.storage[i] = numbers(100000);
    t.answer = numbers(100000);
    return t;
}

static void finish(context *t)
{
    mode_restore();
    for (int i = 0; i < 5; i++)
        free(t->storage[i]);
    free(t->answer);
    free(t->modes);
    if (t->failures)
        printf("# seed: TEST_SEED=%llu\n", (unsigned long long)test_seed());
    assert_int_equal(t->failures, 0);
}

static void check(context *t, const blas_case *c, const char *kind)
{
    const call_mode *m = &t->modes[t->next_mode++ % t->n_modes];
    if (t->failures >= 5)
        return;
    /* A quick return leaves the output alone: start from it. */
    const double *old = c->op == OP_GEMV ? c->y : c->op == OP_TRSV ? c->x : c->c;
    size_t n = blas_result_length(c);
    if (!blas_op_is_level1(c->op))
        memcpy(t->answer, old, n * sizeof *old);
    oracle_blas(c, t->answer);
    mode_select(m);
    t->failures += !check_case(c, m, t->answer, kind);
}

static char one_of(test_random *r, const char *letters)
{
    return letters[random_between(r, 0, (int64_t)strlen(letters) - 1)];
}

static void check_level1(context *t, blas_op op, char type, size_t kind, int64_t n)
{
    bool has_y = op == OP_DOT || op == OP_DSDOT || op == OP_SDSDOT;
    blas_case c = {.op = op, .type = type, .n = n, .x = t->storage[0], .y = t->storage[1]};
    number_format f = type == 's' ? FORMAT_S : FORMAT_D;
    if (has_y)
        factors_fill(kind % factors_kinds(), &t->random, f, n, t->storage[0], t->storage[1]);
    else
        terms_fill(kind % terms_kinds(), &t->random, f, n, t->storage[0]);
    if (op == OP_SDSDOT)
        c.alpha = random_scalar(&t->random, f);
    check(t, &c,
          has_y ? factors_kind_name(kind % factors_kinds())
                : terms_kind_name(kind % terms_kinds()));
}

static void level1(void **state)
{
    static const struct {
        blas_op op;
        const char *types;
    } ops[] = {{OP_SUM, "sd"}, {OP_ASUM, "sd"}, {OP_NRM2, "sd"},
               {OP_DOT, "sd"}, {OP_DSDOT, "s"}, {OP_SDSDOT, "s"}};
    (void)state;
    context t = start("level1");
    for (int round = 0; round < 200; round++)
        for (size_t kind = 0; kind < terms_kinds() || kind < factors_kinds(); kind++)
            for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
                for (const char *type = ops[i].types; *type; type++)
                    check_level1(&t, ops[i].op, *type, kind,
                                 random_between(&t.random, 0, round < 80 ? 24 : MAX_LENGTH));
    finish(&t);
}

/* Long enough for anchors, several chunks and real threads. */
static void level1_long(void **state)
{
    (void)state;
    context t = start("level1 long");
    for (int64_t n = 511; n < 60000; n = n * 3 + 1)
        for (size_t kind = 0; kind < terms_kinds() || kind < factors_kinds(); kind++) {
            check_level1(&t, OP_SUM, 'd', kind, n);
            check_level1(&t, OP_ASUM, 'd', kind, n);
            check_level1(&t, OP_NRM2, 'd', kind, n);
            check_level1(&t, OP_DOT, 'd', kind, n);
            check_level1(&t, OP_SUM, 's', kind, n);
            check_level1(&t, OP_DOT, 's', kind, n);
        }
    finish(&t);
}

/* Fills a matrix so that its products with another are hard: rows of factors. */
static void fill_operands(context *t, size_t kind, number_format f, int64_t n_a, int64_t n_b,
                          double *a, double *b)
{
    int64_t n = n_a > n_b ? n_a : n_b;
    double *x = numbers((size_t)n), *y = numbers((size_t)n);
    factors_fill(kind, &t->random, f, n, x, y);
    memcpy(a, x, (size_t)n_a * sizeof *a);
    memcpy(b, y, (size_t)n_b * sizeof *b);
    free(x);
    free(y);
}

static double scalar(context *t, number_format f)
{
    return random_chance(&t->random, 3) ? 1 : random_scalar(&t->random, f);
}

static void matrix_case(context *t, blas_case *c, size_t kind)
{
    number_format f = blas_input_format(c);
    bool is_product = c->op == OP_GEMM || c->op == OP_SYRK;
    matrix_shape a = blas_a_shape(c), b = blas_b_shape(c);
    int64_t n_b = c->op == OP_GEMM ? b.n_rows * b.n_cols : is_product ? 0 : blas_x_length(c);
    double *second = c->op == OP_GEMM ? t->storage[3] : t->storage[0];
    fill_operands(t, kind, f, a.n_rows * a.n_cols, n_b, t->storage[2], second);
    double *out = is_product ? t->storage[4] : t->storage[1];
    int64_t n_out = is_product ? c->m * c->n : blas_y_length(c);
    if (c->op == OP_SYRK)
        n_out = c->n * c->n;
    terms_fill(kind % terms_kinds(), &t->random, f, n_out, out);
    c->alpha = scalar(t, f);
    c->beta = scalar(t, f);
    c->x = t->storage[0];
    c->y = t->storage[1];
    c->a = t->storage[2];
    c->b = t->storage[3];
    c->c = t->storage[4];
    check(t, c, factors_kind_name(kind));
}

static void random_matrix_case(context *t, blas_op op, char type, size_t kind, int side)
{
    test_random *r = &t->random;
    blas_case c = {.op = op, .type = type};
    c.transa = one_of(r, "ntc");
    c.transb = one_of(r, "ntc");
    c.uplo = one_of(r, "lu");
    c.diag = one_of(r, "nu");
    c.m = random_between(r, 0, side);
    c.n = random_between(r, 0, side);
    c.k = random_between(r, 0, side);
    if (op != OP_TRSV && op != OP_SYRK)
        c.uplo = 0;
    matrix_case(t, &c, kind);
}

static void matrices(const char *name, blas_op op)
{
    context t = start(name);
    for (int round = 0; round < 80; round++)
        for (size_t kind = 0; kind < factors_kinds(); kind++)
            for (const char *type = "sd"; *type; type++)
                random_matrix_case(&t, op, *type, kind, round < 50 ? 6 : MAX_SIDE);
    finish(&t);
}

static void gemv(void **state)
{
    (void)state;
    matrices("gemv", OP_GEMV);
}

static void trsv(void **state)
{
    (void)state;
    matrices("trsv", OP_TRSV);
}

static void gemm(void **state)
{
    (void)state;
    matrices("gemm", OP_GEMM);
}

static void syrk(void **state)
{
    (void)state;
    matrices("syrk", OP_SYRK);
}

/* Shapes that cross the block sizes of the drivers: 32, 64, 128, 512. */
static void large_shapes(void **state)
{
    static const int64_t shapes[][3] = {{70, 65, 130}, {1, 1, 1100}, {33, 1, 600},
                                        {1, 200, 257}, {129, 67, 1}, {64, 64, 128}};
    (void)state;
    context t = start("large shapes");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t kind = 0; kind < factors_kinds(); kind += 2) {
            blas_case c = {.op = OP_GEMM,
                           .type = kind % 4 ? 's' : 'd',
                           .transa = 'n',
                           .transb = 't',
                           .m = shapes[i][0],
                           .n = shapes[i][1],
                           .k = shapes[i][2]};
            matrix_case(&t, &c, kind);
            c = (blas_case){.op = OP_GEMV,
                            .type = 'd',
                            .transa = kind % 4 ? 'n' : 't',
                            .m = shapes[i][2],
                            .n = shapes[i][0]};
            matrix_case(&t, &c, kind);
            c = (blas_case){.op = OP_TRSV,
                            .type = 'd',
                            .transa = kind % 4 ? 'n' : 't',
                            .uplo = kind % 8 < 4 ? 'l' : 'u',
                            .diag = 'n',
                            .n = shapes[i][0]};
            matrix_case(&t, &c, kind);
        }
    finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level1),       cmocka_unit_test(level1_long), cmocka_unit_test(gemv),
        cmocka_unit_test(trsv),         cmocka_unit_test(gemm),        cmocka_unit_test(syrk),
        cmocka_unit_test(large_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
