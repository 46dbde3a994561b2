/* The residuals of residual.h, which proofs rest on, against c - S (t_1 + ... + t_k) in exact
 * arithmetic: numbers of 2000 bits. */
#include "lapack/residual.h"

#include "modes.h"
#include "test_random.h"
#include "testing.h"

#include <gmp.h>
#include <math.h>

enum { MOST = 150, TERMS = 6, BITS = 2000 };

static double s[MOST * MOST], c[MOST], term[TERMS * MOST];
static mpf_t sum, x, y;

static void add_product(double a, double b)
{
    mpf_set_d(x, a);
    mpf_set_d(y, b);
    mpf_mul(x, x, y);
    mpf_add(sum, sum, x);
}

/* |r_i - value_i| is at most the error. */
static void check(const exb_residual *r, int n_terms)
{
    int n = (int)r->n;
    for (int i = 0; i < n; i++) {
        mpf_set_d(sum, c[i]);
        for (int k = 0; k < n_terms; k++)
            for (int j = 0; j < n; j++)
                add_product(-s[i * n + j], term[k * n + j]);
        mpf_set_d(x, r->value[i]);
        mpf_sub(sum, sum, x);
        assert_true(fabs(mpf_get_d(sum)) <= r->error);
        assert_true(fabs(r->value[i]) <= r->most);
    }
}

static void check_all(int n)
{
    exb_residual r;
    assert_true(exb_residual_init(&r, n, s, &(exb_layout){1, n, 1, {1}}));
    for (int round = 0; round < 2; round++) {
        exb_residual_start(&r, c);
        check(&r, 0);
        for (int k = 0; k < TERMS; k++) {
            exb_residual_subtract(&r, term + k * n);
            check(&r, k + 1);
            assert_true(r.error <= 0x1p-100 + 0x1p-51 * r.most);
        }
        assert_false(r.exact || exb_residual_is_zero(&r));
        assert_true(exb_residual_make_exact(&r, TERMS - 1, term));
        check(&r, TERMS - 1);
        exb_residual_subtract(&r, term + (TERMS - 1) * n);
        check(&r, TERMS);
        assert_true(r.exact && r.error <= 0x1p-52 * r.most);
    }
    exb_residual_free(&r);
}

static void set_random(test_random *random, int n, int least)
{
    for (int i = 0; i < n * n; i++)
        s[i] = random_number(random, FORMAT_D, (int)random_between(random, least, 0));
    for (int k = 0; k < TERMS; k++)
        for (int j = 0; j < n; j++)
            term[k * n + j] = random_number(random, FORMAT_D, -50 * k);
    for (int i = 0; i < n; i++) {
        c[i] = 0;
        for (int j = 0; j < n; j++)
            c[i] += s[i * n + j] * term[j];
    }
}

/* Whatever the kernels, with calls of few terms and of many. */
static void errors_hold(NO_STATE)
{
    static const int size[] = {1, 2, 9, 40, MOST};
    test_random random = test_random_start(test_seed(), "residuals");
    const call_mode *modes;
    size_t n_modes = modes_product(1u << FACTOR_ISA, &modes);
    for (size_t m = 0; m < n_modes; m++)
        for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
            set_random(&random, size[k], -9);
            mode_select(&modes[m]);
            check_all(size[k]);
        }
    mode_restore();
}

/* Every product is there with both signs, far apart: all of them cancel, and what is left of the
 * sum is its error. */
static void only_the_error_is_left(NO_STATE)
{
    enum { HALF = MOST / 2 };
    test_random random = test_random_start(test_seed(), "nothing but errors");
    set_random(&random, MOST, -60);
    for (int i = 0; i < MOST; i++) {
        c[i] = 0x1p-900;
        for (int j = 0; j < HALF; j++) {
            s[i * MOST + j + HALF] = -s[i * MOST + j];
            for (int k = 0; k < TERMS; k++)
                term[k * MOST + j + HALF] = term[k * MOST + j];
        }
    }
    exb_residual r;
    assert_true(exb_residual_init(&r, MOST, s, &(exb_layout){1, MOST, 1, {1}}));
    exb_residual_start(&r, c);
    for (int k = 0; k < TERMS; k++) {
        exb_residual_subtract(&r, term + k * MOST);
        check(&r, k + 1);
        assert_true(r.most > 0 && r.most < 0x1p-140 && r.error < 0x1p-130);
    }
    exb_residual_free(&r);
}

/* 0 is claimed of exact residuals alone, and of those that are 0 by their last bit. */
static void zeros(NO_STATE)
{
    exb_residual r;
    const double all[] = {1, 1, 0, 1}, last = 0x1p-200;
    memcpy(s, all, sizeof all);
    c[0] = c[1] = 3;
    term[0] = 0;
    term[1] = 3;
    assert_true(exb_residual_init(&r, 2, s, &(exb_layout){1, 2, 1, {1}}));
    exb_residual_start(&r, c);
    exb_residual_subtract(&r, term);
    assert_true(r.most == 0 && !exb_residual_is_zero(&r));
    assert_true(exb_residual_make_exact(&r, 1, term) && exb_residual_is_zero(&r));
    term[2] = last;
    term[3] = 0;
    exb_residual_subtract(&r, term + 2);
    assert_true(r.value[0] == -last && !exb_residual_is_zero(&r));
    exb_residual_free(&r);
}

/* What overflows is not known. */
static void overflow(NO_STATE)
{
    exb_residual r;
    s[0] = 1.5;
    c[0] = 1;
    term[0] = 0x1.8p1023;
    assert_true(exb_residual_init(&r, 1, s, &(exb_layout){1, 1, 1, {1}}));
    exb_residual_start(&r, c);
    exb_residual_subtract(&r, term);
    assert_true(r.error == (double)INFINITY);
    exb_residual_free(&r);
}

/* Nor what is left of a term below the range, times the scale of a word. */
static void lost_bits(NO_STATE)
{
    exb_residual r;
    const exb_layout two_words = {2, 2, 2, {0x1p-53, 1}};
    s[0] = s[1] = c[0] = 1;
    c[1] = 0;
    assert_true(exb_residual_init(&r, 1, s, &two_words));
    for (int exp2 = -1030; exp2 <= -1000; exp2 += 30) {
        term[0] = ldexp(1, exp2);
        exb_residual_start(&r, c);
        assert_true(r.value[0] == 0x1p-53 && r.error == 0);
        exb_residual_subtract(&r, term);
        assert_int_equal(r.error == (double)INFINITY, exp2 == -1030);
    }
    exb_residual_free(&r);
}

int main(void)
{
    mpf_set_default_prec(BITS);
    mpf_init(sum);
    mpf_init(x);
    mpf_init(y);
    int failed = run_each(errors_hold, lost_bits, only_the_error_is_left, zeros, overflow);
    mpf_clear(sum);
    mpf_clear(x);
    mpf_clear(y);
    return failed;
}
