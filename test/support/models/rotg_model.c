#include "rotg_model.h"

#include "oracle.h"
#include "test_random.h"

#include <math.h>

/* Sums of squares span less than 4400 bits, products of two of them 8800. Quotients are cut to so
 * many that none has a midpoint's square between it and the exact one. */
enum { BITS = 20000 };

static bool negative(double x)
{
    return bits_of(x) >> 63;
}

/* RN(sqrt(n / d)) with a sign. */
static double root(const mpfr_t n, const mpfr_t d, bool minus, number_format f)
{
    mpfr_t v, r;
    mpfr_init2(v, BITS);
    mpfr_init2(r, ORACLE_GUARD_BITS);
    int inexact = mpfr_div(v, n, d, MPFR_RNDZ);
    inexact |= mpfr_sqrt(r, v, MPFR_RNDZ);
    double x = oracle_round_exact(r, inexact != 0, f);
    mpfr_clears(v, r, (mpfr_ptr)NULL);
    return minus ? -x : x;
}

/* r = x y + u v, exactly. */
static void set_products(mpfr_t r, double x, double y, double u, double v)
{
    MPFR(a, 106);
    mpfr_set_d(a, u, MPFR_RNDN);
    mpfr_mul_d(a, a, v, MPFR_RNDN);
    mpfr_set_d(r, x, MPFR_RNDN);
    mpfr_mul_d(r, r, y, MPFR_RNDN);
    mpfr_add(r, r, a, MPFR_RNDN);
}

void rotg_model_real(double a, double b, number_format f, double out[4])
{
    mpfr_t a2, b2, sum, one;
    bool a_larger = fabs(a) > fabs(b), minus = negative(a_larger ? a : b);
    mpfr_inits2(BITS, a2, b2, sum, one, (mpfr_ptr)NULL);
    mpfr_set_ui(one, 1, MPFR_RNDN);
    set_products(a2, a, a, 0, 0);
    set_products(b2, b, b, 0, 0);
    mpfr_add(sum, a2, b2, MPFR_RNDN);
    out[0] = root(sum, one, minus, f);
    out[2] = root(a2, sum, minus != negative(a), f);
    out[3] = root(b2, sum, minus != negative(b), f);
    out[1] = a_larger ? out[3] : out[2] != 0 ? round_to(f, 1 / out[2]) : 1;
    mpfr_clears(a2, b2, sum, one, (mpfr_ptr)NULL);
}

/* Part of x y + u v over sqrt(d); an exact zero is -0 if both products are -0. */
static double part(double x, double y, double u, double v, const mpfr_t d, number_format f)
{
    MPFR(p, BITS);
    set_products(p, x, y, u, v);
    bool minus = mpfr_sgn(p) < 0;
    if (mpfr_zero_p(p) && (x == 0 || y == 0) && (u == 0 || v == 0))
        minus = negative(x) != negative(y) && negative(u) != negative(v);
    mpfr_sqr(p, p, MPFR_RNDN);
    return root(p, d, minus, f);
}

void rotg_model_complex(const double *a, const double *b, number_format f, double out[5])
{
    mpfr_t na, nb, sum, product, t;
    mpfr_inits2(BITS, na, nb, sum, product, t, (mpfr_ptr)NULL);
    set_products(na, a[0], a[0], a[1], a[1]);
    set_products(nb, b[0], b[0], b[1], b[1]);
    mpfr_add(sum, na, nb, MPFR_RNDN);
    mpfr_mul(product, na, sum, MPFR_RNDN);
    for (int i = 0; i < 2; i++) {
        set_products(t, a[i], a[i], 0, 0);
        mpfr_mul(t, t, sum, MPFR_RNDN);
        out[i] = root(t, na, negative(a[i]), f);
    }
    out[2] = root(na, sum, false, f);
    out[3] = part(a[0], b[0], a[1], b[1], product, f);
    out[4] = part(a[1], b[0], -a[0], b[1], product, f);
    mpfr_clears(na, nb, sum, product, t, (mpfr_ptr)NULL);
}
