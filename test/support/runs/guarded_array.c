#include "guarded_array.h"

#include "blas_run.h"

#include <stdlib.h>

static size_t real_size(char type)
{
    return type == 's' || type == 'c' ? sizeof(float) : sizeof(double);
}

static int parts(char type)
{
    return level2_is_complex(type) ? 2 : 1;
}

static void store_real(char type, void *p, int64_t i, double x)
{
    if (real_size(type) == sizeof(float))
        ((float *)p)[i] = (float)x;
    else
        ((double *)p)[i] = x;
}

static double load_real(char type, const void *p, int64_t i)
{
    return real_size(type) == sizeof(float) ? (double)((const float *)p)[i]
                                            : ((const double *)p)[i];
}

void guarded_store(guarded_array *a, int64_t i, level2_number x)
{
    store_real(a->type, a->data, parts(a->type) * i, x.re);
    if (parts(a->type) == 2)
        store_real(a->type, a->data, 2 * i + 1, x.im);
}

guarded_array guarded_of(char type, int64_t n, int offset)
{
    size_t bytes = (size_t)(n * parts(type)) * real_size(type);
    guarded_array a = {.n = n, .type = type};
    a.block = malloc(bytes + (size_t)offset * real_size(type) + 1);
    a.before = malloc(bytes + 1);
    if (!a.block || !a.before)
        abort();
    a.data = (char *)a.block + (size_t)offset * real_size(type);
    double nan = poison(level2_format(type));
    for (int64_t i = 0; i < n; i++)
        guarded_store(&a, i, (level2_number){nan, nan});
    return a;
}

void guarded_keep(guarded_array *a)
{
    memcpy(a->before, a->data, (size_t)(a->n * parts(a->type)) * real_size(a->type));
}

void guarded_release(guarded_array *a)
{
    free(a->block);
    free(a->before);
}

/* Takes part k of element i out, putting the old one back. */
static double take_real(guarded_array *a, int64_t i, int k)
{
    int64_t at = parts(a->type) * i + k;
    size_t size = real_size(a->type);
    double got = load_real(a->type, a->data, at);
    memcpy(a->data + (size_t)at * size, (char *)a->before + (size_t)at * size, size);
    return got;
}

level2_number guarded_take(guarded_array *a, int64_t i)
{
    return (level2_number){take_real(a, i, 0), parts(a->type) == 2 ? take_real(a, i, 1) : 0};
}

bool guarded_is_unchanged(const guarded_array *a)
{
    return memcmp(a->before, a->data, (size_t)(a->n * parts(a->type)) * real_size(a->type)) == 0;
}
