/* Evaluating a tree as the function would. */
#include "exact.h"
#include "format.h"
#include "tree.h"

#include <math.h>

/* The next wider type: of double x87's, of float double, of the short ones float. Wide
 * values are exact in long double; where that is no wider than double, there is no wider type. */
static long double wide_round(fprev_type type, long double x)
{
    if (type == FPREV_DOUBLE)
        return x;
    return type == FPREV_FLOAT ? (double)x : (float)x;
}

static long double term(const fprev_function *f, double a, double b)
{
    if (f->absolute)
        return fabs(a);
    return f->product ? fprev_mul(f->result_type, a, b) : a;
}

/* x + y for an addition with this mark. */
static long double add(const fprev_function *f, bool wide, long double x, long double y)
{
    if (wide)
        return wide_round(f->result_type, x + y);
    if (f->result_type == FPREV_DOUBLE) /* a wide operand comes rounded to a store */
        return (double)x + (double)y;
    return fprev_round(f->result_type, (double)x + (double)y);
}

/* a * b + y, the product unrounded. */
static long double add_product(const fprev_function *f, bool wide, double a, double b,
                               long double y)
{
    if (!wide && (long double)fprev_round(f->result_type, (double)y) == y)
        return fprev_fma(f->result_type, a, b, (double)y);
    if (f->result_type == FPREV_DOUBLE)
        return add(f, wide, (long double)a * b, y);
    double x = fma(a, b, (double)y);
    return wide ? wide_round(f->result_type, x) : fprev_round(f->result_type, x);
}

static long double add_two(const fprev_tree *t, const fprev_function *f, int32_t node,
                           const double *a, const double *b, const long double *value)
{
    int32_t i = t->first[node], j = t->next[i];
    bool wide = t->mark[node] & FPREV_WIDE;
    if (t->mark[j] & FPREV_FUSED)
        return add_product(f, wide, a[j], b[j], value[i]);
    if (t->mark[i] & FPREV_FUSED)
        return add_product(f, wide, a[i], b[i], value[j]);
    return add(f, wide, value[i], value[j]);
}

/* A fused addition in pieces of bounded size would not be fused: any number of children
 * goes into one exact sum, with the same rules as fprev_fused_add. */
static double add_many(const fprev_tree *t, const fprev_function *f, const fprev_adder *adder,
                       int32_t node, const double *a, const double *b, const long double *value)
{
    enum { N_MAX = 64 };
    double x[N_MAX], y[N_MAX];
    int n = 0;
    for (int32_t c = t->first[node]; c >= 0; c = t->next[c], n++) {
        if (n == N_MAX)
            return NAN; /* no known unit is as wide */
        bool leaf = c < t->n_leaves;
        x[n] = leaf ? (f->absolute ? fabs(a[c]) : a[c]) : (double)value[c];
        y[n] = leaf && f->product ? b[c] : 1;
    }
    return fprev_fused_add(f->result_type, adder, n, x, y);
}

/* A multi-term unit also makes the shorter additions at the end of its chain, which have terms
 * of their own; two results of units are added as usual. */
static bool is_fused(const fprev_tree *t, const fprev_adder *adder, int32_t node)
{
    int32_t i = t->first[node], j = t->next[i];
    bool has_leaf = i < t->n_leaves || j < t->n_leaves;
    return t->next[j] >= 0 || (has_leaf && adder->extra_bits != FPREV_UNKNOWN);
}

double fprev_tree_evaluate(const fprev_tree *t, const fprev_function *f, const fprev_adder *adder,
                           const double *a, const double *b, long double *value)
{
    for (int32_t i = 0; i < t->n_leaves; i++)
        value[i] = term(f, a[i], b ? b[i] : 1);
    for (int32_t i = t->n_leaves; i < t->n_nodes; i++)
        value[i] = is_fused(t, adder, i) ? add_many(t, f, adder, i, a, b, value)
                                         : add_two(t, f, i, a, b, value);
    return fprev_round(f->result_type, (double)value[t->n_nodes - 1]);
}
