/* exblas-bench, which `exblas bench` runs: named suites as text, CSV and JSON. Pictures and pages
 * of results are made by bench_page.py, which runs this with --machine, and with --stream FILE,
 * where what each suite found goes as JSON besides, and --short. */
#include "suites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commit.h"
#include <exblas/exblas.h>

static const bench_suite suites[] = {
    {"level1", "sums, norms and dot products of several kinds, over OpenBLAS", suite_level1},
    {"level2", "routines of Level 2, over OpenBLAS", suite_level2},
    {"level3", "routines of Level 3 and kinds of data, over OpenBLAS", suite_level3},
    {"solve", "correctly rounded solutions, over OpenBLAS", suite_solve},
    {"numpy", "whole NumPy programs, over the same without exblas-run", suite_numpy},
    {"r", "whole R programs, over the same without exblas-run", suite_r},
    {"prices", "every routine of the BLAS, in all types, over OpenBLAS", suite_prices},
    {"size", "sums against n, beside other methods", suite_size},
    {"dot", "dot products against n, beside OpenBLAS and others", suite_dot},
    {"gemm", "matrix products against n, every method, beside OpenBLAS", suite_gemm},
    {"range", "sums against dynamic range, every method", suite_range},
    {"accuracy-sum", "error of sums against condition number", suite_accuracy_sum},
    {"accuracy-dot", "error of dot products against condition number", suite_accuracy_dot},
    {"atomics", "sums at random places against their number", suite_atomics},
    {"sparse", "sparse products and conjugate gradients, beside plain loops", suite_sparse},
    {"mpi", "one sum over more and more processes", suite_mpi},
};
enum { N_SUITES = sizeof suites / sizeof *suites, MOST_OPTIONS = 64 };

typedef struct {
    bench_options o;
    bool csv, json, machine, is_short, wanted[N_SUITES];
    FILE *stream;
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
        } else if (strcmp(argv[i], "--machine") == 0) {
            r.machine = r.json = true;
        } else if (strcmp(argv[i], "--short") == 0) {
            r.is_short = true;
        } else if (strcmp(argv[i], "--stream") == 0 && value) {
            r.stream = fopen(argv[++i], "w");
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
    r.o.round_ns = r.o.quick ? 2.5e7 : r.is_short ? 5e7 : 5e8;
    return r;
}

static void write_header(const request *r, const bench_machine *m)
{
    char openblas[128];
    if (r->json) {
        bench_name_openblas(&r->o, openblas, sizeof openblas);
        printf(
            "{\"machine\": \"%s\", \"version\": \"%s\", \"kernels\": \"%s\", \"compiler\": \"%s\", "
            "\"commit\": \"%s\", \"cpu\": %d, \"openblas\": \"%s\",\n \"suites\": [",
            m->processor, exblas_version(), exblas_info("isa"), exblas_info("compiler"), EXB_COMMIT,
            r->o.cpu, openblas);
    } else {
        printf("# %s, processor %d\n# ExBLAS %s, commit %s, kernels %s, compiler %s\n",
               m->processor, r->o.cpu, exblas_version(), EXB_COMMIT, exblas_info("isa"),
               exblas_info("compiler"));
    }
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

static void run_suite(const request *r, const bench_suite *s, bool *first)
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
    if (r->stream) {
        table_write_json(r->stream, &t);
        fputc('\n', r->stream);
        fflush(r->stream);
    }
}

/* By a program with options of its own, beside this one or installed. */
static int run_script(const char *name, char **options)
{
    char path[4096], installed[64], *command[MOST_OPTIONS + 3] = {"python3", path, NULL};
    snprintf(installed, sizeof installed, "../share/exblas-bench/%s", name);
    for (int i = 0; i < MOST_OPTIONS && options[i]; i++)
        command[i + 2] = options[i];
    if (bench_beside(path, sizeof path, name) || bench_beside(path, sizeof path, installed))
        execvp("python3", command); /* by which it finds an environment's modules */
    fprintf(stderr, "exblas-bench: python3 %s: %s\n", name, strerror(errno));
    return 3;
}

static bool needs_page(char **argv)
{
    static const char *const options[] = {"--plot", "--report", "--append", "--seconds"};
    for (; *argv; argv++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            if (strcmp(*argv, options[k]) == 0)
                return true;
    return false;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "numpy") == 0 && strcmp(argv[2], "--functions") == 0)
        return run_script("numpy_functions.py", argv + 3);
    if (needs_page(argv))
        return run_script("bench_page.py", argv + 1);
    request r = parse(argc, argv);
    bench_machine m = bench_prepare(&r.o);
    bool first = true;
    write_header(&r, &m);
    for (int k = 0; k < N_SUITES && !r.machine; k++)
        if (r.wanted[k])
            run_suite(&r, &suites[k], &first);
    fputs(r.json ? "]}\n" : "", stdout);
    return fflush(stdout) != 0 || ferror(stdout) ? 3 : 0;
}
