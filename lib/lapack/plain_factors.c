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

/* A lower triangle t of n rows of n, by the reciprocals of its diagonal or ones, and what it is
 * divided out of: rows ld apart of n_columns elements or, where that is 0, of a lower triangle;
 * with ld < 0 of an upper one from the last row up. begin, end: a strip of rows, without updates
 * between them. */
typedef struct {
    const exb_plain_factors *f;
    const double *t, *reciprocal;
    double *x;
    int64_t ld, n_columns, begin, end;
} triangle;

static int64_t columns_to(const triangle *t, int64_t end)
{
    return t->n_columns ? t->n_columns : end;
}

static double *row_of(const triangle *t, int64_t i, int64_t n_columns)
{
    return t->x + i * t->ld + (t->ld < 0 ? t->f->n - n_columns : 0);
}

static void solve_columns(void *ctx, int64_t i)
{
    const triangle *t = ctx;
    int64_t lanes = kernels()->lanes, width = lanes * kernels()->most_vectors,
            m = t->end - t->begin;
    int64_t all = columns_to(t, t->end), n_columns = exb_least(width, all - i * width);
    double *x = row_of(t, t->begin, all) + i * width;
    _Alignas(64) double side[STRIP * MOST_WIDTH];
    memset(side, 0, (size_t)(m * width) * sizeof *side);
    for (int64_t r = 0; r < m; r++)
        memcpy(side + r * width, x + r * t->ld, (size_t)n_columns * sizeof *x);
    kernels()->solve(m, (int)exb_tasks_of(n_columns, lanes), t->t + t->begin * (t->f->n + 1),
                     t->f->n, t->reciprocal ? t->reciprocal + t->begin : NULL, side, width);
    for (int64_t r = 0; r < m; r++)
        memcpy(x + r * t->ld, side + r * width, (size_t)n_columns * sizeof *x);
}

/* Rows begin ... end - 1: the triangle there is divided out. */
static void divide_rows(triangle *t, int64_t begin, int64_t end)
{
    int64_t n = t->f->n, middle = middle_of(begin, end), n_columns = columns_to(t, middle);
    if (end - begin <= STRIP) {
        t->begin = begin;
        t->end = end;
        n_columns = columns_to(t, end);
        int64_t n_strips = exb_tasks_of(n_columns, kernels()->lanes * kernels()->most_vectors);
        double work = (double)(end - begin) * (double)(end - begin) * (double)n_columns / 8;
        exb_parallel_for(exb_partition_count(work, n_strips), n_strips, solve_columns, t);
        return;
    }
    divide_rows(t, begin, middle);
    exb_plain_update(end - middle, n_columns, middle - begin, t->t + middle * n + begin, n,
                     row_of(t, begin, n_columns), t->ld, row_of(t, middle, n_columns), t->ld,
                     t->f->work);
    divide_rows(t, middle, end);
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
    triangle right = {f, f->lu, NULL, f->lu + middle, n, end - middle, 0, 0};
    divide_rows(&right, begin, middle);
    exb_plain_update(n - middle, end - middle, middle - begin, f->lu + middle * n + begin, n,
                     f->lu + begin * n + middle, n, f->lu + middle * n + middle, n, f->work);
    if (!factor(f, middle, end))
        return false;
    swap_rows(f, middle, end, begin, middle - begin);
    return true;
}

static void set_identity(int64_t n, double *x)
{
    memset(x, 0, (size_t)(n * n) * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i * n + i] = 1;
}

/* U from its last row and column on, in the place of X_L. */
static void turn_upper(const exb_plain_factors *f)
{
    int64_t n = f->n;
    for (int64_t i = 0; i < n; i++) {
        f->reciprocal[n - 1 - i] = 1 / f->lu[i * n + i];
        for (int64_t j = i; j < n; j++)
            f->lower[(n - 1 - i) * n + n - 1 - j] = f->lu[i * n + j];
    }
}

static void invert(const exb_plain_factors *f)
{
    int64_t n = f->n;
    triangle l = {f, f->lu, NULL, f->lower, n, 0, 0, 0};
    triangle u = {f, f->lower, f->reciprocal, f->upper + (n - 1) * n, -n, 0, 0, 0};
    turn_upper(f);
    set_identity(n, f->upper);
    divide_rows(&u, 0, n);
    set_identity(n, f->lower);
    divide_rows(&l, 0, n);
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
        exb_kernels_current()->d.transpose(n, n, s, n, f->lu, n);
        done = factor(f, 0, n);
    }
    if (!done) {
        exb_plain_factors_free(f);
        return false;
    }
    invert(f);
    return true;
}

void exb_plain_factors_free(exb_plain_factors *f)
{
    exb_memory_put(f->lu);
    free(f->order);
    *f = (exb_plain_factors){.n = 0};
}

/* T: each parting of a range of that size updates an element at most once, with as many terms as
 * the first part has rows or columns; or a strip does; then there are fewer than SMALL single
 * products. */
static int64_t most_subtractions(int64_t size)
{
    if (size <= SMALL)
        return SMALL - 1;
    int64_t first = middle_of(0, size);
    return exb_tasks_of(first, EXB_UPDATE_TERMS) +
           exb_most(most_subtractions(first), most_subtractions(size - first));
}

/* p: a multiplication and the additions of a run, of which the first one adds to 0, and those of
 * the runs that the largest update has. */
double exb_plain_factors_error(int64_t n)
{
    int64_t largest = exb_most(middle_of(0, n), exb_least(n, STRIP));
    int64_t additions =
        EXB_UPDATE_RUN - 1 + exb_least(EXB_UPDATE_RUNS, exb_tasks_of(largest, EXB_UPDATE_RUN));
    double lost = (double)(most_subtractions(n) + additions) * 0x1p-53;
    return lost / (1 - lost) * (1 + 0x1p-20);
}
