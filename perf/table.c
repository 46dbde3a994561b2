#include "table.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static int width(const char *name)
{
    return strlen(name) > 10 ? (int)strlen(name) : 10;
}

void table_write_text(FILE *f, const bench_table *t)
{
    fprintf(f, "\n%s: %s\n%s, over %s\n%12s", t->suite, t->title, t->unit, t->x_name, "");
    for (int j = 0; j < t->n_series; j++)
        fprintf(f, "  %10s", t->series[j]);
    fprintf(f, "\n");
    for (int i = 0; i < t->n_points; i++) {
        fprintf(f, "%12.6g", t->x[i]);
        for (int j = 0; j < t->n_series; j++)
            fprintf(f, "  %*.4g", width(t->series[j]), t->value[i][j]);
        fprintf(f, "\n");
    }
}

void table_write_csv(FILE *f, const bench_table *t)
{
    for (int i = 0; i < t->n_points; i++)
        for (int j = 0; j < t->n_series; j++)
            if (!isnan(t->value[i][j]))
                fprintf(f, "%s,%s,%.9g,%.6g,%.6g,%s\n", t->suite, t->series[j], t->x[i],
                        t->value[i][j], t->median[i][j], t->unit);
}

void table_write_json(FILE *f, const bench_table *t)
{
    const char *separator = "";
    fprintf(f,
            "{\"suite\": \"%s\", \"title\": \"%s\", \"x\": \"%s\", \"unit\": \"%s\", \"rows\": [",
            t->suite, t->title, t->x_name, t->unit);
    for (int i = 0; i < t->n_points; i++)
        for (int j = 0; j < t->n_series; j++)
            if (!isnan(t->value[i][j])) {
                fprintf(
                    f, "%s\n  {\"series\": \"%s\", \"x\": %.9g, \"value\": %.6g, \"median\": %.6g}",
                    separator, t->series[j], t->x[i], t->value[i][j], t->median[i][j]);
                separator = ",";
            }
    fprintf(f, "]}");
}

static void write_data(FILE *f, const bench_table *t)
{
    fprintf(f, "$data << END\n");
    for (int j = 0; j < t->n_series; j++) {
        for (int i = 0; i < t->n_points; i++)
            if (!isnan(t->value[i][j]))
                fprintf(f, "%.9g %.9g\n", t->x[i], t->value[i][j]);
        fprintf(f, "\n\n");
    }
    fprintf(f, "END\n");
}

/* ExBLAS's default in the foreground, baselines in black and grey. */
static void write_curves(FILE *f, const bench_table *t)
{
    static const char *const colours[] = {"#e69f00", "#56b4e9", "#009e73", "#cc79a7",
                                          "#0072b2", "#8c564b", "#7f7f7f", "#bcbd22",
                                          "#17becf", "#9467bd", "#2ca02c", "#ff7f0e"};
    int next = 0;
    fprintf(f, "plot ");
    for (int j = 0; j < t->n_series; j++) {
        bool ours = strstr(t->series[j], "auto") != NULL, base = j == 0;
        const char *colour = ours ? "#d00000" : base ? "#000000" : colours[next++ % 12];
        fprintf(
            f,
            "%s$data index %d using 1:2 with linespoints lw %g pt %d ps 0.7 lc rgb '%s' title '%s'",
            j ? ", " : "", j, ours || base ? 2.5 : 1.5,
            base   ? 6
            : ours ? 7
                   : 1 + j % 13,
            colour, t->series[j]);
    }
    fprintf(f, "\n");
}

static void write_script(FILE *f, const bench_table *t, const char *folder, const char *caption)
{
    write_data(f, t);
    fprintf(f,
            "set title \"{/:Bold %s}\\n{/*0.8 %s}\" enhanced\nset xlabel '%s'\nset ylabel '%s'\n"
            "set key outside right top noenhanced\nset grid lt 1 lw 0.5 lc rgb '#d0d0d0'\nset "
            "border 3\nset tics nomirror\n"
            "%s%s%s%s",
            t->title, caption, t->x_name, t->y_name,
            t->x_log ? "set logscale x\nset format x '10^{%L}'\n" : "",
            t->y_log ? "set logscale y\n" : "set yrange [0:*]\n",
            t->y_powers ? "set format y '10^{%L}'\n" : "set format y '%g'\n",
            t->y_log ? "set mytics 10\n" : "");
    for (int k = 0; k < 2; k++) {
        fprintf(f, "set terminal %s\nset output '%s/%s.%s'\n",
                k ? "pngcairo size 1200,675 font 'sans,13' background 'white'"
                  : "svg size 960,540 font 'sans,13' background 'white'",
                folder, t->suite, k ? "png" : "svg");
        write_curves(f, t);
    }
    fprintf(f, "set output\n");
}

static bool write_csv_file(const bench_table *t, const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.csv", folder, t->suite);
    FILE *f = fopen(path, "w");
    if (f) {
        fprintf(f, "suite,series,x,value,median,unit\n");
        table_write_csv(f, t);
    }
    if (!f || fclose(f) != 0) {
        fprintf(stderr, "exblas-bench: %s: %s\n", path, strerror(errno));
        return false;
    }
    return true;
}

bool table_plot(const bench_table *t, const char *folder, const char *caption)
{
    if (strpbrk(folder, "'\\\n")) {
        fprintf(stderr, "exblas-bench: %s: no quotes and backslashes in the folder's name\n",
                folder);
        return false;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "exblas-bench: %s: %s\n", folder, strerror(errno));
        return false;
    }
    if (!write_csv_file(t, folder))
        return false;
    FILE *f = popen("gnuplot", "w");
    if (f)
        write_script(f, t, folder, caption);
    if (!f || pclose(f) != 0) {
        fprintf(stderr, "exblas-bench: gnuplot failed (Debian's package gnuplot-nox has it)\n");
        return false;
    }
    return true;
}
