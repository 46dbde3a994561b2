#include "model.h"

#include "exact.h"
#include "format.h"
#include "random.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct model model;

typedef struct {
    const char *name;
    double (*sum)(const model *m);
    int parameter;
} kind;

struct model {
    fprev_function f;
    const kind *kind;
    uint64_t parameter;
    bool fma;
    double *a, *b, *term, *spare; /* of the call, in one block */
};

static double plus(const model *m, double x, double y)
{
    if (m->f.result_type == FPREV_DOUBLE)
        return x + y;
    return m->f.result_type == FPREV_FLOAT ? (double)(float)(x + y)
                                           : fprev_add(m->f.result_type, x, y);
}

static double plus_term(const model *m, double s, int64_t i)
{
    return m->fma ? fprev_fma(m->f.result_type, m->a[i], m->b[i], s) : plus(m, s, m->term[i]);
}

static double lane(const model *m, int64_t begin, int64_t end, int64_t step)
{
    double s = m->term[begin];
    for (int64_t i = begin + step; i < end; i += step)
        s = plus_term(m, s, i);
    return s;
}

static double sequential(const model *m)
{
    return lane(m, 0, m->f.n_terms, 1);
}

static double reversed(const model *m)
{
    double s = m->term[m->f.n_terms - 1];
    for (int64_t i = m->f.n_terms - 2; i >= 0; i--)
        s = plus_term(m, s, i);
    return s;
}

static double strided(const model *m)
{
    int64_t n = m->f.n_terms, n_lanes = (int64_t)m->parameter;
    double s = lane(m, 0, n, n_lanes);
    for (int64_t k = 1; k < n_lanes && k < n; k++)
        s = plus(m, s, lane(m, k, n, n_lanes));
    return s;
}

static double halves_of(const model *m, int64_t begin, int64_t end)
{
    if (end - begin == 1)
        return m->term[begin];
    int64_t middle = begin + (end - begin) / 2;
    return plus(m, halves_of(m, begin, middle), halves_of(m, middle, end));
}

static double halves(const model *m)
{
    return halves_of(m, 0, m->f.n_terms);
}

static double block(const model *m, int64_t begin, int64_t n)
{
    double r[8], s;
    if (n < 8)
        return lane(m, begin, begin + n, 1);
    for (int k = 0; k < 8; k++)
        r[k] = lane(m, begin + k, begin + n - n % 8, 8);
    s = plus(m, plus(m, plus(m, r[0], r[1]), plus(m, r[2], r[3])),
             plus(m, plus(m, r[4], r[5]), plus(m, r[6], r[7])));
    for (int64_t i = begin + n - n % 8; i < begin + n; i++)
        s = plus(m, s, m->term[i]);
    return s;
}

static double pairwise_of(const model *m, int64_t begin, int64_t n)
{
    if (n <= 128)
        return block(m, begin, n);
    int64_t half = n / 2 - n / 2 % 8;
    return plus(m, pairwise_of(m, begin, half), pairwise_of(m, begin + half, n - half));
}

static double pairwise(const model *m)
{
    return pairwise_of(m, 0, m->f.n_terms);
}

static double random_tree(const model *m)
{
    uint64_t state = m->parameter;
    double *v = m->spare;
    memcpy(v, m->term, (size_t)m->f.n_terms * sizeof *v);
    for (int64_t n = m->f.n_terms; n > 1; n--) {
        int64_t i = fprev_random_below(&state, n), j = fprev_random_below(&state, n - 1);
        j += j >= i;
        v[i] = plus(m, v[i], v[j]);
        v[j] = v[n - 1];
    }
    return v[0];
}

static double kahan(const model *m)
{
    double s = m->term[0], c = 0;
    for (int64_t i = 1; i < m->f.n_terms; i++) {
        double y = plus(m, m->term[i], -c), t = plus(m, s, y);
        c = plus(m, plus(m, t, -s), -y);
        s = t;
    }
    return s;
}

static double neumaier(const model *m)
{
    double s = m->term[0], c = 0;
    for (int64_t i = 1; i < m->f.n_terms; i++) {
        double x = m->term[i], t = plus(m, s, x);
        bool larger = fabs(s) >= fabs(x);
        c = plus(m, c, plus(m, plus(m, larger ? s : x, -t), larger ? x : s));
        s = t;
    }
    return plus(m, s, c);
}

/* width terms and the running sum, aligned and cut as the generations are known to do: no bit,
 * one, two bits more than the precision of the sum, which is cut too. */
static double fused(const model *m)
{
    int64_t width = m->kind->parameter;
    fprev_adder adder = {width == 4 ? 0 : width == 8 ? 1 : 2, false};
    double a[17], b[17], s = 0;
    for (int64_t i = 0; i < m->f.n_terms;) {
        int k = 0;
        for (; k < width && i < m->f.n_terms; k++, i++) {
            a[k] = m->f.product ? m->a[i] : m->term[i];
            b[k] = m->f.product ? m->b[i] : 1;
        }
        a[k] = s;
        b[k] = 1;
        s = fprev_fused_add(m->f.result_type, &adder, k + 1, a, b);
    }
    return s;
}

static double exact(const model *m)
{
    fprev_exact e;
    fprev_exact_clear(&e);
    for (int64_t i = 0; i < m->f.n_terms; i++)
        fprev_exact_add(&e, m->f.product ? m->a[i] : m->term[i], m->f.product ? m->b[i] : 1,
                        FPREV_NO_CUT);
    return fprev_exact_round(&e, m->f.result_type, true);
}

static const kind kinds[] = {
    {"sequential", sequential, 0}, {"reversed", reversed, 0}, {"strided", strided, 8},
    {"halves", halves, 0},         {"pairwise", pairwise, 0}, {"random", random_tree, 1},
    {"kahan", kahan, 0},           {"neumaier", neumaier, 0}, {"volta", fused, 4},
    {"ampere", fused, 8},          {"hopper", fused, 16},     {"exact", exact, 0},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds, N_WITH_FMA = 3 };

static int call(void *ctx, const void *a, const void *b, void *results)
{
    model *m = ctx;
    const fprev_function *f = &m->f;
    for (int64_t i = 0; i < f->n_terms; i++) {
        double x = fprev_load(f->type, a, i);
        m->a[i] = x;
        m->term[i] = f->absolute ? fabs(x) : x;
        if (f->product) {
            m->b[i] = fprev_load(f->type, b, i);
            m->term[i] = fprev_mul(f->result_type, x, m->b[i]);
        }
    }
    fprev_store(f->result_type, results, 0, m->kind->sum(m));
    return 0;
}

/* NAME[:PARAMETER][+fma]; what is wrong with it, or NULL. */
static const char *parse(model *m, const char *name)
{
    size_t length = strcspn(name, ":+");
    char *end = (char *)name + length;
    for (int k = 0; k < N_KINDS; k++)
        if (strlen(kinds[k].name) == length && strncmp(name, kinds[k].name, length) == 0)
            m->kind = &kinds[k];
    if (!m->kind)
        return "no such model";
    m->parameter = (uint64_t)m->kind->parameter;
    if (*end == ':')
        m->parameter = strtoull(end + 1, &end, 10);
    m->fma = strcmp(end, "+fma") == 0;
    if (m->kind->sum == strided && (m->parameter < 1 || m->parameter > INT32_MAX))
        return "strided needs a number of lanes";
    if (*end && !m->fma)
        return "a model is NAME, NAME:NUMBER or NAME+fma";
    if (m->fma && m->kind - kinds >= N_WITH_FMA)
        return "that model has no +fma";
    return NULL;
}

const char *fprev_model_start(fprev_function *f, const char *name)
{
    model *m = calloc(1, sizeof *m);
    const char *wrong = m ? parse(m, name) : "out of memory";
    if (wrong)
        return wrong;
    f->ctx = m;
    f->call = call;
    bool short_fused = m->kind->sum == fused && fprev_formats[f->type].size == 2;
    f->result_type = short_fused ? FPREV_FLOAT : f->type;
    m->f = *f;
    m->fma = m->fma && f->product;
    m->a = malloc(4 * (size_t)f->n_terms * sizeof *m->a);
    if (!m->a)
        return "out of memory";
    m->b = m->a + f->n_terms;
    m->term = m->b + f->n_terms;
    m->spare = m->term + f->n_terms;
    return NULL;
}
