#include "lapack/elimination.h"

#include "core/partition.h"
#include "core/thread.h"

#include <stdlib.h>

typedef struct {
    const exb_field *field;
    int64_t n;
    uint64_t *m; /* n rows, in Montgomery's form */
    int64_t row, column;
    int n_ranges;
} exchange;

static void exchange_range(void *ctx, int64_t range)
{
    const exchange *e = ctx;
    exb_range r = exb_partition_range(e->n, e->n_ranges, (int)range);
    const uint64_t *pivot = e->m + e->row * e->n;
    for (int64_t i = r.begin; i < r.end; i++) {
        uint64_t *row = e->m + i * e->n;
        uint64_t factor = row[e->column];
        if (i == e->row || factor == 0)
            continue;
        row[e->column] = 0;
        exb_field_subtract_multiple(e->field, e->n, factor, pivot, row);
    }
}

/* y_row = ... is solved for x_column, and put into the other rows: in place, row `row` then
 * belongs to x_column, and column `column` to y_row. */
static void exchange_step(exchange *e)
{
    uint64_t *pivot = e->m + e->row * e->n;
    uint64_t inverse = exb_field_invert(e->field, pivot[e->column]);
    pivot[e->column] = e->field->one;
    for (int64_t j = 0; j < e->n; j++)
        pivot[j] = exb_field_multiply(e->field, pivot[j], inverse);
    e->n_ranges = exb_partition_count(4 * (double)e->n * (double)e->n, e->n);
    exb_parallel_for(e->n_ranges, e->n_ranges, exchange_range, e);
}

/* A row that has no unknown yet and whose element in the column is not 0, or -1. */
static int64_t find_pivot(const exchange *e, int64_t column, const bool *used)
{
    for (int64_t i = 0; i < e->n; i++)
        if (!used[i] && e->m[i * e->n + column] != 0)
            return i;
    return -1;
}

static void eliminate_columns(exb_elimination *e, uint64_t *m, bool *used)
{
    exchange x = {.field = &e->field, .n = e->n, .m = m};
    e->rank = 0;
    for (x.column = 0; x.column < e->n; x.column++) {
        x.row = find_pivot(&x, x.column, used);
        if (x.row < 0)
            continue;
        exchange_step(&x);
        used[x.row] = true;
        e->row[e->rank] = x.row;
        e->column[e->rank++] = x.column;
    }
}

/* The block of the inverse, from where the exchanges left it. */
static void gather_inverse(exb_elimination *e, const uint64_t *m)
{
    for (int64_t k = 0; k < e->rank; k++)
        for (int64_t l = 0; l < e->rank; l++)
            e->inverse[k * e->rank + l] =
                exb_field_leave(&e->field, m[e->row[k] * e->n + e->column[l]]);
}

bool exb_eliminate(exb_elimination *e, exb_field field, int64_t n, const double *a)
{
    size_t size = (size_t)n, n_elements = size * size;
    *e = (exb_elimination){.field = field, .n = n};
    e->row = malloc(size * sizeof *e->row);
    e->column = malloc(size * sizeof *e->column);
    e->inverse = malloc(n_elements * sizeof *e->inverse);
    uint64_t *m = malloc(n_elements * sizeof *m);
    bool *used = calloc(size, sizeof *used);
    bool done =
        e->row && e->column && e->inverse && m && used && exb_field_reduce(&field, n * n, a, m);
    if (done) {
        eliminate_columns(e, m, used);
        gather_inverse(e, m);
    } else {
        exb_elimination_free(e);
    }
    free(m);
    free(used);
    return done;
}

void exb_elimination_free(exb_elimination *e)
{
    free(e->row);
    free(e->column);
    free(e->inverse);
    *e = (exb_elimination){.n = 0};
}
