/* exblas-bench, which `exblas bench` runs: named suites as text, CSV, JSON and pictures. */
#include "suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commit.h"
#include <exblas/exblas.h>

static const bench_suite suites[] = {
    {"size", "sums against n, beside other methods", suite_size},
    {"range", "sums against dynamic range, every method", suite_range},
    {"accuracy-sum", "error of sums against condition number", suite_accuracy_sum},
    {"accuracy-dot", "error of dot products against condition number", suite_accuracy_dot},
};
enum { N_SUITES = sizeof suites / sizeof *suites };

typedef struct {
    bench_options o;
    bool csv, json, wanted[N_SUITES];
    const char *folder;
} request;

static void usage(FILE *f)
{
    fprintf(f, "usage: exblas bench [SUITE...] [OPTION...]\n\n");
    for (int k = 0; k < N_SUITES; k++)
        fprintf(f, "  %-16s %s\n", suites[k].name, suites[k].what);
    fprintf(
        f, "\nWithout a SUITE all of them, some minutes. Everything that is compared runs in turn "
           "in one pinned\n"
           "process; values are of the fastest of many runs, CSV and JSON have the median too.\n\n"
           "  --quick           fewer sizes and samples: seconds\n"
           "  --csv, --json     in place of tables\n"
           "  --plot FOLDER     also SUITE.csv, SUITE.svg and SUITE.png there (by gnuplot)\n"
           "  --cpu N           the processor to run on (default 0)\n"
           "  --openblas PATH   the OpenBLAS to compare with (default libopenblas.so.0)\n\n"
           "Exit status: 0 done; 2 usage; 3 no memory, no gnuplot, or a file cannot be written.\n");
}

static void bad_usage(const char *text)
{
    fprintf(stderr,
            "exblas-bench: %s: no such suite or option, or its value is missing, see --help\n",
            text);
    exit(2);
}

static int number(const char *option, const char *text)
{
    char *end;
    long x = strtol(text, &end, 10);
    if (end == text || *end || x < 0 || x > 1 << 16)
        bad_usage(option);
    return (int)x;
}

static void want(request *r, const char *name)
{
    for (int k = 0; k < N_SUITES; k++)
        if (strcmp(suites[k].name, name) == 0) {
            r->wanted[k] = true;
            return;
        }
    bad_usage(name);
}

static request parse(int argc, char **argv)
{
    request r = {.o.openblas = "libopenblas.so.0"};
    bool any = false;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            usage(stdout);
            exit(0);
        } else if (strcmp(argv[i], "--quick") == 0) {
            r.o.quick = true;
        } else if (strcmp(argv[i], "--csv") == 0) {
            r.csv = true;
        } else if (strcmp(argv[i], "--json") == 0) {
            r.json = true;
        } else if (strcmp(argv[i], "--plot") == 0 && value) {
            r.folder = argv[++i];
        } else if (strcmp(argv[i], "--openblas") == 0 && value) {
            r.o.openblas = argv[++i];
        } else if (strcmp(argv[i], "--cpu") == 0 && value) {
            r.o.cpu = number(argv[i], value);
            i++;
        } else {
            want(&r, argv[i]);
            any = true;
        }
    }
    for (int k = 0; k < N_SUITES && !any; k++)
        r.wanted[k] = true;
    return r;
}

static void write_header(const request *r, const bench_machine *m)
{
    if (r->json)
        printf(
            "{\"machine\": \"%s\", \"version\": \"%s\", \"kernels\": \"%s\", \"compiler\": \"%s\", "
            "\"commit\": \"%s\", \"cpu\": %d,\n \"suites\": [",
            m->processor, exblas_version(), exblas_info("isa"), exblas_info("compiler"), EXB_COMMIT,
            r->o.cpu);
    else
        printf("# %s, processor %d\n# ExBLAS %s, commit %s, kernels %s, compiler %s\n%s",
               m->processor, r->o.cpu, exblas_version(), EXB_COMMIT, exblas_info("isa"),
               exblas_info("compiler"), r->csv ? "suite,series,x,value,median,unit\n" : "");
    fflush(stdout);
}

static void write_table(const request *r, const bench_table *t, bool first)
{
    if (r->json) {
        fputs(first ? "\n" : ",\n", stdout);
        table_write_json(stdout, t);
    } else if (r->csv) {
        table_write_csv(stdout, t);
    } else {
        table_write_text(stdout, t);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static bench_table t;
    request r = parse(argc, argv);
    bench_machine m = bench_prepare(&r.o);
    char caption[300];
    bool first = true;
    snprintf(caption, sizeof caption, "%s, ExBLAS %s, commit %s", m.processor, exblas_version(),
             EXB_COMMIT);
    write_header(&r, &m);
    for (int k = 0; k < N_SUITES; k++) {
        if (!r.wanted[k])
            continue;
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "%s ...\n", suites[k].name);
        if (!suites[k].run(&r.o, &t)) {
            fprintf(stderr, "exblas-bench: not enough memory\n");
            return 3;
        }
        write_table(&r, &t, first);
        if (r.folder && !table_plot(&t, r.folder, caption))
            return 3;
        first = false;
    }
    fputs(r.json ? "]}\n" : "", stdout);
    return fflush(stdout) != 0 || ferror(stdout) ? 3 : 0;
}
