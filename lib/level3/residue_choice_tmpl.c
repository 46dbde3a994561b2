/* How many moduli a product needs, from a sample of its elements. The sample decides on speed
 * alone: what is not certified later is computed otherwise. Types: s d. */
#include "level3/flow.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "level3/residue.h"

#include <stdlib.h>

enum { SAMPLE = 8, TERMS = 4096 };

/* SAMPLE rows and columns, TERMS equally spaced terms of each. */
typedef struct {
    int n_rows, n_columns, n_terms;
    double more;                               /* terms of the product for each of the sample */
    double a[SAMPLE][TERMS], b[SAMPLE][TERMS]; /* times powers of two if they are far from 1 */
    double value[SAMPLE][SAMPLE];              /* about what the elements are, in those units */
} sample;

/* One of each of n_samples equal ranges, not equally spaced: every fourth row may be zero. */
static int64_t sampled_vector(int64_t n, int n_samples, int i)
{
    int64_t begin = n * i / n_samples, end = n * (i + 1) / n_samples;
    uint32_t any = (uint32_t)(i + 1) * 2654435769u >> 8;
    return begin + any % (end - begin);
}

/* Takes a vector whose largest magnitude is beyond 2^+-200 near 1. */
static void bring_near(double *x, int n)
{
    double top = 0;
    int e = 0;
    for (int l = 0; l < n; l++)
        top = fmax(top, fabs(x[l]));
    if (top > 0 && top <= DBL_MAX)
        frexp(top, &e);
    for (int l = 0; abs(e) > 200 && l < n; l++)
        x[l] = ldexp(x[l], -e);
}

static void take_vectors(const exb_t(operand) *o, int64_t n, int64_t k, int n_vectors, int n_terms,
                         double out[SAMPLE][TERMS])
{
    exb_real two[2];
    for (int v = 0; v < n_vectors; v++) {
        for (int l = 0; l < n_terms; l++) {
            int64_t vector = sampled_vector(n, n_vectors, v), term = k * l / n_terms;
            int64_t even = term & ~(int64_t)1; /* gathered operands come in pairs */
            exb_t(elements) x = exb_t(operand_at)(o, vector, 1, even, exb_least(2, k - even), two);
            out[v][l] = x.p[(term - even) * x.ls];
        }
        bring_near(out[v], n_terms);
    }
}

static void take_sample(const exb_t(product) *p, sample *s)
{
    s->n_rows = (int)exb_least(p->m, SAMPLE);
    s->n_columns = (int)exb_least(p->n, SAMPLE);
    s->n_terms = (int)exb_least(p->k, TERMS);
    s->more = (double)p->k / s->n_terms;
    take_vectors(&p->a, p->m, p->k, s->n_rows, s->n_terms, s->a);
    take_vectors(&p->b, p->n, p->k, s->n_columns, s->n_terms, s->b);
    for (int i = 0; i < s->n_rows; i++)
        for (int j = 0; j < s->n_columns; j++) {
            double sum = 0;
            for (int l = 0; l < s->n_terms; l++)
                sum += s->a[i][l] * s->b[j][l];
            s->value[i][j] = fabs(sum) * sqrt(s->more);
        }
}

/* Norms of a sampled vector and of what n_moduli would leave out of it, unscaled. */
typedef struct {
    double inf, two, lost_1, lost_2;
    int n_lost; /* of how many elements */
} norms;

/* `more`: the vector has that many times the terms of the sample. */
static norms norms_of(const double *x, int n, double more, double log2_p)
{
    norms r = {0, 0, 0, 0, 0};
    for (int l = 0; l < n; l++) {
        r.two += x[l] * x[l];
        r.inf = fmax(r.inf, fabs(x[l]));
    }
    r.two = sqrt(r.two * more);
    if (!(r.two <= DBL_MAX))
        return (norms){INFINITY, INFINITY, INFINITY, INFINITY, n};
    if (r.two == 0)
        return r;
    /* The unit of a vector an eighth longer, which few of some hundred alike are: numbers of 48
     * bits that just fit in the sample would lose a bit in each row a little longer. Adding 2^52
     * units to a magnitude below that rounds to the unit. */
    double unit = ldexp(1, (int)-floor((log2_p - 1) / 2 - 0.01 - log2(1.125 * r.two)));
    double magic = 0x1p52 * unit;
    for (int l = 0; l < n; l++) {
        double m = fabs(x[l]), delta = m >= magic ? 0 : m - ((m + magic) - magic);
        r.lost_1 += fabs(delta);
        r.lost_2 += delta * delta;
        r.n_lost += delta != 0;
    }
    r.lost_1 *= more;
    r.lost_2 = sqrt(r.lost_2 * more);
    return r;
}

static void find_norms(const sample *s, double log2_p, norms *a, norms *b)
{
    for (int i = 0; i < s->n_rows; i++)
        a[i] = norms_of(s->a[i], s->n_terms, s->more, log2_p);
    for (int j = 0; j < s->n_columns; j++)
        b[j] = norms_of(s->b[j], s->n_terms, s->more, log2_p);
}

/* The number of rounding boundaries, at most `most`, that the enclosure of an element holds, if
 * they are ulp(value) apart and lie anywhere. */
static double boundaries(const norms *a, const norms *b, double value, double most)
{
    double e =
        fmin(a->lost_1 * b->inf, a->lost_2 * b->two) + fmin(a->inf * b->lost_1, a->two * b->lost_2);
    double ulp = (EXB_IS_S ? 0x1p-23 : 0x1p-52) * value;
    return e == 0 ? 0 : ulp > 0 ? fmin(most, 2 * e / ulp) : most;
}

/* The share of sampled elements whose enclosure holds one. Where the sample loses nothing, other
 * vectors with smaller numbers may: if units 32 times as large lose a few elements, and not all
 * bits of integers, one in 32 vectors loses a 32th of that. */
static double failure_rate(const sample *s, double log2_p)
{
    norms a[SAMPLE], b[SAMPLE], coarse_a[SAMPLE], coarse_b[SAMPLE];
    double sum = 0;
    find_norms(s, log2_p, a, b);
    bool is_known = false;
    for (int i = 0; i < s->n_rows; i++)
        for (int j = 0; j < s->n_columns; j++) {
            double here = boundaries(&a[i], &b[j], s->value[i][j], 1);
            sum += here;
            if (here == 0 && !is_known)
                find_norms(s, log2_p - 10, coarse_a, coarse_b);
            is_known = is_known || here == 0;
            if (here == 0 && exb_most(coarse_a[i].n_lost, coarse_b[j].n_lost) < s->n_terms / 8)
                sum += boundaries(&coarse_a[i], &coarse_b[j], s->value[i][j], 32) / 1024;
        }
    return sum / (s->n_rows * s->n_columns);
}

/* The share of open elements that is worth no further modulus. An element by itself costs about
 * twice what a modulus costs in a block of 1 / 0.0005, if 120 products of bytes take a cycle. */
static double tolerated(const exb_residue_kernels *kernels)
{
    return 0.0005 * 120 / kernels->products;
}

int exb_t(residue_choose)(const exb_t(product) *p, const exb_residue_kernels *kernels, bool forced)
{
    sample *s = sizeof *s <= exb_memory_limit() ? exb_memory_get(sizeof *s) : NULL;
    if (!s)
        return forced ? EXB_MODULI_MAX : 0;
    take_sample(p, s);
    int low = EXB_MODULI_MIN, high = EXB_MODULI_MAX;
    while (low < high) {
        int middle = (low + high) / 2;
        if (failure_rate(s, exb_residue_log2(middle)) <= tolerated(kernels))
            high = middle;
        else
            low = middle + 1;
    }
    bool fails = failure_rate(s, exb_residue_log2(low)) > 0.05;
    exb_memory_put(s);
    return forced || (!fails && exb_t(residues_pay)(p, kernels, low)) ? low : 0;
}
