#include "level1/linear.h"

#include "core/kernels.h"
#include "core/partition.h"
#include "core/thread.h"

/* A few elements of all vectors, contiguous and widened to double. */
typedef struct {
    double buffer[EXB_LINEAR_VECTORS][EXB_GROUP];
    exb_real out[EXB_LINEAR_VECTORS][EXB_GROUP];
} group;

/* -0 if all terms are -0: the sign of an exact zero that an accumulator loses. */
static exb_real signed_zero(int n_terms, const double *coef, const double *x)
{
    for (int k = 0; k < n_terms; k++)
        if ((coef[k] != 0 && x[k] != 0) || !signbit(coef[k]) == !signbit(x[k]))
            return 0;
    return -(exb_real)0;
}

/* The sum of coef_k x_k, rounded once, for all inputs. */
static exb_real exact(int n_terms, const double *coef, const double *x)
{
    exb_product_acc storage;
    exb_superacc *acc = exb_product_acc_init(&storage);
    for (int k = 0; k < n_terms; k++)
        exb_superacc_add_product(acc, coef[k], x[k]);
    exb_real r = exb_round_superacc(acc);
    return r == 0 && exb_superacc_sign(acc) == 0 ? signed_zero(n_terms, coef, x) : r;
}

/* Elements that the kernel left undecided are NaN. */
static void resolve(const exb_t(linear_vector) * v, int64_t n, const double *const *x,
                    exb_real *out)
{
    for (int64_t i = 0; i < n; i++) {
        double term[EXB_LINEAR_TERMS];
        if (!isnan(out[i]))
            continue;
        for (int k = 0; k < v->n_terms; k++)
            term[k] = x[k][i];
        out[i] = exact(v->n_terms, v->coef, term);
    }
}

static void load(const exb_t(linear_vector) * v, int64_t begin, int64_t n, double *buffer)
{
    const exb_real *p = v->p + begin * v->inc;
    for (int64_t i = 0; i < n; i++)
        buffer[i] = p[i * v->inc];
}

static void store(const exb_t(linear_vector) * v, int64_t begin, int64_t n, const exb_real *out)
{
    exb_real *p = v->out + begin * v->inc;
    for (int64_t i = 0; i < n; i++)
        p[i * v->inc] = out[i];
}

static void compute(const exb_t(linear_vector) * v, int64_t n, const group *g, exb_real *out)
{
    const double *term[EXB_LINEAR_TERMS];
    for (int k = 0; k < v->n_terms; k++)
        term[k] = g->buffer[v->input[k]];
    if (!exb_kernels_current()->EXB_TYPE.combine(v->n_terms, n, v->coef, term, out))
        resolve(v, n, term, out);
}

/* Elements begin ... begin + n - 1, n <= EXB_GROUP. */
static void apply_group(const exb_t(linear) * l, int64_t begin, int64_t n, group *g)
{
    for (int k = 0; k < l->n_vectors; k++)
        load(&l->vector[k], begin, n, g->buffer[k]);
    for (int k = 0; k < l->n_vectors; k++)
        if (l->vector[k].out)
            compute(&l->vector[k], n, g, g->out[k]);
    for (int k = 0; k < l->n_vectors; k++)
        if (l->vector[k].out)
            store(&l->vector[k], begin, n, g->out[k]);
}

static void apply_range(const exb_t(linear) * l, exb_range range, int64_t step)
{
    group g;
    for (int64_t i = range.begin; i < range.end; i += step)
        apply_group(l, i, range.end - i < step ? range.end - i : step, &g);
}

typedef struct {
    const exb_t(linear) * linear;
    int n_parts;
} split;

static EXB_NOINLINE void apply_part(void *ctx, int64_t i)
{
    const split *s = ctx;
    apply_range(s->linear, exb_partition_range(s->linear->n, s->n_parts, (int)i), EXB_GROUP);
}

static EXB_NOINLINE void apply_in_order(const exb_t(linear) * l)
{
    apply_range(l, (exb_range){0, l->n}, 1);
}

static bool writes_in_place(const exb_t(linear) * l)
{
    for (int k = 0; k < l->n_vectors; k++)
        if (l->vector[k].out && l->vector[k].inc == 0)
            return true;
    return false;
}

void exb_t(linear_apply)(const exb_t(linear) * l)
{
    split s = {l, exb_partition_count((double)l->n, l->n)};
    if (writes_in_place(l))
        apply_in_order(l);
    else
        exb_parallel_for(s.n_parts, s.n_parts, apply_part, &s);
}
