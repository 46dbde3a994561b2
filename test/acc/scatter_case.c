#include "scatter_case.h"

#include "adversarial.h"
#include "core/arith/eft.h"
#include "oracle.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *name;
    int64_t most_bins;      /* with terms */
    int64_t spread;         /* n_bins is about this many times as large */
    int64_t least, largest; /* terms of a bin */
    bool has_heavy;         /* the first bin takes most of the terms */
} shape;

static const shape shapes[] = {
    {"one bin", 1, 1, 1, INT64_MAX, false},          {"few bins", 5, 1, 0, 200, false},
    {"single terms", 400, 1, 1, 1, false},           {"some terms", 200, 1, 0, 12, false},
    {"one heavy bin", 60, 1, 0, 12, true},           {"many empty bins", 100, 3, 0, 6, false},
    {"few of very many bins", 50, 300, 1, 9, false},
};

size_t scatter_shapes(void)
{
    return sizeof shapes / sizeof *shapes;
}

static void *array(int64_t n, size_t size)
{
    void *p = calloc((size_t)n + 1, size);
    assert(p);
    return p;
}

/* What an output that no term goes to may hold: any bits. */
static double any_bits(test_random *r, number_format f)
{
    static const double odd[] = {-0.0, (double)INFINITY, -(double)INFINITY};
    if (random_chance(r, 2))
        return odd[random_between(r, 0, 2)];
    /* A float's signalling NaN would not survive its conversion. */
    return f == FORMAT_D ? from_bits(random_bits(r)) : random_scalar(r, f);
}

/* 1 and n - 1 numbers below half of its last place, chosen so that rounding errors of their plain
 * sum pile up in one direction. */
static void drifting_terms(test_random *r, int64_t n, double *x)
{
    double c = 0;
    x[0] = 1;
    for (int64_t i = 1; i < n; i++) {
        double best = -1, next = c;
        for (int k = 0; k < 12 || best < 0; k++) {
            double t = fabs(random_number(r, FORMAT_D, (int)random_between(r, -60, -55))), lost;
            double sum = exb_two_sum(c, t, &lost);
            if (-lost > best) {
                best = -lost;
                next = sum;
                x[i] = t;
            }
        }
        c = next;
    }
}

/* Drifting terms and two that bring their sum as close to a tie as doubles allow: closer
 * than the error that has piled up. n > 3. */
static void fill_drifting_tie(test_random *r, int64_t n, double *x)
{
    ORACLE(o);
    drifting_terms(r, n - 2, x);
    for (int64_t i = 0; i < n - 2; i++)
        oracle_add(&o, x[i]);
    oracle_add(&o, -1);
    oracle_add(&o, -0x1p-53 * (double)(2 * random_between(r, 0, 9) + 1));
    for (int64_t i = n - 2; i < n; i++) {
        x[i] = random_chance(r, 3) ? 0 : -oracle_round(&o, FORMAT_D);
        oracle_add(&o, x[i]);
    }
}

/* The bin's y and terms, all of one kind of sum. */
static void fill_bin(test_random *r, scatter_case *c, int64_t bin, int64_t n_terms)
{
    double *sum = array(n_terms + 1, sizeof *sum);
    size_t kind = (size_t)random_between(r, 0, (int64_t)terms_kinds() - 1);
    if (c->format == FORMAT_D && n_terms > 3 && random_chance(r, 6))
        fill_drifting_tie(r, n_terms + 1, sum);
    else
        terms_fill(kind, r, c->format, n_terms + 1, sum);
    if (random_chance(r, 3))
        sum[n_terms] = 0;
    c->y[bin] = n_terms ? sum[n_terms] : any_bits(r, c->format);
    for (int64_t i = 0; i < n_terms; i++) {
        c->x[c->n] = sum[i];
        c->index[c->n++] = bin;
    }
    free(sum);
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

scatter_case scatter_case_make(test_random *r, number_format f, size_t which, int64_t most)
{
    const shape *s = &shapes[which];
    int64_t n_used = random_between(r, 1, s->most_bins);
    scatter_case c = {.format = f, .shape = s->name, .n_bins = n_used * s->spread};
    c.x = array(most, sizeof *c.x);
    c.index = array(most, sizeof *c.index);
    c.y = array(c.n_bins, sizeof *c.y);
    c.answer = array(c.n_bins, sizeof *c.answer);
    for (int64_t bin = 0; bin < c.n_bins; bin++)
        c.y[bin] = any_bits(r, f);
    for (int64_t i = 0; i < n_used; i++) {
        int64_t bin = i * s->spread + random_between(r, 0, s->spread - 1);
        int64_t room = most - c.n;
        int64_t n = random_between(r, least_of(s->least, room), least_of(s->largest, room));
        fill_bin(r, &c, bin, i == 0 && s->has_heavy ? room * 3 / 4 : n);
    }
    if (!random_chance(r, 4))
        scatter_case_shuffle(r, &c);
    scatter_case_answer(&c);
    return c;
}

void scatter_case_free(scatter_case *c)
{
    free(c->x);
    free(c->index);
    free(c->y);
    free(c->answer);
}

/* One oracle for all bins would have to be reset; instead each bin's terms are chained. */
void scatter_case_answer(scatter_case *c)
{
    int64_t *first = array(c->n_bins, sizeof *first), *next = array(c->n, sizeof *next);
    ORACLE(o);
    for (int64_t bin = 0; bin < c->n_bins; bin++)
        first[bin] = -1;
    for (int64_t i = 0; i < c->n; i++) {
        next[i] = first[c->index[i]];
        first[c->index[i]] = i;
    }
    for (int64_t bin = 0; bin < c->n_bins; bin++) {
        c->answer[bin] = c->y[bin];
        if (first[bin] < 0)
            continue;
        oracle_reset(&o);
        oracle_add(&o, c->y[bin]);
        for (int64_t i = first[bin]; i >= 0; i = next[i])
            oracle_add(&o, c->x[i]);
        c->answer[bin] = oracle_round(&o, c->format);
    }
    free(first);
    free(next);
}

void scatter_case_shuffle(test_random *r, scatter_case *c)
{
    for (int64_t i = c->n - 1; i > 0; i--) {
        int64_t j = random_between(r, 0, i), k = c->index[i];
        double x = c->x[i];
        c->x[i] = c->x[j];
        c->x[j] = x;
        c->index[i] = c->index[j];
        c->index[j] = k;
    }
}

bool scatter_case_holds(const scatter_case *c, scatter_fn *f)
{
    bool holds = true;
    double *y = array(c->n_bins, sizeof *y);
    memcpy(y, c->y, (size_t)c->n_bins * sizeof *y);
    exblas_status status = f(c->format, c->n, c->x, c->index, c->n_bins, y);
    if (status != EXBLAS_OK) {
        printf("# %s: %s\n", c->shape, exblas_status_text(status));
        holds = false;
    }
    for (int64_t bin = 0; bin < c->n_bins && holds; bin++)
        if (!same_bits(y[bin], c->answer[bin])) {
            printf("# %s, %s: bin %lld of %lld, %lld terms in all, is %a, not %a\n", c->shape,
                   c->format == FORMAT_S ? "float" : "double", (long long)bin, (long long)c->n_bins,
                   (long long)c->n, y[bin], c->answer[bin]);
            holds = false;
        }
    free(y);
    return holds;
}
