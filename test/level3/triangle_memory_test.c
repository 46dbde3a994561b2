/* trmm and trsm without working memory, and with too little of it for all columns at once: the
 * numbers of the call that had plenty, for every side, triangle, transpose and layout. This program
 * is linked with --wrap=aligned_alloc. */
#include "fuzz/differential/compare.h"
#include "fuzz/differential/expect.h"
#include "testing.h"

#include <exblas/exblas.h>

/* The triangle: beyond the 64 unknowns that trsm solves without memory, and beyond 64 lines. */
enum { ORDER = 81, OTHER = 19 };

static bool refuse;
static int n_refused;
static size_t largest; /* of what was taken */

void *__real_aligned_alloc(size_t, size_t);
void *__wrap_aligned_alloc(size_t, size_t);

void *__wrap_aligned_alloc(size_t unit, size_t bytes)
{
    n_refused += refuse;
    largest = bytes > largest ? bytes : largest;
    return refuse ? NULL : __real_aligned_alloc(unit, bytes);
}

static void fill(test_random *r, const fuzz_case *c, fuzz_which which, int exp2)
{
    number_format f = fuzz_format(c);
    const fuzz_operand *o = &c->operand[which];
    for (int64_t i = 0; i < o->rows * o->cols; i++) {
        o->v[i].re = random_number(r, f, exp2 + (int)random_between(r, -3, 3));
        o->v[i].im = fuzz_parts(c) == 2 ? random_number(r, f, exp2) : 0;
    }
}

static void compare(const fuzz_case *c, const test_number *plenty)
{
    fuzz_verdict v = fuzz_check(c, plenty);
    if (v.differs)
        fuzz_print(stderr, c, &v);
    assert_false(v.differs);
}

/* The model's numbers are those of the call that has plenty. */
static void check(const fuzz_case *c)
{
    test_number *plenty = fuzz_model(c);
    compare(c, plenty);
    exblas_set_workspace(0); /* frees what is kept */
    n_refused = 0;
    refuse = true;
    compare(c, plenty);
    refuse = false;
    assert_true(n_refused > 0);
    for (size_t limit = 8 << 10; limit <= 32 << 10; limit *= 4) {
        exblas_set_workspace(limit);
        largest = 0;
        compare(c, plenty);
        if (c->t.solves) /* whose sides are in as many groups as that takes */
            assert_true(largest <= limit + 64); /* what a buffer begins with */
    }
    exblas_set_workspace(0);
    free(plenty);
}

static fuzz_case random_case(test_random *r, const char *name, int options)
{
    fuzz_case c = fuzz_case_named(name);
    c.side = options & 1 ? 'l' : 'r';
    c.uplo = options & 2 ? 'l' : 'u';
    c.diag = options & 4 ? 'u' : 'n';
    c.layout = options & 8 ? 'r' : 'c';
    c.transa = random_letter(r, "ntc");
    c.m = c.side == 'l' ? ORDER : OTHER;
    c.n = c.side == 'l' ? OTHER : ORDER;
    c.padding[OPERAND_A] = 3;
    c.padding[OPERAND_C] = 4;
    c.alpha.re = random_number(r, fuzz_format(&c), (int)random_between(r, -3, 3));
    c.alpha.im = fuzz_parts(&c) == 2 ? random_number(r, fuzz_format(&c), 0) : 0;
    fuzz_allocate(&c);
    /* Small beside the diagonal, so that unknowns stay of moderate size. */
    fill(r, &c, OPERAND_A, c.t.solves ? -8 : 0);
    fill(r, &c, OPERAND_C, 0);
    for (int i = 0; i < ORDER && c.t.solves; i++)
        c.operand[OPERAND_A].v[i * (ORDER + 1)].re = random_number(r, fuzz_format(&c), 1);
    return c;
}

static void same_bits_without_memory(NO_STATE)
{
    static const char *const names[] = {"strmm", "dtrmm", "ctrmm", "ztrmm",
                                        "strsm", "dtrsm", "ctrsm", "ztrsm"};
    test_random r = test_random_start(test_seed(), "without memory");
    for (int k = 0; k < 8; k++)
        for (int options = 0; options < 16; options++) {
            fuzz_case c = random_case(&r, names[k], options);
            check(&c);
            fuzz_case_free(&c);
        }
}

TESTS(same_bits_without_memory)
