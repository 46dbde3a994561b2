#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>

/* Sums of up to 2^60 products of two doubles times a third reach from 2^-3222
 * to 2^3132: 6354 bits. */
enum { SUM_BITS = 6400, PRODUCT_BITS = 106 };

static const struct {
    int n_bits, min_exp2, max_exp2; /* of the last and of the first bit */
} formats[] = {[FORMAT_S] = {24, -149, 128},
               [FORMAT_D] = {53, -1074, 1024},
               [FORMAT_B] = {8, -133, 128},
               [FORMAT_H] = {11, -24, 16}};

static void require_exact(int ternary)
{
    if (ternary == 0)
        return;
    fputs("the oracle would have rounded: its precision is too small\n", stderr);
    abort();
}

static double canonical_nan(void)
{
    return from_bits(TEST_CANONICAL_NAN);
}

static double infinity(bool negative)
{
    return from_bits(0x7ff0000000000000u | (uint64_t)negative << 63);
}

static bool is_nan(double x)
{
    return x != x;
}

static bool is_inf(double x)
{
    return x - x != 0 && !is_nan(x);
}

static bool is_negative(double x)
{
    return bits_of(x) >> 63;
}

void oracle_init(oracle *o)
{
    mpfr_init2(o->sum, SUM_BITS);
    oracle_reset(o);
}

void oracle_clear(oracle *o)
{
    mpfr_clear(o->sum);
}

void oracle_reset(oracle *o)
{
    mpfr_set_zero(o->sum, 1);
    o->has_pos_inf = o->has_neg_inf = o->has_nan = false;
    o->has_nonzero = o->has_positive = o->has_negative = false;
}

static void note_term(oracle *o, bool is_zero, bool negative)
{
    o->has_nonzero |= !is_zero;
    o->has_negative |= negative;
    o->has_positive |= !negative;
}

static void add_inf(oracle *o, bool negative)
{
    o->has_neg_inf |= negative;
    o->has_pos_inf |= !negative;
}

void oracle_add(oracle *o, double x)
{
    note_term(o, x == 0, is_negative(x));
    if (is_nan(x))
        o->has_nan = true;
    else if (is_inf(x))
        add_inf(o, is_negative(x));
    else
        require_exact(mpfr_add_d(o->sum, o->sum, x, MPFR_RNDN));
}

static void add_finite_product(oracle *o, double a, double b)
{
    static mpfr_t product;
    static bool ready;
    if (!ready)
        mpfr_init2(product, PRODUCT_BITS);
    ready = true;
    require_exact(mpfr_set_d(product, a, MPFR_RNDN));
    require_exact(mpfr_mul_d(product, product, b, MPFR_RNDN));
    require_exact(mpfr_add(o->sum, o->sum, product, MPFR_RNDN));
}

void oracle_add_product(oracle *o, double a, double b)
{
    note_term(o, a == 0 || b == 0, is_negative(a) != is_negative(b));
    if (is_nan(a) || is_nan(b))
        o->has_nan = true;
    else if (!is_inf(a) && !is_inf(b))
        add_finite_product(o, a, b);
    else if (a == 0 || b == 0)
        o->has_nan = true;
    else
        add_inf(o, is_negative(a) != is_negative(b));
}

static bool sum_is_nan(const oracle *o)
{
    return o->has_nan || (o->has_pos_inf && o->has_neg_inf);
}

static bool sum_is_inf(const oracle *o)
{
    return !sum_is_nan(o) && (o->has_pos_inf || o->has_neg_inf);
}

/* significand * 2^exp2 where the product is a number of the format or too
 * large for it; assembled from bits, since the C library is not trusted with
 * the subnormal range. */
static double assemble(uint64_t significand, int exp2, bool negative, int max_exp2)
{
    int n_bits = 64 - __builtin_clzll(significand);
    if (n_bits + exp2 > max_exp2)
        return infinity(negative);
    uint64_t sign = (uint64_t)negative << 63;
    if (n_bits + exp2 <= -1022) /* subnormal: exp2 >= -1074 is given */
        return from_bits(sign | significand << (exp2 + 1074));
    /* Rounding up may have made it 2^53. */
    uint64_t normalised = n_bits > 53 ? significand >> 1 : significand << (53 - n_bits);
    uint64_t field = (uint64_t)(n_bits + exp2 + 1022);
    return from_bits(sign | field << 52 | (normalised & 0xfffffffffffffu));
}

/* value + a bit below the guard bits, away from zero, on the same side of every
 * number with at most ORACLE_GUARD_BITS bits as the number it stands for. */
static void make_sticky(mpfr_t out, const mpfr_t value)
{
    MPFR(sticky, 2);
    mpfr_set_si_2exp(sticky, mpfr_sgn(value), mpfr_get_exp(value) - ORACLE_GUARD_BITS - 2,
                     MPFR_RNDN);
    require_exact(mpfr_add(out, value, sticky, MPFR_RNDN));
}

/* Scales by a power of two so that the format's last place has weight one, and
 * rounds to an integer there: normal and subnormal results alike. */
double oracle_round_exact(const mpfr_t value, bool inexact, number_format f)
{
    if (mpfr_zero_p(value))
        return 0;
    MPFR(scaled, SUM_BITS);
    if (inexact)
        make_sticky(scaled, value);
    else
        require_exact(mpfr_set(scaled, value, MPFR_RNDN));
    int exp2 = (int)mpfr_get_exp(scaled) - formats[f].n_bits;
    if (exp2 < formats[f].min_exp2)
        exp2 = formats[f].min_exp2;
    require_exact(mpfr_mul_2si(scaled, scaled, -exp2, MPFR_RNDN));
    mpfr_roundeven(scaled, scaled);
    bool negative = mpfr_signbit(scaled);
    mpfr_abs(scaled, scaled, MPFR_RNDN);
    uint64_t significand = mpfr_get_uj(scaled, MPFR_RNDN);
    if (significand == 0)
        return from_bits((uint64_t)negative << 63);
    return assemble(significand, exp2, negative, formats[f].max_exp2);
}

double oracle_round(const oracle *o, number_format f)
{
    if (sum_is_nan(o))
        return canonical_nan();
    if (sum_is_inf(o))
        return infinity(o->has_neg_inf);
    return oracle_round_exact(o->sum, false, f);
}

double oracle_round_signed(const oracle *o, number_format f)
{
    double r = oracle_round(o, f);
    return r == 0 && o->has_negative && !o->has_positive && !o->has_nonzero ? -0.0 : r;
}

double oracle_root(const oracle *o, number_format f)
{
    if (sum_is_nan(o) || sum_is_inf(o))
        return oracle_round(o, f);
    MPFR(root, ORACLE_GUARD_BITS);
    bool inexact = mpfr_sqrt(root, o->sum, MPFR_RNDZ) != 0;
    return oracle_round_exact(root, inexact, f);
}

/* +1, -1 or 0, for a sum that is not NaN. */
static int sum_sign(const oracle *o)
{
    if (sum_is_inf(o))
        return o->has_pos_inf ? 1 : -1;
    return mpfr_sgn(o->sum);
}

double oracle_quotient(const oracle *o, double d, number_format f)
{
    ORACLE(divisor);
    oracle_add(&divisor, d);
    double r = oracle_ratio(o, &divisor, f);
    return d == 0 && is_negative(d) && r == r ? -r : r;
}

void oracle_add_scaled(oracle *o, double a, const oracle *s)
{
    bool turns = is_negative(a);
    o->has_nonzero |= s->has_nonzero && a != 0;
    o->has_positive |= turns ? s->has_negative : s->has_positive;
    o->has_negative |= turns ? s->has_positive : s->has_negative;
    if (sum_is_nan(s) || is_nan(a)) {
        o->has_nan = true;
    } else if (is_inf(a) || sum_is_inf(s)) {
        o->has_nan |= sum_sign(s) == 0 || a == 0;
        add_inf(o, (sum_sign(s) < 0) != turns);
    } else {
        MPFR(t, SUM_BITS);
        require_exact(mpfr_mul_d(t, s->sum, a, MPFR_RNDN));
        require_exact(mpfr_add(o->sum, o->sum, t, MPFR_RNDN));
    }
}

double oracle_ratio(const oracle *n, const oracle *d, number_format f)
{
    bool is_by_zero = !sum_is_inf(d) && sum_sign(d) == 0;
    if (sum_is_nan(n) || sum_is_nan(d) || (sum_is_inf(n) && sum_is_inf(d)) ||
        (is_by_zero && sum_sign(n) == 0))
        return canonical_nan();
    if (sum_is_inf(n) || is_by_zero)
        return infinity((sum_sign(n) < 0) != (sum_sign(d) < 0));
    if (sum_is_inf(d))
        return 0;
    MPFR(quotient, ORACLE_GUARD_BITS);
    bool inexact = mpfr_div(quotient, n->sum, d->sum, MPFR_RNDZ) != 0;
    return oracle_round_exact(quotient, inexact, f);
}

double oracle_scaled(const oracle *o, double alpha, double beta, double c, number_format f)
{
    ORACLE(t);
    oracle_add_scaled(&t, alpha, o);
    if (beta != 0)
        oracle_add_product(&t, beta, c);
    return oracle_round(&t, f);
}
