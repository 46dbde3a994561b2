/* scatter_add and segment_sum beside the plain loops. */
#include "data.h"
#include "harness.h"

#include <exblas/exblas.h>
#include <exblas/scatter.h>
#include <stdint.h>
#include <stdlib.h>

static struct {
    int32_t n, n_bins;
    double *x, *y;
    int32_t *index, *offset;
    int32_t n_segments;
} work;

/* As a compiler is given it: index and y could overlap. */
static void plain_scatter(void *c)
{
    (void)c;
    const double *x = work.x;
    const int32_t *index = work.index;
    double *y = work.y;
    for (int32_t i = 0; i < work.n; i++)
        y[index[i]] += x[i];
}

static void ex_scatter(void *c)
{
    (void)c;
    exblas_dscatter_add(work.n, work.x, work.index, work.n_bins, work.y);
}

static void plain_segments(void *c)
{
    (void)c;
    for (int32_t i = 0; i < work.n_segments; i++) {
        double s = 0;
        for (int32_t k = work.offset[i]; k < work.offset[i + 1]; k++)
            s += work.x[k];
        work.y[i] = s;
    }
}

static void ex_segments(void *c)
{
    (void)c;
    exblas_dsegment_sum(work.n_segments, work.offset, work.x, work.y);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void measure_scatter(const bench_options *o, const data_kind *kind, int32_t n_bins)
{
    uint64_t state = 1;
    char label[80];
    snprintf(label, sizeof label, "scatter %s bins=%d", kind->name, n_bins);
    if (!bench_wanted(o, label))
        return;
    bench_candidate c[2] = {{.name = "plain loop", .run = plain_scatter},
                            {.name = "exblas", .run = ex_scatter}};
    kind->fill(work.n, work.x, &kind->parameter, 1);
    work.n_bins = n_bins;
    for (int32_t i = 0; i < work.n; i++)
        work.index[i] = (int32_t)(next_random(&state) % (uint64_t)n_bins);
    for (int32_t i = 0; i < n_bins; i++)
        work.y[i] = 0;
    bench_measure(o, c, 2, NULL);
    bench_row(o, label, work.n, c, 2);
}

static void measure_segments(const bench_options *o, int32_t length)
{
    char label[80];
    snprintf(label, sizeof label, "segments of %d", length);
    if (!bench_wanted(o, label))
        return;
    bench_candidate c[2] = {{.name = "plain loop", .run = plain_segments},
                            {.name = "exblas", .run = ex_segments}};
    data_kinds[0].fill(work.n, work.x, &data_kinds[0].parameter, 1);
    work.n_segments = work.n / length;
    for (int32_t i = 0; i <= work.n_segments; i++)
        work.offset[i] = i * length;
    bench_measure(o, c, 2, NULL);
    bench_row(o, label, (double)work.n_segments * length, c, 2);
}

int main(int argc, char **argv)
{
    static const int32_t bins[] = {1, 64, 4096, 16384, 1000000, 10000000};
    bench_options o = bench_start(
        argc, argv, "scatter: scatter_add and segment_sum beside plain loops, one thread");
    exblas_set_num_threads(1);
    work.n = o.quick ? 1000000 : 10000000;
    work.x = malloc((size_t)work.n * sizeof *work.x);
    work.y = malloc((size_t)work.n * sizeof *work.y);
    work.index = malloc((size_t)work.n * sizeof *work.index);
    work.offset = malloc((size_t)(work.n + 1) * sizeof *work.offset);
    if (!work.x || !work.y || !work.index || !work.offset)
        return 1;
    printf("# %d values\n", work.n);
    bench_header(&o, "Scatter-add, random indices, uniform data");
    for (size_t i = 0; i < sizeof bins / sizeof *bins && bins[i] <= work.n; i++)
        measure_scatter(&o, &data_kinds[0], bins[i]);
    bench_header(&o, "Scatter-add, kinds of data");
    for (int k = 1; k < n_data_kinds; k++)
        measure_scatter(&o, &data_kinds[k], 4096);
    bench_header(&o, "Segmented sum");
    for (int32_t length = 1; length <= 100000; length *= 10)
        measure_segments(&o, length);
    free(work.x);
    free(work.y);
    free(work.index);
    free(work.offset);
    return 0;
}
