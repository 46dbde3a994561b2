/* Whole programs of NumPy and R under exblas-run beside the same ones without, as programs.py
 * measures them. */
#include "suites.h"

#include <math.h>
#include <string.h>

enum { NAME_BYTES = 40 };

/* The place of a name, which may be new. */
static int series_of(bench_table *t, const char *name)
{
    static char names[TABLE_SERIES][NAME_BYTES];
    int j = 0;
    while (j < t->n_series && strcmp(t->series[j], name) != 0)
        j++;
    if (j == t->n_series) {
        strcpy(names[j], name);
        t->series[t->n_series++] = names[j];
        for (int i = 0; i < TABLE_POINTS; i++)
            t->value[i][j] = t->median[i][j] = NAN;
    }
    return j;
}

static int point_of(bench_table *t, double x)
{
    int i = 0;
    while (i < t->n_points && t->x[i] != x)
        i++;
    if (i == t->n_points)
        t->x[t->n_points++] = x;
    return i;
}

static bool run(const bench_options *o, bench_table *t, const char *largest)
{
    char path[4096], command[5000], name[NAME_BYTES];
    double n, value, median;
    bench_candidate c = {0};
    t->x_name = "n";
    t->y_name = "time / time without exblas-run";
    t->unit = "times the time without exblas-run";
    t->show = TABLE_RATIOS;
    t->x_log = true;
    if (!bench_beside(path, sizeof path, "programs.py") &&
        !bench_beside(path, sizeof path, "../share/exblas-bench/programs.py"))
        return true;
    snprintf(command, sizeof command, "exec python3 '%s' %s %s%s", path, t->suite, largest,
             o->quick ? " --quick" : "");
    FILE *f = popen(command, "r");
    while (f && fscanf(f, " %39[^\t] %lf %lf %lf %lf %lf", name, &n, &value, &median,
                       &c.worst_ratio, &c.min_ns) == 6) {
        int i = point_of(t, n), j = series_of(t, name);
        t->value[i][j] = c.ratio = value;
        t->median[i][j] = median;
        c.median_ns = c.min_ns;
        t->time[i][j] = c;
    }
    if (f)
        pclose(f);
    return true;
}

bool suite_numpy(const bench_options *o, bench_table *t)
{
    *t = (bench_table){.suite = "numpy", .title = "Programs of NumPy under exblas-run"};
    return run(o, t, "1024");
}

bool suite_r(const bench_options *o, bench_table *t)
{
    *t = (bench_table){.suite = "r", .title = "Programs of R under exblas-run"};
    return run(o, t, "256");
}
