/* One sum of 128 to 16M numbers: plain loop, ExBLAS, HP(6, 3), Hallberg(10, 38). */
#include "harness.h"
#include "sums.h"

#include <stdlib.h>

static struct {
    int64_t n;
    double *x;
} work;

static volatile double sink;

static void plain(void *c)
{
    (void)c;
    sink = sum_plain(work.n, work.x);
}

static void ours(void *c)
{
    (void)c;
    sink = excblas_dsum_64(work.n, work.x, 1);
}

static void fixed(void *c)
{
    uint64_t w[HP_N] = {0};
    double x = 0;
    (void)c;
    hp_add_all(w, HP_N, HP_K, work.n, work.x);
    exblas_hp_to_double(w, HP_N, HP_K, &x);
    sink = x;
}

static void carry_free(void *c)
{
    hallberg s = {{0}};
    (void)c;
    hallberg_add_all(&s, work.n, work.x);
    sink = hallberg_value(&s);
}

int main(int argc, char **argv)
{
    bench_options o =
        bench_start(argc, argv, "fixed: fixed-point sums beside plain and exact ones");
    int64_t most = o.quick ? 1 << 20 : 1 << 24;
    uint64_t state = 1;
    exblas_set_num_threads(1);
    work.x = malloc((size_t)most * sizeof *work.x);
    if (!work.x)
        return 1;
    for (int64_t i = 0; i < most; i++)
        work.x[i] = next_uniform(&state) - 0.5;
    bench_header(&o, "Sums of numbers in [-0.5, 0.5), one thread");
    for (work.n = 128; work.n <= most; work.n *= work.n < 1 << 21 ? 8 : 2) {
        bench_candidate c[] = {{.name = "plain loop", .run = plain},
                               {.name = "exblas", .run = ours},
                               {.name = "HP(6,3)", .run = fixed},
                               {.name = "Hallberg(10,38)", .run = carry_free}};
        char label[80];
        snprintf(label, sizeof label, "sum n=%lld", (long long)work.n);
        if (!bench_wanted(&o, label))
            continue;
        bench_measure(&o, c, 4, NULL);
        bench_row(&o, label, (double)work.n, c, 4);
    }
    free(work.x);
    return 0;
}
