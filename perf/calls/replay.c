/* Replays recorded calls (calls.h): of each routine the share of elements that its first filter
 * left, and its time beside OpenBLAS's, or whether the results are the accumulator's. */
#include "calls.h"
#include "harness.h"

#include <exblas/exblas.h>
#include <exblas/fortran.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

typedef void routine(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *);

static void (*const ours[CALLS_ROUTINES])(void) = {
    (void (*)(void))exdgemm_, (void (*)(void))exdsyrk_, (void (*)(void))exdsyr2k_,
    (void (*)(void))exdtrmm_, (void (*)(void))exdtrsm_, (void (*)(void))exdgemv_,
    (void (*)(void))exdsymv_, (void (*)(void))exdtrmv_, (void (*)(void))exdtrsv_,
    (void (*)(void))exdger_,
};

/* A call; its arrays are parts of `data`, the written one is copied to `kept`. */
typedef struct {
    int number;
    void *argument[CALLS_MOST];
    int word[CALLS_MOST];
    char letter[CALLS_MOST];
    double scalar[CALLS_MOST];
    double *array[CALLS_MOST], *written, *kept;
    size_t n_written;
} call;

typedef struct {
    int64_t n_calls, n_wrong;
    double theirs_ns, ours_ns;
} total;

static void *need(void *p)
{
    if (!p) {
        fprintf(stderr, "replay: no memory\n");
        exit(3);
    }
    return p;
}

static void get(void *to, size_t size, size_t n, FILE *f)
{
    if (fread(to, size, n, f) != n) {
        fprintf(stderr, "replay: the record ends inside a call\n");
        exit(2);
    }
}

static void read_array(call *c, int i, FILE *f)
{
    int64_t n;
    get(&n, sizeof n, 1, f);
    if (n < 0 || n > INT64_C(1) << 32) {
        fprintf(stderr, "replay: not a record\n");
        exit(2);
    }
    c->array[i] = c->argument[i] = need(malloc(((size_t)n + 1) * sizeof(double)));
    get(c->array[i], sizeof(double), (size_t)n, f);
    if (strchr("MV", calls_routines[c->number].kinds[i])) {
        c->written = c->array[i];
        c->n_written = (size_t)n;
        c->kept = need(malloc(((size_t)n + 1) * sizeof(double)));
        memcpy(c->kept, c->written, (size_t)n * sizeof(double));
    }
}

/* False at the end of the record. */
static bool read_call(call *c, FILE *f)
{
    int32_t number, word;
    memset(c, 0, sizeof *c);
    if (fread(&number, sizeof number, 1, f) != 1)
        return false;
    if (number < 0 || number >= CALLS_ROUTINES) {
        fprintf(stderr, "replay: not a record\n");
        exit(2);
    }
    c->number = number;
    for (int i = 0; calls_routines[number].kinds[i]; i++) {
        char kind = calls_routines[number].kinds[i];
        if (kind == 'c' || kind == 'i') {
            get(&word, sizeof word, 1, f);
            c->word[i] = word;
            c->letter[i] = (char)word;
            c->argument[i] = kind == 'c' ? (void *)&c->letter[i] : &c->word[i];
        } else if (kind == 's') {
            get(&c->scalar[i], sizeof(double), 1, f);
            c->argument[i] = &c->scalar[i];
        } else {
            read_array(c, i, f);
        }
    }
    return true;
}

static void free_call(call *c)
{
    for (int i = 0; i < CALLS_MOST; i++)
        free(c->array[i]);
    free(c->kept);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Nanoseconds. */
static double run(call *c, const void *function)
{
    routine *f;
    void **a = c->argument;
    memcpy(&f, function, sizeof f);
    memcpy(c->written, c->kept, c->n_written * sizeof(double));
    double begin = now_ns();
    f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12]);
    return now_ns() - begin;
}

/* What is done with each call of a record. */
typedef void action(call *c, void *theirs, total *t);

/* In turn, the least of some. */
static void measure(call *c, void *theirs, total *t)
{
    double least[2] = {HUGE_VAL, HUGE_VAL};
    for (int i = 0; i < 5; i++) {
        least[0] = fmin(least[0], run(c, &theirs));
        least[1] = fmin(least[1], run(c, &ours[c->number]));
    }
    t->theirs_ns += least[0];
    t->ours_ns += least[1];
}

/* With the accumulator and without: the same bits. */
static void compare(call *c, void *theirs, total *t)
{
    (void)theirs;
    t->n_calls++;
    exblas_set_method("superacc");
    run(c, &ours[c->number]);
    double *right = need(malloc((c->n_written + 1) * sizeof(double)));
    memcpy(right, c->written, c->n_written * sizeof(double));
    exblas_set_method(NULL);
    run(c, &ours[c->number]);
    t->n_wrong += memcmp(right, c->written, c->n_written * sizeof(double)) != 0;
    free(right);
}

/* Once, for the statistics. */
static void count(call *c, void *theirs, total *t)
{
    (void)theirs, (void)t;
    run(c, &ours[c->number]);
}

static void each_call(const char *name, void *const *theirs, total *t, action *act)
{
    FILE *f = fopen(name, "rb");
    call c;
    if (!f) {
        perror(name);
        exit(2);
    }
    while (read_call(&c, f)) {
        act(&c, theirs[c.number], &t[c.number]);
        free_call(&c);
    }
    fclose(f);
}

static void print_row(int number, const total *t, bool is_timed)
{
    char name[16];
    exblas_stats s = {0};
    snprintf(name, sizeof name, "%.*s", (int)strlen(calls_routines[number].name) - 1,
             calls_routines[number].name);
    exblas_stats_total(name, &s);
    double share = s.elements ? 100 * (double)s.fallbacks / (double)s.elements : 0;
    printf("%-8s %7lld %12llu %10.4f %7lld", name, (long long)t->n_calls,
           (unsigned long long)s.elements, share, (long long)t->n_wrong);
    if (is_timed)
        printf(" %12.3f %12.3f %7.2f", 1e-6 * t->theirs_ns, 1e-6 * t->ours_ns,
               t->ours_ns / t->theirs_ns);
    putchar('\n');
}

int main(int argc, char **argv)
{
    static total totals[CALLS_ROUTINES];
    void *theirs[CALLS_ROUTINES] = {0};
    bench_options o = {.openblas = "libopenblas.so.0"};
    bool check = argc > 2 && strcmp(argv[1], "--check") == 0;
    if (argc != 2 + check || argv[1 + check][0] == '-') {
        fprintf(stderr, "usage: replay [--check] RECORD\n");
        return 2;
    }
    const char *record = argv[1 + check];
    exblas_set_num_threads(1);
    for (int k = 0; k < CALLS_ROUTINES && !check; k++)
        theirs[k] = bench_openblas(&o, calls_routines[k].name);
    if (!check && theirs[0])
        each_call(record, theirs, totals, measure);
    each_call(record, theirs, totals, compare);
    exblas_stats_enable(1);
    each_call(record, theirs, totals, count);
    bool is_timed = totals[0].ours_ns > 0 || (!check && theirs[0]);
    printf("%-8s %7s %12s %10s %7s%s\n", "routine", "calls", "elements", "left, %", "wrong",
           is_timed ? "  OpenBLAS ms    exblas ms   ratio" : "");
    int64_t n_wrong = 0;
    for (int k = 0; k < CALLS_ROUTINES; k++) {
        n_wrong += totals[k].n_wrong;
        if (totals[k].n_calls > 0)
            print_row(k, &totals[k], is_timed);
    }
    return n_wrong > 0;
}
