#include "core/arith/root_of_ratio.h"

#include "core/arith/round.h"

#include <math.h>

typedef struct {
    const exb_big *n, *d;
    bool is_root;
} ratio;

/* Sign of sqrt(n / d), or of n / d, less (k + half / 2) * 2^exp2 for k < 2^54. */
static int compare_candidate(void *x, uint64_t k, int half, int exp2)
{
    const ratio *q = x;
    exb_big square, product;
    uint64_t doubled = 2 * k + (uint64_t)half;
    if (q->is_root)
        exb_big_set(&square, (exb_u128)doubled * doubled, 2 * (exp2 - 1));
    else
        exb_big_set(&square, doubled, exp2 - 1);
    exb_big_multiply(&product, &square, q->d);
    return exb_big_compare(q->n, &product);
}

/* floor(log2 sqrt(n / d)) and, in *m, the root divided by its power of two. With n / d =
 * f 2^e, e even and 1/2 < f < 4, the estimate from f is off by at most one, near a
 * power of two; comparisons correct it. Of n / d itself likewise. */
static int floor_log2(ratio *q, double *m)
{
    double n, d;
    int e = exb_big_log2(q->n, &n) - exb_big_log2(q->d, &d);
    int odd = q->is_root ? e & 1 : 0;
    double root = q->is_root ? sqrt((odd ? 2 : 1) * n / d) : n / d;
    int k = q->is_root ? (e - odd) / 2 : e, exponent = root < 1 ? k - 1 : k;
    if (compare_candidate(q, 1, 0, exponent) < 0)
        exponent--;
    else if (compare_candidate(q, 1, 0, exponent + 1) >= 0)
        exponent++;
    *m = ldexp(root, k - exponent);
    return exponent;
}

uint64_t exb_ratio_of_bigs(exb_format f, bool is_root, const exb_big *n, const exb_big *d)
{
    ratio q = {n, d, is_root};
    double m;
    if (n->n_limbs == 0)
        return 0;
    int exponent = floor_log2(&q, &m);
    return exb_round_compared(f, compare_candidate, &q, exponent, m);
}

double exb_root_of_ratio_d(const exb_big *n, const exb_big *d)
{
    return exb_from_bits(exb_ratio_of_bigs(exb_format_d(), true, n, d));
}

float exb_root_of_ratio_s(const exb_big *n, const exb_big *d)
{
    return exb_from_bits_f((uint32_t)exb_ratio_of_bigs(exb_format_s(), true, n, d));
}
