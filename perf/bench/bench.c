/* exblas-bench, which `exblas bench` runs: named suites as text, CSV, JSON and pictures. */
#include "page.h"
#include "suites.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commit.h"
#include <exblas/exblas.h>

static const bench_suite suites[] = {
    {"size", "sums against n, beside other methods", suite_size},
    {"dot", "dot products against n, beside OpenBLAS and others", suite_dot},
    {"range", "sums against dynamic range, every method", suite_range},
    {"gemm", "matrix products against n, every method, beside OpenBLAS", suite_gemm},
    {"level1", "sums, norms and dot products of several kinds, over OpenBLAS", suite_level1},
    {"level2", "routines of Level 2, over OpenBLAS", suite_level2},
    {"level3", "routines of Level 3 and kinds of data, over OpenBLAS", suite_level3},
    {"solve", "correctly rounded solutions, over OpenBLAS", suite_solve},
    {"accuracy-sum", "error of sums against condition number", suite_accuracy_sum},
    {"accuracy-dot", "error of dot products against condition number", suite_accuracy_dot},
    {"atomics", "sums at random places against their number", suite_atomics},
    {"threads", "gain by more threads, beside OpenBLAS", suite_threads},
    {"sparse", "sparse products and conjugate gradients, beside plain loops", suite_sparse},
    {"mpi", "one sum over more and more processes", suite_mpi},
};
enum { N_SUITES = sizeof suites / sizeof *suites };

typedef struct {
    bench_options o;
    bool csv, json, append, wanted[N_SUITES];
    const char *folder, *report;
    char command[1024]; /* as it was given */
} request;

static void usage(FILE *f)
{
    fprintf(f, "usage: exblas bench [SUITE...] [OPTION...]\n\n");
    for (int k = 0; k < N_SUITES; k++)
        fprintf(f, "  %-16s %s\n", suites[k].name, suites[k].what);
    fprintf(f, "  %-16s %s\n", "numpy",
            "whole NumPy programs, alone, or sums (--sums): exblas bench numpy --help");
    fprintf(f, "  %-16s %s\n", "r", "whole R programs, alone: exblas bench r --help");
    fprintf(
        f, "\nWithout a SUITE all but numpy and r, some minutes. Everything that is compared runs "
           "in turn "
           "in one pinned\n"
           "process; values are of the fastest of many runs, CSV and JSON have the median too.\n\n"
           "  --quick           fewer sizes and samples: seconds\n"
           "  --csv, --json     in place of tables\n"
           "  --plot FOLDER     also SUITE.csv, SUITE.svg and SUITE.png there (by gnuplot)\n"
           "  --report FILE     a page of results in Markdown, with the pictures of --plot\n"
           "  --append          the page goes on, without a new head: for other instruction sets "
           "(EXBLAS_ISA)\n"
           "  --cpu N           the processor to run on (default 0)\n"
           "  --openblas PATH   the OpenBLAS to compare with (default libopenblas.so.0)\n"
           "  --blas PATH       another BLAS, in dot and gemm; up to four of them\n\n"
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
        } else if (strcmp(argv[i], "--append") == 0) {
            r.append = true;
        } else if (strcmp(argv[i], "--plot") == 0 && value) {
            r.folder = argv[++i];
        } else if (strcmp(argv[i], "--report") == 0 && value) {
            r.report = argv[++i];
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

static void keep_command(request *r, int argc, char **argv)
{
    size_t n = (size_t)snprintf(r->command, sizeof r->command, "exblas bench");
    for (int i = 1; i < argc && n < sizeof r->command; i++)
        n += (size_t)snprintf(r->command + n, sizeof r->command - n, " %s", argv[i]);
}

/* NULL: none is wanted. */
static FILE *open_page(const request *r, const bench_machine *m)
{
    page_run run = {.processor = m->processor,
                    .version = exblas_version(),
                    .commit = EXB_COMMIT,
                    .kernels = exblas_info("isa"),
                    .compiler = exblas_info("compiler"),
                    .command = r->command,
                    .n_processors = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    FILE *page = r->report ? fopen(r->report, r->append ? "a" : "w") : NULL;
    if (r->report && !page) {
        fprintf(stderr, "exblas-bench: %s: %s\n", r->report, strerror(errno));
        exit(3);
    }
    if (getloadavg(&run.load, 1) != 1)
        run.load = NAN;
    if (page && !r->append)
        page_write_head(page, &run);
    return page;
}

/* The folder of pictures as seen from the page, if it lies in or below the page's own. */
static const char *pictures_of(const request *r)
{
    const char *slash = r->report ? strrchr(r->report, '/') : NULL;
    size_t n = slash ? (size_t)(slash + 1 - r->report) : 0;
    bool below = r->folder && r->report && strncmp(r->folder, r->report, n) == 0;
    return below ? r->folder + n : r->folder;
}

static void run_suite(const request *r, const bench_suite *s, const char *caption, FILE *page,
                      bool *first)
{
    static bench_table t;
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
    if (r->folder && !table_plot(&t, r->folder, caption))
        exit(3);
    if (page)
        page_write_suite(page, &t, exblas_info("isa"), pictures_of(r));
}

int main(int argc, char **argv)
{
    request r = parse(argc, argv);
    bench_machine m = bench_prepare(&r.o);
    char caption[340];
    bool first = true;
    keep_command(&r, argc, argv);
    snprintf(caption, sizeof caption, "%s, ExBLAS %s, commit %s%s", m.processor, exblas_version(),
             EXB_COMMIT, r.o.quick ? ", a quick run of few samples" : "");
    FILE *page = open_page(&r, &m);
    write_header(&r, &m);
    for (int k = 0; k < N_SUITES; k++)
        if (r.wanted[k])
            run_suite(&r, &suites[k], caption, page, &first);
    fputs(r.json ? "]}\n" : "", stdout);
    if (page && fclose(page) != 0) {
        fprintf(stderr, "exblas-bench: %s: %s\n", r.report, strerror(errno));
        return 3;
    }
    return fflush(stdout) != 0 || ferror(stdout) ? 3 : 0;
}
