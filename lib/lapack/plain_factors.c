#include "lapack/plain_factors.h"

#include "core/kernels.h"
#include "core/memory.h"
#include "core/partition.h"
#include "core/thread.h"
#include "lapack/plain_update.h"
#include "level1/kernels/plain_lines.h"

#include <stdlib.h>

/* UNIT: rows or columns of which panels of any width are parts. STRIP: rows that are solved without
 * updates between them. */
enum { SMALL = EXB_SMALL_COLUMNS, UNIT = 24, STRIP = 96, MOST_WIDTH = UNIT };

static const exb_elimination_kernels *kernels(void)
{
    return exb_kernels_current()->elimination;
}

/* Where a range is parted: in the middle, or as near to it as the first part can be whole units. */
static int64_t middle_of(int64_t begin, int64_t end)
{
    int64_t size = end - begin, unit = size > UNIT ? UNIT : SMALL;
    return begin + exb_most(1, (size + unit - 1) / (2 * unit)) * unit;
}

/* In n_columns columns from the k-th on rows change places as they did in steps first ... last - 1.
 */
static void swap_rows(exb_plain_factors *f, int64_t first, int64_t last, int64_t k,
                      int64_t n_columns)
{
    const exb_line_kernels *lines = exb_kernels_current()->lines;
    for (int64_t i = first; i < last; i++)
        if (f->pivot[i] != i)
            lines->swap(n_columns, f->lu + i * f->n + k, f->lu + f->pivot[i] * f->n + k);
}

/* Few columns. */
static bool factor_small(exb_plain_factors *f, int64_t begin, int64_t end)
{
    int64_t n = f->n;
    if (!kernels()->factor(n - begin, (int)(end - begin), f->lu + begin * n + begin, n, f->work,
                           f->pivot + begin))
        return false;
    for (int64_t i = begin; i < end; i++) {
        f->pivot[i] += begin;
        int64_t j = f->pivot[i], old = f->order[i];
        f->order[i] = f->order[j];
        f->order[j] = old;
    }
    return true;
}

static void update_block(const exb_plain_factors *f, int64_t m, int64_t n, int64_t k,
                         const double *a, const double *b, double *c)
{
    exb_plain_update(m, n, k, a, f->n, b, f->n, c, f->n, f->work);
}

/* Columns of x, n_rows rows of n elements, strip by strip: the triangle t divided out, upper if
 * there are reciprocals of its diagonal. */
typedef struct {
    int64_t n, n_rows, n_columns;
    const double *t, *reciprocal;
    double *x;
} strips;

static void solve_strip(const strips *s, int vectors, double *x, int64_t ldx)
{
    if (s->reciprocal)
        kernels()->solve_upper(s->n_rows, vectors, s->t, s->n, s->reciprocal, x, ldx);
    else
        kernels()->solve_lower(s->n_rows, vectors, s->t, s->n, x, ldx);
}

static void solve_columns(void *ctx, int64_t i)
{
    const strips *s = ctx;
    int64_t lanes = kernels()->lanes, width = lanes * kernels()->most_vectors;
    int64_t n_columns = exb_least(width, s->n_columns - i * width);
    int vectors = (int)exb_tasks_of(n_columns, lanes);
    double *x = s->x + i * width;
    _Alignas(64) double edge[STRIP * MOST_WIDTH];
    if (n_columns % lanes == 0) {
        solve_strip(s, vectors, x, s->n);
        return;
    }
    for (int64_t r = 0; r < s->n_rows; r++) {
        memcpy(edge + r * width, x + r * s->n, (size_t)n_columns * sizeof *x);
        memset(edge + r * width + n_columns, 0, (size_t)(width - n_columns) * sizeof *x);
    }
    solve_strip(s, vectors, edge, width);
    for (int64_t r = 0; r < s->n_rows; r++)
        memcpy(x + r * s->n, edge + r * width, (size_t)n_columns * sizeof *x);
}

static void solve_strips(strips s)
{
    int64_t n_strips = exb_tasks_of(s.n_columns, kernels()->lanes * kernels()->most_vectors);
    int n_threads = exb_partition_count(
        (double)s.n_rows * (double)s.n_rows * (double)s.n_columns / 8, n_strips);
    exb_parallel_for(n_threads, n_strips, solve_columns, &s);
}

/* Rows begin ... end - 1 of x, n_columns of each: the unit lower triangle there is divided out. */
static void solve_lower(const exb_plain_factors *f, int64_t begin, int64_t end, double *x,
                        int64_t n_columns)
{
    int64_t n = f->n, middle = middle_of(begin, end);
    if (end - begin <= STRIP) {
        solve_strips(
            (strips){n, end - begin, n_columns, f->lu + begin * n + begin, NULL, x + begin * n});
        return;
    }
    solve_lower(f, begin, middle, x, n_columns);
    update_block(f, end - middle, n_columns, middle - begin, f->lu + middle * n + begin,
                 x + begin * n, x + middle * n);
    solve_lower(f, middle, end, x, n_columns);
}

/* Columns begin ... end - 1 of the rows from begin on. */
static bool factor(exb_plain_factors *f, int64_t begin, int64_t end)
{
    int64_t n = f->n, middle = middle_of(begin, end);
    if (end - begin <= SMALL)
        return factor_small(f, begin, end);
    if (!factor(f, begin, middle))
        return false;
    swap_rows(f, begin, middle, middle, end - middle);
    solve_lower(f, begin, middle, f->lu + middle, end - middle);
    update_block(f, n - middle, end - middle, middle - begin, f->lu + middle * n + begin,
                 f->lu + begin * n + middle, f->lu + middle * n + middle);
    if (!factor(f, middle, end))
        return false;
    swap_rows(f, middle, end, begin, middle - begin);
    return true;
}

/* Rows begin ... end - 1 of X_L, which has zeros right of the diagonal. */
static void invert_lower(const exb_plain_factors *f, int64_t begin, int64_t end)
{
    int64_t n = f->n, middle = middle_of(begin, end);
    if (end - begin <= STRIP) {
        solve_lower(f, begin, end, f->lower, end);
        return;
    }
    invert_lower(f, begin, middle);
    update_block(f, end - middle, middle, middle - begin, f->lu + middle * n + begin,
                 f->lower + begin * n, f->lower + middle * n);
    invert_lower(f, middle, end);
}

/* Rows begin ... end - 1 of X_U, from the last one up. */
static void invert_upper(const exb_plain_factors *f, int64_t begin, int64_t end)
{
    int64_t n = f->n, middle = middle_of(begin, end);
    if (end - begin <= STRIP) {
        solve_strips((strips){n, end - begin, n - begin, f->lu + begin * n + begin,
                              f->reciprocal + begin, f->upper + begin * n + begin});
        return;
    }
    invert_upper(f, middle, end);
    update_block(f, middle - begin, n - middle, end - middle, f->lu + begin * n + middle,
                 f->upper + middle * n + middle, f->upper + begin * n + middle);
    invert_upper(f, begin, middle);
}

static void set_identity(int64_t n, double *x)
{
    memset(x, 0, (size_t)(n * n) * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i * n + i] = 1;
}

static bool allocate_factors(exb_plain_factors *f)
{
    enum { LINE = 8 }; /* at which all begin */
    int64_t n = f->n, all = exb_round_up(n * n, LINE), line = exb_round_up(n, LINE);
    int64_t room = exb_most(exb_plain_update_room(n), SMALL * line);
    f->lu = exb_memory_get((size_t)(3 * all + line + room) * sizeof *f->lu);
    f->order = malloc(2 * (size_t)n * sizeof *f->order);
    if (!f->lu || !f->order)
        return false;
    f->lower = f->lu + all;
    f->upper = f->lower + all;
    f->reciprocal = f->upper + all;
    f->work = f->reciprocal + line;
    f->pivot = f->order + n;
    return true;
}

bool exb_plain_factors_init(exb_plain_factors *f, int64_t n, const double *s)
{
    *f = (exb_plain_factors){.n = n};
    bool done = allocate_factors(f);
    if (done) {
        for (int64_t i = 0; i < n; i++)
            f->order[i] = i;
        exb_kernels_current()->d.transpose(n, s, n, f->lu);
        done = factor(f, 0, n);
    }
    if (!done) {
        exb_plain_factors_free(f);
        return false;
    }
    set_identity(n, f->lower);
    set_identity(n, f->upper);
    for (int64_t i = 0; i < n; i++)
        f->reciprocal[i] = 1 / f->lu[i * n + i];
    invert_lower(f, 0, n);
    invert_upper(f, 0, n);
    return true;
}

void exb_plain_factors_free(exb_plain_factors *f)
{
    exb_memory_put(f->lu);
    free(f->order);
    *f = (exb_plain_factors){.n = 0};
}

/* T: each parting of a range of that size updates an element at most once, with as many terms as
 * one part has rows or columns, the first or, from the last row up, the second; or a strip does;
 * then there are fewer than SMALL single products. */
static int64_t most_subtractions(int64_t size)
{
    if (size <= SMALL)
        return SMALL - 1;
    int64_t first = middle_of(0, size), second = size - first;
    return exb_tasks_of(exb_most(first, second), EXB_UPDATE_TERMS) +
           exb_most(most_subtractions(first), most_subtractions(second));
}

/* p: a multiplication and the additions of a run, of which the first one adds to 0, and those of
 * the runs that the largest update has. */
double exb_plain_factors_error(int64_t n)
{
    int64_t first = middle_of(0, n), largest = exb_most(first, n - first);
    largest = exb_most(largest, exb_least(n, STRIP));
    int64_t additions =
        EXB_UPDATE_RUN - 1 + exb_least(EXB_UPDATE_RUNS, exb_tasks_of(largest, EXB_UPDATE_RUN));
    double lost = (double)(most_subtractions(n) + additions) * 0x1p-53;
    return lost / (1 - lost) * (1 + 0x1p-20);
}
