#include "core/arith/quotient.h"

#include <math.h>

typedef struct {
    const exb_big *n, *d;
    bool is_root; /* of the ratio, not the ratio itself */
} ratio;

/* Sign of the ratio or its root less (k + half / 2) * 2^exp2 for k < 2^54. */
static int compare_candidate(void *x, uint64_t k, int half, int exp2)
{
    const ratio *q = x;
    exb_big candidate, product;
    uint64_t doubled = 2 * k + (uint64_t)half;
    if (q->is_root)
        exb_big_set(&candidate, (exb_u128)doubled * doubled, 2 * (exp2 - 1));
    else
        exb_big_set(&candidate, doubled, exp2 - 1);
    exb_big_multiply(&product, &candidate, q->d);
    return exb_big_compare(q->n, &product);
}

/* floor(log2) of the ratio or its root and, in *m, that number divided by its power of two. With
 * n / d = f 2^e, 1/2 < f < 4, e even for a root, the estimate from f is off by at most one, near
 * a power of two; comparisons correct it. */
static int floor_log2(ratio *q, double *m)
{
    double n, d;
    int e = exb_big_log2(q->n, &n) - exb_big_log2(q->d, &d);
    int odd = q->is_root ? e & 1 : 0;
    double f = (odd ? 2 : 1) * n / d, estimate = q->is_root ? sqrt(f) : f;
    int k = q->is_root ? (e - odd) / 2 : e, exponent = estimate < 1 ? k - 1 : k;
    if (compare_candidate(q, 1, 0, exponent) < 0)
        exponent--;
    else if (compare_candidate(q, 1, 0, exponent + 1) >= 0)
        exponent++;
    *m = ldexp(estimate, k - exponent);
    return exponent;
}

double exb_ratio_of_bigs(exb_format f, bool is_root, const exb_big *n, const exb_big *d)
{
    ratio q = {n, d, is_root};
    double m;
    if (n->n_limbs == 0)
        return 0;
    int exponent = floor_log2(&q, &m);
    return exb_number_in(f, exb_round_compared(f, compare_candidate, &q, exponent, m), n->negative);
}

double exb_ratio(exb_format f, exb_superacc *n, exb_superacc *d)
{
    int sign = exb_superacc_sign(n), divisor = exb_superacc_sign(d); /* 2: NaN */
    bool is_infinite = n->special != 0, by_infinity = d->special != 0;
    if (sign == 2 || divisor == 2 || (sign == 0 && divisor == 0) || (is_infinite && by_infinity))
        return exb_from_bits(EXB_CANONICAL_NAN);
    if (sign == 0 || by_infinity)
        return 0;
    if (is_infinite || divisor == 0)
        return exb_number_in(f, f.infinity, sign < 0);
    exb_big numerator, denominator;
    exb_big_set_sum(&numerator, n);
    exb_big_set_sum(&denominator, d);
    return exb_ratio_of_bigs(f, false, &numerator, &denominator);
}

/* The ratio of v and |d|, with d's sign. */
double exb_quotient(exb_format f, exb_superacc *v, double d)
{
    exb_product_acc storage;
    exb_superacc *divisor = exb_product_acc_init(&storage);
    exb_superacc_add(divisor, __builtin_fabs(d));
    double q = exb_ratio(f, v, divisor);
    /* A quotient that is not 0 but rounds to 0 has a sign, an exact 0 has none. */
    bool has_sign = q == q && exb_superacc_sign(v) != 0 && !isinf(d);
    return has_sign && signbit(d) ? -q : q;
}
