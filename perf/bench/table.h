/* What a suite found: some series of measurements over one axis, written as text, CSV, JSON or a
 * picture. */
#ifndef EXB_PERF_TABLE_H
#define EXB_PERF_TABLE_H

#include "harness.h"

#include <stdbool.h>
#include <stdio.h>

enum { TABLE_SERIES = BENCH_CANDIDATES, TABLE_POINTS = 64 };

/* What one call does; 0: does not apply. */
typedef struct {
    double elements, bytes, flops;
} table_work;

/* The value that a timing is shown as; ratios are to a candidate that is no series. */
typedef enum { TABLE_RATE, TABLE_NS, TABLE_GFLOPS, TABLE_GBS, TABLE_RATIOS } table_show;

typedef struct {
    const char *suite, *title, *x_name, *y_name; /* names with units */
    const char *unit;                            /* of the values */
    bool x_log, y_log, y_powers;                 /* y_powers: powers of ten on the axis */
    table_show show;
    int base; /* the series that ratios are to */
    int n_series, n_points;
    const char *series[TABLE_SERIES]; /* the last one: our default */
    double x[TABLE_POINTS];
    double value[TABLE_POINTS][TABLE_SERIES];  /* the best: NaN where there is none */
    double median[TABLE_POINTS][TABLE_SERIES]; /* equal to value if there is only one */
    table_work work[TABLE_POINTS];
    bench_candidate time[TABLE_POINTS][TABLE_SERIES]; /* min_ns = 0: not a timing */
    const char *ceiling_name; /* NULL: none; what bounds the values, drawn as a broken line */
    double ceiling[TABLE_POINTS];
} bench_table;

/* The series are the candidates. */
void table_name_series(bench_table *t, const bench_candidate *candidate, int n_candidates);

/* A ceiling that is the same at every point. */
void table_level_ceiling(bench_table *t, const char *name, double value);

/* Measures one point: the candidates whose run is not NULL, in turn; the others have no value.
 * Candidate t->base must have one. */
void table_measure(const bench_options *o, bench_table *t, double x, table_work work,
                   const bench_candidate *candidate, void *ctx);

/* The same in steps, for TABLE_RATIOS: a point without values, which the caller counts when it is
 * done; and from series number `series` on the time of each candidate but the first over that of
 * the first. */
void table_start_point(bench_table *t, double x);
void table_measure_ratios(const bench_options *o, bench_table *t, int series, int n_candidates,
                          bench_candidate *candidate);

/* Values, and ratios to the baseline with their spread. */
void table_write_text(FILE *f, const bench_table *t);

/* The first line of a CSV file, and the rows of a table. */
void table_write_csv_header(FILE *f);
void table_write_csv(FILE *f, const bench_table *t);
void table_write_json(FILE *f, const bench_table *t); /* one object */

/* A table of Markdown: of each point, the time of our default and the baseline per element and
 * their ratio; of TABLE_RATIOS a row for each series. */
void table_write_markdown(FILE *f, const bench_table *t);

/* FOLDER/SUITE.csv, .svg and .png by gnuplot. False, with a message, if a file cannot be written.
 * `caption` is a line below the title: the machine. */
bool table_plot(const bench_table *t, const char *folder, const char *caption);

#endif
