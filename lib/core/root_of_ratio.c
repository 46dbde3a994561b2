#include "core/root_of_ratio.h"

#include <math.h>

typedef struct {
    const exb_big *n, *d;
} ratio;

/* Sign of sqrt(n / d) - (k + half / 2) * 2^exp2 for k < 2^54. */
static int compare_candidate(const ratio *q, uint64_t k, int half, int exp2)
{
    exb_big square, product;
    uint64_t doubled = 2 * k + (uint64_t)half;
    exb_big_set(&square, (exb_u128)doubled * doubled, 2 * (exp2 - 1));
    exb_big_multiply(&product, &square, q->d);
    return exb_big_compare(q->n, &product);
}

/* floor(log2 sqrt(n / d)) and, in *m, the root divided by its power of two. With n / d =
 * f 2^e, e even and 1/2 < f < 4, the estimate from f is off by at most one, near a
 * power of two; comparisons correct it. */
static int floor_log2(const ratio *q, double *m)
{
    double n, d;
    int e = exb_big_log2(q->n, &n) - exb_big_log2(q->d, &d);
    int odd = e & 1;
    double root = sqrt((odd ? 2 : 1) * n / d);
    int k = (e - odd) / 2, exponent = root < 1 ? k - 1 : k;
    if (compare_candidate(q, 1, 0, exponent) < 0)
        exponent--;
    else if (compare_candidate(q, 1, 0, exponent + 1) >= 0)
        exponent++;
    *m = ldexp(root, k - exponent);
    return exponent;
}

/* The k that sqrt(n / d) / 2^exp2 rounds to, ties to even. */
static uint64_t nearest(const ratio *q, uint64_t k, int exp2)
{
    for (;;) {
        int above = compare_candidate(q, k, 1, exp2);
        int below = k == 0 ? 1 : compare_candidate(q, k - 1, 1, exp2);
        if (above > 0 || (above == 0 && (k & 1)))
            k++;
        else if (below < 0 || (below == 0 && (k & 1)))
            k--;
        else
            return k;
    }
}

static uint64_t root_of(exb_format f, const exb_big *n, const exb_big *d)
{
    ratio q = {n, d};
    double m;
    if (n->n_limbs == 0)
        return 0;
    int exponent = floor_log2(&q, &m);
    if (exponent > exb_max_exponent(f))
        return f.infinity;
    if (exponent < f.min_exp2 - 2)
        return 0;
    int exp2 = exponent - (f.n_bits - 1);
    if (exp2 < f.min_exp2)
        exp2 = f.min_exp2;
    return exb_encode(f, nearest(&q, (uint64_t)ldexp(m, exponent - exp2), exp2), exp2);
}

double exb_root_of_ratio_d(const exb_big *n, const exb_big *d)
{
    return exb_from_bits(root_of(exb_format_d(), n, d));
}

float exb_root_of_ratio_s(const exb_big *n, const exb_big *d)
{
    return exb_from_bits_f((uint32_t)root_of(exb_format_s(), n, d));
}
