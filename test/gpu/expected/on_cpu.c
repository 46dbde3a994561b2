#include "expected.h"

#include "gpu/ordered.h"

#include <exblas/scatter.h>
#include <math.h>

const char *const expected_backend = "CPU";

bool expected_open(int group, const char **why)
{
    (void)group;
    (void)why;
    return true;
}

void expected_close(void) {}

/* fl(x + y) of the type; a NaN is the canonical one, whatever its sign and payload were. */
static double add(const expected_call *c, double x, double y)
{
    double sum = c->type == 's' ? (double)((float)x + (float)y) : x + y;
    return sum == sum ? sum : (double)NAN;
}

/* T of gpu/ordered.h. */
static double tree(const expected_call *c, int m, const double *x)
{
    int h = 1;
    if (m == 1)
        return x[0];
    while (2 * h < m)
        h *= 2;
    return add(c, tree(c, h, x), tree(c, m - h, x + h));
}

static double element(const expected_call *c, const void *x, int i)
{
    return c->type == 's' ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void ordered_bin(const expected_call *c, int begin, int bin)
{
    double term[EXB_ORDERED_BLOCK];
    int m = 0;
    for (int i = begin; i < c->n && i < begin + EXB_ORDERED_BLOCK; i++)
        if (c->index[i] == bin)
            term[m++] = element(c, c->a, i);
    double sum = m > 0 ? add(c, element(c, c->c, bin), tree(c, m, term)) : 0;
    if (m > 0 && c->type == 's')
        ((float *)c->c)[bin] = (float)sum;
    else if (m > 0)
        ((double *)c->c)[bin] = sum;
}

static exblas_status ordered(const expected_call *c)
{
    for (int begin = 0; begin < c->n; begin += EXB_ORDERED_BLOCK)
        for (int bin = 0; bin < c->m; bin++)
            ordered_bin(c, begin, bin);
    return EXBLAS_OK;
}

exblas_status expected_run(const expected_call *c)
{
    expected_words w;
    device_call d;
    if (c->op == EXPECTED_ORDERED)
        return ordered(c);
    if (c->op == EXPECTED_SCATTER)
        return c->type == 's' ? exblas_sscatter_add(c->n, c->a, c->index, c->m, c->c)
                              : exblas_dscatter_add(c->n, c->a, c->index, c->m, c->c);
    expected_describe(c, &w, &d, c->a, c->b, c->c);
    return device_call_cpu(&d);
}
