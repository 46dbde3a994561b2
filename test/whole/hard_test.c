/* Matrix routines on data that is hard in every element (hard_case.h), and vectors
 * with increment zero, against the MPFR oracle; every case in several modes. */
#include "check_case.h"
#include "hard_case.h"
#include "oracle.h"
#include "testing.h"

#include <math.h>

enum { MODES_PER_CASE = 6, LONGEST = 12287 };

typedef struct {
    test_random random;
    call_mode *modes;
    size_t n_modes, next_mode, n_failures;
    hard_case h;
    double *answer;
} context;

static context start(const char *name)
{
    context t = {.random = test_random_start(test_seed(), name)};
    t.n_modes = modes_pairwise(&t.modes);
    hard_case_init(&t.h);
    t.answer = calloc((size_t)HARD_MAX_SIDE * HARD_MAX_SIDE, sizeof *t.answer);
    assert_non_null(t.answer);
    return t;
}

static void finish(context *t)
{
    mode_restore();
    hard_case_clear(&t->h);
    free(t->answer);
    free(t->modes);
    if (t->n_failures)
        printf("# seed: TEST_SEED=%llu\n", (unsigned long long)test_seed());
    assert_int_equal(t->n_failures, 0);
}

/* Half of the calls take method auto: most named methods have no filter, and it is
 * the filters whose bounds could be wrong. */
static call_mode next_mode(context *t)
{
    call_mode m = t->modes[t->next_mode % t->n_modes];
    size_t i = t->next_mode++;
    if ((i + i / t->n_modes) % 2)
        m.level[FACTOR_METHOD] = 0;
    mode_select(&m);
    return m;
}

static void check(context *t)
{
    if (t->n_failures >= 5)
        return;
    oracle_blas(&t->h.call, t->answer);
    for (int i = 0; i < MODES_PER_CASE; i++) {
        call_mode m = next_mode(t);
        t->n_failures += !check_case(&t->h.call, &m, t->answer, t->h.kind);
    }
}

/* Mostly small shapes; some cross the drivers' blocks of rows, columns and terms. */
static void products(const char *name, blas_op op, int n_rounds)
{
    context t = start(name);
    for (int round = 0; round < n_rounds; round++)
        for (size_t kind = 0; kind < factors_kinds(); kind++)
            for (const char *type = "sd"; *type; type++) {
                bool large = round % 40 == 39;
                hard_product(&t.h, &t.random, op, *type, kind, large ? HARD_MAX_SIDE : 7,
                             large ? 300 : 40);
                check(&t);
            }
    finish(&t);
}

static void gemv(void **state)
{
    (void)state;
    products("hard gemv", OP_GEMV, 280);
}

static void gemm(void **state)
{
    (void)state;
    products("hard gemm", OP_GEMM, 120);
}

static void syrk(void **state)
{
    (void)state;
    products("hard syrk", OP_SYRK, 120);
}

/* Few rows, many terms: the sums are split over blocks and threads. */
static void long_sums(void **state)
{
    static const blas_op ops[] = {OP_GEMV, OP_GEMM, OP_SYRK};
    (void)state;
    context t = start("hard long sums");
    for (int round = 0; round < 12; round++)
        for (size_t kind = 0; kind < factors_kinds(); kind++)
            for (int i = 0; i < 3; i++) {
                hard_product(&t.h, &t.random, ops[i], round % 2 ? 's' : 'd', kind, 3,
                             HARD_MAX_TERMS);
                check(&t);
            }
    finish(&t);
}

static void trsv(void **state)
{
    (void)state;
    context t = start("hard trsv");
    for (int round = 0; round < 280; round++)
        for (size_t kind = 0; kind < hard_systems(); kind++)
            for (const char *type = "sd"; *type; type++) {
                hard_system(&t.h, &t.random, *type, kind, round % 5 == 4 ? HARD_MAX_SIDE : 8);
                check(&t);
            }
    finish(&t);
}

/* Equal numbers but for every stride-th, which is smaller: the largest sums that
 * numbers of one size have, and a filter that samples its data sees the small ones.
 * On every instruction set, from every place in a cache line. */
static void check_every_offset(context *t, const blas_case *c)
{
    call_mode *modes;
    size_t n_modes = modes_product(1u << FACTOR_ISA, &modes);
    oracle_blas(c, t->answer);
    for (size_t i = 0; i < n_modes; i++) {
        const call_mode plain = {{modes[i].level[FACTOR_ISA]}};
        placement p = plain_placement();
        mode_select(&plain);
        for (p.offset = 0; p.offset < 16; p.offset++) {
            double result;
            assert_null(blas_run(c, &p, &result));
            assert_same_bits(result, *t->answer);
        }
    }
    free(modes);
}

static void equal_numbers(void **state)
{
    static const blas_op ops[] = {OP_SUM, OP_ASUM, OP_NRM2, OP_DOT};
    static const int64_t lengths[] = {512, 4091, 4095, 4096, 8192, LONGEST};
    (void)state;
    context t = start("equal numbers");
    static double x[LONGEST];
    for (int i = 0; i < 6; i++)
        for (int small = 0; small < 4; small++) /* exponents of two below the others */
            for (int op = 0; op < 8; op++) {
                blas_case c = {
                    .op = ops[op / 2], .type = "sd"[op % 2], .n = lengths[i], .x = x, .y = x};
                int64_t stride = c.n / 32;
                for (int64_t j = 0; j < c.n; j++)
                    x[j] = ldexp(1, j % stride == 0 ? -small : 0);
                check_every_offset(&t, &c);
            }
    finish(&t);
}

/* The mode's placement with increments of zero: one element counted n times. */
static void check_zero_increments(context *t, bool x_too, bool y_too)
{
    blas_case *c = &t->h.call;
    for (int64_t i = 1; i < c->n; i++) {
        t->h.x[i] = x_too ? t->h.x[0] : t->h.x[i];
        t->h.y[i] = y_too ? t->h.y[0] : t->h.y[i];
    }
    oracle_blas(c, t->answer);
    call_mode m = next_mode(t);
    placement p = mode_placement(&m);
    p.incx = x_too ? 0 : p.incx;
    p.incy = y_too ? 0 : p.incy;
    double result;
    assert_null(blas_run(c, &p, &result));
    assert_same_bits(result, *t->answer);
}

/* nrm2 and dot as BLAS has it; sum likewise. */
static void zero_increments(void **state)
{
    static const blas_op ops[] = {OP_SUM, OP_NRM2, OP_DOT};
    (void)state;
    context t = start("zero increments");
    for (int round = 0; round < 600; round++)
        for (int i = 0; i < 3; i++) {
            char type = round % 2 ? 's' : 'd';
            number_format f = type == 's' ? FORMAT_S : FORMAT_D;
            t.h.call = (blas_case){.op = ops[i], .type = type, .x = t.h.x, .y = t.h.y};
            t.h.call.n = random_between(&t.random, 0, 600);
            factors_fill((size_t)round % factors_kinds(), &t.random, f, t.h.call.n, t.h.x, t.h.y);
            bool x_too = ops[i] != OP_DOT || random_chance(&t.random, 2);
            check_zero_increments(&t, x_too, !x_too || random_chance(&t.random, 2));
        }
    finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemv),
        cmocka_unit_test(gemm),
        cmocka_unit_test(syrk),
        cmocka_unit_test(long_sums),
        cmocka_unit_test(trsv),
        cmocka_unit_test(equal_numbers),
        cmocka_unit_test(zero_increments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
