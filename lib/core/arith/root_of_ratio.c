#include "core/arith/root_of_ratio.h"

#include "core/arith/round.h"

#include <math.h>

typedef struct {
    const exb_big *n, *d;
} ratio;

/* Sign of sqrt(n / d) - (k + half / 2) * 2^exp2 for k < 2^54. */
static int compare_candidate(void *x, uint64_t k, int half, int exp2)
{
    const ratio *q = x;
    exb_big square, product;
    uint64_t doubled = 2 * k + (uint64_t)half;
    exb_big_set(&square, (exb_u128)doubled * doubled, 2 * (exp2 - 1));
    exb_big_multiply(&product, &square, q->d);
    return exb_big_compare(q->n, &product);
}

/* floor(log2 sqrt(n / d)) and, in *m, the root divided by its power of two. With n / d =
 * f 2^e, e even and 1/2 < f < 4, the estimate from f is off by at most one, near a
 * power of two; comparisons correct it. */
static int floor_log2(ratio *q, double *m)
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

static uint64_t root_of(exb_format f, const exb_big *n, const exb_big *d)
{
    ratio q = {n, d};
    double m;
    if (n->n_limbs == 0)
        return 0;
    int exponent = floor_log2(&q, &m);
    return exb_round_compared(f, compare_candidate, &q, exponent, m);
}

double exb_root_of_ratio_d(const exb_big *n, const exb_big *d)
{
    return exb_from_bits(root_of(exb_format_d(), n, d));
}

float exb_root_of_ratio_s(const exb_big *n, const exb_big *d)
{
    return exb_from_bits_f((uint32_t)root_of(exb_format_s(), n, d));
}
