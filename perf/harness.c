#include "harness.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <exblas/exblas.h>

enum { N_ROUNDS = 3, MAX_SAMPLES = 64 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void usage(FILE *f, const char *what)
{
    fprintf(f,
            "%s\n\n"
            "  --csv             comma-separated values\n"
            "  --quick           fewer samples and sizes\n"
            "  --only TEXT       only rows whose label contains TEXT\n"
            "  --cpu N           pin to processor N (default 0)\n"
            "  --openblas PATH   the OpenBLAS to compare with (default libopenblas.so.0)\n",
            what);
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        fprintf(stderr, "cannot pin to processor %d\n", cpu);
}

static bench_machine find_machine(void)
{
    bench_machine m = {"unknown processor"};
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *name = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (name) {
            snprintf(m.processor, sizeof m.processor, "%s", name + strspn(name, ": "));
            m.processor[strcspn(m.processor, "\n")] = 0;
            break;
        }
    }
    if (f)
        fclose(f);
    return m;
}

/* OpenBLAS falls back to its oldest kernels on a processor it does not know by
 * model number; a baseline has to be the best that the instruction set allows. */
static void set_openblas_kernel(void)
{
#if defined(__x86_64__)
    const char *kernel = __builtin_cpu_supports("avx512bw") ? "SkylakeX"
                         : __builtin_cpu_supports("avx2")   ? "Haswell"
                                                            : NULL;
    if (kernel)
        setenv("OPENBLAS_CORETYPE", kernel, 0);
#endif
}

bench_machine bench_prepare(const bench_options *o)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    set_openblas_kernel();
    exblas_set_num_threads(1);
    pin(o->cpu);
    return find_machine();
}

bench_options bench_start(int argc, char **argv, const char *what)
{
    bench_options o = {.openblas = "libopenblas.so.0"};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--csv") == 0) {
            o.csv = true;
        } else if (strcmp(argv[i], "--quick") == 0) {
            o.quick = true;
        } else if (strcmp(argv[i], "--only") == 0 && value) {
            o.filter = argv[++i];
        } else if (strcmp(argv[i], "--cpu") == 0 && value) {
            o.cpu = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--openblas") == 0 && value) {
            o.openblas = argv[++i];
        } else {
            bool help = strcmp(argv[i], "--help") == 0;
            usage(help ? stdout : stderr, what);
            exit(help ? 0 : 2);
        }
    }
    bench_machine m = bench_prepare(&o);
    printf("# %s\n# ExBLAS %s, kernels %s, compiler %s\n", m.processor, exblas_version(),
           exblas_info("isa"), exblas_info("compiler"));
    return o;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Calls per sample: as many as make some 20 us, found by doubling. */
static int calls_per_sample(const bench_candidate *c, void *ctx)
{
    for (int calls = 1;; calls *= 2) {
        double t = now_ns();
        for (int i = 0; i < calls; i++)
            c->run(ctx);
        if (now_ns() - t > 2e4 || calls >= 1 << 16)
            return calls;
    }
}

static double sample(const bench_candidate *c, int calls, void *ctx)
{
    double t = now_ns();
    for (int i = 0; i < calls; i++)
        c->run(ctx);
    return (now_ns() - t) / calls;
}

void bench_measure(const bench_options *o, bench_candidate *candidate, int n_candidates, void *ctx)
{
    static double times[BENCH_CANDIDATES][MAX_SAMPLES];
    int calls[BENCH_CANDIDATES];
    int n_samples = o->quick ? 9 : 31;
    for (int j = 0; j < n_candidates; j++)
        calls[j] = calls_per_sample(&candidate[j], ctx); /* also the warm-up */
    if (sample(&candidate[0], calls[0], ctx) > 1e8)
        n_samples = o->quick ? 3 : 5;
    for (int round = 0; round < N_ROUNDS; round++) {
        for (int i = 0; i < n_samples; i++)
            for (int j = 0; j < n_candidates; j++)
                times[j][i] = sample(&candidate[j], calls[j], ctx);
        for (int j = 0; j < n_candidates; j++) {
            bench_candidate *c = &candidate[j];
            qsort(times[j], (size_t)n_samples, sizeof(double), compare);
            double ratio = times[j][0] / times[0][0];
            if (round == 0 || times[j][0] < c->min_ns) {
                c->min_ns = times[j][0];
                c->median_ns = times[j][n_samples / 2];
            }
            c->ratio = round == 0 || ratio < c->ratio ? ratio : c->ratio;
            c->worst_ratio = round == 0 || ratio > c->worst_ratio ? ratio : c->worst_ratio;
        }
    }
}

void bench_header(const bench_options *o, const char *title)
{
    if (o->csv)
        printf("suite,case,n,candidate,min_ns,median_ns,ns_per_element,ratio,worst_ratio\n# %s\n",
               title);
    else
        printf("\n%s\n%-34s %-14s %12s %12s %9s %7s %7s\n", title, "case", "candidate", "min ns",
               "median ns", "ns/elem", "ratio", "worst");
}

void bench_row(const bench_options *o, const char *label, double n,
               const bench_candidate *candidate, int n_candidates)
{
    const char *format = o->csv ? "%s,%s,%.1f,%.1f,%.4f,%.3f,%.3f\n"
                                : "%-34s %-14s %12.1f %12.1f %9.4f %7.3f %7.3f\n";
    for (int j = 0; j < n_candidates; j++) {
        const bench_candidate *c = &candidate[j];
        printf(format, label, c->name, c->min_ns, c->median_ns, c->min_ns / n, c->ratio,
               c->worst_ratio);
    }
    fflush(stdout);
}

static void print_openblas(void *library)
{
    char *(*corename)(void);
    void *p = dlsym(library, "openblas_get_corename");
    if (p) {
        memcpy(&corename, &p, sizeof p);
        fprintf(stderr, "# OpenBLAS with kernels for %s\n", corename());
    }
}

void *bench_openblas(const bench_options *o, const char *symbol)
{
    static void *library;
    if (!library) {
        library = dlopen(o->openblas, RTLD_NOW | RTLD_LOCAL);
        if (library)
            print_openblas(library);
    }
    if (!library) {
        fprintf(stderr, "no OpenBLAS: %s\n", dlerror());
        return NULL;
    }
    void (*set_threads)(int);
    void *p = dlsym(library, "openblas_set_num_threads");
    if (p) {
        memcpy(&set_threads, &p, sizeof p);
        set_threads(1);
    }
    return dlsym(library, symbol);
}

bool bench_wanted(const bench_options *o, const char *label)
{
    return !o->filter || strstr(label, o->filter);
}
