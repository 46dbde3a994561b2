/* Every argument of every routine of Level 3, good or bad, in random combinations and through
 * every name: the first illegal one is reported, once, under BLAS's name and number, and
 * nothing is written; a legal call reports nothing. */
#include "fault_report.h"
#include "level3_call.h"
#include "testing.h"

/* The arguments that are checked, in order, with their positions in the CBLAS call
 * (layout = 1), from netlib's argument lists: s u t v d the options (side, uplo, transa, transb,
 * diag), m n k, A B C the leading dimensions, S the stride of C, q the batch. */
static const char *const checked[L3_FAMILIES] = {
    [L3_GEMM] = "t2 v3 m4 n5 k6 A9 B11 C14",
    [L3_GEMMT] = "u2 t3 v4 n5 k6 A9 B11 C14",
    [L3_BATCH] = "t2 v3 m4 n5 k6 A9 B12 C16 S17 q18",
    [L3_SYMM] = "s2 u3 m4 n5 A8 B10 C13",
    [L3_HEMM] = "s2 u3 m4 n5 A8 B10 C13",
    [L3_SYRK] = "u2 t3 n4 k5 A8 C11",
    [L3_HERK] = "u2 t3 n4 k5 A8 C11",
    [L3_SYR2K] = "u2 t3 n4 k5 A8 B10 C13",
    [L3_HER2K] = "u2 t3 n4 k5 A8 B10 C13",
    [L3_TRMM] = "s2 u3 t4 d5 m6 n7 A10 C12",
    [L3_TRSM] = "s2 u3 t4 d5 m6 n7 A10 C12",
};

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

/* Rows of a column-major matrix, columns of a row-major one. */
static int64_t span(const level3_call *c, int64_t rows, int64_t cols, bool transposed)
{
    return at_least_one(c->row_major == transposed ? rows : cols);
}

static int64_t least_ld(const level3_call *c, char which)
{
    const level3_traits *t = &level3_family_traits[c->family];
    int64_t m = t->has_m ? c->m : c->n;
    if (which == 'C' || (which == 'B' && t->has_side))
        return span(c, m, c->n, false);
    if (t->has_side)
        return at_least_one(c->side == 'l' ? m : c->n);
    if (which == 'A' || !t->has_transb)
        return span(c, m, c->k, c->transa != 'n');
    return span(c, c->k, c->n, c->transb != 'n');
}

static int64_t least_stride(const level3_call *c)
{
    int64_t rows = c->row_major ? c->n : c->m, cols = c->row_major ? c->m : c->n;
    return c->batch < 2 || rows == 0 || cols == 0 ? INT64_MIN : c->ldc * (cols - 1) + rows;
}

static bool trans_is_bad(const level3_call *c)
{
    const level3_traits *t = &level3_family_traits[c->family];
    bool is_rank_k = t->has_k && !t->has_transb && level2_is_complex(c->type);
    return c->transa == 'x' || (is_rank_k && c->transa == (t->is_hermitian ? 't' : 'c'));
}

static bool is_bad(const void *call, char argument)
{
    const level3_call *c = call;
    switch (argument) {
    case 's':
        return c->side == 'x';
    case 'u':
        return c->uplo == 'x';
    case 't':
        return trans_is_bad(c);
    case 'v':
        return c->transb == 'x';
    case 'd':
        return c->diag == 'x';
    case 'm':
        return c->m < 0;
    case 'n':
        return c->n < 0;
    case 'k':
        return c->k < 0;
    case 'A':
        return c->lda < least_ld(c, 'A');
    case 'B':
        return c->ldb < least_ld(c, 'B');
    case 'C':
        return c->ldc < least_ld(c, 'C');
    case 'S':
        return c->stridec < least_stride(c);
    default:
        return c->batch < 0;
    }
}

static int64_t some_ld(test_random *r, const level3_call *c, char which)
{
    return least_ld(c, which) + (random_chance(r, 10) ? -1 : random_between(r, 0, 2));
}

static level3_call random_call(test_random *r, level3_family family, char type)
{
    static const double scalars[4] = {0};
    level3_call c = {.family = family, .type = type};
    c.form = (call_form)random_between(r, 0, N_FORMS - 1);
    bool is_cblas = fault_is_cblas(c.form);
    c.row_major = is_cblas && random_chance(r, 2);
    c.bad_layout = is_cblas && random_chance(r, 20);
    c.side = fault_option(r, 14, "lr");
    c.uplo = fault_option(r, 14, "ul");
    c.transa = fault_option(r, 14, "ntc");
    c.transb = fault_option(r, 14, "ntc");
    c.diag = fault_option(r, 14, "nu");
    c.m = random_chance(r, 12) ? -1 : random_between(r, 0, 4);
    c.n = random_chance(r, 12) ? -1 : random_between(r, 0, 4);
    c.k = random_chance(r, 12) ? -1 : random_between(r, 0, 4);
    c.batch = random_chance(r, 12) ? -1 : random_between(r, 0, 3);
    c.lda = some_ld(r, &c, 'A');
    c.ldb = some_ld(r, &c, 'B');
    c.ldc = some_ld(r, &c, 'C');
    c.stridea = c.strideb = random_between(r, 0, 20);
    c.stridec = random_chance(r, 2) ? 30 : random_between(r, -1, 24);
    c.alpha = c.beta = scalars;
    c.a = fault_data[0];
    c.b = fault_data[1];
    c.c = fault_data[2];
    return c;
}

static int call(test_random *r, int family, char type)
{
    if (!level3_name((level3_family)family, type))
        return -1;
    level3_call c = random_call(r, (level3_family)family, type);
    int position = c.bad_layout ? 1 : fault_first(checked[family], is_bad, &c);
    fault_begin();
    level3_run(&c);
    return fault_check(c.form, level3_name(c.family, type), position);
}

static void every_routine(void **state)
{
    (void)state;
    fault_every_routine("level3_check", L3_FAMILIES, call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_routine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
