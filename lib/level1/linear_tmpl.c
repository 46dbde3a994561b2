/* Types: s d. */
#include "level1/linear.h"

#include "core/kernels.h"
#include "core/partition.h"
#include "core/thread.h"

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

void exb_t(linear_resolve)(const exb_t(linear_vector) *v, int64_t n, const exb_real *const *x,
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

typedef struct {
    const exb_t(linear) *linear;
    int n_ranges;
    int64_t step;
} split;

static EXB_NOINLINE void apply_range(void *ctx, int64_t i)
{
    const split *s = ctx;
    exb_range r = exb_partition_range(s->linear->n, s->n_ranges, (int)i);
    exb_kernels_current()->EXB_TYPE.linear(s->linear, r.begin, r.end, s->step);
}

static bool writes_in_place(const exb_t(linear) *l)
{
    for (int k = 0; k < l->n_vectors; k++)
        if (l->vector[k].out && l->vector[k].inc == 0)
            return true;
    return false;
}

void exb_t(linear_apply)(const exb_t(linear) *l)
{
    split s = {l, 1, 1};
    if (!writes_in_place(l))
        s = (split){l, exb_partition_count((double)l->n, l->n), EXB_GROUP / l->n_parts};
    exb_parallel_for(s.n_ranges, s.n_ranges, apply_range, &s);
}
