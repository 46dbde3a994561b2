/* The reductions of complex vectors, compiled for the type of the parts: each part of
 * a result is the sum of one or two real reductions over the parts of the elements,
 * rounded once.
 *
 *   re sum = S xr          re dotu = S xr yr - S xi yi     re dotc = S xr yr + S xi yi
 *   im sum = S xi          im dotu = S xr yi + S xi yr     im dotc = S xr yi - S xi yr
 *   asum = S |xr| + S |xi|      nrm2 = sqrt(S xr^2 + S xi^2)     real sum = S xr + S xi
 *
 * The parts of a vector with increment inc are two real vectors with increment 2 inc.
 * If both are summed alike and inc = 1 they are one real vector of length 2n, which real
 * reductions take. Sums and dots read numbers once for both parts, or all four sums.
 * Types: s d. */
#include "entry.h"

#include "core/fpenv.h"
#include "element/decide.h"

/* The sum of two runs or, as a line in two sums, their difference: re((1 + i) (s_0 + s_1 i)). */
typedef struct {
    exb_t(reduction) run[2];
    bool subtract;
} pair;

static bool next_run(const void *of, int k, int64_t *at, exb_t(run_space) *space,
                     exb_t(reduction) *run)
{
    const pair *p = of;
    int64_t number = (*at)++;
    (void)space;
    if (number >= (p->subtract ? 1 : 2))
        return false;
    *run = p->run[p->subtract ? k : number];
    return true;
}

static EXB_NOINLINE exb_real decide_pair(const pair *p, exb_form f)
{
    exb_real result;
    exb_t(question) q = {.form = f, .by_threads = true, .method = exb_method_current()};
    q.line = p->subtract ? (exb_line){.alpha = {1, 1}, .n_sums = 2} : exb_t(line_of_sums)();
    q.terms = (exb_t(terms)){next_run, p};
    exb_t(decide)(&q, NULL, &result);
    return result;
}

static exb_real reduce_pair(const pair *p, exb_form f)
{
    exb_real result;
    EXB_GUARDED(result = decide_pair(p, f));
    return result;
}

/* The same term of both parts of all elements, from the first element on. */
static exb_real reduce_parts(exb_term term, exb_form f, int64_t n, const exb_real *x, int64_t incx)
{
    const pair p = {
        {{term, n, x, 2 * incx, x, 2 * incx}, {term, n, x + 1, 2 * incx, x + 1, 2 * incx}}, false};
    return reduce_pair(&p, f);
}

/* Which parts of the sum of n numbers, or of products, one pass over both decides: of floats a
 * plain one, which nearly always does, or another. */
static EXB_NOINLINE void filter_both(const exb_t(reduction) *r, bool conjugate, exb_real *ret,
                                     bool done[2])
{
    exb_fpenv env;
    exb_enclosure v[2];
    exb_fpenv_enter(&env);
    for (int plainly = EXB_IS_S; plainly >= 0 && exb_method_current()->filter; plainly--) {
        exb_t(reduce_filter_by)(r, (exb_filter){2, plainly, conjugate}, v);
        for (int k = 0; k < 2; k++)
            done[k] = done[k] || exb_round_enclosure(v[k], &ret[k]);
        if (done[0] && done[1])
            break;
    }
    exb_fpenv_leave(&env);
}

void exb_entry_complex(sum)(int64_t n, const exb_real *x, int64_t incx, exb_real *ret)
{
    bool done[2] = {false, false};
    const exb_t(reduction) all = {EXB_TERM_X, n, x, 1, x, 1};
    if ((incx == 1 || incx == -1) && n >= (EXB_IS_S ? 1 : EXB_PARTS_LENGTH))
        filter_both(&all, false, ret, done);
    for (int k = 0; k < 2; k++)
        if (!done[k])
            ret[k] = exb_entry(sum)(n, x + k, 2 * incx);
}

exb_real exb_entry_norm(sum)(int64_t n, const exb_real *x, int64_t incx)
{
    return n <= 0 ? 0 : reduce_parts(EXB_TERM_X, EXB_OF_LINE, n, x + 2 * exb_first(n, incx), incx);
}

exb_real exb_entry_norm(asum)(int64_t n, const exb_real *x, int64_t incx)
{
    if (incx == 1)
        return exb_t(own_asum)(2 * n, x, 1);
    return n <= 0 || incx <= 0 ? 0 : reduce_parts(EXB_TERM_ABS_X, EXB_OF_LINE, n, x, incx);
}

exb_real exb_entry_norm(nrm2)(int64_t n, const exb_real *x, int64_t incx)
{
    if (incx == 1)
        return exb_t(own_nrm2)(2 * n, x, 1);
    if (n <= 0)
        return 0;
    return reduce_parts(EXB_TERM_XY, EXB_OF_ROOT, n, x + 2 * exb_first(n, incx), incx);
}

/* Part k, each of its two sums by itself. */
static exb_real dot_part(int k, bool conjugate, const exb_t(reduction) *r)
{
    int64_t n = r->n, dx = 2 * r->incx, dy = 2 * r->incy;
    const exb_real *x = r->x, *y = r->y;
    const pair p = {
        {exb_t(dot_of)(n, x, dx, y + k, dy), exb_t(dot_of)(n, x + 1, dx, y + 1 - k, dy)},
        conjugate == (k == 1)};
    return reduce_pair(&p, EXB_OF_LINE);
}

/* By the bits: to compare a subnormal number would raise a flag that is the caller's. */
static bool has_finite_bits(exb_real x)
{
    uint64_t infinity = EXB_IS_S ? 0x7f800000 : EXB_KEY_INF;
    return ((EXB_IS_S ? exb_bits_f((float)x) : exb_bits(x)) & infinity) != infinity;
}

enum { SHORT = 32 };

/* Of short vectors: each part is one real dot product of x with a copy of y. */
static void dot_short(bool conjugate, const exb_t(reduction) *r, exb_real *ret)
{
    exb_real bx[2 * SHORT], y[2][2 * SHORT];
    const exb_real *x = exb_t(contiguous)(2, r->x, r->incx, 0, r->n, bx);
    for (int64_t i = 0; i < r->n; i++) {
        const exb_real *yi = r->y + 2 * i * r->incy;
        const exb_real re = yi[0], im = yi[1];
        y[0][2 * i] = re;
        y[0][2 * i + 1] = conjugate ? im : -im;
        y[1][2 * i] = im;
        y[1][2 * i + 1] = conjugate ? -re : re;
    }
    for (int k = 0; k < 2; k++)
        ret[k] = exb_t(own_dot)(2 * r->n, x, 1, y[k], 1);
}

static void dot_pairs(bool conjugate, int64_t n, const exb_real *x, int64_t incx, const exb_real *y,
                      int64_t incy, exb_real *ret)
{
    const exb_t(reduction) r = {
        EXB_TERM_XY, n, x + 2 * exb_first(n, incx), incx, y + 2 * exb_first(n, incy), incy};
    bool done[2] = {false, false};
    if (n <= 0) {
        ret[0] = ret[1] = 0;
        return;
    }
    if (conjugate && r.x == r.y && incx == incy) { /* of finite squares, exactly */
        ret[0] = incx == 1 ? exb_t(own_dot)(2 * n, x, 1, x, 1) : dot_part(0, true, &r);
        ret[1] = 0;
        if (has_finite_bits(ret[0]))
            return;
    }
    if (!EXB_IS_S && n <= SHORT) { /* floats are sooner added up plainly */
        dot_short(conjugate, &r, ret);
        return;
    }
    if (EXB_IS_S || exb_kernels_current()->has_fma)
        filter_both(&r, conjugate, ret, done);
    for (int k = 0; k < 2; k++)
        if (!done[k])
            ret[k] = dot_part(k, conjugate, &r);
}

void exb_entry_complex(dotu)(int64_t n, const exb_real *x, int64_t incx, const exb_real *y,
                             int64_t incy, exb_real *ret)
{
    dot_pairs(false, n, x, incx, y, incy, ret);
}

void exb_entry_complex(dotc)(int64_t n, const exb_real *x, int64_t incx, const exb_real *y,
                             int64_t incy, exb_real *ret)
{
    dot_pairs(true, n, x, incx, y, incy, ret);
}
