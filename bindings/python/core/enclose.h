/* Sums as enclosures (core/arith/enclosure.h), which nearly always decide a result. All of this is
 * called in round to nearest (core/fpenv.h); where nothing is known, accumulators decide. */
#ifndef EXBLAS_PYTHON_ENCLOSE_H
#define EXBLAS_PYTHON_ENCLOSE_H

#include "array.h"

#include "acc/enclosure_of.h"

/* The sum of the terms of a line, or of two lines of one length. */
exb_enclosure line_enclosure(exb_term term, const line *x, const line *y);

/* Rounding to double and then to single precision is no different from once, unless the first
 * result is halfway between two floats or subnormal. */
EXB_INLINE bool narrows_once(double x)
{
    return !(exb_fabs(x) < 0x1p-126) & ((exb_bits(x) & 0x1fffffff) != 0x10000000);
}

/* A sum, s + c but for a bound. Each term p is added as (s, q) = two_sum(s, p) and (c, r) =
 * two_sum(c, q), without errors: what is left out is the sum of all r, and b that of their
 * magnitudes. Computed, b is too small by less than 2^-19 of it for fewer than 2^32 numbers, each
 * of one or two terms. If b = 0, s + c is exact. */
typedef struct {
    double s, c, b;
} exact_sum;

EXB_INLINE void exact_sum_add(exact_sum *a, double p)
{
    double q, r;
    a->s = exb_two_sum(a->s, p, &q);
    a->c = exb_two_sum(a->c, q, &r);
    a->b += exb_fabs(r);
}

EXB_INLINE double sum_bound(double b)
{
    return b * (1 + 0x1p-19);
}

/* As exb_certify_d each, ties included: result, and where it is certified but for the range of s
 * |s|, else 0. A loop that compilers make vectors of. */
EXB_INLINE void certify_sums(int n, const double *s, const double *c, const double *b,
                             double *restrict result, double *restrict certain)
{
    for (int i = 0; i < n; i++) {
        exb_bracket bracket = exb_bracket_of(s[i], c[i], sum_bound(b[i]));
        bool is_exact = b[i] == 0;
        result[i] = is_exact ? s[i] + c[i] : bracket.lo;
        certain[i] = ((bracket.lo == bracket.hi) | is_exact) ? exb_fabs(s[i]) : 0;
    }
}

/* Whether such a result is s + c rounded to single or double precision. */
EXB_INLINE bool sum_is_known(int format, double result, double certain, double c, double b)
{
    bool is_double = format == EXBLAS_DOUBLE || (c == 0 && b == 0);
    return exb_certifiable(certain) && (is_double || narrows_once(result));
}

/* Sums of many short lines at once, one a lane. */
enum { LANES = CHUNK };
typedef struct {
    double s[LANES], c[LANES], w[LANES]; /* as in core/arith/compensated.h, or exact_sum */
} lanes;

static inline void lanes_clear(int n, double *s, double *c, double *w)
{
    for (int k = 0; k < n; k++)
        s[k] = c[k] = w[k] = 0;
}

/* Adds number k of the line, and if has_next of the one `next` bytes on, or its square, to lane k.
 * At most LANES numbers. False if they are too wide to be squared. */
void lanes_add(lanes *a, const line *x, bool has_next, int64_t next, bool exactly);

bool lanes_add_squares(lanes *a, const line *x);

/* Of 1 to 32 lines of floats, step bytes apart, the sums over d = n_lines or 1, rounded to floats;
 * or false. */
bool float_means(const line *x, int64_t n_lines, int64_t step, double d, double *restrict mean);

/* The sums of n lanes to which terms were added exactly, as lanes_means. */
void lanes_sums(const lanes *a, int n, int format, double *sum, bool *is_known);

/* Means of n lanes of exact terms, n_terms of which each has had: mean[k] is that of lane k,
 * rounded to single or double precision, where is_known[k]. */
void lanes_means(const lanes *a, int n, int64_t n_terms, int format, double *mean, bool *is_known);

/* Of n lanes of sums and of squares: their moments (n_terms squares - sum^2) / (n_terms left), or
 * with left = 0 the squares, or the roots; as lanes_means. left <= EXB_COMPENSATED_MOST. */
void lanes_moments(const lanes *sum, const lanes *squares, int n, int64_t n_terms, int64_t left,
                   bool is_root, int format, double *restrict result, bool *restrict is_known);

/* Sums of floats or integers, exact terms in doubles, and of their magnitudes or squares. */
typedef struct {
    int64_t n_terms;        /* that each lane gets, at most EXB_COMPENSATED_MOST / 2 */
    bool squares, is_whole; /* is_whole: of integers */
    double s[LANES], w[LANES];
} plain_lanes;

/* False if integers are too wide. */
bool plain_add(plain_lanes *a, const line *x);

/* The results of n lanes, rounded to floats, of integers to doubles, and how many are known: means,
 * or of squares roots of their sums, or with left > 0 moments (n_terms w - s^2) / (n_terms left)
 * or, of floats, their roots. */
int plain_results(const plain_lanes *a, int n, int64_t left, bool is_root, double *result,
                  bool *is_known);

/* a b. */
exb_enclosure enclosure_product(exb_enclosure a, exb_enclosure b);

/* n xy - x_0 y_0 - ...: what exblas_moment is (exblas/accumulator.h), from enclosures. */
exb_enclosure moment_enclosure(int64_t n, exb_enclosure xy, int n_pairs, const exb_enclosure *x,
                               const exb_enclosure *y);

/* v / (n d), 1 <= n < 2^53, 1 <= d; not known for d from 2^53 on. */
exb_enclosure moment_quotient(exb_enclosure v, int64_t n, int64_t d);

/* The least magnitude of the numbers of a line but zeros, of at most CHUNK; 0: not known. */
double line_least(const line *l);

/* If true, *r is v / d rounded to single or double precision, for v.exact and 1 <= d < 2^53:
 * decides ties. */
bool exact_quotient(exb_enclosure v, double d, int format, double *r);

/* If true, *r is v rounded to single or double precision. */
EXB_INLINE bool enclosure_round(exb_enclosure v, int format, double *r)
{
    float f;
    if (!exb_enclosure_is_finite(v))
        return false;
    if (format == EXBLAS_DOUBLE)
        return exb_enclosure_round_d(v, r);
    bool is_known = format == EXBLAS_SINGLE && exb_enclosure_round_s(v, &f);
    if (is_known)
        *r = (double)f;
    return is_known;
}

#endif
