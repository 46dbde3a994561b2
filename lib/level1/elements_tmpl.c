/* The kernels of the element-wise routines (kernels.h): loops without branches that
 * the compiler turns into vectors. */
#include "core/eft.h"
#include "core/kernels.h"
#include "core/type.h"

/* RN(a x + y). Without FMA the product of floats is exact in double, and the sum
 * rounded to odd is rounded to float once. */
EXB_INLINE exb_real fused(exb_real a, exb_real x, exb_real y)
{
#if EXB_IS_S
    if (EXB_HAVE_FMA)
        return __builtin_fmaf(a, x, y);
    double p = (double)a * x, s = p + y;
    return (float)(__builtin_fabs(s) <= DBL_MAX ? exb_add_round_to_odd(p, y) : s);
#else
    return __builtin_fma(a, x, y);
#endif
}

void exb_ti(axpy)(int64_t n, exb_real alpha, const exb_real *x, exb_real *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = exb_canonical(fused(alpha, x[i], y[i]));
}

/* A sum of products p_k + e_k = a_k b_k in progress:
 *   h      the p_k added by two_sum
 *   last   the error of the latest of these additions
 *   low    sum of the earlier errors and of the e_k, each addition rounded
 *   rest   sum of their absolute values
 *   zero   all b_k are 0 */
typedef struct {
    double h, last, low, rest;
    bool zero;
} sum;

/* A product of doubles that is not 0 but below 2^-960 may have an error of up to
 * 2^-1074 that e does not hold. The rounding test allows for it, but rest = 0 must
 * not claim exactness then. */
EXB_INLINE double hidden(double a, double b, double p)
{
    double threshold = a == 0 || EXB_IS_S ? 0 : 0x1p-960;
    return (__builtin_fabs(p) < threshold) & (b != 0) ? 0x1p-1020 : 0;
}

EXB_INLINE sum first(double a, double b)
{
    double e = 0;
    double p = EXB_IS_S ? a * b : exb_two_prod(a, b, &e);
    return (sum){p, 0, e, __builtin_fabs(e) + hidden(a, b, p), b == 0};
}

EXB_INLINE sum add(sum s, double a, double b)
{
    double e = 0;
    double p = EXB_IS_S ? a * b : exb_two_prod(a, b, &e);
    s.low += s.last;
    s.rest += __builtin_fabs(s.last);
    s.h = exb_two_sum(s.h, p, &s.last);
    s.low += e;
    s.rest += __builtin_fabs(e) + hidden(a, b, p);
    s.zero = s.zero & (b == 0);
    return s;
}

/* Four terms have at most seven errors e_1 ... e_4, r_1 ... r_3, so l = low + last has
 * taken at most six additions, each of which errs by at most u (rest + |last|)(1 + 6u),
 * u = 2^-53; rest itself is computed with a relative error of at most 13u.
 * 8u (rest + |last|) covers that. */
EXB_INLINE exb_bracket bracket(sum s)
{
    double e = 0x1p-50 * (s.rest + __builtin_fabs(s.last));
    return exb_bracket_of(s.h, s.low + s.last, e);
}

/* Two numbers that round to the same exb_real if the sum is decided, which that is then;
 * one is NaN if it is not.
 *
 * rest = 0: the sum before the last addition was exact, so h is the exact sum rounded
 * once; this decides ties, which are common (averages). All b_k = 0: h is a zero with
 * IEEE's sign, or NaN if a coefficient is Inf. Otherwise the rounding test decides. */
EXB_INLINE exb_bracket rounded_d(sum s)
{
    exb_bracket b = bracket(s);
    double m = __builtin_fabs(s.h);
    bool in_range = (m >= 0x1p-900) & (m <= 0x1p1000);
    bool known = (in_range & (s.rest == 0)) | (s.zero & (m == 0));
    b.lo = in_range ? b.lo : (double)NAN;
    return (exb_bracket){known ? s.h : b.lo, known ? s.h : b.hi};
}

/* h + last rounded to odd (round.h), h = RN(h + last), to be rounded to float: if h is
 * even and not exact, the neighbour on the side of last. */
EXB_INLINE double to_odd(double h, double last)
{
    uint64_t b = exb_bits(h);
    uint64_t step = last != 0 ? ~b & 1 : 0;
    uint64_t inward = (b ^ exb_bits(last)) >> 63;
    return exb_from_bits(b + step - 2 * (step & inward));
}

/* The neighbours of a double that is not 0, in the bits, which order magnitudes. */
EXB_INLINE double next_above(double x)
{
    uint64_t b = exb_bits(x);
    return exb_from_bits(b + 1 - 2 * (b >> 63));
}

EXB_INLINE double next_below(double x)
{
    return -next_above(-x);
}

/* The same for float data, whose products are exact (e_k = 0), so that one or two terms
 * are always decided. lo and hi move outward by one double (certify.h), then enclose the
 * sum; a zero between them would be rounded to two zeros that compare equal. Products
 * of floats and their sums are far from the limits of double. */
EXB_INLINE exb_bracket rounded_s(int n_terms, sum s)
{
    double odd = to_odd(s.h, s.last);
    double finite = __builtin_fabs(s.h) <= DBL_MAX ? odd : (double)NAN;
    if (n_terms <= 2)
        return (exb_bracket){finite, finite};
    exb_bracket b = bracket(s);
    double lo = b.lo * b.hi > 0 ? next_below(b.lo) : (double)NAN;
    bool exact = s.rest == 0;
    return (exb_bracket){exact ? finite : lo, exact ? finite : next_above(b.hi)};
}

EXB_INLINE exb_bracket rounded(int n_terms, sum s)
{
    return EXB_IS_S ? rounded_s(n_terms, s) : rounded_d(s);
}

/* One instance per number of terms. The last conversions have a loop of their own: a
 * compiler may put a conversion behind a branch, which ends vectorisation. */
EXB_INLINE bool combine(int n_terms, int64_t n, const double *coef, const double *const *term,
                        exb_real *out)
{
    double lo[EXB_GROUP], hi[EXB_GROUP];
    const double *x0 = term[0], *x1 = n_terms > 1 ? term[1] : NULL;
    const double *x2 = n_terms > 2 ? term[2] : NULL, *x3 = n_terms > 3 ? term[3] : NULL;
    double a0 = coef[0], a1 = n_terms > 1 ? coef[1] : 0;
    double a2 = n_terms > 2 ? coef[2] : 0, a3 = n_terms > 3 ? coef[3] : 0;
    int64_t n_undecided = 0;
    for (int64_t i = 0; i < n; i++) {
        sum s = first(a0, x0[i]);
        if (n_terms > 1)
            s = add(s, a1, x1[i]);
        if (n_terms > 2)
            s = add(s, a2, x2[i]);
        if (n_terms > 3)
            s = add(s, a3, x3[i]);
        exb_bracket b = rounded(n_terms, s);
        lo[i] = b.lo;
        hi[i] = b.hi;
    }
    for (int64_t i = 0; i < n; i++) {
        exb_real r = (exb_real)lo[i];
        out[i] = r == (exb_real)hi[i] ? r : (exb_real)NAN;
        n_undecided += out[i] != out[i];
    }
    return n_undecided == 0;
}

bool exb_ti(combine)(int n_terms, int64_t n, const double *coef, const double *const *term,
                     exb_real *out)
{
    switch (n_terms) {
    case 1:
        return combine(1, n, coef, term, out);
    case 2:
        return combine(2, n, coef, term, out);
    case 3:
        return combine(3, n, coef, term, out);
    default:
        return combine(4, n, coef, term, out);
    }
}

/* The bits of non-negative numbers are ordered as the numbers, NaN above Inf. */
EXB_INLINE int64_t key(double magnitude)
{
    int64_t b = (int64_t)exb_bits(magnitude);
    return b < EXB_KEY_NAN ? b : EXB_KEY_NAN;
}

int64_t exb_ti(peak)(int n_parts, int64_t n, const exb_real *x)
{
    int64_t most = 0;
    if (n_parts == 1)
        for (int64_t i = 0; i < n; i++) {
            int64_t k = key(__builtin_fabs((double)x[i]));
            most = k > most ? k : most;
        }
    else
        for (int64_t i = 0; i < n; i++) {
            double re = x[2 * i], im = x[2 * i + 1];
            int64_t k = key(__builtin_fabs(re) + __builtin_fabs(im));
            most = k > most ? k : most;
        }
    return most;
}
