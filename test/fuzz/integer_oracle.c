#include "integer_oracle.h"

#include <math.h>

enum { UNIT_EXP2 = -3222 };

void integer_oracle_init(integer_oracle *o)
{
    mpz_init(o->sum);
    o->has_pos_inf = o->has_neg_inf = o->has_nan = false;
}

void integer_oracle_clear(integer_oracle *o)
{
    mpz_clear(o->sum);
}

/* x = m 2^e with an odd integer m, or 0, for finite x. */
static void take_apart(double x, mpz_t m, int *e)
{
    long long n = llrint(ldexp(frexp(x, e), 53));
    *e -= 53;
    if (n != 0) {
        int n_zeros = __builtin_ctzll((unsigned long long)n);
        n /= 1LL << n_zeros;
        *e += n_zeros;
    }
    mpz_set_si(m, n);
}

static bool note_special(integer_oracle *o, double x)
{
    o->has_nan |= isnan(x);
    o->has_pos_inf |= isinf(x) && x > 0;
    o->has_neg_inf |= isinf(x) && x < 0;
    return !isfinite(x);
}

void integer_oracle_add_product(integer_oracle *o, double x, double y)
{
    if (!isfinite(x) || !isfinite(y)) {
        note_special(o, x * y);
        return;
    }
    mpz_t m, n;
    int e, f;
    mpz_inits(m, n, (mpz_ptr)0);
    take_apart(x, m, &e);
    take_apart(y, n, &f);
    mpz_mul(m, m, n);
    if (mpz_sgn(m) != 0) {
        mpz_mul_2exp(m, m, (mp_bitcnt_t)(e + f - UNIT_EXP2));
        mpz_add(o->sum, o->sum, m);
    }
    mpz_clears(m, n, (mpz_ptr)0);
}

void integer_oracle_add(integer_oracle *o, double x)
{
    if (!note_special(o, x))
        integer_oracle_add_product(o, x, 1);
}

/* z * sum has its lowest bit at 2^-3222 if sum is one of products of two. */
static void add_scaled_finite(integer_oracle *o, double z, const mpz_t sum)
{
    mpz_t m;
    int e;
    mpz_init(m);
    take_apart(z, m, &e);
    mpz_mul(m, m, sum);
    if (e >= 0)
        mpz_mul_2exp(m, m, (mp_bitcnt_t)e);
    else
        mpz_tdiv_q_2exp(m, m, (mp_bitcnt_t)-e); /* zeros */
    mpz_add(o->sum, o->sum, m);
    mpz_clear(m);
}

void integer_oracle_add_scaled(integer_oracle *o, double z, const integer_oracle *sum)
{
    double s = mpz_sgn(sum->sum);
    bool is_nan = sum->has_nan || (sum->has_pos_inf && sum->has_neg_inf);
    if (is_nan)
        s = (double)NAN;
    else if (sum->has_pos_inf || sum->has_neg_inf)
        s = sum->has_pos_inf ? (double)INFINITY : -(double)INFINITY;
    if (isfinite(s) && isfinite(z))
        add_scaled_finite(o, z, sum->sum);
    else
        note_special(o, z * s);
}

void integer_oracle_add_bytes(integer_oracle *o, const unsigned char *bytes, size_t n_bytes,
                              int exp2)
{
    mpz_t m, top;
    mpz_inits(m, top, (mpz_ptr)0);
    mpz_import(m, n_bytes, -1, 1, 0, 0, bytes);
    if (bytes[n_bytes - 1] & 0x80) {
        mpz_setbit(top, 8 * n_bytes);
        mpz_sub(m, m, top);
    }
    mpz_mul_2exp(m, m, (mp_bitcnt_t)(exp2 - UNIT_EXP2));
    mpz_add(o->sum, o->sum, m);
    mpz_clears(m, top, (mpz_ptr)0);
}

/* |v| * 2^exp2, plus something below the last place if sticky, rounded to n_bits and
 * the least exponent; exact halves go to even. */
static double round_magnitude(const mpz_t v, int exp2, bool sticky, int n_bits, int min_exp2,
                              double largest)
{
    int length = (int)mpz_sizeinbase(v, 2);
    int last = exp2 + length - n_bits; /* exponent of the last kept place */
    if (last < min_exp2)
        last = min_exp2;
    int n_drop = last - exp2;
    mpz_t kept, twice;
    mpz_inits(kept, twice, (mpz_ptr)0);
    if (n_drop > 0) {
        mpz_tdiv_q_2exp(kept, v, (mp_bitcnt_t)n_drop);
        mpz_tdiv_r_2exp(twice, v, (mp_bitcnt_t)n_drop);
        mpz_mul_2exp(twice, twice, 1);
        mpz_t one;
        mpz_init_set_ui(one, 1);
        mpz_mul_2exp(one, one, (mp_bitcnt_t)n_drop);
        int against_half = mpz_cmp(twice, one);
        mpz_clear(one);
        if (against_half > 0 || (against_half == 0 && (sticky || mpz_odd_p(kept))))
            mpz_add_ui(kept, kept, 1);
    } else {
        mpz_mul_2exp(kept, v, (mp_bitcnt_t)-n_drop);
    }
    double result = ldexp(mpz_get_d(kept), last);
    mpz_clears(kept, twice, (mpz_ptr)0);
    return result > largest ? (double)INFINITY : result;
}

static double finish(const mpz_t magnitude, int exp2, bool sticky, bool is_float)
{
    return is_float ? round_magnitude(magnitude, exp2, sticky, 24, -149, 0x1.fffffep127)
                    : round_magnitude(magnitude, exp2, sticky, 53, -1074, 0x1.fffffffffffffp1023);
}

static bool special(const integer_oracle *o, double *result)
{
    if (o->has_nan || (o->has_pos_inf && o->has_neg_inf))
        *result = (double)NAN;
    else if (o->has_pos_inf || o->has_neg_inf)
        *result = o->has_pos_inf ? (double)INFINITY : -(double)INFINITY;
    else
        return false;
    return true;
}

double integer_oracle_round(const integer_oracle *o, bool is_float)
{
    double result;
    if (special(o, &result))
        return result;
    mpz_t magnitude;
    mpz_init(magnitude);
    mpz_abs(magnitude, o->sum);
    result = finish(magnitude, UNIT_EXP2, false, is_float);
    mpz_clear(magnitude);
    return mpz_sgn(o->sum) < 0 ? -result : result;
}

/* Numerator and denominator as integers, with 2500 places behind the point: far more than the
 * smallest quotient needs. */
double integer_oracle_quotient(const integer_oracle *o, double d)
{
    enum { PLACES = 2500 };
    double result;
    if (special(o, &result))
        return isnan(result) ? result : d < 0 ? -result : result;
    mpz_t n, m, rest;
    int e;
    mpz_inits(n, m, rest, (mpz_ptr)0);
    take_apart(d, m, &e);
    bool negative = mpz_sgn(o->sum) * mpz_sgn(m) < 0;
    mpz_abs(n, o->sum);
    mpz_abs(m, m);
    mpz_mul_2exp(n, n, PLACES);
    mpz_tdiv_qr(n, rest, n, m);
    result = finish(n, UNIT_EXP2 - PLACES - e, mpz_sgn(rest) != 0, false);
    mpz_clears(n, m, rest, (mpz_ptr)0);
    return negative ? -result : result;
}

/* sqrt(sum 2^-3222): the integer root of sum 2^400 has 200 places more than needed;
 * what is left over is sticky. */
double integer_oracle_root(const integer_oracle *o, bool is_float)
{
    double result;
    if (special(o, &result))
        return result;
    mpz_t root, rest;
    mpz_inits(root, rest, (mpz_ptr)0);
    mpz_mul_2exp(root, o->sum, 400);
    mpz_sqrtrem(root, rest, root);
    result = finish(root, (UNIT_EXP2 - 400) / 2, mpz_sgn(rest) != 0, is_float);
    mpz_clears(root, rest, (mpz_ptr)0);
    return result;
}
