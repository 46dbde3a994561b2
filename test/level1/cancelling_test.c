/* Sums of two to five terms that cancel to the last places of a product: axpy, axpby, rot and rank
 * updates of one and two terms meet the negative, rounded, of what they add, or a neighbour. What
 * is left is of the size of the errors that their certificates bound. Against the model, on every
 * instruction set. */
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

static void check(test_random *r, const char *name)
{
    enum { N = 21, ROUNDS = 4 }; /* the other part of beta is a part of what cancels, too */
    fuzz_case c = fuzz_case_named(name);
    bool rotates = c.group == GROUP_ELEMENTS && c.op == OP_ROT;
    fuzz_which target = c.group == GROUP_ELEMENTS ? OPERAND_Y : OPERAND_A;
    c.n = random_chance(r, 4) ? N : random_between(r, 1, 4); /* of many one is open, and all go
                                                                another way */
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
    for (int i = 0; i < ROUNDS; i++)
        cancel(r, &c, rotates ? OPERAND_X : target, target);
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        c.set.isa = exb_isa_name(isa);
        fuzz_verdict v = fuzz_try(&c, NULL);
        if (v.differs)
            fuzz_print(stderr, &c, &v);
        assert_false(v.differs);
    }
    fuzz_case_free(&c);
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

TESTS(what_cancels_is_right)
