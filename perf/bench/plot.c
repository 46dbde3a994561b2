#include "table.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* A block of data for each series, the last one for the ceiling. */
static bool write_data(FILE *f, const bench_table *t, int j)
{
    bool any = false;
    fprintf(f, "$series%d << END\n", j);
    for (int i = 0; i < t->n_points; i++) {
        double y = j < t->n_series ? t->value[i][j] : t->ceiling[i];
        any |= !isnan(y);
        if (!isnan(y))
            fprintf(f, "%.9g %.9g\n", t->x[i], y);
    }
    fprintf(f, "END\n");
    return any;
}

/* A method has one colour in all pictures, found by how its name begins, after ExBLAS if that is
 * there: expansions go from yellow to violet by their terms. Others take what is left, in turn. */
static const char *colour_of(const char *series, int *n_others)
{
    static const struct {
        const char *begin, *colour;
    } known[] = {
        {"superacc", "#0072b2"},     {"fpe4ee", "#a6761d"},        {"fpe6ee", "#666666"},
        {"fpe8ee", "#1a237e"},       {"fpe2", "#f0c808"},          {"fpe3", "#e69f00"},
        {"fpe4", "#7cae00"},         {"fpe5", "#009e73"},          {"fpe6", "#17becf"},
        {"fpe7", "#6a7fdb"},         {"fpe8", "#9467bd"},          {"filter", "#8c564b"},
        {"plain loop", "#7f7f7f"},   {"OpenBLAS", "#000000"},      {"dgemm, OpenBLAS", "#000000"},
        {"libblas.so.3", "#b8860b"}, {"pairwise", "#ff7f0e"},      {"Neumaier", "#2ca02c"},
        {"Dot2", "#2ca02c"},         {"binned, K = 2", "#e377c2"}, {"binned", "#ad1457"},
        {"two-pass", "#bcbd22"},     {"Hallberg", "#795548"},      {"HP(2", "#98df8a"},
        {"HP(3", "#26a69a"},         {"HP(6", "#00695c"},          {"fixed point", "#00695c"},
        {"MPFR", "#5e35b1"}};
    static const char *const others[] = {"#8c564b", "#ff7f0e", "#e377c2", "#aec7e8",
                                         "#c49c94", "#c5b0d5", "#f7b6d2", "#dbdb8d"};
    const char *prefix = "ExBLAS ";
    if (strncmp(series, prefix, strlen(prefix)) == 0)
        series += strlen(prefix);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strncmp(series, known[k].begin, strlen(known[k].begin)) == 0)
            return known[k].colour;
    return others[(*n_others)++ % 8];
}

/* The last series, our default, in red; it and the baseline are thick. */
static void write_curve(FILE *f, const bench_table *t, int j, int *n_others)
{
    bool ours = j == t->n_series - 1, base = j == t->base;
    const char *colour = ours ? "#d00000" : colour_of(t->series[j], n_others);
    fprintf(f, "$series%d using 1:2 with linespoints lw %g pt %d ps 0.7 lc rgb '%s' title '%s', ",
            j, ours || base ? 2.5 : 1.5,
            base   ? 6
            : ours ? 7
                   : 1 + j % 13,
            colour, t->series[j]);
}

static void write_curves(FILE *f, const bench_table *t, const bool *any)
{
    int n_others = 0;
    fprintf(f, "plot ");
    for (int j = 0; j < t->n_series; j++)
        if (any[j])
            write_curve(f, t, j, &n_others);
    if (t->ceiling_name)
        fprintf(f, "$series%d using 1:2 with lines lw 2 dt 2 lc rgb '#000000' title '%s'",
                t->n_series, t->ceiling_name);
    fprintf(f, "\n");
}

/* Few whole numbers are named one by one. */
static bool names_points(const bench_table *t)
{
    bool whole = t->n_points <= 8;
    for (int i = 0; i < t->n_points; i++)
        whole &= t->x[i] == floor(t->x[i]) && t->x[i] < 1e8;
    return whole;
}

static void write_axes(FILE *f, const bench_table *t)
{
    double first = t->x[0], last = t->x[t->n_points - 1];
    double room = t->x_log ? pow(last / first, 0.01) : (last - first) * 0.01;
    fprintf(f, "set xlabel '%s'\nset ylabel '%s'\n", t->x_name, t->y_name);
    fprintf(f, "set xrange [%.9g:%.9g]\n", t->x_log ? first / room : first - room,
            t->x_log ? last * room : last + room);
    if (t->x_log)
        fprintf(f, "set logscale x\nset format x '10^{%%L}'\nset mxtics 10\n");
    for (int i = 0; names_points(t) && i < t->n_points; i++)
        fprintf(f, "set xtics %s ('%.9g' %.9g)\n", i ? "add" : "", t->x[i], t->x[i]);
    fprintf(f, t->y_log ? "set logscale y\nset mytics 10\n" : "set yrange [0:*]\n");
    fprintf(f, "set format y '%s'\n", t->y_powers ? "10^{%L}" : "%g");
}

/* Where the names begin, from 0 to 1: so that the longest has room to the right of its sample. */
static double edge_of_names(const bench_table *t)
{
    const double sample = 0.055, character = 0.0078;
    size_t longest = 23;
    for (int j = 0; j < t->n_series; j++)
        longest = strlen(t->series[j]) > longest ? strlen(t->series[j]) : longest;
    return 1 - sample - character * (double)longest;
}

/* Points below each other, series side by side, values as colours and numbers. */
static void write_heat(FILE *f, const bench_table *t, const char *folder, const char *caption)
{
    fprintf(f, "$heat << END\n");
    for (int i = 0; i < t->n_points; i++) {
        for (int j = 0; j < t->n_series; j++)
            fprintf(f, isnan(t->value[i][j]) ? "NaN " : "%.3g ", t->value[i][j]);
        fprintf(f, "\n");
    }
    fprintf(f,
            "END\nset title \"{/:Bold %s}\\n{/*0.8 %s}\" enhanced\nunset key\nunset colorbox\n"
            "set yrange [%d.5:-0.5]\nset xrange [-0.5:%d.5]\nset tics nomirror scale 0\n"
            "set logscale cb\nset cbrange [1:16]\n"
            "set palette defined (0 '#ffffff', 0.5 '#fdae61', 1 '#d7191c')\n",
            t->title, caption, t->n_points - 1, t->n_series - 1);
    for (int i = 0; i < t->n_points; i++)
        fprintf(f, "set ytics %s ('%s' %d)\n", i ? "add" : "", t->label[i], i);
    for (int j = 0; j < t->n_series; j++)
        fprintf(f, "set x2tics %s ('%s' %d)\n", j ? "add" : "", t->series[j], j);
    fprintf(f, "set x2range [-0.5:%d.5]\nunset xtics\n", t->n_series - 1);
    for (int k = 0; k < 2; k++) {
        fprintf(f, "set terminal %s size 1200,1500 font 'sans,11' background 'white'\n",
                k ? "pngcairo" : "svg");
        fprintf(f, "set output '%s/%s.%s'\n", folder, t->suite, k ? "png" : "svg");
        fprintf(f, "plot $heat matrix with image pixels, $heat matrix using 1:2:($3 > 0 ? "
                   "sprintf('%%.3g', $3) : '') with labels\n");
    }
    fprintf(f, "set output\n");
}

static void write_script(FILE *f, const bench_table *t, const char *folder, const char *caption)
{
    bool any[TABLE_SERIES + 1];
    if (t->label[0]) {
        write_heat(f, t, folder, caption);
        return;
    }
    for (int j = 0; j < t->n_series + (t->ceiling_name != NULL); j++)
        any[j] = write_data(f, t, j);
    double edge = edge_of_names(t);
    fprintf(f,
            "set title \"{/:Bold %s}\\n{/*0.8 %s}\" enhanced\n"
            "set rmargin at screen %g\nset key at screen %g, 0.9 left top Left reverse\n"
            "set key noenhanced samplen 2.5 spacing 1.15\n"
            "set grid lt 1 lw 0.5 lc rgb '#d0d0d0'\nset border 3\nset tics nomirror\n",
            t->title, caption, edge - 0.01, edge);
    write_axes(f, t);
    for (int k = 0; k < 2; k++) {
        fprintf(f, "set terminal %s size 1200,675 font 'sans,13' background 'white'\n",
                k ? "pngcairo" : "svg");
        fprintf(f, "set output '%s/%s.%s'\n", folder, t->suite, k ? "png" : "svg");
        write_curves(f, t, any);
    }
    fprintf(f, "set output\n");
}

static bool write_csv_file(const bench_table *t, const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.csv", folder, t->suite);
    FILE *f = fopen(path, "w");
    if (f) {
        table_write_csv_header(f);
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
