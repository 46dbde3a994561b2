/* Matrix multiplication beside OpenBLAS: sizes, kinds of data, types, hard data, threads; with what
 * the library says of each call: engine, number of moduli, elements that were not certified, and
 * where the time went. To compare with OpenBLAS on a lesser processor: EXBLAS_ISA=avx2
 * OPENBLAS_CORETYPE=Haswell gemm */
#include "data.h"
#include "harness.h"
#include "unit_rate.h"

#include <exblas/exblas.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

typedef void fortran_gemm(const char *, const char *, const int *, const int *, const int *,
                          const void *, const void *, const int *, const void *, const int *,
                          const void *, void *, const int *);

static struct {
    int m, n, k;
    char type;
    const char *ta, *tb; /* of dgemm */
    double *a, *b, *c;   /* of doubles, floats or pairs of doubles */
    double alpha;        /* of dgemm */
    fortran_gemm *theirs;
} work;

static const double one[2] = {1, 0}, zero[2] = {0, 0};
static const float one_f = 1, zero_f = 0;

static void openblas(void *context)
{
    (void)context;
    int m = work.m, n = work.n, k = work.k;
    const int *lda = *work.ta == 'N' ? &m : &k, *ldb = *work.tb == 'N' ? &k : &n;
    bool is_float = work.type == 's';
    const void *alpha = is_float           ? (const void *)&one_f
                        : work.type == 'd' ? (const void *)&work.alpha
                                           : (const void *)one;
    work.theirs(work.ta, work.tb, &m, &n, &k, alpha, work.a, lda, work.b, ldb,
                is_float ? (const void *)&zero_f : zero, work.c, &m);
}

static void ours(void *context)
{
    (void)context;
    enum { BY_COLUMNS = 102, PLAIN = 111, TRANSPOSED = 112 };
    int m = work.m, n = work.n, k = work.k;
    int ta = *work.ta == 'N' ? PLAIN : TRANSPOSED, tb = *work.tb == 'N' ? PLAIN : TRANSPOSED;
    int lda = ta == PLAIN ? m : k, ldb = tb == PLAIN ? k : n;
    if (work.type == 's')
        excblas_sgemm(BY_COLUMNS, ta, tb, m, n, k, 1, (float *)work.a, lda, (float *)work.b, ldb, 0,
                      (float *)work.c, m);
    else if (work.type == 'z')
        excblas_zgemm(BY_COLUMNS, ta, tb, m, n, k, one, work.a, lda, work.b, ldb, zero, work.c, m);
    else
        excblas_dgemm(BY_COLUMNS, ta, tb, m, n, k, work.alpha, work.a, lda, work.b, ldb, 0, work.c,
                      m);
}

static void set_order(int n)
{
    work.m = work.n = work.k = n;
}

static double n_products(void)
{
    return (double)work.m * work.n * work.k;
}

static void *find(const bench_options *o, char type)
{
    const char name[] = {type, 'g', 'e', 'm', 'm', '_', '\0'};
    return bench_openblas(o, name);
}

static void narrow(double *x, int64_t n)
{
    float *f = (float *)x;
    for (int64_t i = 0; i < n; i++) {
        float y = (float)x[i];
        memcpy(&f[i], &y, sizeof y); /* never ahead of what is read */
    }
}

/* Numbers that cancel: half of the terms are minus the others times 1 + 2^-bits. */
static void cancel(int n, int bits)
{
    for (int j = 0; j < n; j++)
        for (int l = 0; l < n / 2; l++) {
            work.a[(int64_t)(n / 2 + l) * n + j] =
                -work.a[(int64_t)l * n + j] * (1 + ldexp(1, -bits));
            work.b[(int64_t)j * n + n / 2 + l] = work.b[(int64_t)j * n + l];
        }
}

/* Products of bytes beside what the processor's unit can do in that time; where products are halved
 * (doc/gemm.md), the share counts those that are saved. */
static void print_share(const exblas_stats *s)
{
    static double peak = -1;
    if (peak < 0)
        peak = bench_unit_rate(exblas_info("isa"));
    double products = n_products() * (work.type == 'z' ? 4 : 1) * s->n_moduli;
    if (peak > 0 && s->product > 0)
        printf(" (%.0f a ns, %.0f %% of the unit's %.0f)", 1e-9 * products / s->product,
               1e-7 * products / s->product / peak, peak);
}

/* Of the fastest of a few calls. */
static void print_stats(const bench_options *o)
{
    exblas_stats s = {.seconds = HUGE_VAL};
    exblas_stats_enable(1);
    for (int i = 0; i < 5; i++) {
        exblas_stats one_call;
        ours(NULL);
        if (exblas_stats_last(&one_call) == EXBLAS_OK && one_call.seconds < s.seconds)
            s = one_call;
    }
    printf("%s  %s", o->csv ? "#" : " ", s.engine);
    if (s.n_moduli)
        printf(", %d moduli", s.n_moduli);
    printf(", open %.4f %%; us: convert %.0f, product %.0f",
           100 * (double)s.fallbacks / (double)s.elements, 1e6 * s.convert, 1e6 * s.product);
    if (s.n_moduli)
        print_share(&s);
    printf(", reconstruct %.0f, certify %.0f, fallback %.0f\n", 1e6 * s.reconstruct,
           1e6 * s.certify, 1e6 * s.fallback);
    exblas_stats_enable(0);
}

static void measure(const bench_options *o, const char *label)
{
    bench_candidate c[2] = {{.name = "OpenBLAS", .run = openblas}, {.name = "exblas", .run = ours}};
    if (!work.theirs || !bench_wanted(o, label))
        return;
    bench_measure(o, c, 2, NULL);
    bench_row(o, label, n_products(), c, 2);
    print_stats(o);
}

static void fill(const data_kind *kind)
{
    int parts = work.type == 'z' ? 2 : 1;
    int64_t n_a = (int64_t)work.m * work.k * parts, n_b = (int64_t)work.k * work.n * parts;
    kind->fill(n_a, work.a, &kind->parameter, 1);
    kind->fill(n_b, work.b, &kind->parameter, 2);
    if (work.type == 's') {
        narrow(work.a, n_a);
        narrow(work.b, n_b);
    }
}

static void measure_kind(const bench_options *o, const data_kind *kind, int n)
{
    char label[80];
    snprintf(label, sizeof label, "%cgemm %s n=%d", work.type, kind->name, n);
    set_order(n);
    fill(kind);
    measure(o, label);
}

static void use_type(const bench_options *o, char type)
{
    void *p = find(o, type);
    work.type = type;
    memcpy(&work.theirs, &p, sizeof p);
}

enum { LARGE = 2048 };

static void sizes_and_kinds(const bench_options *o, int most)
{
    bench_header(o, "Small sizes, normal data (columns: ns per product)");
    static const int small[] = {4, 8, 16, 32, 64, 100, 128, 192, 256, 384};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        measure_kind(o, &data_kinds[2], small[i]);
    bench_header(o, "Other sizes, normal data");
    static const int odd[] = {500, 509, 1000, 1023, 1500};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        if (odd[i] <= most)
            measure_kind(o, &data_kinds[2], odd[i]);
    if (most == LARGE)
        measure_kind(o, &data_kinds[2], 2 * LARGE);
    for (int n = 512; n <= most; n *= 2) {
        bench_header(o, "Kinds of data");
        for (int k = 0; k < n_data_kinds; k++)
            if (!strstr(data_kinds[k].name, "cancel"))
                measure_kind(o, &data_kinds[k], n);
    }
}

/* Tall, wide, few terms, many terms, transposed. */
static void shapes(const bench_options *o)
{
    static const struct {
        int m, n, k;
        const char *ta, *tb;
    } shape[] = {
        {1024, 1024, 16, "N", "N"},  {1024, 1024, 32, "N", "N"},  {1024, 1024, 64, "N", "N"},
        {1024, 1024, 128, "N", "N"}, {1024, 1024, 256, "N", "N"}, {4096, 32, 512, "N", "N"},
        {32, 4096, 512, "N", "N"},   {64, 64, 16384, "N", "N"},   {400, 400, 3200, "T", "N"},
        {512, 512, 512, "T", "N"},   {512, 512, 512, "N", "T"},   {512, 512, 512, "T", "T"},
        {2000, 200, 2000, "N", "N"}, {1000, 8, 1000, "N", "N"}};
    char label[80];
    bench_header(o, "Shapes, normal data");
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        work.m = shape[i].m, work.n = shape[i].n, work.k = shape[i].k;
        work.ta = shape[i].ta, work.tb = shape[i].tb;
        fill(&data_kinds[2]);
        snprintf(label, sizeof label, "dgemm shape %s%s %d x %d, k=%d", work.ta, work.tb, work.m,
                 work.n, work.k);
        measure(o, label);
    }
    work.ta = work.tb = "N";
}

static void other_types(const bench_options *o, int most)
{
    bench_header(o, "Other types, normal data");
    for (const char *type = "sz"; *type; type++) {
        use_type(o, *type);
        for (int n = 128; n <= (*type == 'z' ? most / 2 : most); n *= 2)
            measure_kind(o, &data_kinds[2], n);
    }
    use_type(o, 'd');
}

static void hard_data(const bench_options *o)
{
    char label[80];
    bench_header(o, "Cancellation to 2^-bits, n = 512");
    for (int bits = 10; bits <= 60; bits += 10) {
        set_order(512);
        fill(&data_kinds[2]);
        cancel(work.n, bits);
        snprintf(label, sizeof label, "dgemm cancelling %d bits n=512", bits);
        measure(o, label);
    }
}

/* Elements of C around 2^exp2, or none finite. */
static void edges_of_the_range(const bench_options *o)
{
    static const int exp2[] = {1010, 1024, -1010, -1030, -1070};
    char label[80];
    bench_header(o,
                 "Results at the edges of the range, and an infinite alpha, normal data, n = 512");
    set_order(512);
    for (size_t k = 0; k < sizeof exp2 / sizeof *exp2; k++) {
        int64_t n = (int64_t)work.n * work.n;
        fill(&data_kinds[2]);
        for (int64_t i = 0; i < n; i++) {
            work.a[i] = ldexp(work.a[i], exp2[k] / 2);
            work.b[i] = ldexp(work.b[i], exp2[k] - exp2[k] / 2 - 5); /* |C| is some 2^5 more */
        }
        snprintf(label, sizeof label, "dgemm results near 2^%d n=512", exp2[k]);
        measure(o, label);
    }
    fill(&data_kinds[2]);
    work.alpha = INFINITY;
    measure(o, "dgemm infinite alpha n=512");
    work.alpha = 1;
}

static void threads(const bench_options *o, int most)
{
    void (*set_threads)(int);
    void *p = bench_openblas(o, "openblas_set_num_threads");
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int i = 0; i < 2; i++)
        CPU_SET((size_t)i, &all);
    if (!p || sched_setaffinity(0, sizeof all, &all) != 0)
        return;
    memcpy(&set_threads, &p, sizeof p);
    bench_header(o, "One and two threads, normal data: compare the two candidates' gains");
    for (int n = 512; n <= most; n *= 2)
        for (int t = 1; t <= 2; t++) {
            char label[80];
            snprintf(label, sizeof label, "dgemm threads=%d n=%d", t, n);
            set_threads(t);
            exblas_set_num_threads(t);
            set_order(n);
            fill(&data_kinds[2]);
            measure(o, label);
        }
}

int main(int argc, char **argv)
{
    bench_options o = bench_start(argc, argv, "gemm: matrix products beside OpenBLAS");
    int most = o.quick ? LARGE / 2 : LARGE;
    size_t bytes = 4 * (size_t)most * (size_t)most * sizeof(double); /* of order 2 most, real */
    work.a = malloc(bytes);
    work.b = malloc(bytes);
    work.c = malloc(bytes);
    if (!work.a || !work.b || !work.c)
        return 1;
    work.alpha = 1;
    work.ta = work.tb = "N";
    use_type(&o, 'd');
    sizes_and_kinds(&o, most);
    shapes(&o);
    other_types(&o, most);
    hard_data(&o);
    edges_of_the_range(&o);
    threads(&o, most);
    free(work.a);
    free(work.b);
    free(work.c);
    return 0;
}
