/* trmm and trsm without working memory, and with too little of it for all columns at once: the
 * numbers of the call that had plenty, for every side, triangle, transpose and layout. (That those
 * are right is level3_test's business.) This program is linked with --wrap=aligned_alloc. */
#include "problem.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>

/* The triangle: beyond the 64 unknowns that trsm solves without memory, and beyond 64 lines. */
enum { ORDER = 81, OTHER = 19, MOST = ORDER * ORDER };

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

static level2_number a[MOST], b[MOST], plenty[MOST], other[MOST];

static void fill(test_random *r, char type, int64_t n, int exp2, level2_number *x)
{
    number_format f = level2_format(type);
    for (int64_t i = 0; i < n; i++) {
        x[i].re = random_number(r, f, exp2 + (int)random_between(r, -3, 3));
        x[i].im = level2_is_complex(type) ? random_number(r, f, exp2) : 0;
    }
}

static void compare(const level3_problem *p, const placement *q, const char *how)
{
    const char *wrong = level3_difference(p, q, plenty, other);
    if (wrong)
        fail_msg("%s, %s: %s", how, q->row_major ? "by rows" : "by columns", wrong);
}

static void check(const level3_problem *p, bool by_rows)
{
    placement q = plain_placement();
    q.row_major = by_rows;
    q.padding = 3;
    assert_null(level3_run_problem(p, &q, plenty));
    exblas_set_workspace(0); /* frees what is kept */
    n_refused = 0;
    refuse = true;
    compare(p, &q, "without memory");
    refuse = false;
    assert_true(n_refused > 0);
    for (size_t limit = 8 << 10; limit <= 32 << 10; limit *= 4) {
        exblas_set_workspace(limit);
        largest = 0;
        compare(p, &q, "with little memory");
        if (p->family == L3_TRSM) /* whose sides are in as many groups as that takes */
            assert_true(largest <= limit + 64); /* what a buffer begins with */
    }
    exblas_set_workspace(0);
}

static level3_problem problem(test_random *r, level3_family family, char type, int options)
{
    level3_problem p = {.family = family, .type = type, .a = a, .c = b};
    p.side = options & 1 ? 'l' : 'r';
    p.uplo = options & 2 ? 'l' : 'u';
    p.diag = options & 4 ? 'u' : 'n';
    p.transa = "ntc"[random_between(r, 0, 2)];
    p.m = p.side == 'l' ? ORDER : OTHER;
    p.n = p.side == 'l' ? OTHER : ORDER;
    fill(r, type, 1, 0, &p.alpha);
    /* Small beside the diagonal, so that unknowns stay of moderate size. */
    fill(r, type, MOST, family == L3_TRSM ? -8 : 0, a);
    fill(r, type, MOST, 0, b);
    for (int i = 0; i < ORDER && family == L3_TRSM; i++)
        a[i * (ORDER + 1)].re = random_number(r, level2_format(type), 1);
    return p;
}

static void same_bits_without_memory(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "without memory");
    for (const char *type = "sdcz"; *type; type++)
        for (int f = L3_TRMM; f <= L3_TRSM; f++)
            for (int options = 0; options < 16; options++) {
                level3_problem p = problem(&r, (level3_family)f, *type, options);
                check(&p, options & 8);
            }
}

TESTS(same_bits_without_memory)
