/* The library's routines on a device beside the plain ones: times in one process, interleaved,
 * minima of several samples. --check: small sizes, and every result is compared. */
#include "bench_device.h"

#include <exblas/version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOCAL = 256 /* as in baseline.cl */, MOST = 8 };

static struct {
    bool quick, check, markdown;
    const char *only;
    int n_cases, n_failed; /* of --check */
} o;

/* What all candidates work on. */
static struct {
    int64_t n, m, n_bins;
    bool trans;
    int groups;
    device_memory x, y, z, index, r, partial;
} work;

typedef struct {
    const char *name;
    void (*run)(void);
    double ns;
} candidate;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* One sample: `calls` calls and a wait, per call. */
static double sample(const candidate *c, int calls)
{
    double t = now_ns();
    for (int i = 0; i < calls; i++)
        c->run();
    device_finish();
    return (now_ns() - t) / calls;
}

/* Calls that take some 2 ms; compiles and warms up, too. */
static int count_calls(const candidate *c)
{
    sample(c, 1);
    double ns = sample(c, 1);
    return ns > 1e6 ? 1 : ns > 2e4 ? (int)(2e6 / ns) : 100;
}

static void measure(candidate *c, int n)
{
    int calls[MOST], n_samples = o.quick ? 3 : 15;
    for (int j = 0; j < n; j++) {
        calls[j] = count_calls(&c[j]);
        c[j].ns = HUGE_VAL;
    }
    for (int i = 0; i < n_samples; i++)
        for (int j = 0; j < n; j++)
            c[j].ns = fmin(c[j].ns, sample(&c[j], calls[j]));
}

/* One line a candidate: time, rate in units of `scale` per ns, ratio to the first. */
static void row(const char *label, candidate *c, int n, double amount, const char *unit)
{
    if (o.check || (o.only && !strstr(label, o.only)))
        return;
    measure(c, n);
    for (int j = 0; o.markdown && j < n; j++)
        if (j > 0 && strcmp(c[j].name, device_ours.name) == 0)
            printf("| %s | %.1f | %.2f |\n", label, c[j].ns / 1e3, c[j].ns / c[0].ns);
    for (int j = 0; !o.markdown && j < n; j++)
        printf("%-28s %-20s %12.1f us %10.1f %-8s %6.2f x %s\n", label, c[j].name, c[j].ns / 1e3,
               amount / c[j].ns, unit, c[j].ns / c[0].ns, c[0].name);
    fflush(stdout);
}

static void verdict(const char *what, bool ok)
{
    o.n_failed += !ok;
    fprintf(o.markdown ? stderr : stdout, "%s %d - %s\n", ok ? "ok" : "not ok", ++o.n_cases, what);
}

static device_arg memory(device_memory m)
{
    return (device_arg){DEVICE_MEMORY, m, 0};
}

static device_arg number(device_kind kind, int64_t v)
{
    return (device_arg){kind, NULL, v};
}

/* xorshift64*, in [-0.5, 0.5). */
static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(*state * 2685821657736338717u >> 11) * 0x1p-53 - 0.5;
}

static double *random_numbers(int64_t n, uint64_t seed)
{
    double *x = malloc((size_t)n * sizeof *x);
    if (!x)
        exit(1);
    for (int64_t i = 0; i < n; i++)
        x[i] = uniform(&seed);
    return x;
}

/* Of the normal distribution: their last bits are anywhere, those of uniform ones at 2^-53. */
static double *normal_numbers(int64_t n, uint64_t seed)
{
    double *x = malloc((size_t)n * sizeof *x);
    if (!x)
        exit(1);
    for (int64_t i = 0; i < n; i++) {
        double u = uniform(&seed) + 0.5, v = uniform(&seed);
        x[i] = sqrt(-2 * log(u > 0 ? u : 0x1p-53)) * cos(2 * M_PI * v);
    }
    return x;
}

static device_memory new_memory(int64_t n, double *x)
{
    device_memory m = device_new((size_t)n * sizeof *x);
    device_write(m, (size_t)n * sizeof *x, x);
    free(x);
    return m;
}

static device_memory random_memory(int64_t n, uint64_t seed)
{
    return new_memory(n, random_numbers(n, seed));
}

static device_memory normal_memory(int64_t n, uint64_t seed)
{
    return new_memory(n, normal_numbers(n, seed));
}

/* --- vectors --- */
static void copy(void)
{
    device_launch("copy", work.groups, LOCAL, 3,
                  (device_arg[]){number(DEVICE_I64, work.n), memory(work.x), memory(work.z)});
}

static void library_copy(void)
{
    device_copy(work.z, work.x, (size_t)work.n * sizeof(double));
}

static void plain(bool has_y)
{
    device_launch("plain", work.groups, LOCAL, 5,
                  (device_arg[]){number(DEVICE_I32, has_y), number(DEVICE_I64, work.n),
                                 memory(work.x), memory(work.y), memory(work.partial)});
    device_launch("plain", 1, LOCAL, 5,
                  (device_arg[]){number(DEVICE_I32, 0), number(DEVICE_I64, work.groups),
                                 memory(work.partial), memory(work.partial), memory(work.r)});
}

static void plain_sum(void)
{
    plain(false);
}

static void plain_dot(void)
{
    plain(true);
}

static void our_sum(void)
{
    device_ours.sum(work.n, work.x, work.r);
}

static void our_dot(void)
{
    device_ours.dot(work.n, work.x, work.y, work.r);
}

static void vendor_dot(void)
{
    device_vendor.dot(work.n, work.x, work.y, work.r);
}

static double result(void (*run)(void))
{
    double r = NAN;
    run();
    device_read(work.r, sizeof r, &r);
    return r;
}

/* Rounding errors of a plain sum of n terms below 1: less than n^2 / 2^53. */
static bool is_close(double a, double b)
{
    return fabs(a - b) <= (double)work.n * (double)work.n * 0x1p-52;
}

static void check_copy(const char *name, void (*run)(void), const double *x)
{
    size_t bytes = (size_t)work.n * sizeof *x;
    double *z = malloc(bytes);
    if (!z)
        exit(1);
    device_clear(work.z, bytes);
    run();
    device_read(work.z, bytes, z);
    verdict(name, memcmp(x, z, bytes) == 0);
    free(z);
}

static void vectors(int64_t n)
{
    char label[40];
    double *x = random_numbers(n, 1);
    work.n = n;
    work.x = random_memory(n, 1);
    work.y = random_memory(n, 2);
    work.z = device_new((size_t)n * sizeof(double));
    if (o.check) {
        double sum = result(our_sum), dot = result(our_dot);
        verdict("plain sum", is_close(result(plain_sum), sum));
        verdict("plain dot", is_close(result(plain_dot), dot));
        if (device_vendor.dot)
            verdict("vendor's dot", is_close(result(vendor_dot), dot));
        check_copy("copy kernel", copy, x);
        check_copy("the library's copy", library_copy, x);
    }
    candidate c[] = {{"the library's copy", library_copy, 0}, {"copy kernel", copy, 0}};
    snprintf(label, sizeof label, "copy n=%lld", (long long)n);
    row(label, c, 2, 16.0 * (double)n, "GB/s");
    candidate s[] = {{"plain reduction", plain_sum, 0}, {device_ours.name, our_sum, 0}};
    snprintf(label, sizeof label, "sum n=%lld", (long long)n);
    row(label, s, 2, 8.0 * (double)n, "GB/s");
    candidate d[] = {{"plain reduction", plain_dot, 0},
                     {device_ours.name, our_dot, 0},
                     {device_vendor.name, vendor_dot, 0}};
    snprintf(label, sizeof label, "dot n=%lld", (long long)n);
    row(label, d, device_vendor.dot ? 3 : 2, 16.0 * (double)n, "GB/s");
    device_free(work.x);
    device_free(work.y);
    device_free(work.z);
    free(x);
}

static void our_dot_of_itself(void)
{
    device_ours.dot(work.n, work.x, work.x, work.r);
}

/* More elements than 31 bits count, or 32: zeros, but for four of them. */
static void many_elements(int64_t n)
{
    const int64_t at[] = {0, n / 2 - 1, n / 2, n - 1};
    const double value[] = {1, 2, 4, 8};
    size_t bytes = (size_t)n * sizeof *value;
    char label[40];
    if (device_largest() < bytes + bytes / 8) {
        printf("# sums of %lld elements skipped: the device has too little memory\n", (long long)n);
        return;
    }
    work.n = n;
    work.x = device_new(bytes);
    device_clear(work.x, bytes);
    for (int i = 0; i < 4; i++)
        device_write_at(work.x, (size_t)at[i] * sizeof *value, sizeof *value, &value[i]);
    verdict("a sum of more than 2^32 elements", result(our_sum) == 15);
    verdict("a dot product of more than 2^32 elements", result(our_dot_of_itself) == 85);
    candidate c[] = {{"plain reduction", plain_sum, 0}, {device_ours.name, our_sum, 0}};
    snprintf(label, sizeof label, "sum n=%lld", (long long)n);
    row(label, c, 2, 8.0 * (double)n, "GB/s");
    device_free(work.x);
}

/* --- matrices --- */
static void our_gemv(void)
{
    device_ours.gemv(work.trans, work.m, work.n, work.x, work.y, work.z);
}

static void vendor_gemv(void)
{
    device_vendor.gemv(work.trans, work.m, work.n, work.x, work.y, work.z);
}

static void our_gemm(void)
{
    device_ours.gemm(work.n, work.x, work.y, work.z);
}

static void vendor_gemm(void)
{
    device_vendor.gemm(work.n, work.x, work.y, work.z);
}

/* The routines of both, as far as they exist. */
static void compare(const char *label, bool has_vendor, void (*vendor)(void), bool has_ours,
                    void (*ours)(void), double amount, const char *unit)
{
    candidate c[2];
    int n = 0;
    if (has_vendor)
        c[n++] = (candidate){device_vendor.name, vendor, 0};
    if (has_ours)
        c[n++] = (candidate){device_ours.name, ours, 0};
    if (n > 0)
        row(label, c, n, amount, unit);
}

/* Row i times the vector of ones, and the same of columns: integers are exact everywhere. */
static void check_matrices(void)
{
    void (*const runs[])(void) = {vendor_gemv, our_gemv, vendor_gemm, our_gemm};
    const bool there[] = {device_vendor.gemv, device_ours.gemv, device_vendor.gemm,
                          device_ours.gemm};
    static const char *const names[] = {"vendor's gemv", "gemv", "vendor's gemm", "gemm"};
    size_t size = (size_t)(work.n * work.n);
    double *a = random_numbers((int64_t)size, 3), *b = malloc(size * sizeof *b);
    double *seen = malloc(size * sizeof *seen);
    if (!b || !seen)
        exit(1);
    for (size_t i = 0; i < size; i++) {
        a[i] = rint(a[i] * 1e3);
        b[i] = 1;
    }
    device_write(work.x, size * sizeof *a, a);
    device_write(work.y, size * sizeof *b, b);
    for (int r = 0; r < 4; r++) {
        double row = 0, column = 0;
        work.trans = false;
        for (int64_t j = 0; j < work.n; j++)
            row += a[j * work.n + 1]; /* of the second row of A */
        for (int64_t i = 0; i < work.n; i++)
            column += a[work.n + i];
        if (!there[r])
            continue;
        runs[r]();
        device_read(work.z, size * sizeof *seen, seen);
        bool ok = seen[1] == row && (r < 2 || seen[size - (size_t)work.n + 1] == row);
        if (r < 2) {
            work.trans = true;
            runs[r]();
            device_read(work.z, size * sizeof *seen, seen);
            ok = ok && seen[1] == column;
        }
        verdict(names[r], ok);
    }
    free(a);
    free(b);
    free(seen);
}

static void matrices(int64_t n)
{
    char label[40];
    double size = (double)n * (double)n;
    work.m = work.n = n;
    work.x = random_memory(n * n, 3);
    work.y = random_memory(n * n, 4);
    work.z = device_new((size_t)(n * n) * sizeof(double));
    if (o.check)
        check_matrices();
    for (int t = 0; t < 2; t++) {
        work.trans = t;
        snprintf(label, sizeof label, "gemv %c n=%lld", "nt"[t], (long long)n);
        compare(label, device_vendor.gemv, vendor_gemv, device_ours.gemv, our_gemv, 8 * size,
                "GB/s");
    }
    snprintf(label, sizeof label, "gemm uniform n=%lld", (long long)n);
    compare(label, device_vendor.gemm, vendor_gemm, device_ours.gemm, our_gemm,
            2 * size * (double)n, "GFLOP/s");
    device_free(work.x);
    device_free(work.y);
    work.x = normal_memory(n * n, 3);
    work.y = normal_memory(n * n, 4);
    snprintf(label, sizeof label, "gemm normal n=%lld", (long long)n);
    compare(label, device_vendor.gemm, vendor_gemm, device_ours.gemm, our_gemm,
            2 * size * (double)n, "GFLOP/s");
    device_free(work.x);
    device_free(work.y);
    device_free(work.z);
}

/* --- bins --- */
static void unordered(void)
{
    device_launch("scatter_unordered", work.groups, LOCAL, 4,
                  (device_arg[]){number(DEVICE_I64, work.n), memory(work.x), memory(work.index),
                                 memory(work.y)});
}

static void our_scatter(void)
{
    device_ours.scatter(work.n, work.x, work.index, work.n_bins, work.y);
}

/* Integers have one sum in any order. */
static void check_bins(void)
{
    void (*const runs[])(void) = {unordered, our_scatter};
    static const char *const names[] = {"unordered bins", "exact bins"};
    size_t bytes = (size_t)work.n_bins * sizeof(double);
    double *x = random_numbers(work.n, 1), *y = calloc((size_t)work.n_bins, sizeof *y);
    double *seen = malloc(bytes);
    int32_t *index = malloc((size_t)work.n * sizeof *index);
    if (!y || !seen || !index)
        exit(1);
    device_read(work.index, (size_t)work.n * sizeof *index, index);
    for (int64_t i = 0; i < work.n; i++) {
        x[i] = rint(x[i] * 1e6);
        y[index[i]] += x[i];
    }
    device_write(work.x, (size_t)work.n * sizeof *x, x);
    for (int k = 0; k < 2; k++) {
        device_clear(work.y, bytes);
        runs[k]();
        device_read(work.y, bytes, seen);
        verdict(names[k], memcmp(y, seen, bytes) == 0);
    }
    free(x);
    free(y);
    free(seen);
    free(index);
}

static void bins(int64_t n, int64_t n_bins)
{
    char label[48];
    uint64_t state = 5;
    int32_t *index = malloc((size_t)n * sizeof *index);
    if (!index)
        exit(1);
    for (int64_t i = 0; i < n; i++)
        index[i] = (int32_t)((uniform(&state) + 0.5) * (double)n_bins);
    work.n = n;
    work.n_bins = n_bins;
    work.x = random_memory(n, 1);
    work.y = random_memory(n_bins, 2);
    work.index = device_new((size_t)n * sizeof *index);
    device_write(work.index, (size_t)n * sizeof *index, index);
    if (o.check)
        check_bins();
    candidate c[] = {{"unordered atomics", unordered, 0}, {device_ours.name, our_scatter, 0}};
    snprintf(label, sizeof label, "scatter bins=%lld", (long long)n_bins);
    row(label, c, 2, (double)n, "terms/ns");
    device_free(work.x);
    device_free(work.y);
    device_free(work.index);
    free(index);
}

static void run_all(void)
{
    int64_t largest = o.check ? 20000 : o.quick ? 1 << 20 : 1 << 27;
    work.groups = device_units() * (o.check ? 2 : 8);
    work.r = device_new(64);
    work.partial = device_new((size_t)work.groups * sizeof(double));
    device_clear(work.r, 64);
    for (int64_t n = o.check ? largest : 1 << 14; n <= largest; n *= 8)
        vectors(n);
    if (!o.check) /* where launches count */
        vectors(1000000);
    if (!o.check && !o.quick)
        many_elements(((int64_t)1 << 32) + 2); /* 34 GB */
    int64_t least = o.check   ? 70
                    : o.quick ? 256
                              : 1024,
            most = o.check   ? 70
                   : o.quick ? 512
                             : 16384;
    for (int64_t n = least; n <= most; n *= 2)
        matrices(n);
    for (int64_t b = 1; b <= (o.check ? 5000 : 1 << 20); b *= b < 1 << 14 ? 16 : 64)
        bins(o.check ? 5000 : o.quick ? 1 << 18 : 10000000, b);
    device_free(work.r);
    device_free(work.partial);
}

static void print_head(void)
{
    char day[16];
    time_t now = time(NULL);
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    printf(
        "\n## Device: %s\n\n%s, %d units, ExBLAS %s. Calls on doubles, with the wait for the "
        "result. The ratio is that to a plain\nreduction (sum, dot), to %s (gemv, gemm) or to "
        "10^7 atomic additions in any order (scatter).\n\n| call | us | ratio |\n|---|---|---|\n",
        device_name(), day, device_units(), EXBLAS_VERSION, device_vendor.name);
}

static int usage(int status)
{
    fprintf(status ? stderr : stdout,
            "usage: gpu_bench_BACKEND [--quick] [--check | --markdown] [--only TEXT]\n\n"
            "  --quick      small sizes, few samples\n"
            "  --check      no times: compares the results of all candidates (TAP)\n"
            "  --markdown   a section for doc/results.md\n"
            "  --only TEXT  only rows whose label contains TEXT\n");
    return status;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            o.quick = true;
        else if (strcmp(argv[i], "--check") == 0)
            o.check = true;
        else if (strcmp(argv[i], "--markdown") == 0)
            o.markdown = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            o.only = argv[++i];
        else
            return usage(strcmp(argv[i], "--help") == 0 ? 0 : 2);
    }
    if (!device_open()) {
        printf("1..0 # SKIP there is no device\n");
        return 0;
    }
    if (o.markdown)
        print_head();
    else if (!o.check)
        printf("# %s, %d units, beside %s\n", device_name(), device_units(), device_vendor.name);
    run_all();
    device_close();
    if (o.check)
        printf("1..%d\n", o.n_cases);
    return o.n_failed != 0;
}
