/* Every argument of every routine of Level 3, good or bad, in random combinations and through
 * every name: the first illegal one is reported, once, under BLAS's name and number, and
 * nothing is written; a legal call reports nothing. */
#include "level3_call.h"
#include "test_random.h"
#include "testing.h"

#include <ctype.h>
#include <exblas/exblas.h>

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

static char reported[40];
static int position, n_reports;

static void note(const char *routine, int info)
{
    snprintf(reported, sizeof reported, "%s", routine);
    position = info;
    n_reports++;
}

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

static bool is_bad(const level3_call *c, char argument)
{
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

/* 0 if all is legal. */
static int bad_position(const level3_call *c)
{
    if (c->bad_layout)
        return 1;
    for (const char *p = checked[c->family]; *p; p += strcspn(p, " "), p += *p == ' ')
        if (is_bad(c, *p))
            return atoi(p + 1);
    return 0;
}

enum { SIZE = 512 };

/* Numbers for the matrices, every byte of which counts. */
static double data[3][SIZE], before[3][SIZE];

static void fill(void)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < SIZE; i++)
            data[k][i] = before[k][i] = 1 + i * 0x1.23p-9;
}

static char one_of(test_random *r, const char *letters)
{
    return random_chance(r, 14) ? 'x' : letters[random_between(r, 0, (int64_t)strlen(letters) - 1)];
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
    bool is_cblas = c.form == FORM_CBLAS || c.form == FORM_CBLAS_64;
    c.row_major = is_cblas && random_chance(r, 2);
    c.bad_layout = is_cblas && random_chance(r, 20);
    c.side = one_of(r, "lr");
    c.uplo = one_of(r, "ul");
    c.transa = one_of(r, "ntc");
    c.transb = one_of(r, "ntc");
    c.diag = one_of(r, "nu");
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
    c.a = data[0];
    c.b = data[1];
    c.c = data[2];
    return c;
}

static void expected_name(const level3_call *c, char text[40])
{
    bool is_cblas = c->form == FORM_CBLAS || c->form == FORM_CBLAS_64;
    snprintf(text, 40, "%s%s", is_cblas ? "cblas_" : "", level3_name(c->family, c->type));
    for (char *p = text; !is_cblas && *p; p++)
        *p = (char)toupper((unsigned char)*p);
}

static size_t check(const level3_call *c)
{
    bool is_cblas = c->form == FORM_CBLAS || c->form == FORM_CBLAS_64;
    int expected = bad_position(c);
    char text[40];
    expected_name(c, text);
    n_reports = 0;
    fill();
    level3_run(c);
    if (expected == 0 && n_reports == 0)
        return 0;
    if (n_reports != 1 || position != expected - !is_cblas || strcmp(reported, text) != 0 ||
        memcmp(data, before, sizeof data) != 0)
        fail_msg("%s: %d reports, of %s argument %d; expected %s argument %d", text, n_reports,
                 reported, position, text, expected - !is_cblas);
    return 1;
}

static void every_routine(void **state)
{
    test_random r = test_random_start(test_seed(), "level3_check");
    size_t n_bad = 0;
    (void)state;
    exblas_set_xerbla(note);
    for (int f = 0; f < L3_FAMILIES; f++)
        for (const char *type = "sdcz"; *type; type++)
            for (int i = 0; i < 1500 && level3_name((level3_family)f, *type); i++) {
                level3_call c = random_call(&r, (level3_family)f, *type);
                n_bad += check(&c);
            }
    exblas_set_xerbla(NULL);
    printf("# %zu bad calls\n", n_bad);
    assert_true(n_bad > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_routine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
