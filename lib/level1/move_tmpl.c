/* copy and swap: bits are moved, so that NaN and the floating-point environment do not
 * matter.
 * Types: s d c z. */
#include "entry.h"

#include "core/partition.h"
#include "core/thread.h"
#include "core/type.h"

typedef struct {
    int64_t n;
    exb_real *x;
    int64_t incx; /* in reals, as incy */
    exb_real *y;
    int64_t incy;
    int n_ranges;
} problem;

/* Runs the task over ranges; where a written vector has increment 0 the elements go one
 * after the other. */
static void move_elements(int64_t n, exb_real *x, int64_t incx, exb_real *y, int64_t incy,
                          bool in_order, void (*task)(void *, int64_t))
{
    problem p = {n,
                 x + EXB_PARTS * exb_first(n, incx),
                 EXB_PARTS * incx,
                 y + EXB_PARTS * exb_first(n, incy),
                 EXB_PARTS * incy,
                 1};
    if (!in_order)
        p.n_ranges = exb_partition_count((double)n, n);
    exb_parallel_for(p.n_ranges, p.n_ranges, task, &p);
}

static void copy_range(void *ctx, int64_t k)
{
    const problem *p = ctx;
    exb_range r = exb_partition_range(p->n, p->n_ranges, (int)k);
    size_t n_bytes = EXB_PARTS * sizeof(exb_real);
    if (p->incx == EXB_PARTS && p->incy == EXB_PARTS) {
        memmove(p->y + r.begin * EXB_PARTS, p->x + r.begin * EXB_PARTS,
                (size_t)(r.end - r.begin) * n_bytes);
        return;
    }
    const exb_real *x = p->x + r.begin * p->incx;
    exb_real *y = p->y + r.begin * p->incy;
    int64_t incx = p->incx, incy = p->incy; /* which no store changes */
    for (int64_t i = r.begin; i < r.end; i++, x += incx, y += incy)
        memmove(y, x, n_bytes);
}

static void swap_range(void *ctx, int64_t k)
{
    const problem *p = ctx;
    exb_range r = exb_partition_range(p->n, p->n_ranges, (int)k);
    for (int64_t i = r.begin; i < r.end; i++)
        for (int part = 0; part < EXB_PARTS; part++) {
            exb_real *x = p->x + i * p->incx + part, *y = p->y + i * p->incy + part;
            exb_real t = *x;
            *x = *y;
            *y = t;
        }
}

void exb_entry(copy)(int64_t n, const exb_real *x, int64_t incx, exb_real *y, int64_t incy)
{
    if (n > 0)
        move_elements(n, (exb_real *)x, incx, y, incy, incy == 0, copy_range);
}

void exb_entry(swap)(int64_t n, exb_real *x, int64_t incx, exb_real *y, int64_t incy)
{
    if (n > 0)
        move_elements(n, x, incx, y, incy, incx == 0 || incy == 0, swap_range);
}
