/* Sums of two to five terms that cancel to the last places of a product: axpy, axpby, rot and rank
 * updates of one and two terms meet the negative, rounded, of what they add, or a neighbour. What
 * is left is of the size of the errors that their certificates bound. And sums that come as near to
 * a midpoint as the last term can be chosen. Against the model, on every instruction set. */
#include "core/kernels.h"
#include "fuzz/differential/compare.h"
#include "fuzz/differential/expect.h"
#include "isa_from.h"
#include "testing.h"

#include <math.h>

static test_number any_number(test_random *r, const fuzz_case *c)
{
    double part[2];
    for (int k = 0; k < 2; k++)
        part[k] = random_number(r, fuzz_format(c), (int)random_between(r, -6, 6));
    return (test_number){part[0], fuzz_parts(c) == 2 ? part[1] : 0};
}

static void fill(test_random *r, const fuzz_case *c, fuzz_which which)
{
    for (int64_t i = 0; i < c->operand[which].rows * c->operand[which].cols; i++)
        c->operand[which].v[i] = any_number(r, c);
}

/* The target less the sum over the scale, or a neighbour of that. */
static void cancel(test_random *r, const fuzz_case *c, fuzz_which summed, fuzz_which target)
{
    const fuzz_operand *o = &c->operand[target];
    fuzz_memory m = fuzz_memory_of(c);
    fuzz_expect(c, &m);
    for (int64_t at = 0; at < o->rows * o->cols; at++) {
        int64_t i = at % o->rows, j = at / o->rows;
        if (!fuzz_is_stored(c, target, i, j))
            continue;
        test_number sum = fuzz_number_in(c, &m, summed, i, j), *y = &o->v[at];
        double step = fuzz_is_float(c) ? 0x1p-23 : 0x1p-52, scale = c->beta.re;
        y->re = round_to(fuzz_format(c), (y->re - sum.re / scale) * (1 + step * random_sign(r)));
        y->im = round_to(fuzz_format(c), (y->im - sum.im / scale) * (1 + step * random_sign(r)));
    }
    fuzz_memory_free(&m);
}

/* Adds to each part of the target what f makes of the sum's, over the scale. */
static void add_of_sum(test_random *r, const fuzz_case *c, fuzz_which summed, fuzz_which target,
                       double (*f)(test_random *, double, number_format), double (*part)[2])
{
    const fuzz_operand *o = &c->operand[target];
    fuzz_memory m = fuzz_memory_of(c);
    fuzz_expect(c, &m);
    for (int64_t at = 0; at < o->rows * o->cols; at++) {
        if (!fuzz_is_stored(c, target, at % o->rows, at / o->rows))
            continue;
        test_number sum = fuzz_number_in(c, &m, summed, at % o->rows, at / o->rows);
        part[at][0] += f(r, sum.re, fuzz_format(c)) / c->beta.re;
        part[at][1] += f(r, sum.im, fuzz_format(c)) / c->beta.re;
    }
    fuzz_memory_free(&m);
}

static double negated(test_random *r, double x, number_format f)
{
    (void)r, (void)f;
    return -x;
}

static double half_place(test_random *r, double x, number_format f)
{
    return random_sign(r) * half_ulp(x, f);
}

/* Puts into the target, which was 0, half a place of the sum of the other terms, less what their
 * rounding leaves: the sum is next to a midpoint. */
static void approach_midpoint(test_random *r, const fuzz_case *c, fuzz_which summed,
                              fuzz_which target)
{
    enum { MOST = 32 * 32 };
    static double places[MOST][2], parts[MOST][2];
    const fuzz_operand *o = &c->operand[target];
    int64_t n = o->rows * o->cols;
    assert_true(n <= MOST);
    for (int64_t i = 0; i < n; i++) {
        places[i][0] = places[i][1] = parts[i][0] = parts[i][1] = 0;
        o->v[i] = (test_number){0, 0};
    }
    add_of_sum(r, c, summed, target, half_place, places);
    for (int step = 0; step < 2; step++) {
        if (step > 0)
            for (int64_t i = 0; i < n; i++)
                parts[i][0] = parts[i][1] = 0;
        add_of_sum(r, c, summed, target, negated, parts);
        for (int64_t i = 0; i < n; i++)
            o->v[i] =
                (test_number){parts[i][0] + step * places[i][0], parts[i][1] + step * places[i][1]};
    }
    for (int64_t i = 0; i < n; i++) {
        o->v[i].re = round_to(fuzz_format(c), o->v[i].re);
        o->v[i].im = round_to(fuzz_format(c), o->v[i].im);
    }
}

/* Leaves one of 20 numbers as it is, so that all others of its block are certified. */
static void spread(test_random *r, const fuzz_case *c, fuzz_which target)
{
    const fuzz_operand *o = &c->operand[target];
    for (int64_t i = 0; i < o->rows * o->cols; i++)
        if (i % 20 != 9)
            o->v[i] = (test_number){random_number(r, FORMAT_S, 2), random_number(r, FORMAT_S, 2)};
}

static void compare_and_free(fuzz_case *c)
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        c->set.isa = exb_isa_name(isa);
        fuzz_verdict v = fuzz_try(c, NULL);
        if (v.differs)
            fuzz_print(stderr, c, &v);
        assert_false(v.differs);
    }
    fuzz_case_free(c);
}

static void check(test_random *r, const char *name)
{
    enum { N = 21, MANY = 290, ROUNDS = 4 }; /* the other part of beta is a part of what cancels */
    fuzz_case c = fuzz_case_named(name);
    bool rotates = c.group == GROUP_ELEMENTS && c.op == OP_ROT;
    fuzz_which target = c.group == GROUP_ELEMENTS ? OPERAND_Y : OPERAND_A;
    c.n = random_chance(r, 4) ? N : random_between(r, 1, 4); /* of many one is open, and all go
                                                                another way */
    bool many = target == OPERAND_Y && random_chance(r, 4);
    if (many)
        c.n = MANY / fuzz_parts(&c);
    c.m = c.n;
    if (target == OPERAND_A && !c.t.is_rank_2)
        c.n = 1;
    c.alpha = any_number(r, &c);
    c.beta.re = 1;
    if (rotates) /* c and s are real */
        c.alpha.im = 0;
    if (c.group == GROUP_ELEMENTS && c.op == OP_AXPBY) {
        double tiny = ldexp(random_number(r, FORMAT_S, 0), (int)random_between(r, -40, -10));
        c.beta.re = ldexp(1, (int)random_between(r, -3, 3));
        c.beta.im = fuzz_parts(&c) == 2 ? tiny : 0;
    }
    fuzz_allocate(&c);
    fill(r, &c, OPERAND_X);
    if (target != OPERAND_Y)
        fill(r, &c, OPERAND_Y);
    bool near_midpoint = random_chance(r, 2);
    if (near_midpoint)
        approach_midpoint(r, &c, rotates ? OPERAND_X : target, target);
    for (int i = 0; i < ROUNDS && !near_midpoint; i++)
        cancel(r, &c, rotates ? OPERAND_X : target, target);
    if (many)
        spread(r, &c, target);
    compare_and_free(&c);
}

static void what_cancels_is_right(NO_STATE)
{
    static const char *const names[] = {"saxpy",  "daxpy",  "caxpy",  "zaxpy", "saxpby",
                                        "daxpby", "caxpby", "zaxpby", "sger",  "dger",
                                        "cgeru",  "zgerc",  "ssyr2",  "dsyr2", "cher2",
                                        "zher2",  "srot",   "drot",   "csrot", "zdrot"};
    enum { ROUNDS = 400, N_NAMES = sizeof names / sizeof *names };
    test_random r = test_random_start(test_seed(), "cancelling");
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < N_NAMES; k++)
            check(&r, names[k]);
}

/* A complex part a + c x - d y, or with one term more, that is a midpoint: with c x = 1 + u - b (b
 * + 1) u^2, d y = 1 + 3u - 18u^2 and a = (b (b + 1) + k) u^2 near 0.7u, k odd, it is -2u + (18 + k)
 * u^2. The first step leaves 1 and RN(u + k u^2), a multiple of 2u^2, the second cancels. */
static void check_lost(test_random *r, const char *name)
{
    enum { N = 150 };
    fuzz_case c = fuzz_case_named(name);
    const bool four = c.op == OP_AXPBY;
    const double u = fuzz_is_float(&c) ? 0x1p-24 : 0x1p-53;
    const double b = 2 * floor(sqrt(0.7 / u) / 2) + 1, x = 1 - b * u, y = 1 - 3 * u;
    c.n = N;
    c.alpha = (test_number){1 + (b + 1) * u, 1 + 6 * u};
    if (four) {
        c.beta = (test_number){-c.alpha.im, 1};
        c.alpha = (test_number){1, -c.alpha.re};
    }
    fuzz_allocate(&c);
    fill(r, &c, OPERAND_X);
    fill(r, &c, OPERAND_Y);
    for (int i = (int)random_between(r, 0, 19); i < N; i += 20) {
        double scale = random_sign(r) * ldexp(1, (int)random_between(r, -6, 6));
        double a = scale * u * u * (b * (b + 1) + 2 * (double)random_between(r, 0, 4) + 1);
        test_number *xi = &c.operand[OPERAND_X].v[i], *yi = &c.operand[OPERAND_Y].v[i];
        *xi = four ? (test_number){a, scale * x} : (test_number){scale * x, scale * y};
        *yi = four ? (test_number){scale * y, -32 * u * u * scale} : (test_number){a, yi->im};
    }
    compare_and_free(&c);
}

static void what_first_steps_lose_counts(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "lost");
    for (int round = 0; round < 40; round++) {
        check_lost(&r, round % 2 ? "caxpy" : "zaxpy");
        check_lost(&r, round % 2 ? "caxpby" : "zaxpby");
    }
}

/* Products of numbers that are a few places above the least. */
static void check_tiny(test_random *r, const char *name)
{
    fuzz_case c = fuzz_case_named(name);
    const double scale = fuzz_is_float(&c) ? 0x1p-66 : 0x1p-515;
    c.n = 300;
    c.alpha.re = scale * any_number(r, &c).re;
    c.beta.re = scale * any_number(r, &c).re;
    fuzz_allocate(&c);
    for (int64_t i = 0; i < c.n; i++)
        for (int k = 0; k < 2; k++)
            c.operand[k ? OPERAND_Y : OPERAND_X].v[i].re = scale * any_number(r, &c).re;
    compare_and_free(&c);
}

static void what_underflows_counts(NO_STATE)
{
    static const char *const names[] = {"saxpby", "daxpby", "srot", "drot"};
    test_random r = test_random_start(test_seed(), "tiny");
    for (int round = 0; round < 80; round++)
        check_tiny(&r, names[round % 4]);
}

TESTS(what_cancels_is_right, what_first_steps_lose_counts, what_underflows_counts)
