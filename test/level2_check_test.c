/* Every argument of every routine of Level 2, good or bad, in random combinations and through
 * every name: the first illegal one is reported, once, under BLAS's name and number, and
 * nothing is written; a legal call reports nothing. */
#include "level2_call.h"
#include "test_random.h"
#include "testing.h"

#include <ctype.h>
#include <exblas/exblas.h>

/* The arguments that are checked, in order, with their positions in the CBLAS call
 * (layout = 1), from netlib's argument lists: t u d the options, m n k (ku, or k of one
 * triangle), j (kl), l lda, x y the increments. */
static const char *const checked[L2_FAMILIES] = {
    [L2_GEMV] = "t2 m3 n4 l7 x9 y12",
    [L2_GBMV] = "t2 m3 n4 j5 k6 l9 x11 y14",
    [L2_SYMV] = "u2 n3 l6 x8 y11",
    [L2_SBMV] = "u2 n3 k4 l7 x9 y12",
    [L2_SPMV] = "u2 n3 x7 y10",
    [L2_TRMV] = "u2 t3 d4 n5 l7 x9",
    [L2_TBMV] = "u2 t3 d4 n5 k6 l8 x10",
    [L2_TPMV] = "u2 t3 d4 n5 x8",
    [L2_TRSV] = "u2 t3 d4 n5 l7 x9",
    [L2_TBSV] = "u2 t3 d4 n5 k6 l8 x10",
    [L2_TPSV] = "u2 t3 d4 n5 x8",
    [L2_GER] = "m2 n3 x6 y8 l10",
    [L2_GERC] = "m2 n3 x6 y8 l10",
    [L2_SYR] = "u2 n3 x6 l8",
    [L2_SPR] = "u2 n3 x6",
    [L2_SYR2] = "u2 n3 x6 y8 l10",
    [L2_SPR2] = "u2 n3 x6 y8",
};

static char reported[32];
static int position, n_reports;

static void note(const char *routine, int info)
{
    snprintf(reported, sizeof reported, "%s", routine);
    position = info;
    n_reports++;
}

static int64_t least_lda(const level2_call *c)
{
    const level2_traits *t = &level2_family_traits[c->family];
    if (t->storage == STORED_BAND)
        return (t->shape == SHAPE_GENERAL ? c->kl : 0) + c->ku + 1;
    int64_t n = c->row_major || t->shape != SHAPE_GENERAL ? c->n : c->m;
    return n > 1 ? n : 1;
}

static bool is_bad(const level2_call *c, char argument)
{
    switch (argument) {
    case 't':
        return c->trans == 'x';
    case 'u':
        return c->uplo == 'x';
    case 'd':
        return c->diag == 'x';
    case 'm':
        return c->m < 0;
    case 'n':
        return c->n < 0;
    case 'j':
        return c->kl < 0;
    case 'k':
        return c->ku < 0;
    case 'l':
        return c->lda < least_lda(c);
    case 'x':
        return c->incx == 0;
    default:
        return c->incy == 0;
    }
}

/* 0 if all is legal. */
static int bad_position(const level2_call *c)
{
    if (c->bad_layout)
        return 1;
    for (const char *p = checked[c->family]; *p; p += strcspn(p, " "), p += *p == ' ')
        if (is_bad(c, *p))
            return atoi(p + 1);
    return 0;
}

enum { SIZE = 256 };

/* Numbers for a, x and y, every byte of which counts. */
static double data[3][SIZE], before[3][SIZE];

static void fill(void)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < SIZE; i++)
            data[k][i] = before[k][i] = 1 + i * 0x1.23p-9;
}

static char one_of(test_random *r, const char *letters)
{
    return random_chance(r, 12) ? 'x' : letters[random_between(r, 0, (int64_t)strlen(letters) - 1)];
}

static level2_call random_call(test_random *r, level2_family family, char type)
{
    static const double scalars[4] = {0};
    level2_call c = {.family = family, .type = type};
    c.form = (call_form)random_between(r, 0, N_FORMS - 1);
    bool is_cblas = c.form == FORM_CBLAS || c.form == FORM_CBLAS_64;
    c.row_major = is_cblas && random_chance(r, 2);
    c.bad_layout = is_cblas && random_chance(r, 20);
    c.trans = one_of(r, "ntc");
    c.uplo = one_of(r, "ul");
    c.diag = one_of(r, "nu");
    c.n = random_chance(r, 10) ? -1 : random_between(r, 0, 4);
    c.m = random_chance(r, 10) ? -1 : random_between(r, 0, 4);
    c.kl = random_chance(r, 10) ? -1 : random_between(r, 0, 3);
    c.ku = random_chance(r, 10) ? -1 : random_between(r, 0, 3);
    c.lda = least_lda(&c) + (random_chance(r, 8) ? -1 : random_between(r, 0, 2));
    c.incx = random_chance(r, 8) ? 0 : random_between(r, 1, 3);
    c.incy = random_chance(r, 8) ? 0 : random_between(r, -3, -1);
    c.alpha = c.beta = scalars;
    c.a = data[0];
    c.x = data[1];
    c.y = data[2];
    return c;
}

static void expected_name(const level2_call *c, char text[32])
{
    bool is_cblas = c->form == FORM_CBLAS || c->form == FORM_CBLAS_64;
    snprintf(text, 32, "%s%s", is_cblas ? "cblas_" : "", level2_name(c->family, c->type));
    for (char *p = text; !is_cblas && *p; p++)
        *p = (char)toupper((unsigned char)*p);
}

static size_t check(const level2_call *c)
{
    bool is_cblas = c->form == FORM_CBLAS || c->form == FORM_CBLAS_64;
    int expected = bad_position(c);
    char text[32];
    expected_name(c, text);
    n_reports = 0;
    fill();
    level2_run(c);
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
    test_random r = test_random_start(test_seed(), "level2_check");
    size_t n_bad = 0;
    (void)state;
    exblas_set_xerbla(note);
    for (int f = 0; f < L2_FAMILIES; f++)
        for (const char *type = "sdcz"; *type; type++)
            for (int i = 0; i < 1500 && level2_name((level2_family)f, *type); i++) {
                level2_call c = random_call(&r, (level2_family)f, *type);
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
