#include "acc/exact_integer.h"

#include "acc/acc_view.h"

exb_integer exb_integer_of_sum(const exblas_acc *a)
{
    exb_integer r;
    exblas_acc sum = *a;
    exb_superacc view = exb_acc_view(&sum);
    r.negative = exb_big_set_sum(&r.magnitude, &view);
    return r;
}

exb_integer exb_integer_of(exb_u128 n)
{
    exb_integer r = {.negative = false};
    exb_big_set(&r.magnitude, n, 0);
    return r;
}

exb_integer exb_integer_product(const exb_integer *a, const exb_integer *b)
{
    exb_integer r;
    exb_big_multiply(&r.magnitude, &a->magnitude, &b->magnitude);
    r.negative = a->negative != b->negative;
    return r;
}

exb_integer exb_integer_difference(const exb_integer *a, const exb_integer *b)
{
    exb_integer r;
    if (a->negative != b->negative) {
        exb_big_add(&r.magnitude, &a->magnitude, &b->magnitude);
        r.negative = a->negative;
    } else {
        bool is_less = exb_big_compare(&a->magnitude, &b->magnitude) < 0;
        exb_big_distance(&r.magnitude, &a->magnitude, &b->magnitude);
        r.negative = is_less != a->negative;
    }
    return r;
}

double exb_integer_ratio(exb_format f, bool is_root, const exb_integer *n, const exb_integer *d)
{
    double r = exb_ratio_of_bigs(f, is_root, &n->magnitude, &d->magnitude);
    return n->negative && !exb_integer_is_zero(n) ? -r : r;
}
