#include "core/arith/fma.h"

#include "core/arith/eft.h"
#include "core/arith/round.h"

static EXB_NOINLINE double by_accumulator(double a, double b, double c)
{
    exb_product_acc storage;
    if (a == 0 || b == 0)
        return a * b + c;
    exb_superacc *sum = exb_product_acc_init(&storage);
    exb_superacc_add_product(sum, a, b);
    exb_superacc_add(sum, c);
    exb_superacc_normalize(sum);
    return exb_superacc_round(exb_format_d(), sum);
}

/* Source: Boldo, Melquiond, Emulation of FMA and correctly rounded sums, IEEE Trans. Comput. 57
 * (2008), theorem 5. The product's error is a multiple of 2^-1006, so that nothing underflows. */
double exb_fma_emulated(double a, double b, double c)
{
    double p_low, low, high_low, p = exb_two_prod(a, b, &p_low);
    if (!(exb_fabs(p) > 0x1p-900 &&
          exb_fabs(p) + exb_fabs(c) + exb_fabs(a) + exb_fabs(b) < 0x1p990))
        return by_accumulator(a, b, c);
    double high = exb_two_sum(p, exb_two_sum(c, p_low, &low), &high_low);
    return high + exb_add_to_odd(low, high_low);
}
