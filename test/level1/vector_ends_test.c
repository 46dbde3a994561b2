/* Reductions read their vectors and nothing beside: these lie between pages that cannot be read. */
#include "core/kernels.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 80 * EXB_CHUNK };

/* A block of memory that ends, or begins, with what is asked for. */
typedef struct {
    char *pages;
    size_t page, bytes;
} place;

static place place_of(size_t bytes)
{
    place p = {.page = (size_t)sysconf(_SC_PAGESIZE)};
    p.bytes = (bytes + p.page - 1) / p.page * p.page;
    p.pages = mmap(NULL, p.bytes + 2 * p.page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p.pages != MAP_FAILED);
    assert_int_equal(mprotect(p.pages + p.page, p.bytes, PROT_READ | PROT_WRITE), 0);
    return p;
}

static void *in_place(const place *p, size_t bytes, bool at_end)
{
    return p->pages + p->page + (at_end ? p->bytes - bytes : 0);
}

/* Element k of a vector whose middle, from which magnitudes are guessed, is 0 or is not. */
static double element(int64_t n, int64_t k, bool hollow)
{
    return hollow && k > n / 4 && k < n - n / 4
               ? 0
               : ldexp(1 + 0x1p-20 * (double)(k % 1000), (int)(k % 9));
}

/* Exact: integers times 2^-20 below 2^30 in all. */
static double sum_of_elements(int64_t n, bool hollow)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += element(n, k, hollow);
    return sum;
}

static void check(const place *p, int n, int step, bool at_end, bool hollow)
{
    size_t count = (size_t)(n - 1) * (size_t)abs(step) + 1;
    double *x = in_place(p, count * sizeof *x, at_end), one = 1;
    for (int k = 0; k < n; k++)
        x[(step < 0 ? n - 1 - k : k) * abs(step)] = element(n, k, hollow);
    double sum = sum_of_elements(n, hollow);
    assert_same_bits(excblas_dsum(n, x, step), sum);
    assert_same_bits(excblas_dasum(n, x, abs(step)), sum);
    assert_same_bits(excblas_ddot(n, x, step, &one, 0), sum);
    assert_true(excblas_ddot(n, x, step, x, step) > 0 && excblas_dnrm2(n, x, abs(step)) > 0);
    float *f = in_place(p, count * sizeof *f, at_end);
    for (int k = 0; k < n; k++)
        f[(step < 0 ? n - 1 - k : k) * abs(step)] = (float)ldexp(1, k % 9);
    assert_true(excblas_ssum(n, f, step) > 0 && excblas_sasum(n, f, abs(step)) > 0 &&
                excblas_sdot(n, f, step, f, step) > 0 && excblas_snrm2(n, f, abs(step)) > 0);
    double(*z)[2] = in_place(p, count * sizeof *z, at_end), dot[2];
    for (size_t k = 0; k < count; k++)
        z[k][0] = z[k][1] = 1;
    excblas_zdotu_sub(n, z, step, z, step, dot);
    assert_true(dot[0] == 0 && dot[1] == 2 * n);
}

static void vectors_alone(NO_STATE)
{
    static const int lengths[] = {
        1, 31, 32, 64, 96, 1000, EXB_CHUNK, EXB_CHUNK + 32, 10 * EXB_CHUNK};
    static const int steps[] = {1, -1, 3, -2};
    place p = place_of(MOST * sizeof(double));
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                check(&p, lengths[i], steps[j], k & 1, k >> 1);
    munmap(p.pages, p.bytes + 2 * p.page);
}

int main(void)
{
    exblas_set_num_threads(1);
    return run_each(vectors_alone);
}
