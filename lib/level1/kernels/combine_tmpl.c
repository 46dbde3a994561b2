/* The kernel of linear combinations (kernel_slots.h): certified sums of a few products, of long
 * vectors in lanes of the element's type, or in loops without branches that the compiler turns into
 * vectors.
 * Types: s d. */
#include "level1/kernels/certified_sum.h"
#include "level1/kernels/native_sum.h"
#include "level1/linear.h"

static const exb_factors factors = EXB_IS_S ? EXB_FLOAT_FACTORS : EXB_DOUBLE_FACTORS;

/* One instance per number of terms. */
EXB_INLINE bool combine(int n_terms, int64_t n, const double *coef, const exb_real *const *term,
                        exb_real *out)
{
    double lo[EXB_GROUP], hi[EXB_GROUP];
    const exb_real *x0 = term[0], *x1 = n_terms > 1 ? term[1] : NULL;
    const exb_real *x2 = n_terms > 2 ? term[2] : NULL, *x3 = n_terms > 3 ? term[3] : NULL;
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
 * go without. The coefficient 1 needs no product. */
EXB_INLINE bool combine_many(int n_terms, int64_t n, const double *coef,
                             const exb_real *const *term, exb_real *out, int *n_waiting)
{
    if (*n_waiting > 0)
        --*n_waiting;
    else if (has_long(n_terms, coef)) {
        if (coef[0] == 1
                ? exb_sums_plainly(factors, EXB_PRODUCTS_ANY, true, n_terms - 1, n, coef + 1, NULL,
                                   0, 0, (const void *const *)(term + 1), *term, out, NULL)
                : exb_sums_plainly(factors, EXB_PRODUCTS_ANY, false, n_terms, n, coef, NULL, 0, 0,
                                   (const void *const *)term, NULL, out, NULL))
            return true;
        *n_waiting = 8;
    }
    return combine(n_terms, n, coef, term, out);
}

/* n complex elements at p, as v has them. */
EXB_INLINE void load_pairs(int64_t inc, bool is_turned, const exb_real *sign, const exb_real *p,
                           int64_t n, exb_real *buffer)
{
    for (int64_t i = 0; i < n; i++) {
        buffer[2 * i] = sign[0] * p[i * inc + is_turned];
        buffer[2 * i + 1] = sign[1] * p[i * inc + !is_turned];
    }
}

/* Elements begin ... begin + n - 1, where they lie or in the buffer. */
static const exb_real *load_vector(const exb_t(linear_vector) *v, int n_parts, int64_t begin,
                                   int64_t n, exb_real *buffer)
{
    const exb_real *p = v->p + begin * v->inc;
    if (v->inc == n_parts && !v->is_turned && v->sign[1] > 0)
        return p;
    if (n_parts > 1 && v->inc == 2 && v->is_turned)
        load_pairs(2, true, v->sign, p, n, buffer);
    else if (n_parts > 1 && v->inc == 2)
        load_pairs(2, false, v->sign, p, n, buffer);
    else if (n_parts > 1)
        load_pairs(v->inc, v->is_turned, v->sign, p, n, buffer);
    else
        for (int64_t i = 0; i < n; i++)
            buffer[i] = p[i * v->inc];
    return buffer;
}

static void store(const exb_t(linear_vector) *v, int n_parts, int64_t begin, int64_t n,
                  const exb_real *out)
{
    exb_real *p = v->out + begin * v->inc;
    if (v->inc == n_parts)
        memcpy(p, out, (size_t)(n * n_parts) * sizeof *p);
    else
        for (int64_t i = 0; i < n * n_parts; i++)
            p[i / n_parts * v->inc + i % n_parts] = out[i];
}

static void combine_output(const exb_t(linear_vector) *v, int64_t n, const exb_real *const *x,
                           exb_real *out, int *n_waiting)
{
    const exb_real *term[EXB_LINEAR_TERMS];
    for (int k = 0; k < v->n_terms; k++)
        term[k] = x[v->input[k]];
    bool done = v->n_terms == 1   ? combine(1, n, v->coef, term, out)
                : v->n_terms == 2 ? combine_many(2, n, v->coef, term, out, n_waiting)
                : v->n_terms == 3 ? combine_many(3, n, v->coef, term, out, n_waiting)
                                  : combine_many(4, n, v->coef, term, out, n_waiting);
    if (!done)
        exb_t(linear_resolve)(v, n, term, out);
}

/* Sums in lanes, of outputs whose operands lie side by side: numbers from `at` on, up to the one
 * that is returned. */
static EXB_NOINLINE int64_t sum_in_place(const exb_t(linear) *l, int64_t at, int64_t n)
{
    exb_reals c[2][EXB_LINEAR_TERMS];
    const exb_real *x[EXB_LINEAR_TERMS];
    exb_real *out[2];
    int n_sums = 0, n_terms = 0;
    bool turns = false;
    for (const exb_t(linear_vector) *v = l->vector; v < l->vector + l->n_vectors; v++) {
        if (v->inc != l->n_parts)
            return at;
        if (!v->out)
            continue;
        n_terms = v->n_terms;
        if (!has_long(n_terms, v->coef) || (n_terms == 3 && v->coef[0] != 1))
            return at;
        for (int k = 0; k < n_terms; k++) {
            const exb_t(linear_vector) *in = &l->vector[v->input[k]];
            if (n_sums > 0 && (x[k] != in->p || in->is_turned))
                return at;
            x[k] = in->p;
            turns |= in->is_turned;
            for (int i = 0; i < EXB_REALS; i++)
                c[n_sums][k][i] = (exb_real)v->coef[k] * in->sign[i % 2];
        }
        out[n_sums++] = v->out;
    }
#define SUMS(n_sums, n_terms, turns) exb_sums_in_lanes(n_sums, n_terms, turns, at, n, c, x, out)
    if (turns)
        return n_terms == 4 ? SUMS(1, 4, true) : n_terms == 3 ? SUMS(1, 3, true) : SUMS(1, 2, true);
    return n_terms != 2 ? at : n_sums == 1 ? SUMS(1, 2, false) : SUMS(2, 2, false);
#undef SUMS
}

/* n elements from begin on, for which the buffers have room. */
static EXB_NOINLINE void combine_group(const exb_t(linear) *l, int64_t begin, int64_t n,
                                       int *n_waiting)
{
    const exb_t(linear_vector) *v = l->vector;
    exb_real buffer[EXB_LINEAR_VECTORS][EXB_GROUP], out[EXB_LINEAR_VECTORS][EXB_GROUP];
    const exb_real *x[EXB_LINEAR_VECTORS];
    for (int k = 0; k < l->n_vectors; k++)
        x[k] = load_vector(&v[k], l->n_parts, begin, n, buffer[k]);
    for (int k = 0; k < l->n_vectors; k++)
        if (v[k].out)
            combine_output(&v[k], n * l->n_parts, x, out[k], n_waiting);
    for (int k = 0; k < l->n_vectors; k++)
        if (v[k].out)
            store(&v[k], l->n_parts, begin, n, out[k]);
}

/* Where sums in place stop soon, as they do at zeros and ties, a few groups go without. */
void exb_ti(linear)(const exb_t(linear) *l, int64_t begin, int64_t end, int64_t step)
{
    int n_waiting = 0, n_slow = 0;
    for (int64_t i = begin, n; i < end; i += n) {
        if (EXB_HAVE_FMA && step > 1 && end - i >= EXB_SUM_BLOCK && --n_slow < 0) {
            int64_t from = i;
            i = sum_in_place(l, i * l->n_parts, end * l->n_parts) >> (l->n_parts - 1);
            n_slow = i - from < step ? 8 : 0;
        }
        n = exb_least(end - i, step);
        if (n > 0)
            combine_group(l, i, n, &n_waiting);
    }
}
