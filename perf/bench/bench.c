/* exblas-bench, which `exblas bench` runs: named suites as text, CSV, JSON and pictures. */
#include "page.h"
#include "suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commit.h"
#include <exblas/exblas.h>

static const bench_suite suites[] = {
    {"level1", "sums, norms and dot products of several kinds, over OpenBLAS", SUITE_ROWS,
     suite_level1},
    {"level2", "routines of Level 2, over OpenBLAS", SUITE_ROWS, suite_level2},
    {"level3", "routines of Level 3 and kinds of data, over OpenBLAS", SUITE_ROWS, suite_level3},
    {"solve", "correctly rounded solutions, over OpenBLAS", SUITE_ROWS, suite_solve},
    {"numpy", "whole NumPy programs, over the same without exblas-run", SUITE_ROWS, suite_numpy},
    {"r", "whole R programs, over the same without exblas-run", SUITE_ROWS, suite_r},
    {"prices", "every routine of the BLAS, in all types, over OpenBLAS", SUITE_PICTURE,
     suite_prices},
    {"size", "sums against n, beside other methods", SUITE_PICTURE, suite_size},
    {"dot", "dot products against n, beside OpenBLAS and others", SUITE_PICTURE, suite_dot},
    {"gemm", "matrix products against n, every method, beside OpenBLAS", SUITE_PICTURE, suite_gemm},
    {"range", "sums against dynamic range, every method", SUITE_PICTURE, suite_range},
    {"accuracy-sum", "error of sums against condition number", SUITE_PICTURE, suite_accuracy_sum},
    {"accuracy-dot", "error of dot products against condition number", SUITE_PICTURE,
     suite_accuracy_dot},
    {"atomics", "sums at random places against their number", SUITE_PICTURE, suite_atomics},
    {"sparse", "sparse products and conjugate gradients, beside plain loops", SUITE_APART,
     suite_sparse},
    {"mpi", "one sum over more and more processes", SUITE_APART, suite_mpi},
};
enum { N_SUITES = sizeof suites / sizeof *suites };

typedef struct {
    bench_options o;
    bool csv, json, append, wanted[N_SUITES];
    const char *folder, *report;
    int seconds;
} request;

static void usage(FILE *f)
{
    fprintf(f, "usage: exblas bench [SUITE...] [OPTION...]\n\n");
    for (int k = 0; k < N_SUITES; k++)
        fprintf(f, "  %-16s %s\n", suites[k].name, suites[k].what);
    fprintf(
        f,
        "\nWithout a SUITE all, some minutes; with --report what the page is made of. Everything "
        "that is compared\n"
        "runs in turn on one processor; values are of the fastest of many runs, CSV and JSON "
        "have the median too.\n\n"
        "  --quick           fewer sizes and samples: seconds\n"
        "  --csv, --json     in place of tables\n"
        "  --plot FOLDER     also SUITE.csv, SUITE.svg and SUITE.png there (by gnuplot)\n"
        "  --report FILE     a page of results in Markdown: tables, and the pictures of --plot\n"
        "  --append          the page goes on with what it lacks: after --seconds, or for other "
        "instruction\n"
        "                    sets (EXBLAS_ISA)\n"
        "  --seconds N       nothing more for the page is begun after so many seconds\n"
        "  --cpu N           the processor to run on (default 0)\n"
        "  --functions       numpy: instead, functions of the Python package over NumPy's "
        "(--help)\n"
        "  --openblas PATH   the OpenBLAS to compare with (default libopenblas.so.0)\n"
        "  --blas PATH       another BLAS, in dot and gemm; up to four of them\n\n"
        "Exit status: 0 done; 1 the page lacks something (--seconds); 2 usage; 3 no memory, no "
        "gnuplot, or a\nfile cannot be written.\n");
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
    request r = {.o.openblas = "libopenblas.so.0", .seconds = 1 << 16};
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
        } else if (strcmp(argv[i], "--append") == 0) {
            r.append = true;
        } else if (strcmp(argv[i], "--plot") == 0 && value) {
            r.folder = argv[++i];
        } else if (strcmp(argv[i], "--report") == 0 && value) {
            r.report = argv[++i];
        } else if (strcmp(argv[i], "--seconds") == 0 && value) {
            r.seconds = number(argv[i], value);
            i++;
        } else if (strcmp(argv[i], "--blas") == 0 && value && r.o.n_blas < BENCH_LIBRARIES &&
                   !strpbrk(value, "'\"\\\n")) {
            r.o.blas[r.o.n_blas++] = argv[++i];
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
        r.wanted[k] = !r.report || suites[k].kind == SUITE_ROWS ||
                      (suites[k].kind == SUITE_PICTURE && r.folder);
    r.o.round_ns = r.o.quick ? 2.5e7 : r.report ? 5e7 : 5e8;
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
               exblas_info("compiler"), "");
    if (r->csv && !r->json)
        table_write_csv_header(stdout);
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

/* NULL: none is wanted. */
static bench_page *open_page(const request *r, const bench_machine *m)
{
    char machine[1024], date[16], openblas[128];
    double load;
    time_t now = time(NULL);
    if (!r->report)
        return NULL;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    bench_name_openblas(&r->o, openblas, sizeof openblas);
    if (getloadavg(&load, 1) != 1)
        load = NAN;
    snprintf(machine, sizeof machine,
             "%s, %s, %ld processors, load average %.1f before the run. ExBLAS %s, commit %s, "
             "compiler %s; %s.",
             date, m->processor, sysconf(_SC_NPROCESSORS_ONLN), load, exblas_version(), EXB_COMMIT,
             exblas_info("compiler"), openblas);
    return page_open(r->report, r->append, machine, exblas_info("isa"), EXB_COMMIT, r->seconds);
}

/* Rows are added by the suite itself. */
static bool is_lacking(const request *r, const bench_suite *s)
{
    return !r->o.page || s->kind == SUITE_ROWS ||
           (s->kind == SUITE_PICTURE && r->folder && page_lacks_picture(r->o.page, s->name));
}

static void run_suite(const request *r, const bench_suite *s, const char *caption, bool *first)
{
    static bench_table t;
    if (!is_lacking(r, s))
        return;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "%s ...\n", s->name);
    if (!s->run(&r->o, &t)) {
        fprintf(stderr, "exblas-bench: not enough memory\n");
        exit(3);
    }
    if (t.n_points == 0) {
        fprintf(stderr, "exblas-bench: %s: left out, it cannot be run here\n", s->name);
        return;
    }
    write_table(r, &t, *first);
    *first = false;
    if (r->folder && (!r->o.page || s->kind == SUITE_PICTURE) &&
        !table_plot(&t, r->folder, caption))
        exit(3);
    if (r->o.page && s->kind == SUITE_PICTURE)
        page_add_picture(r->o.page, &t, r->folder);
}

/* By a program with options of its own. */
static int compare_functions(char **options)
{
    char path[4096];
    if (bench_beside(path, sizeof path, "numpy_functions.py") ||
        bench_beside(path, sizeof path, "../share/exblas-bench/numpy_functions.py")) {
        options[-1] = "python3"; /* by which it finds an environment's modules */
        options[0] = path;
        execvp("python3", options - 1);
    }
    perror("exblas-bench: python3 numpy_functions.py");
    return 3;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "numpy") == 0 && strcmp(argv[2], "--functions") == 0)
        return compare_functions(argv + 2);
    request r = parse(argc, argv);
    bench_machine m = bench_prepare(&r.o);
    char caption[340];
    bool first = true;
    snprintf(caption, sizeof caption, "%s, ExBLAS %s, commit %s%s", m.processor, exblas_version(),
             EXB_COMMIT, r.o.quick ? ", a quick run of few samples" : "");
    r.o.page = open_page(&r, &m);
    write_header(&r, &m);
    for (int k = 0; k < N_SUITES; k++)
        if (r.wanted[k])
            run_suite(&r, &suites[k], caption, &first);
    fputs(r.json ? "]}\n" : "", stdout);
    if (fflush(stdout) != 0 || ferror(stdout))
        return 3;
    return r.o.page && !page_is_done(r.o.page);
}
