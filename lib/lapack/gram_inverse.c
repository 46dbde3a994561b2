#include "lapack/gram.h"

#include "core/kernels.h"
#include "core/memory.h"
#include "exblas/cblas.h"
#include "level1/kernels/plain_lines.h"

#include <stdlib.h>

#define UNIT 0x1p-53
#define WIDENED (1 + 0x1p-18)   /* for roundings of sums of n < 2^31 terms, thrice over */
#define UNDERFLOW_LOSS 0x1p-700 /* more than what underflows: elements of X are below 2^100 */

typedef struct {
    const exb_gram *g;
    double *s, *x;      /* n rows of 2 n: S, later C, and behind it X' */
    double *t, *stack;  /* T; X times the scale of each word */
    double *sum;        /* n */
    double far, growth; /* at least |F|, and |X' G| */
} iteration;

static void multiply(int64_t n, int64_t k, const double *a, int64_t lda, const double *b, double *c,
                     int64_t ldc)
{
    excblas_dgemm_64(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, k, 1, a, lda, b, n,
                     0, c, ldc);
}

static void multiply_all(const iteration *t)
{
    const exb_layout *w = &t->g->layout;
    int64_t n = t->g->n, k = n * w->n_words;
    for (int64_t l = 0; l < k; l++)
        for (int64_t j = 0; j < n; j++)
            t->stack[l * n + j] = t->x[j * 2 * n + l % n] * w->scale[l / n];
    multiply(n, k, t->g->word, w->ld, t->stack, t->t, n);
    multiply(n, n, t->x, 2 * n, t->t, t->s, 2 * n);
}

/* Lemma 2. */
static void measure(iteration *t)
{
    int64_t n = t->g->n;
    double *column = t->stack; /* no longer needed */
    t->far = t->growth = 0;
    memset(column, 0, (size_t)n * sizeof *column);
    for (int64_t i = 0; i < n; i++) {
        t->sum[i] = 0;
        for (int64_t j = 0; j < n; j++) {
            t->sum[i] += exb_fabs(t->t[i * n + j]);
            column[j] += exb_fabs(t->t[i * n + j]);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        double f = 0;
        t->growth = column[i] > t->growth ? column[i] : t->growth;
        for (int64_t j = 0; j < n; j++)
            f += exb_fabs((i == j) - t->s[i * 2 * n + j]) +
                 UNIT * (exb_fabs(t->s[i * 2 * n + j]) + exb_fabs(t->x[i * 2 * n + j]) * t->sum[j]);
        t->far = f <= t->far ? t->far : f <= DBL_MAX ? f : INFINITY;
    }
    t->far = t->far * WIDENED + UNDERFLOW_LOSS;
    t->growth = t->growth * WIDENED + UNDERFLOW_LOSS;
}

/* Rows k of C and of C^-T X': those of S and X' less multiples of the rows above. */
static void factor(const iteration *t)
{
    int64_t n = t->g->n, ld = 2 * n;
    for (int64_t k = 0; k < n; k++) {
        double *row = t->s + k * ld, least = (double)n * 0x1p-50 * row[k];
        int64_t i = 0;
        for (int64_t l = 0; l < k; l++)
            t->sum[l] = -t->s[l * ld + k];
        for (; i + 4 <= k; i += 4)
            exb_kernels_current()->lines->add_products(ld - k, t->s + i * ld + k, ld, t->sum + i,
                                                       row + k);
        for (; i < k; i++)
            for (int64_t j = k; j < ld; j++)
                row[j] += t->sum[i] * t->s[i * ld + j];
        double factor = 1 / sqrt(row[k] > least ? row[k] : least);
        for (int64_t j = k; j < ld; j++)
            row[j] *= factor;
        row[k] = 1 / factor;
    }
}

/* Until S is near I, or comes no nearer. */
static bool iterate(iteration *t)
{
    enum { MOST_STEPS = 8 };
    int64_t n = t->g->n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            t->x[i * 2 * n + j] = i == j;
    for (int step = 0; step < MOST_STEPS; step++) {
        multiply_all(t);
        measure(t);
        if (t->far < 0x1p-4 || t->far > DBL_MAX)
            return t->far < 0x1p-4;
        factor(t);
    }
    return false;
}

static bool set_inverse(exb_inverse_bound *v, const iteration *t)
{
    int64_t n = t->g->n;
    exb_plain_factors *p = &v->factors;
    for (int64_t i = 0; i < n; i++) {
        p->order[i] = i;
        v->rest[i] = 0;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            p->lower[i * n + j] = p->upper[j * n + i] = t->x[i * 2 * n + j];
            v->rest[j] += exb_fabs(t->x[i * 2 * n + j]);
        }
    double rest = t->far / (1 - t->far);
    for (int64_t i = 0; i < n; i++)
        v->rest[i] *= rest * (t->growth / (1 - t->far)) * WIDENED;
    return exb_inverse_spread(v, t->sum, t->t);
}

bool exb_gram_inverse_init(exb_inverse_bound *v, const exb_gram *g)
{
    size_t n = (size_t)g->n, all = n * n;
    *v = (exb_inverse_bound){.n = g->n, .factors = {.n = g->n}};
    v->rest = malloc(2 * n * sizeof *v->rest);
    v->factors.order = malloc(n * sizeof *v->factors.order);
    v->factors.lu = exb_memory_get(2 * all * sizeof(double));
    double *work = exb_memory_get(((size_t)(3 + g->layout.n_words) * all + n) * sizeof *work);
    bool done = v->rest && v->factors.order && v->factors.lu && work;
    if (done) {
        v->spread = v->rest + n;
        v->factors.lower = v->factors.lu;
        v->factors.upper = v->factors.lower + all;
        double *s = work, *t = s + 2 * all, *stack = t + all;
        iteration state = {g, s, s + n, t, stack, stack + (size_t)g->layout.n_words * all, 0, 0};
        done = iterate(&state) && set_inverse(v, &state);
    }
    exb_memory_put(work);
    if (!done)
        exb_inverse_bound_free(v);
    return done;
}
