/* How many moduli a product needs, from a sample of its elements. The sample decides on speed
 * alone: what is not certified later is computed otherwise. Types: s d. */
#include "level3/engine.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "level3/residue.h"

#include <stdlib.h>

enum { SAMPLE = 8, TERMS = 4096, LIKELY = EXB_IS_S ? 9 : 16 /* moduli */ };

/* SAMPLE rows and columns, TERMS equally spaced terms of each. */
typedef struct {
    int n_rows, n_columns, n_terms;
    double more; /* terms of the product for each of the sample */
    double a[SAMPLE][TERMS], b[SAMPLE][TERMS];
    int shift_a[SAMPLE], shift_b[SAMPLE]; /* exponents of what is far from 1 */
    double value[SAMPLE][SAMPLE];         /* about what the elements are, in those units */
} sample;

/* One of each of n_samples equal ranges, not equally spaced: every fourth row may be zero. */
static int64_t sampled_vector(int64_t n, int n_samples, int i)
{
    int64_t begin = n * i / n_samples, end = n * (i + 1) / n_samples;
    uint32_t any = (uint32_t)(i + 1) * 2654435769u >> 8;
    return begin + any % (end - begin);
}

static void take_vectors(const exb_t(operand) *o, int64_t n, int64_t k, int n_vectors, int n_terms,
                         double out[SAMPLE][TERMS])
{
    exb_real two[2];
    for (int v = 0; v < n_vectors; v++)
        for (int l = 0; l < n_terms; l++) {
            int64_t vector = sampled_vector(n, n_vectors, v), term = k * l / n_terms;
            /* Gathered operands come in pairs. */
            int64_t even = o->gather ? term & ~(int64_t)1 : term;
            exb_t(elements) x = exb_t(operand_at)(o, vector, 1, even, o->gather ? 2 : 1, two);
            out[v][l] = x.p[(term - even) * x.ls];
        }
}

/* The exponent of the largest magnitude if it is beyond 2^+-200; 0 for zeros and what is not
 * finite. */
static int far_exponent(const double *x, int n)
{
    double top = 0;
    int e = 0;
    for (int l = 0; l < n; l++)
        top = fmax(top, fabs(x[l]));
    if (top > 0 && top <= DBL_MAX)
        frexp(top, &e);
    return abs(e) > 200 ? e : 0;
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
        s->shift_a[i] = far_exponent(s->a[i], s->n_terms);
    for (int j = 0; j < s->n_columns; j++)
        s->shift_b[j] = far_exponent(s->b[j], s->n_terms);
    for (int i = 0; i < s->n_rows; i++)
        for (int j = 0; j < s->n_columns; j++) {
            double sum = 0, scale = ldexp(1, -s->shift_a[i] / 2 - s->shift_b[j] / 2);
            double rest = ldexp(1, -(s->shift_a[i] - s->shift_a[i] / 2) -
                                       (s->shift_b[j] - s->shift_b[j] / 2));
            for (int l = 0; l < s->n_terms; l++)
                sum += s->a[i][l] * scale * (s->b[j][l] * rest);
            s->value[i][j] = fabs(sum) * sqrt(s->more);
        }
}

/* Norms of a sampled vector and of what n_moduli would leave out of it, unscaled. */
typedef struct {
    double inf, two, lost_1, lost_2;
} norms;

/* `more`: the vector has that many times the terms of the sample. In units of 2^shift. */
static norms norms_of(const double *x, int n, double more, double log2_p, int shift)
{
    norms r = {0, 0, 0, 0};
    double scale = shift ? ldexp(1, -shift / 2) : 1,
           rest = shift ? ldexp(1, -(shift - shift / 2)) : 1;
    double scaled[TERMS];
    for (int l = 0; l < n; l++) {
        scaled[l] = x[l] * scale * rest;
        r.two += scaled[l] * scaled[l];
        r.inf = fmax(r.inf, fabs(scaled[l]));
    }
    r.two = sqrt(r.two * more);
    if (!(r.two <= DBL_MAX))
        return (norms){INFINITY, INFINITY, INFINITY, INFINITY};
    if (r.two == 0)
        return r;
    /* Adding 2^52 units to a magnitude below that rounds to the unit. */
    double unit = ldexp(1, (int)-floor((log2_p - 1) / 2 - 0.01 - log2(r.two)));
    double magic = 0x1p52 * unit;
    for (int l = 0; l < n; l++) {
        double m = fabs(scaled[l]), delta = m >= magic ? 0 : m - ((m + magic) - magic);
        r.lost_1 += fabs(delta);
        r.lost_2 += delta * delta;
    }
    r.lost_1 *= more;
    r.lost_2 = sqrt(r.lost_2 * more);
    return r;
}

/* The share of sampled elements whose enclosure holds a rounding boundary, if the boundaries are
 * ulp(value) apart and lie anywhere. */
static double failure_rate(const sample *s, double log2_p)
{
    norms a[SAMPLE], b[SAMPLE];
    double sum = 0;
    for (int i = 0; i < s->n_rows; i++)
        a[i] = norms_of(s->a[i], s->n_terms, s->more, log2_p, s->shift_a[i]);
    for (int j = 0; j < s->n_columns; j++)
        b[j] = norms_of(s->b[j], s->n_terms, s->more, log2_p, s->shift_b[j]);
    for (int i = 0; i < s->n_rows; i++)
        for (int j = 0; j < s->n_columns; j++) {
            double e = fmin(a[i].lost_1 * b[j].inf, a[i].lost_2 * b[j].two) +
                       fmin(a[i].inf * b[j].lost_1, a[i].two * b[j].lost_2);
            double ulp = (EXB_IS_S ? 0x1p-23 : 0x1p-52) * s->value[i][j];
            sum += e == 0 ? 0 : ulp > 0 ? fmin(1, 2 * e / ulp) : 1;
        }
    return sum / (s->n_rows * s->n_columns);
}

/* The share of open elements that is worth no further modulus. An element by itself costs about
 * twice what a modulus costs in a block of 1 / 0.0005, if 120 products of bytes take a cycle. */
static double tolerated(const exb_residue_kernels *kernels)
{
    return 0.0005 * 120 / kernels->products;
}

/* Cycles that a product takes by chains of FMAs, or, of doubles where there is none, by expansions
 * (8 with vectors of two, by measurement). By chains, of doubles: four operations for as many as a
 * vector holds, and a twelfth more, by measurement on Zen 5 (0.135 with vectors of 64 bytes and
 * 0.27 with vectors of 32, where residues are as fast at n = 4000 and at n = 1500; what Xeons with
 * AVX-512 took before, 0.29, is counted as 0.27). Of floats: one FMA of doubles, of which there are
 * two a cycle (0.06 with vectors of 64 bytes). */
static double chain_cycles(void)
{
    double lanes = exb_kernels_current()->tile_rows;
    if (lanes == 8 && exb_cpu_halves_vectors())
        lanes = 4;
    if (!EXB_IS_S && !exb_kernels_current()->has_fma)
        return 16 / lanes;
    return (EXB_IS_S ? 1.0 / 2 : 13.0 / 12 * 4 / exb_cpu_operations()) / lanes;
}

/* Cost in cycles: bytes for a product, an eighth less where it is halved; the work for each
 * converted and for each reconstructed element, by measurement; for chains, the products. */
static bool residues_pay(const exb_t(product) *p, const exb_residue_kernels *kernels, int n)
{
    double m = (double)p->m, columns = (double)p->n, k = (double)p->k;
    double all = m * columns * k, operands = (m + columns) * k, elements = m * columns;
    int64_t least = exb_least(exb_least(p->m, p->n), p->k);
    bool halved = kernels->most_levels > 0 && least >= 2 * EXB_RESIDUE_HALF;
    double in_halves = exb_cpu_halves_vectors() ? 2 : 1;
    double bytes = (halved ? 0.875 : 1) * all * in_halves / kernels->products;
    double residues = n * (bytes + 0.4 * operands + 0.4 * elements);
    return residues + 6 * (operands + elements) < chain_cycles() * all;
}

int exb_t(residue_choose)(const exb_t(product) *p, const exb_residue_kernels *kernels, bool forced)
{
    if (!forced && !residues_pay(p, kernels, LIKELY))
        return 0;
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
    return forced || (!fails && residues_pay(p, kernels, low)) ? low : 0;
}
