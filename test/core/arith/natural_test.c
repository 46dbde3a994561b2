/* Natural numbers against GMP's. */
#include "core/arith/natural.h"

#include "test_random.h"
#include "testing.h"

#include <gmp.h>

enum { MOST = 40, ROOM = 4 * MOST };

typedef struct {
    exb_natural v;
    uint64_t limb[ROOM];
} number;

/* Limbs of all ones, zeros and anything: what estimates of quotients fail for. */
static void set_random(number *a, test_random *r, int most)
{
    a->v = (exb_natural){random_between(r, 1, most), a->limb};
    for (int64_t i = 0; i < a->v.n; i++)
        a->limb[i] = random_chance(r, 3)   ? UINT64_MAX
                     : random_chance(r, 3) ? 0
                     : random_chance(r, 4) ? (uint64_t)1 << 63
                                           : random_bits(r);
    if (a->limb[a->v.n - 1] == 0)
        a->limb[a->v.n - 1] = 1;
}

static void to_gmp(mpz_t z, const exb_natural *a)
{
    mpz_import(z, (size_t)a->n, -1, sizeof *a->limb, 0, 0, a->limb);
}

static bool equals(const exb_natural *a, const mpz_t z)
{
    mpz_t other;
    mpz_init(other);
    to_gmp(other, a);
    bool same = mpz_cmp(other, z) == 0 && (a->n == 0 || a->limb[a->n - 1] != 0);
    mpz_clear(other);
    return same;
}

typedef struct {
    number a, b, q;
    mpz_t x, y, z;
} problem;

static void check_division(problem *p)
{
    p->q.v = (exb_natural){0, p->q.limb};
    exb_natural_divide(&p->q.v, &p->a.v, &p->b.v);
    mpz_fdiv_q(p->z, p->x, p->y);
    assert_true(equals(&p->q.v, p->z));
    mpz_fdiv_r(p->z, p->x, p->y);
    assert_true(equals(&p->a.v, p->z));
    assert_true(equals(&p->b.v, p->y));
}

static void check_sums(problem *p, uint64_t w)
{
    mpz_t word;
    mpz_init(word);
    mpz_import(word, 1, -1, sizeof w, 0, 0, &w);
    exb_natural_multiply(&p->q.v, &p->a.v, &p->b.v);
    mpz_mul(p->z, p->x, p->y);
    assert_true(equals(&p->q.v, p->z));
    exb_natural_add_product(&p->a.v, &p->b.v, w);
    mpz_addmul(p->x, p->y, word);
    assert_true(equals(&p->a.v, p->x));
    exb_natural_multiply_word(&p->a.v, w, w);
    mpz_mul(p->x, p->x, word);
    mpz_add(p->x, p->x, word);
    assert_true(equals(&p->a.v, p->x));
    mpz_clear(word);
}

static void check_order(problem *p)
{
    int order = mpz_cmp(p->x, p->y);
    assert_int_equal(exb_natural_compare(&p->a.v, &p->b.v), (order > 0) - (order < 0));
    if (mpz_sgn(p->x))
        assert_int_equal(exb_natural_bits(&p->a.v), mpz_sizeinbase(p->x, 2));
    if (order >= 0) {
        exb_natural_subtract(&p->a.v, &p->b.v);
        mpz_sub(p->x, p->x, p->y);
        assert_true(equals(&p->a.v, p->x));
    }
}

static void check_shifts(problem *p, int64_t k)
{
    exb_natural_shift_left(&p->a.v, k);
    mpz_mul_2exp(p->x, p->x, (mp_bitcnt_t)k);
    assert_true(equals(&p->a.v, p->x));
    exb_natural_shift_right(&p->a.v, 3 * k / 2);
    mpz_fdiv_q_2exp(p->x, p->x, (mp_bitcnt_t)(3 * k / 2));
    assert_true(equals(&p->a.v, p->x));
}

static void same_as_gmp(NO_STATE)
{
    static problem p;
    test_random r = test_random_start(test_seed(), "naturals");
    mpz_inits(p.x, p.y, p.z, NULL);
    p.q.v.limb = p.q.limb;
    for (int round = 0; round < 20000; round++) {
        set_random(&p.a, &r, MOST);
        set_random(&p.b, &r, random_chance(&r, 2) ? 2 : MOST);
        to_gmp(p.x, &p.a.v);
        to_gmp(p.y, &p.b.v);
        if (round % 4 == 0)
            check_division(&p);
        else if (round % 4 == 1)
            check_sums(&p, random_bits(&r));
        else if (round % 4 == 2)
            check_order(&p);
        else
            check_shifts(&p, random_between(&r, 0, 700));
    }
    mpz_clears(p.x, p.y, p.z, NULL);
}

TESTS(same_as_gmp)
