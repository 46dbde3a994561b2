/* What a suite found: some series of measurements over one axis, written as text, CSV, JSON or a
 * picture. */
#ifndef EXB_PERF_TABLE_H
#define EXB_PERF_TABLE_H

#include "harness.h"

#include <stdbool.h>
#include <stdio.h>

enum { TABLE_SERIES = 16, TABLE_POINTS = 64 };

typedef struct {
    const char *suite, *title, *x_name, *y_name; /* names with units */
    const char *unit;                            /* of the values */
    bool x_log, y_log, y_powers;                 /* y_powers: powers of ten on the axis */
    int n_series, n_points;
    const char *series[TABLE_SERIES];
    double x[TABLE_POINTS];
    double value[TABLE_POINTS][TABLE_SERIES];  /* the best: NaN where there is none */
    double median[TABLE_POINTS][TABLE_SERIES]; /* equal to value if there is only one */
} bench_table;

void table_write_text(FILE *f, const bench_table *t);
void table_write_csv(FILE *f,
                     const bench_table *t); /* rows: suite, series, x, value, median, unit */
void table_write_json(FILE *f, const bench_table *t); /* one object */

/* FOLDER/SUITE.csv, .svg and .png by gnuplot. False, with a message, if a file cannot be written.
 * `caption` is a line below the title: the machine. */
bool table_plot(const bench_table *t, const char *folder, const char *caption);

#endif
