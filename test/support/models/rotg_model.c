#include "rotg_model.h"

#include "test_random.h"

#include <gmp.h>
#include <math.h>

static bool negative(double x)
{
    return bits_of(x) >> 63;
}

static void scale(mpq_t v, long exp2)
{
    if (exp2 >= 0)
        mpq_mul_2exp(v, v, (mp_bitcnt_t)exp2);
    else
        mpq_div_2exp(v, v, (mp_bitcnt_t)-exp2);
}

/* floor(log2 v), v > 0. */
static long floor_log2(const mpq_t v)
{
    long e = (long)mpz_sizeinbase(mpq_numref(v), 2) - (long)mpz_sizeinbase(mpq_denref(v), 2);
    mpq_t power;
    mpq_init(power);
    mpq_set_ui(power, 1, 1);
    scale(power, e);
    int order = mpq_cmp(v, power);
    mpq_clear(power);
    return order < 0 ? e - 1 : e;
}

/* The integer nearest to sqrt(w), ties to even. */
static double nearest_root(const mpq_t w)
{
    mpz_t k;
    mpq_t middle;
    mpz_init(k);
    mpq_init(middle);
    mpz_fdiv_q(k, mpq_numref(w), mpq_denref(w));
    mpz_sqrt(k, k);
    mpz_mul_ui(mpq_numref(middle), k, 2); /* (k + 1/2)^2 */
    mpz_add_ui(mpq_numref(middle), mpq_numref(middle), 1);
    mpz_mul(mpq_numref(middle), mpq_numref(middle), mpq_numref(middle));
    scale(middle, -2);
    int order = mpq_cmp(w, middle);
    if (order > 0 || (order == 0 && mpz_odd_p(k)))
        mpz_add_ui(k, k, 1);
    double r = mpz_get_d(k);
    mpz_clear(k);
    mpq_clear(middle);
    return r;
}

/* RN(sqrt(n / d)) with a sign. */
static double root(const mpq_t n, const mpq_t d, bool minus, number_format f)
{
    if (mpq_sgn(n) == 0)
        return minus ? -0.0 : 0.0;
    format_limits l = limits_of(f);
    mpq_t v;
    mpq_init(v);
    mpq_div(v, n, d);
    long e = floor_log2(v);
    long exponent = e >= 0 ? e / 2 : -((1 - e) / 2);
    long unit = exponent - (l.n_bits - 1) > l.min_exp2 ? exponent - (l.n_bits - 1) : l.min_exp2;
    scale(v, -2 * unit);
    double r = exponent > l.max_exp2 ? INFINITY : ldexp(nearest_root(v), (int)unit);
    mpq_clear(v);
    if (r >= 2 * power_of_two(l.max_exp2))
        r = INFINITY;
    return minus ? -r : r;
}

/* r = x y + u v for finite doubles. */
static void set_products(mpq_t r, double x, double y, double u, double v)
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    mpq_set_d(r, x);
    mpq_set_d(a, y);
    mpq_mul(r, r, a);
    mpq_set_d(a, u);
    mpq_set_d(b, v);
    mpq_mul(a, a, b);
    mpq_add(r, r, a);
    mpq_clears(a, b, NULL);
}

void rotg_model_real(double a, double b, number_format f, double out[4])
{
    mpq_t a2, b2, sum, one;
    bool a_larger = fabs(a) > fabs(b), minus = negative(a_larger ? a : b);
    mpq_inits(a2, b2, sum, one, NULL);
    mpq_set_ui(one, 1, 1);
    set_products(a2, a, a, 0, 0);
    set_products(b2, b, b, 0, 0);
    mpq_add(sum, a2, b2);
    out[0] = root(sum, one, minus, f);
    out[2] = root(a2, sum, minus != negative(a), f);
    out[3] = root(b2, sum, minus != negative(b), f);
    out[1] = a_larger ? out[3] : out[2] != 0 ? round_to(f, 1 / out[2]) : 1;
    mpq_clears(a2, b2, sum, one, NULL);
}

/* Part of x y + u v over sqrt(d); an exact zero is -0 if both products are -0. */
static double part(double x, double y, double u, double v, const mpq_t d, number_format f)
{
    mpq_t p;
    mpq_init(p);
    set_products(p, x, y, u, v);
    bool minus = mpq_sgn(p) < 0;
    if (mpq_sgn(p) == 0 && (x == 0 || y == 0) && (u == 0 || v == 0))
        minus = negative(x) != negative(y) && negative(u) != negative(v);
    mpq_mul(p, p, p);
    double r = root(p, d, minus, f);
    mpq_clear(p);
    return r;
}

void rotg_model_complex(const double *a, const double *b, number_format f, double out[5])
{
    mpq_t na, nb, sum, product, t;
    mpq_inits(na, nb, sum, product, t, NULL);
    set_products(na, a[0], a[0], a[1], a[1]);
    set_products(nb, b[0], b[0], b[1], b[1]);
    mpq_add(sum, na, nb);
    mpq_mul(product, na, sum);
    for (int i = 0; i < 2; i++) {
        set_products(t, a[i], a[i], 0, 0);
        mpq_mul(t, t, sum);
        out[i] = root(t, na, negative(a[i]), f);
    }
    out[2] = root(na, sum, false, f);
    out[3] = part(a[0], b[0], a[1], b[1], product, f);
    out[4] = part(a[1], b[0], -a[0], b[1], product, f);
    mpq_clears(na, nb, sum, product, t, NULL);
}
