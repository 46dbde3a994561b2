#include "table.h"

#include <math.h>
#include <string.h>

const double table_columns[TABLE_COLUMNS] = {4, 16, 64, 256, 1024, 1 << 15, 1 << 20};

void table_name_series(bench_table *t, const bench_candidate *candidate, int n_candidates)
{
    t->n_series = n_candidates;
    for (int j = 0; j < n_candidates; j++)
        t->series[j] = candidate[j].name;
}

/* How a time is shown. */
static double shown(const bench_table *t, table_work work, double ns)
{
    return t->show == TABLE_NS ? ns / work.elements : work.elements / ns;
}

void table_measure(const bench_options *o, bench_table *t, double x, table_work work,
                   const bench_candidate *candidate, void *ctx)
{
    bench_candidate present[TABLE_SERIES];
    int place[TABLE_SERIES], n_present = 0, i = t->n_points++;
    t->x[i] = x;
    t->work[i] = work;
    for (int j = 0; j < t->n_series; j++) { /* the baseline first */
        int k = j == 0 ? t->base : j <= t->base ? j - 1 : j;
        t->value[i][k] = t->median[i][k] = NAN;
        t->time[i][k].min_ns = 0;
        place[n_present] = k;
        if (candidate[k].run)
            present[n_present++] = candidate[k];
    }
    bench_measure(o, present, n_present, ctx);
    for (int j = 0; j < n_present; j++) {
        t->time[i][place[j]] = present[j];
        t->value[i][place[j]] = shown(t, work, present[j].min_ns);
        t->median[i][place[j]] = shown(t, work, present[j].median_ns);
    }
}

void table_start_point(bench_table *t, double x)
{
    int i = t->n_points++;
    t->x[i] = x;
    for (int j = 0; j < t->n_series; j++) {
        t->value[i][j] = t->median[i][j] = NAN;
        t->time[i][j].min_ns = 0;
    }
}

void table_start_columns(bench_table *t, double least, double most)
{
    for (int c = 0; c < TABLE_COLUMNS; c++)
        if (table_columns[c] >= least && table_columns[c] <= most)
            table_start_point(t, table_columns[c]);
}

void table_measure_ratios(const bench_options *o, bench_table *t, int i, int series,
                          int n_candidates, bench_candidate *candidate)
{
    bench_measure(o, candidate, n_candidates, NULL);
    for (int k = 1; k < n_candidates; k++) {
        t->time[i][series + k - 1] = candidate[k];
        t->value[i][series + k - 1] = candidate[k].ratio;
        t->median[i][series + k - 1] = candidate[k].median_ns / candidate[0].median_ns;
    }
}

/* The figures of a timing; -1: does not apply. */
enum { N_FIGURES = 8 };
static const char *const figure_names[N_FIGURES] = {
    "min_ns", "median_ns", "ns_per_element", "cycles_per_element",
    "gb_s",   "gflop_s",   "ratio",          "worst_ratio"};

static void find_figures(const bench_table *t, int i, int j, double *x)
{
    const bench_candidate *c = &t->time[i][j];
    const table_work *w = &t->work[i];
    double figure[N_FIGURES] = {c->min_ns,
                                c->median_ns,
                                w->elements > 0 ? c->min_ns / w->elements : -1,
                                w->elements > 0 && c->cycles > 0 ? c->cycles / w->elements : -1,
                                w->bytes > 0 ? w->bytes / c->min_ns : -1,
                                w->flops > 0 ? w->flops / c->min_ns : -1,
                                c->ratio,
                                c->worst_ratio};
    for (int k = 0; k < N_FIGURES; k++)
        x[k] = c->min_ns > 0 ? figure[k] : -1;
}

/* What the pictures need. */
static void write_axes(FILE *f, const bench_table *t)
{
    const char *scale[] = {"false", "true"};
    fprintf(f, ",\n \"y\": \"%s\", \"x_log\": %s, \"y_log\": %s, \"y_powers\": %s, \"base\": %d",
            t->y_name, scale[t->x_log], scale[t->y_log], scale[t->y_powers], t->base);
    fprintf(f, ", \"ceiling\": [");
    if (t->ceiling_name)
        fprintf(f, "\"%s\", %.6g", t->ceiling_name, t->ceiling);
    fprintf(f, "],\n \"series\": [");
    for (int j = 0; j < t->n_series; j++)
        fprintf(f, "%s\"%s\"", j ? ", " : "", t->series[j]);
    fprintf(f, "]");
}

void table_write_json(FILE *f, const bench_table *t)
{
    const char *separator = "";
    fprintf(f, "{\"suite\": \"%s\", \"title\": \"%s\", \"x\": \"%s\", \"unit\": \"%s\"", t->suite,
            t->title, t->x_name, t->unit);
    write_axes(f, t);
    fprintf(f, ",\n \"rows\": [");
    for (int i = 0; i < t->n_points; i++)
        for (int j = 0; j < t->n_series; j++) {
            double figure[N_FIGURES];
            if (isnan(t->value[i][j]))
                continue;
            fprintf(f, "%s\n  {\"series\": \"%s\", ", separator, t->series[j]);
            if (t->label[i])
                fprintf(f, "\"x\": \"%s\"", t->label[i]);
            else
                fprintf(f, "\"x\": %.9g", t->x[i]);
            fprintf(f, ", \"value\": %.6g, \"median\": %.6g", t->value[i][j], t->median[i][j]);
            find_figures(t, i, j, figure);
            for (int k = 0; k < N_FIGURES; k++)
                if (figure[k] >= 0)
                    fprintf(f, ", \"%s\": %.6g", figure_names[k], figure[k]);
            fprintf(f, "}");
            separator = ",";
        }
    fprintf(f, "\n]}\n");
}
