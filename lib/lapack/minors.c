#include "lapack/minors.h"

#include "lapack/prime_field.h"

#include <stdlib.h>

typedef struct {
    int64_t n, n_primes;
    const double *a;
    const exb_integer_bounds *bounds;
    exb_field *field;  /* n_primes */
    uint64_t *m;       /* a modulo a prime */
    uint64_t *residue; /* minor k modulo prime q at [k n_primes + q] */
    uint64_t *inverse; /* 1 / prime s modulo prime q, for s < q, at [q n_primes + s] */
    uint64_t *digit;   /* n_primes */
    int64_t *n_zeros;  /* of minor k */
} minors;

static void eliminate_below(const exb_field *f, int64_t n, uint64_t *m, int64_t k)
{
    uint64_t reciprocal = exb_field_invert(f, m[k * n + k]);
    for (int64_t i = k + 1; i < n; i++) {
        uint64_t factor = exb_field_multiply(f, m[i * n + k], reciprocal);
        exb_field_subtract_multiple(f, factor ? n - k - 1 : 0, factor, m + k * n + k + 1,
                                    m + i * n + k + 1);
    }
}

/* The minors modulo prime q, as those of the integers of the bounds; the first that is 0, or n. */
static int64_t reduce_matrix(minors *v, int64_t q)
{
    const exb_field *f = &v->field[q];
    uint64_t minor = f->one;
    for (int64_t k = 0; k < v->n; k++) {
        uint64_t pivot = v->m[k * v->n + k];
        if (pivot == 0)
            return k;
        int exp2 = -(v->bounds->row[k] + v->bounds->column[k]);
        minor = exb_field_multiply(f, minor, pivot);
        minor = exb_field_multiply(f, minor, exb_field_power_of_two(f, exp2));
        v->residue[k * v->n_primes + q] = exb_field_leave(f, minor);
        eliminate_below(f, v->n, v->m, k);
    }
    return v->n;
}

static void set_inverses(minors *v, int64_t q)
{
    const exb_field *f = &v->field[q];
    for (int64_t s = 0; s < q; s++)
        v->inverse[q * v->n_primes + s] = exb_field_invert(f, exb_field_enter(f, v->field[s].p));
}

/* EXBLAS_EINDEFINITE if a minor turns out to be 0. */
static exblas_status reduce_all(minors *v)
{
    uint64_t p = (uint64_t)1 << 52;
    for (int64_t q = 0; q < v->n_primes;) {
        v->field[q] = exb_field_below(p);
        p = v->field[q].p;
        if (!exb_field_reduce(&v->field[q], v->n * v->n, v->a, v->m))
            return EXBLAS_ENOMEM;
        int64_t zero = reduce_matrix(v, q);
        if (zero < v->n && ++v->n_zeros[zero] >= v->n_primes)
            return EXBLAS_EINDEFINITE;
        if (zero == v->n)
            set_inverses(v, q++);
    }
    return EXBLAS_OK;
}

/* Digits of the number with these residues: d_0 + d_1 p_0 + d_2 p_0 p_1 + ... */
static bool is_positive(minors *v, const uint64_t *residue)
{
    for (int64_t q = 0; q < v->n_primes; q++) {
        const exb_field *f = &v->field[q];
        uint64_t t = exb_field_enter(f, residue[q]);
        for (int64_t s = 0; s < q; s++)
            t = exb_field_multiply(f, exb_field_subtract(f, t, exb_field_enter(f, v->digit[s])),
                                   v->inverse[q * v->n_primes + s]);
        v->digit[q] = exb_field_leave(f, t);
    }
    return v->digit[v->n_primes - 1] < v->field[v->n_primes - 1].p / 2;
}

static exblas_status check_signs(minors *v)
{
    exblas_status status = reduce_all(v);
    for (int64_t k = 0; k < v->n && status == EXBLAS_OK; k++)
        if (!is_positive(v, v->residue + k * v->n_primes))
            status = EXBLAS_EINDEFINITE;
    return status;
}

exblas_status exb_check_minors(int64_t n, const double *a, const exb_integer_bounds *bounds)
{
    minors v = {.n = n, .a = a, .bounds = bounds};
    v.n_primes = exb_primes_for(exb_determinant_bits(bounds) + 3);
    size_t size = (size_t)n, n_primes = (size_t)v.n_primes;
    v.field = malloc(n_primes * sizeof *v.field);
    v.m = malloc((size * size + size * n_primes + n_primes * n_primes + n_primes) * sizeof *v.m);
    v.n_zeros = calloc(size, sizeof *v.n_zeros);
    exblas_status status = EXBLAS_ENOMEM;
    if (v.field && v.m && v.n_zeros) {
        v.residue = v.m + size * size;
        v.inverse = v.residue + size * n_primes;
        v.digit = v.inverse + n_primes * n_primes;
        status = check_signs(&v);
    }
    free(v.field);
    free(v.m);
    free(v.n_zeros);
    return status;
}
