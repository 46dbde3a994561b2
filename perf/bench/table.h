/* What a suite found: some series of measurements over one axis, written as JSON. */
#pragma once

#include "harness.h"

#include <stdbool.h>

enum { TABLE_SERIES = BENCH_CANDIDATES, TABLE_POINTS = 80, TABLE_COLUMNS = 7 };

/* The sizes of the page of results. */
extern const double table_columns[TABLE_COLUMNS];

/* What one call does; 0: does not apply. */
typedef struct {
    double elements, bytes, flops;
} table_work;

/* The value that a timing is shown as; ratios are to a candidate that is no series. */
typedef enum { TABLE_RATE, TABLE_NS, TABLE_RATIOS } table_show;

typedef struct {
    const char *suite, *title, *x_name, *y_name; /* names with units */
    const char *unit;                            /* of the values */
    bool x_log, y_log, y_powers;                 /* y_powers: powers of ten on the axis */
    table_show show;
    int base; /* the series that ratios are to */
    int n_series, n_points;
    const char *series[TABLE_SERIES]; /* the last one: our default */
    double x[TABLE_POINTS];
    const char *label[TABLE_POINTS]; /* in place of x; a table with labels is drawn as a heat map */
    double value[TABLE_POINTS][TABLE_SERIES];  /* the best: NaN where there is none */
    double median[TABLE_POINTS][TABLE_SERIES]; /* equal to value if there is only one */
    table_work work[TABLE_POINTS];
    bench_candidate time[TABLE_POINTS][TABLE_SERIES]; /* min_ns = 0: not a timing */
    const char *ceiling_name; /* NULL: none; what bounds the values, drawn as a broken line */
    double ceiling;
} bench_table;

/* The series are the candidates. */
void table_name_series(bench_table *t, const bench_candidate *candidate, int n_candidates);

/* Measures one point: the candidates whose run is not NULL, in turn; the others have no value.
 * Candidate t->base must have one. */
void table_measure(const bench_options *o, bench_table *t, double x, table_work work,
                   const bench_candidate *candidate, void *ctx);

/* The same in steps, for TABLE_RATIOS: points without values, by the next function those of the
 * page's columns from `least` to `most`; and at point i, from series number `series` on, the time
 * of each candidate but the first over that of the first. */
void table_start_point(bench_table *t, double x);
void table_start_columns(bench_table *t, double least, double most);
void table_measure_ratios(const bench_options *o, bench_table *t, int i, int series,
                          int n_candidates, bench_candidate *candidate);

/* One object, which ends with a line `]}`. */
void table_write_json(FILE *f, const bench_table *t);
