#include "lapack/elimination.h"

#include "core/partition.h"
#include "core/thread.h"

#include <stdlib.h>

typedef struct {
    const exb_elimination *e;
    int64_t row, column;
    int n_ranges;
} exchange;

static void exchange_range(void *ctx, int64_t range)
{
    const exchange *x = ctx;
    const exb_field *f = &x->e->field;
    int64_t n = x->e->n;
    const uint64_t *pivot = x->e->inverse + x->row * n;
    exb_range r = exb_partition_range(n, x->n_ranges, (int)range);
    for (int64_t i = r.begin; i < r.end; i++) {
        uint64_t *row = x->e->inverse + i * n, factor = row[x->column];
        if (i == x->row || factor == 0)
            continue;
        row[x->column] = 0;
        for (int64_t j = 0; j < n; j++) {
            uint64_t multiple = exb_field_multiply(f, factor, pivot[j]);
            row[j] = row[j] >= multiple ? row[j] - multiple : row[j] + f->p - multiple;
        }
    }
}

/* The equation of row[rank] is solved for x_column, and put into the other rows: in place, the row
 * then belongs to x_column, and column `column` to its right-hand side. */
static void exchange_step(const exb_elimination *e, int64_t column)
{
    exchange x = {e, e->row[e->rank], column,
                  exb_partition_count(4 * (double)e->n * (double)e->n, e->n)};
    uint64_t *pivot = e->inverse + x.row * e->n;
    uint64_t inverse = exb_field_invert(&e->field, pivot[column]);
    pivot[column] = e->field.one;
    for (int64_t j = 0; j < e->n; j++)
        pivot[j] = exb_field_multiply(&e->field, pivot[j], inverse);
    exb_parallel_for(x.n_ranges, x.n_ranges, exchange_range, &x);
}

/* A row that has no unknown yet and whose element in the column is not 0 comes to row[rank]. */
static bool find_pivot(exb_elimination *e, int64_t column)
{
    for (int64_t i = e->rank; i < e->n; i++) {
        int64_t row = e->row[i];
        e->row[i] = e->row[e->rank];
        e->row[e->rank] = row;
        if (e->inverse[row * e->n + column] != 0)
            return true;
    }
    return false;
}

bool exb_eliminate(exb_elimination *e, exb_field field, int64_t n, const double *a)
{
    *e = (exb_elimination){.field = field, .n = n};
    e->row = malloc(2 * (size_t)n * sizeof *e->row);
    e->inverse = malloc((size_t)n * (size_t)n * sizeof *e->inverse);
    if (!e->row || !e->inverse) {
        exb_elimination_free(e);
        return false;
    }
    e->column = e->row + n;
    for (int64_t i = 0; i < n; i++)
        e->row[i] = i;
    exb_field_reduce(&field, n * n, a, e->inverse);
    for (int64_t j = 0; j < n; j++)
        if (find_pivot(e, j)) {
            exchange_step(e, j);
            e->column[e->rank++] = j;
        }
    for (int64_t i = 0; i < n * n; i++)
        e->inverse[i] = exb_field_leave(&field, e->inverse[i]);
    return true;
}

void exb_elimination_free(exb_elimination *e)
{
    free(e->row);
    free(e->inverse);
    *e = (exb_elimination){.n = 0};
}
