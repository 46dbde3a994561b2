/* Sums, norms and dot products of adversarial numbers against the oracle, each in a mode of the
 * pairwise covering; and of numbers that are hard for filters. */
#include "adversarial.h"
#include "core/kernels.h"
#include "fuzz/differential/compare.h"
#include "fuzz/differential/expect.h"
#include "isa_from.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <math.h>
#include <stdlib.h>

enum { LONGEST = 60000, MAX_LENGTH = 300 };

typedef struct {
    test_random random;
    size_t failures;
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
    t.x = numbers(LONGEST);
    t.y = numbers(LONGEST);
    return t;
}

static void finish(context *t)
{
    mode_restore();
    free(t->x);
    free(t->y);
    if (t->failures)
        printf("# seed: TEST_SEED=%llu\n", (unsigned long long)test_seed());
    assert_int_equal(t->failures, 0);
}

static const call_mode *select_next(void)
{
    const call_mode *m = mode_next();
    mode_select(m);
    return m;
}

static const char *const ops[] = {"dsum",  "ssum", "dasum", "sasum", "dnrm2",
                                  "snrm2", "ddot", "sdot",  "dsdot", "sdsdot"};
enum { OPS = sizeof ops / sizeof *ops, FIRST_DOT = 6, SDSDOT = OPS - 1 };

static number_format input_format(int op)
{
    return ops[op][0] == 's' || op > FIRST_DOT ? FORMAT_S : FORMAT_D;
}

/* Vectors without strides, every number a double (floats are doubles that are floats). */
typedef struct {
    const char *name;
    int64_t n;
    double alpha;
    const double *x, *y; /* as the routine needs them */
} blas_case;

static fuzz_case call_of(const blas_case *b)
{
    fuzz_case c = fuzz_case_named(b->name);
    c.n = b->n;
    c.alpha.re = b->alpha;
    fuzz_allocate(&c);
    for (int64_t i = 0; i < c.operand[OPERAND_X].rows; i++)
        c.operand[OPERAND_X].v[i].re = b->x[i];
    for (int64_t i = 0; i < c.operand[OPERAND_Y].rows; i++)
        c.operand[OPERAND_Y].v[i].re = b->y[i];
    return c;
}

static blas_case filled(context *t, int op, size_t kind, int64_t n)
{
    number_format f = input_format(op);
    if (op >= FIRST_DOT)
        factors_fill(kind % factors_kinds(), &t->random, f, n, t->x, t->y);
    else
        terms_fill(kind % terms_kinds(), &t->random, f, n, t->x);
    return (blas_case){ops[op], n, op == SDSDOT ? random_scalar(&t->random, f) : 0, t->x, t->y};
}

/* Whether the number comes out in a mode, and nothing else was changed. */
static bool is_right(const blas_case *b, const call_mode *m, const char *kind)
{
    placement p = mode_placement(m);
    fuzz_case c = call_of(b);
    char how[200];
    fuzz_place_as(&c, &p);
    fuzz_verdict v = fuzz_check(&c, NULL);
    fuzz_case_free(&c);
    mode_text(m, how);
    if (v.differs)
        print_error("%s: %s n=%d\n    %s\n    %s: %a, not %a\n", kind, b->name, (int)b->n, how,
                    v.wrong ? v.wrong : "result", v.found, v.expected);
    return !v.differs;
}

static void check(context *t, int op, size_t kind, int64_t n)
{
    blas_case c = filled(t, op, kind, n);
    if (t->failures < 5)
        t->failures += !is_right(&c, select_next(),
                                 op >= FIRST_DOT ? factors_kind_name(kind % factors_kinds())
                                                 : terms_kind_name(kind % terms_kinds()));
}

static size_t most_kinds(void)
{
    return terms_kinds() > factors_kinds() ? terms_kinds() : factors_kinds();
}

static void short_ones(NO_STATE)
{
    context t = start("level1");
    for (int round = 0; round < 200; round++)
        for (size_t kind = 0; kind < most_kinds(); kind++)
            for (int op = 0; op < OPS; op++)
                check(&t, op, kind, random_between(&t.random, 0, round < 80 ? 24 : MAX_LENGTH));
    finish(&t);
}

/* Long enough for anchors, several chunks and real threads. */
static void long_ones(NO_STATE)
{
    context t = start("level1 long");
    for (int64_t n = 511; n < LONGEST; n = n * 3 + 1)
        for (size_t kind = 0; kind < most_kinds(); kind++)
            for (int op = 0; op < OPS; op++)
                check(&t, op, kind, n);
    finish(&t);
}

/* --- equal numbers ---------------------------------------------------------------- */

/* Equal numbers but for every stride-th, which is smaller: the largest sums that
 * numbers of one size have, and a filter that samples its data sees the small ones.
 * On every instruction set, from every place in a cache line. */
static void check_every_offset(const blas_case *b)
{
    fuzz_case c = call_of(b);
    fuzz_memory m = fuzz_memory_of(&c);
    fuzz_expect(&c, &m);
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (c.set.offset = 0; c.set.offset < 16; c.set.offset++)
            assert_false(fuzz_check(&c, &m.result).differs);
    fuzz_memory_free(&m);
    fuzz_case_free(&c);
}

static void equal_numbers(NO_STATE)
{
    static const int64_t lengths[] = {512, 4091, 4095, 4096, 8192, 12287};
    context t = start("equal numbers");
    for (int i = 0; i < 6; i++)
        for (int small = 0; small < 4; small++) /* exponents of two below the others */
            for (int op = 0; op < 8; op++) {
                blas_case c = {ops[op], lengths[i], 0, t.x, t.x};
                for (int64_t j = 0; j < c.n; j++)
                    t.x[j] = ldexp(1, j % (c.n / 32) == 0 ? -small : 0);
                check_every_offset(&c);
            }
    finish(&t);
}

/* --- products with zeros ---------------------------------------------------------- */

enum { ZEROS = 1500 };

/* The dot product of n zeros but one with n times y. */
static double dot_with(int n, double x, double y)
{
    static double a[ZEROS], b[ZEROS];
    for (int i = 0; i < n; i++) {
        a[i] = i == n / 2 ? x : 0;
        b[i] = y;
    }
    double forth = excblas_ddot(n, a, 1, b, 1);
    assert_same_bits(excblas_ddot(n, b, 1, a, 1), forth);
    return forth;
}

static void products_with_zeros(NO_STATE)
{
    static const int lengths[] = {1, 5, 40, 300, ZEROS};
    for (int i = 0; i < 5; i++)
        for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
            int n = lengths[i];
            assert_same_bits(dot_with(n, 0, 3), 0.0);
            assert_same_bits(dot_with(n, -0.0, 3), 0.0);
            assert_true(isnan(dot_with(n, 0, (double)INFINITY)));
            assert_true(isnan(dot_with(n, 0, (double)NAN)));
            assert_same_bits(dot_with(n, -0x1p-600, 0x1p-600), -0.0); /* rounded */
            double zeros[ZEROS] = {0};
            assert_same_bits(excblas_dnrm2(n, zeros, 1), 0.0);
            zeros[n / 2] = -0x1p-1074;
            assert_same_bits(excblas_dnrm2(n, zeros, 1), 0x1p-1074);
        }
}

/* Multiples of a unit next to half of one of the sum's; often two small numbers that nearly cancel.
 */
static void tied_sums(NO_STATE)
{
    context t = start("tied sums");
    for (int round = 0; round < 1000; round++) {
        blas_case c = {.name = ops[round % 4], .x = t.x};
        bool d = round % 2 == 0;
        int bits = (int)random_between(&t.random, 0, 7) + (d ? 46 : 17);
        c.n = random_between(&t.random, 3, 400);
        for (int64_t i = 0; i < c.n; i++)
            t.x[i] = ldexp(rint(ldexp(random_number(&t.random, d ? FORMAT_D : FORMAT_S, -1), bits)),
                           -bits);
        if (random_chance(&t.random, 2)) {
            int exp2 = (int)random_between(&t.random, d ? 55 : 26, d ? 75 : 60), kept = exp2 + 20;
            t.x[0] = random_number(&t.random, d ? FORMAT_D : FORMAT_S, -exp2);
            t.x[c.n - 1] = -ldexp(rint(ldexp(t.x[0], kept)), -kept);
        }
        check_every_offset(&c);
    }
    finish(&t);
}

TESTS(short_ones, long_ones, equal_numbers, products_with_zeros, tied_sums)
