/* Calls of every routine on a device, compared with the processor's: TAP, one line a call. Needs
 * nothing but the libraries under test, so that it runs on a bare machine. */
#include "gpu/calls/device_job.h"

#include <exblas/exblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int group, calls;
    double most; /* products of a call */
    uint64_t seed;
} o = {.calls = 24, .most = 1e9, .seed = 1};

static int number, n_failed;

static int usage(int status)
{
    fprintf(status ? stderr : stdout,
            "usage: device_calls_BACKEND [--group N] [--calls N] [--most N] [--seed N]\n\n"
            "  --group N  work-items of a group\n"
            "  --calls N  small ones of each routine: 24\n"
            "  --most N   only calls of up to N numbers or products\n"
            "  --seed N   of what is random: 1\n");
    return status;
}

static bool parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return false;
        if (strcmp(argv[i], "--group") == 0)
            o.group = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--calls") == 0)
            o.calls = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--most") == 0)
            o.most = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--seed") == 0)
            o.seed = strtoull(argv[i + 1], NULL, 10);
        else
            return false;
    }
    return true;
}

static void check(test_random *r, const device_case *c)
{
    char name[24];
    if (device_case_products(c) > o.most || (c->routine == BATCH && !device_has_batches))
        return;
    device_job j = job_make(r, c);
    exblas_status s = job_call(&j);
    if (s)
        printf("# %s\n", device_last_error());
    bool ok = !s && job_is_right(&j) && job_is_right_on_host(&j);
    device_case_name(c, name);
    printf("%s %d - %s m=%d n=%d k=%d, kind %d\n", ok ? "ok" : "not ok", ++number, name, c->m, c->n,
           c->k, c->kind);
    fflush(stdout);
    n_failed += !ok;
    job_free(&j);
}

static void check_small_ones(void)
{
    for (int which = 0; which < N_ROUTINES; which++) {
        test_random r = test_random_start(o.seed + (uint64_t)which, "device calls");
        for (int i = 0; i < o.calls; i++) {
            device_case c = device_case_draw(&r, (routine)which, i % 8 == 7 ? 30 : 9);
            check(&r, &c);
        }
    }
}

static void check_large_ones(void)
{
    static const device_size sizes[] = {
        {SUM, 1, 1000, 1},       {SUM, 1, 20011, 1},   {ASUM, 1, 3000, 1},    {NRM2, 1, 5003, 1},
        {DOT, 1, 20011, 1},      {DOTC, 1, 3001, 1},   {GEMV, 33, 129, 1},    {GEMV, 257, 40, 1},
        {TRSV, 1, 70, 1},        {GEMM, 65, 34, 130},  {GEMM, 130, 150, 300}, {GEMM, 70, 40, 1300},
        {SYMM, 40, 33, 1},       {SYRK, 1, 37, 50},    {TRSM, 40, 35, 1},     {TRMM, 40, 33, 1},
        {SCATTER, 300, 5000, 1}, {SCATTER, 1, 900, 1}, {SCATTER, 90, 1400, 1}};
    test_random r = test_random_start(o.seed, "large device calls");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = HARD; kind <= MODERATE; kind++)
            for (int times = 0; times < 3; times++) {
                device_case c = device_case_draw(&r, sizes[i].which, 0);
                c.kind = kind;
                c.incx = c.incy = 1;
                device_case_resize(&c, sizes[i].m, sizes[i].n, sizes[i].k);
                check(&r, &c);
            }
}

int main(int argc, char **argv)
{
    const char *why = "";
    if (argc > 1 && strcmp(argv[1], "--help") == 0)
        return usage(0);
    if (!parse(argc, argv))
        return usage(2);
    if (!device_open(o.group, &why)) {
        printf("1..0 # SKIP %s\n", why);
        return 0;
    }
    check_small_ones();
    check_large_ones();
    device_close();
    printf("1..%d\n", number);
    return n_failed != 0 || number == 0;
}
