/* exblas-bench, which `exblas bench` runs, is bench.py; that runs this program with --suites and
 * some of
 * --quick, --short, --cpu N, --openblas PATH, --blas PATH and names of suites. Then it prints JSON:
 * a line about the machine, and what each suite found. */
#include "suites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commit.h"
#include <exblas/exblas.h>

static const struct {
    const char *name;
    bool (*run)(const bench_options *, bench_table *); /* false: out of memory; without points: it
                                                          cannot be run here */
} suites[] = {
    {"level1", suite_level1},
    {"level2", suite_level2},
    {"level3", suite_level3},
    {"solve", suite_solve},
    {"prices", suite_prices},
    {"size", suite_size},
    {"dot", suite_dot},
    {"gemm", suite_gemm},
    {"range", suite_range},
    {"accuracy-sum", suite_accuracy_sum},
    {"accuracy-dot", suite_accuracy_dot},
    {"atomics", suite_atomics},
    {"sparse", suite_sparse},
};
enum { N_SUITES = sizeof suites / sizeof *suites, MOST_OPTIONS = 64 };

static bench_options parse(char **argv, bool wanted[N_SUITES])
{
    bench_options o = {.openblas = "libopenblas.so.0"};
    bool is_short = false;
    for (; *argv; argv++) {
        if (strcmp(*argv, "--quick") == 0)
            o.quick = true;
        else if (strcmp(*argv, "--short") == 0)
            is_short = true;
        else if (strcmp(*argv, "--cpu") == 0)
            o.cpu = atoi(*++argv);
        else if (strcmp(*argv, "--openblas") == 0)
            o.openblas = *++argv;
        else if (strcmp(*argv, "--blas") == 0 && o.n_blas < BENCH_LIBRARIES)
            o.blas[o.n_blas++] = *++argv;
        for (int k = 0; k < N_SUITES; k++)
            wanted[k] |= strcmp(*argv, suites[k].name) == 0;
    }
    o.round_ns = o.quick ? 2.5e7 : is_short ? 5e7 : 5e8;
    return o;
}

#ifndef EXB_MPIRUN
#define EXB_MPIRUN ""
#endif

static void write_machine(const bench_options *o, const bench_machine *m)
{
    char openblas[128];
    const char *coretype = getenv("OPENBLAS_CORETYPE");
    bench_name_openblas(o, openblas, sizeof openblas);
    printf("{\"machine\": \"%s\", \"version\": \"%s\", \"kernels\": \"%s\", \"compiler\": \"%s\", "
           "\"commit\": \"%s\", \"cpu\": %d, \"openblas\": \"%s\", \"coretype\": \"%s\", "
           "\"mpirun\": \"%s\"}\n",
           m->processor, exblas_version(), exblas_info("isa"), exblas_info("compiler"), EXB_COMMIT,
           o->cpu, openblas, coretype ? coretype : "", EXB_MPIRUN);
    fflush(stdout);
}

static void run_suite(const bench_options *o, int k)
{
    static bench_table t;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "%s ...\n", suites[k].name);
    if (!suites[k].run(o, &t)) {
        fprintf(stderr, "exblas-bench: not enough memory\n");
        exit(3);
    }
    if (t.n_points == 0) {
        fprintf(stderr, "exblas-bench: %s: left out, it cannot be run here\n", suites[k].name);
        return;
    }
    table_write_json(stdout, &t);
    fflush(stdout);
}

/* By the script beside this program or installed. */
static int run_script(char **options)
{
    char path[4096], *command[MOST_OPTIONS + 3] = {"python3", path, NULL};
    for (int i = 0; i < MOST_OPTIONS && options[i]; i++)
        command[i + 2] = options[i];
    if (bench_beside(path, sizeof path, "bench.py") ||
        bench_beside(path, sizeof path, "../share/exblas-bench/bench.py"))
        execvp("python3", command); /* by which it finds an environment's modules */
    fprintf(stderr, "exblas-bench: python3 bench.py: %s\n", strerror(errno));
    return 3;
}

int main(int argc, char **argv)
{
    bool wanted[N_SUITES] = {false};
    if (argc < 2 || strcmp(argv[1], "--suites") != 0)
        return run_script(argv + 1);
    bench_options o = parse(argv + 2, wanted);
    bench_machine m = bench_prepare(&o);
    write_machine(&o, &m);
    for (int k = 0; k < N_SUITES; k++)
        if (wanted[k])
            run_suite(&o, k);
    return fflush(stdout) != 0 || ferror(stdout) ? 3 : 0;
}
