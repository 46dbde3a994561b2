/* Products of a few elements: what is before and behind the kernel small_product.
 * Types: s d c z. */
#include "level3/small_product.h"

#include "level1/reduce.h"
#include "level3/output_element.h"

#if EXB_IS_COMPLEX
bool exb_t(small_product)(const exb_t(output) *o)
{
    (void)o; /* gathering the parts costs as much as the engines' way */
    return false;
}
#else

enum { MOST_GATHERED = 1024 /* elements of an operand: stacks may be small */ };

/* Vectors of an operand where they lie; those that have to be gathered, in the buffer. */
static exb_t(elements) fetch_vectors(const exb_t(operand) *o, int64_t n, int64_t k,
                                     exb_real *buffer)
{
    for (int64_t v = 0; o->gather && v < n; v += EXB_GATHER_VECTORS)
        o->gather(o->source, v, exb_least(n - v, EXB_GATHER_VECTORS), 0, k, buffer + v * k);
    return o->gather ? (exb_t(elements)){buffer, k, 1} : o->in_place;
}

/* The largest magnitude of n vectors of k elements; NaN counts as more than Inf. */
static double find_peak(exb_t(elements) x, int64_t n, int64_t k)
{
    int64_t inner = x.ls == 1 ? k : n, outer = x.ls == 1 ? n : k, step = x.ls == 1 ? x.vs : x.ls;
    int64_t key = 0;
    if (step == inner) {
        inner *= outer;
        outer = 1;
    }
    for (int64_t i = 0; i < outer; i++)
        key = exb_most(key, exb_t_kernels()->peak(1, inner, x.p + i * step));
    return exb_from_bits((uint64_t)key);
}

static bool fits(const exb_t(operand) *o, int64_t n, int64_t k)
{
    return !o->gather || n * k <= MOST_GATHERED;
}

static bool is_suitable(const exb_t(output) *o)
{
    const exb_t(product) *p = &o->product;
    return p->m <= EXB_SMALL_MOST && p->n <= EXB_SMALL_MOST && p->k <= EXB_SMALL_MOST && p->k > 0 &&
           fits(&p->a, p->m, p->k) && fits(&p->b, p->n, p->k) && p->method->filter &&
           p->method->engine == EXB_ENGINE_ANY && (EXB_IS_S || exb_kernels_current()->has_fma) &&
           o->c.view.rs == 1 && fabs(o->alpha.re) <= DBL_MAX && fabs(o->beta.re) <= DBL_MAX;
}

/* Column j to C; what is not certified is computed by itself. */
static void store_column(const exb_t(output) *o, int64_t j, const exb_real *r, uint64_t uncertified)
{
    int64_t m = o->product.m;
    uint64_t wanted = exb_t(wanted_rows)(o, 0, (int)m, j);
    exb_real *c = o->c.p + o->c.view.origin + j * o->c.view.cs;
    if (wanted == exb_first_bits(m) && uncertified == 0) {
        memcpy(c, r, (size_t)m * sizeof *c);
        return;
    }
    if (wanted != 0 && (wanted & uncertified) == 0) { /* one run */
        int first = __builtin_ctzll(wanted);
        memcpy(c + first, r + first, (size_t)__builtin_popcountll(wanted) * sizeof *c);
        return;
    }
    for (int64_t i = 0; i < m; i++)
        if (wanted >> i & ~uncertified >> i & 1)
            c[i] = r[i];
        else if (wanted >> i & 1)
            exb_t(compute_element)(o, &o->product, i, j, false);
}

static EXB_NOINLINE bool compute_small(const exb_t(output) *o, exb_small *q, const exb_real *a,
                                       const exb_real *b)
{
    exb_real r[EXB_SMALL_MOST * EXB_SMALL_MOST];
    uint64_t uncertified[EXB_SMALL_MOST];
    int count = exb_t_kernels()->small_product(q, a, b, o->c.p + o->c.view.origin, r, uncertified);
    if (count * 8 > q->m * q->n + 32)
        return false;
    exb_stats_count(o->product.stats, (int64_t)q->m * q->n, count);
    for (int j = 0; j < q->n; j++)
        store_column(o, j, r + j * EXB_SMALL_MOST, uncertified[j]);
    return true;
}

bool exb_t(small_product)(const exb_t(output) *o)
{
    const exb_t(product) *p = &o->product;
    exb_real gathered[2][MOST_GATHERED];
    if (!is_suitable(o))
        return false;
    exb_t(elements) a = fetch_vectors(&p->a, p->m, p->k, gathered[0]);
    exb_t(elements) b = fetch_vectors(&p->b, p->n, p->k, gathered[1]);
    exb_small q = {.m = (int)p->m, .n = (int)p->n, .k = (int)p->k, .ldc = o->c.view.cs};
    q.a_vs = a.vs;
    q.a_ls = a.ls;
    q.b_vs = b.vs;
    q.b_ls = b.ls;
    q.is_lower = o->c.region == EXB_REGION_LOWER;
    q.is_upper = o->c.region == EXB_REGION_UPPER;
    q.alpha = o->alpha.re;
    q.beta = o->beta.re;
    q.peak = find_peak(a, p->m, p->k) * find_peak(b, p->n, p->k);
    double x = 2 * (double)p->k * q.peak;
    if (!(x >= EXB_SMALL_LEAST_PEAK && x <= EXB_SMALL_MOST_PEAK))
        return false;
    if (p->stats)
        p->stats->engine = "anchor";
    return compute_small(o, &q, a.p, b.p);
}
#endif
