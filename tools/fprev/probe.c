#include "probe.h"

#include "format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int min(int x, int y)
{
    return x < y ? x : y;
}

/* Exponents. Types with a large range keep M far enough from overflow for a splitting
 * by 2^(p/2) + 1 and take 1 as unit; half needs all of its range. With products each factor
 * has half of what is needed where the result's range is the larger one (half to float). */
fprev_mask fprev_mask_of(const fprev_function *f)
{
    const fprev_format *in = &fprev_formats[f->type], *out = &fprev_formats[f->result_type];
    bool small = in->max_exp < 100, mixed = f->product && out->max_exp > in->max_exp;
    int high = small ? in->max_exp : in->max_exp - in->precision - 1;
    int low = small ? in->min_exp : 0;
    int high_b = mixed && small ? high : 0, low_b = mixed && small ? low : 0;
    if (small && !f->product && out->precision > in->precision)
        low -= in->precision - 1; /* the smallest subnormal number */
    /* 2^capacity units stay below 2^-4 half ulps of M: also fused additions that keep three
     * more bits swallow them. They are counted exactly up to 2^p. */
    int range = high + high_b - low - low_b - out->precision - 4;
    int bits = min(min(range, out->precision), 40);
    return (fprev_mask){ldexp(1, high), ldexp(1, high_b), ldexp(1, low), ldexp(1, low_b),
                        (int64_t)1 << (bits < 0 ? 0 : bits)};
}

bool fprev_probe_start(fprev_probe *p, const fprev_function *f, int64_t element,
                       volatile int64_t *count)
{
    size_t size = fprev_formats[f->type].size;
    *p = (fprev_probe){.f = f, .mask = fprev_mask_of(f), .element = element, .count = count};
    p->a = malloc((size_t)f->n_terms * size);
    p->b = f->product ? malloc((size_t)f->n_terms * size) : NULL;
    p->results = malloc((size_t)f->n_results * fprev_formats[f->result_type].size);
    if (!p->a || !p->results || (f->product && !p->b)) {
        p->status = FPREV_E_NO_MEMORY;
        return false;
    }
    fprev_probe_fill(p, p->mask.unit_a, p->mask.unit_b);
    return true;
}

void fprev_probe_stop(fprev_probe *p)
{
    free(p->a);
    free(p->b);
    free(p->results);
}

void fprev_probe_set(fprev_probe *p, int64_t i, double a, double b)
{
    fprev_store(p->f->type, p->a, i, a);
    if (p->b)
        fprev_store(p->f->type, p->b, i, b);
}

/* Encodes once. */
static void set_range(fprev_probe *p, int64_t begin, int64_t end, double a, double b)
{
    size_t size = fprev_formats[p->f->type].size;
    if (begin < end)
        fprev_probe_set(p, begin, a, b);
    for (int64_t i = begin + 1; i < end; i++) {
        memcpy((char *)p->a + (size_t)i * size, (char *)p->a + (size_t)begin * size, size);
        if (p->b)
            memcpy((char *)p->b + (size_t)i * size, (char *)p->b + (size_t)begin * size, size);
    }
}

void fprev_probe_fill(fprev_probe *p, double a, double b)
{
    set_range(p, 0, p->f->n_terms, a, b);
}

double fprev_probe_call(fprev_probe *p)
{
    p->n_calls++;
    if (p->count)
        *p->count = p->n_calls;
    if (p->status == FPREV_OK && p->f->call(p->f->ctx, p->a, p->b, p->results) != 0)
        p->status = FPREV_E_CALL;
    if (p->status != FPREV_OK)
        return NAN;
    double r = fprev_load(p->f->result_type, p->results, p->element);
    if (isnan(r))
        p->status = FPREV_E_NAN;
    return r;
}

double fprev_probe_on(fprev_probe *p, const double *a, const double *b)
{
    for (int64_t i = 0; i < p->f->n_terms; i++)
        fprev_probe_set(p, i, a[i], b ? b[i] : 0);
    return fprev_probe_call(p);
}

/* Units that are left over, or -1. */
static int64_t count_left(fprev_probe *p, int64_t i, int64_t j)
{
    const fprev_mask *m = &p->mask;
    fprev_probe_set(p, i, m->mask_a, m->mask_b);
    fprev_probe_set(p, j, -m->mask_a, m->mask_b);
    double left = fprev_probe_call(p) / (m->unit_a * m->unit_b);
    bool valid = left >= 0 && left <= (double)p->f->n_terms - 2 && left == rint(left);
    return valid ? (int64_t)left : -1;
}

/* More units than can be counted: ones and zeros, a part at a time. */
static int64_t count_in_parts(fprev_probe *p, int64_t i, int64_t j)
{
    const fprev_mask *m = &p->mask;
    int64_t n = p->f->n_terms, sum = 0;
    fprev_probe_fill(p, 0, m->unit_b);
    for (int64_t begin = 0, end; begin < n && sum >= 0; begin = end) {
        end = n - begin < m->capacity ? n : begin + m->capacity;
        set_range(p, begin, end, m->unit_a, m->unit_b);
        int64_t left = count_left(p, i, j);
        sum = left < 0 ? -1 : sum + left;
        set_range(p, begin, end, 0, m->unit_b);
    }
    fprev_probe_fill(p, m->unit_a, m->unit_b);
    return sum;
}

int64_t fprev_probe_common(fprev_probe *p, int64_t i, int64_t j)
{
    const fprev_mask *m = &p->mask;
    int64_t left;
    if (p->f->n_terms > m->capacity) {
        left = count_in_parts(p, i, j);
    } else {
        left = count_left(p, i, j);
        fprev_probe_set(p, i, m->unit_a, m->unit_b);
        fprev_probe_set(p, j, m->unit_a, m->unit_b);
    }
    return left < 0 ? -1 : p->f->n_terms - left;
}

bool fprev_probe_closer(fprev_probe *p, int64_t i, int64_t j, int64_t k)
{
    double half_ulp = ldexp(1, -fprev_formats[p->f->result_type].precision);
    fprev_probe_set(p, i, half_ulp, 1);
    fprev_probe_set(p, j, half_ulp, 1);
    fprev_probe_set(p, k, 1, 1);
    bool closer = fprev_probe_call(p) > 1;
    fprev_probe_set(p, i, 0, 1);
    fprev_probe_set(p, j, 0, 1);
    fprev_probe_set(p, k, 0, 1);
    return closer;
}
