/* The kernel of linear combinations (kernels.h): certified sums of a few products, in loops
 * without branches that the compiler turns into vectors.
 * Types: s d. */
#include "level1/kernels/certified_sum.h"
#include "level1/linear.h"

/* A product of doubles that is not 0 but below 2^-960 may have an error of up to 2^-1074
 * that e does not hold. The rounding test allows for it, but the sum must not be called
 * exact: the bits of b. (Products of floats are doubles.) */
EXB_INLINE uint64_t hidden(double a, double b, double p)
{
    double threshold = a == 0 || EXB_IS_S ? 0 : EXB_PRODUCT_LEAST;
    return -(uint64_t)(__builtin_fabs(p) < threshold) & exb_bits(b);
}

EXB_INLINE double multiply_exactly(double a, double b, double *e)
{
    *e = 0;
    return EXB_IS_S ? a * b : exb_two_prod(a, b, e);
}

EXB_INLINE exb_sum first(double a, double b)
{
    double e, p = multiply_exactly(a, b, &e);
    return (exb_sum){1, p, 0, e, __builtin_fabs(p), exb_bits(e) | hidden(a, b, p), exb_bits(b)};
}

EXB_INLINE exb_sum add_term(exb_sum s, double a, double b)
{
    double e, p = multiply_exactly(a, b, &e);
    if (s.n_terms > 1) {
        s.low += s.last;
        s.inexact |= exb_bits(s.last);
    }
    s.h = exb_two_sum(s.h, p, &s.last);
    s.low = EXB_IS_S ? s.low : s.low + e;
    s.size += __builtin_fabs(p);
    s.inexact |= exb_bits(e) | hidden(a, b, p);
    s.operands |= exb_bits(b);
    s.n_terms++;
    return s;
}

/* The interval of the rounding test (certify.h). With u = 2^-53, k <= 4 terms and A the
 * exact sum of |p_k|: |e_k| <= u|p_k| and the k - 1 errors of h are at most uA(1 + 4u) each, so
 * that the terms of low + last have magnitudes of kuA(1 + 4u) together. l = low + last takes
 * at most 2k - 2 <= 6 additions, each with an error of at most u times that:
 *   |l - exact| <= 24 u^2 A (1 + 12u) < 2^-101 A.
 * size is A but for a factor 1 +- 4u. 2^-50 |l| + 2^-100 A exceeds that bound and
 * the u(|l| + e2) that certify.h adds for the two roundings below; 2^-1020 covers underflow. */
EXB_INLINE exb_bracket bracket(exb_sum s)
{
    double l = s.n_terms > 1 ? s.low + s.last : s.low;
    double e2 = 0x1p-50 * __builtin_fabs(l) + (0x1p-100 * s.size + EXB_UNDERFLOW_LOSS);
    return (exb_bracket){s.h + (l - e2), s.h + (l + e2)};
}

/* Two numbers that round to the same exb_real if the sum is decided, which that is then;
 * one is NaN if it is not.
 *
 * h is the exact sum rounded once if nothing was inexact but the last addition; this
 * decides ties, which are common (averages). All b_k = 0: h is a zero with IEEE's sign, or
 * NaN if a coefficient is Inf. Otherwise the rounding test decides, in its range. */
EXB_INLINE exb_bracket rounded_d(exb_sum s)
{
    exb_bracket b = bracket(s);
    double m = __builtin_fabs(s.h);
    bool inexact = s.inexact << 1 != 0, not_zero = s.operands << 1 != 0;
    b.lo = exb_choose(inexact, b.lo, s.h);
    b.hi = exb_choose(inexact, b.hi, s.h);
    b.lo = exb_choose(m >= EXB_CERTIFIED_LEAST, b.lo, (double)NAN);
    b.hi = exb_choose(m <= EXB_CERTIFIED_MOST, b.hi, (double)NAN);
    return (exb_bracket){exb_choose(not_zero, b.lo, s.h), exb_choose(not_zero, b.hi, s.h)};
}

/* The same for float data, whose products are exact (e_k = 0), so that one or two terms
 * are always decided. lo and hi move outward by one double (certify.h), then enclose the
 * sum; a zero between them would be rounded to two zeros that compare equal. Products
 * of floats and their sums are far from the limits of double. */
EXB_INLINE exb_bracket rounded_s(exb_sum s)
{
    double odd = exb_to_odd(s.h, s.last);
    double finite = exb_choose(__builtin_fabs(s.h) <= DBL_MAX, odd, (double)NAN);
    if (s.n_terms <= 2)
        return (exb_bracket){finite, finite};
    exb_bracket b = bracket(s);
    double lo = exb_choose(b.lo * b.hi > 0, exb_next_below(b.lo), (double)NAN);
    double hi = exb_next_above(b.hi);
    bool inexact = s.inexact << 1 != 0;
    return (exb_bracket){exb_choose(inexact, lo, finite), exb_choose(inexact, hi, finite)};
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
    int64_t n_uncertified = 0;
    for (int64_t i = 0; i < n; i++) {
        exb_sum s = first(a0, x0[i]);
        if (n_terms > 1)
            s = add_term(s, a1, x1[i]);
        if (n_terms > 2)
            s = add_term(s, a2, x2[i]);
        if (n_terms > 3)
            s = add_term(s, a3, x3[i]);
        exb_bracket b = EXB_IS_S ? rounded_s(s) : rounded_d(s);
        lo[i] = b.lo;
        hi[i] = b.hi;
    }
    for (int64_t i = 0; i < n; i++) {
        exb_real r = (exb_real)lo[i];
        out[i] = r == (exb_real)hi[i] ? r : (exb_real)NAN;
        n_uncertified += out[i] != out[i];
    }
    return n_uncertified == 0;
}

static bool combine_terms(int n_terms, int64_t n, const double *coef, const double *const *term,
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

/* Elements begin ... begin + n - 1 as doubles, contiguously. Increments 1 and 2, real and
 * complex vectors, have loops of their own for the compiler to turn into vectors. */
EXB_INLINE void load_vector(const exb_t(linear_vector) *v, int64_t begin, int64_t n, double *buffer)
{
    const exb_real *p = v->p + begin * v->inc;
    if (v->inc == 1)
        for (int64_t i = 0; i < n; i++)
            buffer[i] = p[i];
    else if (v->inc == 2)
        for (int64_t i = 0; i < n; i++)
            buffer[i] = p[2 * i];
    else
        for (int64_t i = 0; i < n; i++)
            buffer[i] = p[i * v->inc];
}

static void store(const exb_t(linear_vector) *v, int64_t begin, int64_t n, const exb_real *out)
{
    exb_real *p = v->out + begin * v->inc;
    if (v->inc == 1)
        memcpy(p, out, (size_t)n * sizeof *p);
    else
        for (int64_t i = 0; i < n; i++)
            p[i * v->inc] = out[i];
}

/* Contiguous complex elements. */
static void store_pairs(exb_real *p, int64_t n, const exb_real *re, const exb_real *im)
{
    for (int64_t i = 0; i < n; i++) {
        p[2 * i] = re[i];
        p[2 * i + 1] = im[i];
    }
}

/* A few elements of all vectors. */
typedef struct {
    double x[EXB_LINEAR_VECTORS][EXB_GROUP];
    exb_real out[EXB_LINEAR_VECTORS][EXB_GROUP];
} group;

static void combine_group(const exb_t(linear_vector) *v, int64_t n, const group *g, exb_real *out)
{
    const double *term[EXB_LINEAR_TERMS];
    for (int k = 0; k < v->n_terms; k++)
        term[k] = g->x[v->input[k]];
    if (!combine_terms(v->n_terms, n, v->coef, term, out))
        exb_t(linear_resolve)(v, n, term, out);
}

static void store_all(const exb_t(linear) *l, int64_t begin, int64_t n, const group *g)
{
    const exb_t(linear_vector) *v = l->vector;
    for (int k = 0; k < l->n_vectors; k++) {
        if (!v[k].out)
            continue;
        /* The two parts of a complex vector; real vectors may interleave as well, with
         * other increments. */
        bool is_pair = k + 1 < l->n_vectors && v[k].inc == 2 && v[k + 1].inc == 2 &&
                       v[k + 1].out == v[k].out + 1;
        if (is_pair) {
            store_pairs(v[k].out + 2 * begin, n, g->out[k], g->out[k + 1]);
            k++;
        } else {
            store(&v[k], begin, n, g->out[k]);
        }
    }
}

void exb_ti(linear)(const exb_t(linear) *l, int64_t begin, int64_t end, int64_t step)
{
    group g;
    for (int64_t i = begin; i < end; i += step) {
        int64_t n = end - i < step ? end - i : step;
        for (int k = 0; k < l->n_vectors; k++)
            load_vector(&l->vector[k], i, n, g.x[k]);
        for (int k = 0; k < l->n_vectors; k++)
            if (l->vector[k].out)
                combine_group(&l->vector[k], n, &g, g.out[k]);
        store_all(l, i, n, &g);
    }
}
