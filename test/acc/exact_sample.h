/* The sums of n pairs (x, y) that statistics are made of, by the oracle. */
#pragma once

#include "oracle.h"
#include "testing.h"

enum { SAMPLE_SUMS = 5 };

typedef struct {
    long n;
    oracle x, y, xx, yy, xy;
} exact_sample;

static inline void sample_init(exact_sample *s)
{
    oracle *all[SAMPLE_SUMS] = {&s->x, &s->y, &s->xx, &s->yy, &s->xy};
    s->n = 0;
    for (int i = 0; i < SAMPLE_SUMS; i++)
        oracle_init(all[i]);
}

static inline void sample_clear(exact_sample *s)
{
    oracle *all[SAMPLE_SUMS] = {&s->x, &s->y, &s->xx, &s->yy, &s->xy};
    for (int i = 0; i < SAMPLE_SUMS; i++)
        oracle_clear(all[i]);
}

static inline void sample_add(exact_sample *s, double x, double y)
{
    s->n++;
    oracle_add(&s->x, x);
    oracle_add(&s->y, y);
    oracle_add_product(&s->xx, x, x);
    oracle_add_product(&s->yy, y, y);
    oracle_add_product(&s->xy, x, y);
}

/* out = a b - c d, of enough bits. */
static inline void sample_determinant(mpfr_t out, const mpfr_t a, const mpfr_t b, const mpfr_t c,
                                      const mpfr_t d)
{
    MPFR(p, mpfr_get_prec(out));
    bool inexact = mpfr_mul(p, c, d, MPFR_RNDN) != 0 || mpfr_mul(out, a, b, MPFR_RNDN) != 0 ||
                   mpfr_sub(out, out, p, MPFR_RNDN) != 0;
    assert_false(inexact);
}

/* out = n Sab - Sa Sb */
static inline void sample_moment(mpfr_t out, const exact_sample *s, const oracle *a,
                                 const oracle *b, const oracle *ab)
{
    MPFR(n, 64);
    mpfr_set_si(n, s->n, MPFR_RNDN);
    sample_determinant(out, n, ab->sum, a->sum, b->sum);
}
