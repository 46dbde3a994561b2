#include "core/arith/root_of_ratio.h"

#include "core/arith/round.h"

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

static uint64_t rounded(exb_format f, const exb_big *n, const exb_big *d, bool is_root)
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
    return exb_from_bits(rounded(exb_format_d(), n, d, true));
}

float exb_root_of_ratio_s(const exb_big *n, const exb_big *d)
{
    return exb_from_bits_f((uint32_t)rounded(exb_format_s(), n, d, true));
}

double exb_ratio_of_big_d(const exb_big *n, const exb_big *d)
{
    return exb_from_bits(rounded(exb_format_d(), n, d, false));
}
