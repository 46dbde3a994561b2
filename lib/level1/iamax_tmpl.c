/* iamax: the first NaN, else the first exactly largest |x_i| or |re| + |im|; iamin, and of reals
 * imax and imin, in the same manner; amax, amin, max and min: what is there, |re| + |im| rounded
 * once.
 *
 * For iamax the vector is searched in blocks by the key of the largest element (kernels.h), which
 * orders sums |re| + |im| up to their rounding and puts those that overflow beside Inf.
 * Only blocks that reach the largest key so far are looked at element by element.
 * Types: s d c z. */
#include "entry.h"

#include "core/fpenv.h"
#include "core/partition.h"
#include "core/thread.h"
#include "level1/reduce.h"

#if EXB_IS_COMPLEX
#define exb_entry_magnitude(name) exb_entry_norm(name)
#else
#define exb_entry_magnitude(name) exb_entry(name)
#endif

/* |x| or |re| + |im| for comparison: by key, then h, then l. Where the keys are equal
 * and finite h is too, and l is the error of h. A finite sum that overflows counts half:
 * exactly, since its smaller part is then at least half an ulp of the largest number,
 * 2^970. Inf has h = Inf, NaN h = 0. */
typedef struct {
    int64_t key;
    double h, l;
} magnitude;

typedef struct {
    int64_t index;
    magnitude m;
} candidate;

static magnitude magnitude_of(const exb_real *x)
{
    double re = __builtin_fabs((double)x[0]);
    double im = EXB_IS_COMPLEX ? __builtin_fabs((double)x[EXB_PARTS - 1]) : 0;
    double l, h = exb_two_sum(re, im, &l);
    if (isnan(h))
        return (magnitude){EXB_KEY_NAN, 0, 0};
    int64_t key = (int64_t)exb_bits(h);
    if (key < EXB_KEY_INF)
        return (magnitude){key, h, l};
    if (re > DBL_MAX || im > DBL_MAX)
        return (magnitude){key, INFINITY, 0};
    h = exb_two_sum(re / 2, im / 2, &l);
    return (magnitude){key, h, l};
}

static bool exceeds(magnitude a, magnitude b)
{
    if (a.key != b.key)
        return a.key > b.key;
    return a.h != b.h ? a.h > b.h : a.l > b.l;
}

/* The search of one range of elements. */
typedef struct {
    int64_t n, incx; /* in elements */
    const exb_real *x;
    int n_ranges;
    candidate *best; /* of each range */
} problem;

/* A block whose largest key is `peak`. */
static void search_block(const exb_real *x, int64_t begin, int64_t n, int64_t peak, candidate *best)
{
#if EXB_IS_COMPLEX
    for (int64_t i = 0; i < n; i++) {
        magnitude m = magnitude_of(x + EXB_PARTS * i);
        if (m.key == peak && exceeds(m, best->m))
            *best = (candidate){begin + i, m};
    }
#else
    double value = exb_from_bits((uint64_t)peak);
    int64_t i = 0;
    while (i < n - 1 && (peak < EXB_KEY_NAN ? __builtin_fabs((double)x[i]) < value : !isnan(x[i])))
        i++;
    *best = (candidate){begin + i, {peak, 0, 0}};
#endif
}

static EXB_NOINLINE void search_range(void *ctx, int64_t k)
{
    const problem *p = ctx;
    exb_range r = exb_partition_range(p->n, p->n_ranges, (int)k);
    exb_real buffer[EXB_GROUP * EXB_PARTS];
    candidate best = {r.begin, {-1, 0, 0}};
    for (int64_t i = r.begin; i < r.end; i += EXB_GROUP) {
        int64_t n = exb_least(r.end - i, EXB_GROUP);
        const exb_real *x = exb_p(contiguous)(EXB_PARTS, p->x, p->incx, i, n, buffer);
        int64_t peak = exb_t_kernels()->peak(EXB_PARTS, n, x);
        if (peak > best.m.key || (EXB_IS_COMPLEX && peak == best.m.key))
            search_block(x, i, n, peak, &best);
    }
    p->best[k] = best;
}

static EXB_NOINLINE int64_t first_of(const candidate *best, int n)
{
    candidate first = best[0];
    for (int k = 1; k < n; k++)
        if (exceeds(best[k].m, first.m))
            first = best[k];
    return first.index;
}

int64_t exb_entry_index(amax)(int64_t n, const exb_real *x, int64_t incx)
{
    candidate best[EXB_MOST_RANGES];
    if (n <= 0 || incx <= 0)
        return 0;
    problem p = {n, incx, x, exb_partition_count((double)n, n), best};
    exb_fpenv env;
    exb_fpenv_enter(&env);
    exb_parallel_for(p.n_ranges, p.n_ranges, search_range, &p);
    int64_t index = first_of(best, p.n_ranges);
    exb_fpenv_leave(&env);
    return index + 1;
}

/* --- other extremes, element after element ----------------------------------- */

static bool is_nan(const exb_real *x)
{
    return isnan(x[0]) || isnan(x[EXB_PARTS - 1]);
}

typedef enum { LEAST_MAGNITUDE, LEAST, LARGEST } extreme;

static bool wins(extreme of, const exb_real *x, const exb_real *best)
{
    if (of == LEAST_MAGNITUDE)
        return exceeds(magnitude_of(best), magnitude_of(x));
    return of == LEAST ? *x < *best : *x > *best;
}

static EXB_NOINLINE int64_t search(extreme of, int64_t n, const exb_real *x, int64_t incx)
{
    const exb_real *best = x;
    int64_t index = 0;
    for (int64_t i = 1; i < n && !is_nan(best); i++) {
        const exb_real *element = x + EXB_PARTS * i * incx;
        if (is_nan(element) || wins(of, element, best)) {
            best = element;
            index = i;
        }
    }
    return index + 1;
}

static int64_t search_guarded(extreme of, int64_t n, const exb_real *x, int64_t incx)
{
    int64_t index;
    if (n <= 0 || incx <= 0)
        return 0;
    EXB_GUARDED(index = search(of, n, x, incx));
    return index;
}

/* Volatile: a compiler that knows what this does to its operand calls it after the guard. */
static EXB_NOINLINE exb_real rounded(const volatile exb_real *x, bool is_magnitude)
{
    exb_real re = x[0], im = EXB_IS_COMPLEX ? x[EXB_PARTS - 1] : 0;
    return exb_canonical(is_magnitude ? (re < 0 ? -re : re) + (im < 0 ? -im : im) : re);
}

/* Element `index`, 0 for none, or |re| + |im| of it, rounded. */
static exb_real value_at(const exb_real *x, int64_t incx, int64_t index, bool is_magnitude)
{
    exb_real value = 0;
    if (index)
        EXB_GUARDED(value = rounded(x + EXB_PARTS * (index - 1) * incx, is_magnitude));
    return value;
}

int64_t exb_entry_index(amin)(int64_t n, const exb_real *x, int64_t incx)
{
    return search_guarded(LEAST_MAGNITUDE, n, x, incx);
}

exb_real exb_entry_magnitude(amax)(int64_t n, const exb_real *x, int64_t incx)
{
    return value_at(x, incx, exb_entry_index(amax)(n, x, incx), true);
}

exb_real exb_entry_magnitude(amin)(int64_t n, const exb_real *x, int64_t incx)
{
    return value_at(x, incx, exb_entry_index(amin)(n, x, incx), true);
}

#if !EXB_IS_COMPLEX
int64_t exb_entry_index(max)(int64_t n, const exb_real *x, int64_t incx)
{
    return search_guarded(LARGEST, n, x, incx);
}

int64_t exb_entry_index(min)(int64_t n, const exb_real *x, int64_t incx)
{
    return search_guarded(LEAST, n, x, incx);
}

exb_real exb_entry(max)(int64_t n, const exb_real *x, int64_t incx)
{
    return value_at(x, incx, exb_entry_index(max)(n, x, incx), false);
}

exb_real exb_entry(min)(int64_t n, const exb_real *x, int64_t incx)
{
    return value_at(x, incx, exb_entry_index(min)(n, x, incx), false);
}
#endif
