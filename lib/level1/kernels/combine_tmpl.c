/* The kernel of linear combinations (kernel_slots.h): certified sums of a few products, in loops
 * without branches that the compiler turns into vectors.
 * Types: s d. */
#include "level1/kernels/certified_sum.h"
#include "level1/linear.h"

static const exb_factors factors = EXB_IS_S ? EXB_FLOAT_FACTORS : EXB_DOUBLE_FACTORS;

/* One instance per number of terms. */
EXB_INLINE bool combine(int n_terms, int64_t n, const double *coef, const double *const *term,
                        exb_real *out)
{
    double lo[EXB_GROUP], hi[EXB_GROUP];
    const double *x0 = term[0], *x1 = n_terms > 1 ? term[1] : NULL;
    const double *x2 = n_terms > 2 ? term[2] : NULL, *x3 = n_terms > 3 ? term[3] : NULL;
    double a0 = coef[0], a1 = n_terms > 1 ? coef[1] : 0;
    double a2 = n_terms > 2 ? coef[2] : 0, a3 = n_terms > 3 ? coef[3] : 0;
    for (int64_t i = 0; i < n; i++) {
        exb_sum s = exb_sum_of(factors, a0, x0[i]);
        if (n_terms > 1)
            s = exb_sum_add(factors, s, a1, 0, x1[i]);
        if (n_terms > 2)
            s = exb_sum_add(factors, s, a2, 0, x2[i]);
        if (n_terms > 3)
            s = exb_sum_add(factors, s, a3, 0, x3[i]);
        exb_bracket b = exb_sum_ends(s, 0);
        lo[i] = b.lo;
        hi[i] = b.hi;
    }
    return exb_sums_round(n, lo, hi, out);
}

/* A coefficient of more than a few bits, with which ties are rare. */
EXB_INLINE bool has_long(int n_terms, const double *coef)
{
    uint64_t low_bits = 0;
    for (int k = 0; k < n_terms; k++)
        low_bits |= exb_bits(coef[k]) << 24;
    return low_bits != 0;
}

/* One pass more where that fails, as it does with zeros and ties: then a few groups
 * go without. */
EXB_INLINE bool combine_many(int n_terms, int64_t n, const double *coef, const double *const *term,
                             exb_real *out, int *n_waiting)
{
    if (*n_waiting > 0)
        --*n_waiting;
    else if (has_long(n_terms, coef)) {
        if (exb_sums_plainly(false, n_terms, n, coef, NULL, 0, term, NULL, out))
            return true;
        *n_waiting = 8;
    }
    return combine(n_terms, n, coef, term, out);
}

/* Elements begin ... begin + n - 1 as doubles, contiguously. Increments 1 and 2, real and
 * complex vectors, have loops of their own for the compiler to turn into vectors. */
EXB_INLINE void load_vector(const exb_t(linear_vector) *v, int64_t begin, int64_t n, double *buffer)
{
    const exb_real *p = v->p + begin * v->inc;
    if (v->inc == 1)
        for (int64_t i = 0; i < n; i++)
            buffer[i] = p[i];
    else if (v->inc == 2)
        for (int64_t i = 0; i < n; i++)
            buffer[i] = p[2 * i];
    else
        for (int64_t i = 0; i < n; i++)
            buffer[i] = p[i * v->inc];
}

static void store(const exb_t(linear_vector) *v, int64_t begin, int64_t n, const exb_real *out)
{
    exb_real *p = v->out + begin * v->inc;
    if (v->inc == 1)
        memcpy(p, out, (size_t)n * sizeof *p);
    else
        for (int64_t i = 0; i < n; i++)
            p[i * v->inc] = out[i];
}

/* Contiguous complex elements. */
static void store_pairs(exb_real *p, int64_t n, const exb_real *re, const exb_real *im)
{
    for (int64_t i = 0; i < n; i++) {
        p[2 * i] = re[i];
        p[2 * i + 1] = im[i];
    }
}

/* A few elements of all vectors, before and after. */
typedef double inputs[EXB_LINEAR_VECTORS][EXB_GROUP];
typedef exb_real outputs[EXB_LINEAR_VECTORS][EXB_GROUP];

static void combine_group(const exb_t(linear_vector) *v, int64_t n, inputs x, exb_real *out,
                          int *n_waiting)
{
    const double *term[EXB_LINEAR_TERMS];
    for (int k = 0; k < v->n_terms; k++)
        term[k] = x[v->input[k]];
    bool done = v->n_terms == 1   ? combine(1, n, v->coef, term, out)
                : v->n_terms == 2 ? combine_many(2, n, v->coef, term, out, n_waiting)
                : v->n_terms == 3 ? combine_many(3, n, v->coef, term, out, n_waiting)
                                  : combine_many(4, n, v->coef, term, out, n_waiting);
    if (!done)
        exb_t(linear_resolve)(v, n, term, out);
}

static void store_all(const exb_t(linear) *l, int64_t begin, int64_t n, outputs out)
{
    const exb_t(linear_vector) *v = l->vector;
    for (int k = 0; k < l->n_vectors; k++) {
        if (!v[k].out)
            continue;
        /* The two parts of a complex vector; real vectors may interleave as well, with
         * other increments. */
        bool is_pair = k + 1 < l->n_vectors && v[k].inc == 2 && v[k + 1].inc == 2 &&
                       v[k + 1].out == v[k].out + 1;
        if (is_pair) {
            store_pairs(v[k].out + 2 * begin, n, out[k], out[k + 1]);
            k++;
        } else {
            store(&v[k], begin, n, out[k]);
        }
    }
}

void exb_ti(linear)(const exb_t(linear) *l, int64_t begin, int64_t end, int64_t step)
{
    inputs x;
    outputs out;
    int n_waiting = 0;
    for (int64_t i = begin; i < end; i += step) {
        int64_t n = end - i < step ? end - i : step;
        for (int k = 0; k < l->n_vectors; k++)
            load_vector(&l->vector[k], i, n, x[k]);
        for (int k = 0; k < l->n_vectors; k++)
            if (l->vector[k].out)
                combine_group(&l->vector[k], n, x, out[k], &n_waiting);
        store_all(l, i, n, out);
    }
}
