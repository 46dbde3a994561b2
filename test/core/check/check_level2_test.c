/* Every argument of every routine of Level 2, good or bad, in random combinations and through
 * every name: the first illegal one is reported, once, under BLAS's name and number, and
 * nothing is written; a legal call reports nothing. */
#include "fault_report.h"
#include "level2_call.h"
#include "testing.h"

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

static int64_t least_lda(const level2_call *c)
{
    const level2_traits *t = &level2_family_traits[c->family];
    if (t->storage == STORED_BAND)
        return (t->shape == SHAPE_GENERAL ? c->kl : 0) + c->ku + 1;
    int64_t n = c->row_major || t->shape != SHAPE_GENERAL ? c->n : c->m;
    return n > 1 ? n : 1;
}

static bool is_bad(const void *call, char argument)
{
    const level2_call *c = call;
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

static level2_call random_call(test_random *r, level2_family family, char type)
{
    static const double scalars[4] = {0};
    level2_call c = {.family = family, .type = type};
    c.form = (call_form)random_between(r, 0, N_FORMS - 1);
    bool is_cblas = fault_is_cblas(c.form);
    c.row_major = is_cblas && random_chance(r, 2);
    c.bad_layout = is_cblas && random_chance(r, 20);
    c.trans = fault_option(r, 12, "ntc");
    c.uplo = fault_option(r, 12, "ul");
    c.diag = fault_option(r, 12, "nu");
    c.n = random_chance(r, 10) ? -1 : random_between(r, 0, 4);
    c.m = random_chance(r, 10) ? -1 : random_between(r, 0, 4);
    c.kl = random_chance(r, 10) ? -1 : random_between(r, 0, 3);
    c.ku = random_chance(r, 10) ? -1 : random_between(r, 0, 3);
    c.lda = least_lda(&c) + (random_chance(r, 8) ? -1 : random_between(r, 0, 2));
    c.incx = random_chance(r, 8) ? 0 : random_between(r, 1, 3);
    c.incy = random_chance(r, 8) ? 0 : random_between(r, -3, -1);
    c.alpha = c.beta = scalars;
    c.a = fault_data[0];
    c.x = fault_data[1];
    c.y = fault_data[2];
    return c;
}

static int call(test_random *r, int family, char type)
{
    if (!level2_name((level2_family)family, type))
        return -1;
    level2_call c = random_call(r, (level2_family)family, type);
    int position = c.bad_layout ? 1 : fault_first(checked[family], is_bad, &c);
    fault_begin();
    level2_run(&c);
    return fault_check(c.form, level2_name(c.family, type), position);
}

static void every_routine(void **state)
{
    (void)state;
    fault_every_routine("level2_check", L2_FAMILIES, call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_routine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
