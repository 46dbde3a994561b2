/* dsdot and sdsdot: dots of float data with another result.
 * Types: s. */
#include "entry.h"

#include "core/fpenv.h"
#include "element/decide.h"

static exb_sreduction reduction_of(int64_t n, const float *x, int64_t incx, const float *y,
                                   int64_t incy)
{
    return exb_sdot_of(n, x + exb_first(n, incx), incx, y + exb_first(n, incy), incy);
}

/* The steps of exb_sdecide, to a double. */
static EXB_NOINLINE double dsdot(const exb_sreduction *r)
{
    const exb_method *method = exb_method_current();
    double result;
    if (method->filter && exb_enclosure_round_d(exb_sreduce_filter_threads(r), &result))
        return result;
    exb_three_parts sum = exb_no_parts();
    if (method->filter && exb_sreduce_triple(r, &sum) &&
        exb_enclosure_round_d(exb_sthree_parts_enclosure(&sum), &result))
        return result;
    exb_product_acc acc;
    exb_superacc *a = exb_product_acc_init(&acc);
    exb_sreduce_exact_threads(r, method, a);
    return exb_superacc_round(exb_format_d(), a);
}

static EXB_NOINLINE float decide(float sb, const exb_sreduction *r, const exb_method *method)
{
    const exb_complex one = {1, 0};
    const exb_enclosure unknown = exb_enclosure_unknown();
    exb_squestion q = {.by_threads = true, .line = exb_sline(one, one), .method = method};
    float result;
    q.c.re = sb;
    q.terms = (exb_sterms){exb_snext_of_one, r};
    exb_sdecide(&q, &unknown, &result);
    return result;
}

static EXB_NOINLINE float sdsdot(float sb, const exb_sreduction *r)
{
    const exb_method *method = exb_method_current();
    float result;
    if (method->filter) {
        exb_enclosure v = exb_sreduce_filter_threads(r);
        if (exb_enclosure_round_s(exb_enclosure_add(v, exb_enclosure_exact(sb)), &result))
            return result;
    }
    return decide(sb, r, method);
}

double exb_entry_dsdot(int64_t n, const float *x, int64_t incx, const float *y, int64_t incy)
{
    if (n <= 0)
        return 0;
    exb_sreduction r = reduction_of(n, x, incx, y, incy);
    double result;
    EXB_GUARDED(result = dsdot(&r));
    return result;
}

float exb_entry_sdsdot(int64_t n, float sb, const float *x, int64_t incx, const float *y,
                       int64_t incy)
{
    if (n <= 0)
        return sb;
    exb_sreduction r = reduction_of(n, x, incx, y, incy);
    float result;
    EXB_GUARDED(result = sdsdot(sb, &r));
    return result;
}
