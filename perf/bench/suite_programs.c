/* Whole programs of NumPy and R under exblas-run beside the same ones without. Each side is a
 * process that stays, and tells the processor time of a call: numpy_programs.py, r_programs.R. They
 * say first which programs they have. */
#include "suites.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_SIDES = 2, MOST_PROGRAMS = TABLE_SERIES - 1 };

typedef struct {
    pid_t process;
    FILE *to, *from;
} side;

static struct {
    side sides[N_SIDES]; /* without exblas-run, and with it */
    char names[1024];    /* of the programs, between spaces */
    const char *name;    /* of the one that is measured */
    int n;
    bool failed;
} work;

static double time_program(void *ctx)
{
    side *s = ctx;
    double seconds;
    if (fprintf(s->to, "%s %d\n", work.name, work.n) > 0 && fflush(s->to) == 0 &&
        fscanf(s->from, "%lf", &seconds) == 1)
        return 1e9 * seconds;
    work.failed = true;
    return NAN;
}

/* command: ends with NULL. No side has the other's pipes, so that it sees the end of its input. */
static bool start(side *s, char **command)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        return false;
    s->process = fork();
    if (s->process == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execvp(command[0], command);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    s->to = fdopen(to[1], "w");
    s->from = fdopen(from[0], "r");
    return s->process > 0 && s->to && s->from;
}

/* The files of a build tree or of an installation. */
static bool find(char *path, size_t n_bytes, const char *in_build, const char *installed)
{
    return bench_beside(path, n_bytes, in_build) || bench_beside(path, n_bytes, installed);
}

static bool start_both(const char *interpreter, const char *option, const char *script)
{
    char run[4096], path[4096], installed[64], names[sizeof work.names];
    snprintf(installed, sizeof installed, "../share/exblas-bench/%s", script);
    if (!find(run, sizeof run, "../tools/run/exblas-run", "exblas-run") ||
        !find(path, sizeof path, script, installed))
        return false;
    setenv("EXBLAS_NUM_THREADS", "1", 1);
    char *command[] = {run, (char *)interpreter, (char *)option, path, NULL};
    for (int k = 0; k < N_SIDES; k++)
        if (!start(&work.sides[k], command + 1 - k) ||
            !fgets(names, sizeof names, work.sides[k].from))
            return false;
    strcpy(work.names, names);
    return true;
}

static void stop_both(void)
{
    for (int k = 0; k < N_SIDES; k++) {
        side *s = &work.sides[k];
        if (s->to)
            fclose(s->to);
        if (s->from)
            fclose(s->from);
        if (s->process > 0)
            waitpid(s->process, NULL, 0);
    }
}

/* The last row: the geometric mean of the others, where all are known. */
static void set_mean(bench_table *t)
{
    int last = t->n_series - 1;
    for (int i = 0; i < t->n_points; i++) {
        double sum = 0;
        for (int j = 0; j < last; j++)
            sum += log(t->value[i][j]);
        t->value[i][last] = t->median[i][last] = exp(sum / last);
    }
}

static void measure(const bench_options *o, bench_table *t, int series)
{
    bench_candidate c[N_SIDES] = {
        {.name = "alone", .time = time_program, .ctx = &work.sides[0]},
        {.name = "under exblas-run", .time = time_program, .ctx = &work.sides[1]}};
    work.name = strchr(t->series[series], ' ') + 1;
    if (series == t->n_series - 1)
        set_mean(t);
    for (int i = 0; series < t->n_series - 1 && i < t->n_points && !work.failed; i++) {
        work.n = (int)t->x[i];
        table_measure_ratios(o, t, i, series, N_SIDES, c);
    }
}

/* Series: the language and a name of the list that it gave; the mean. */
static void name_series(bench_table *t, const char *language)
{
    static char series[TABLE_SERIES][40];
    char *rest = work.names;
    for (char *name; t->n_series < MOST_PROGRAMS && (name = strtok(rest, " \n")); rest = NULL) {
        snprintf(series[t->n_series], sizeof *series, "%s %s", language, name);
        t->series[t->n_series] = series[t->n_series];
        t->n_series++;
    }
    snprintf(series[t->n_series], sizeof *series, "%s, geometric mean", language);
    t->series[t->n_series] = series[t->n_series];
    t->n_series++;
}

static bool suite(const bench_options *o, bench_table *t, const char *language, int most)
{
    table_start_columns(t, 64, o->quick ? 64 : most);
    name_series(t, language);
    for (int i = 0; i < t->n_points; i++)
        for (int j = 0; j < t->n_series; j++)
            t->value[i][j] = t->median[i][j] = NAN;
    for (int j = 0; j < t->n_series; j++)
        measure(o, t, j);
    if (work.failed)
        t->n_points = 0;
    return true;
}

static bool run(const bench_options *o, bench_table *t, const char *language,
                const char *interpreter, const char *option, const char *script, int most)
{
    t->x_name = "n";
    t->y_name = "time / time without exblas-run";
    t->unit = "times the time without exblas-run";
    t->show = TABLE_RATIOS;
    t->x_log = true;
    memset(&work, 0, sizeof work);
    bool done = !start_both(interpreter, option, script) || suite(o, t, language, most);
    stop_both();
    return done;
}

bool suite_numpy(const bench_options *o, bench_table *t)
{
    *t = (bench_table){.suite = "numpy", .title = "Programs of NumPy under exblas-run"};
    return run(o, t, "NumPy", "/usr/bin/python3", "-s", "numpy_programs.py", 1024);
}

bool suite_r(const bench_options *o, bench_table *t)
{
    *t = (bench_table){.suite = "r", .title = "Programs of R under exblas-run"};
    return run(o, t, "R", "Rscript", "--vanilla", "r_programs.R", 256);
}
