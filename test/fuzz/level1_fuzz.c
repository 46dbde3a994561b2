/* libFuzzer: sum, asum, nrm2 and dot of any numbers, with any method and instruction
 * set, against big integers. The first bytes choose the call, the rest are numbers: half
 * of the inputs take them as raw bits, half as small differences from a few bases, so
 * that ties, cancellation and neighbours of powers of two come up. */
#include "integer_oracle.h"

#include "core/kernels.h"
#include "core/method.h"
#include "core/partition.h"

#include <exblas/exblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 9000, USUAL = 800 };

typedef struct {
    const uint8_t *p;
    size_t n;
} bytes;

static unsigned next(bytes *b)
{
    if (b->n == 0)
        return 0;
    b->n--;
    return *b->p++;
}

static double raw(bytes *b)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | next(b);
    return exb_from_bits(bits);
}

/* A few bits at an exponent near a base, or the negative of an earlier number. */
static double structured(bytes *b, const double *x, int i)
{
    unsigned kind = next(b);
    if (kind < 64 && i > 0)
        return -x[next(b) % (unsigned)i];
    int base = kind < 160 ? 0 : kind < 190 ? 1000 : kind < 220 ? -1000 : -500;
    int exp2 = base + (int)next(b) - 128;
    double m = 1 + (double)(next(b) >> 6) * 0x1p-52 - (double)(next(b) >> 6) * 0x1p-53;
    return ldexp(next(b) & 1 ? -m : m, exp2);
}

static void fail(const char *routine, double got, double expected)
{
    fprintf(stderr, "%s with %s on %s: %a, not %a\n", routine, exblas_get_method(),
            exblas_info("isa"), got, expected);
    abort();
}

static void compare(const char *routine, double got, double expected)
{
    if (isnan(expected) ? exb_bits(got) != EXB_CANONICAL_NAN : exb_bits(got) != exb_bits(expected))
        fail(routine, got, expected);
}

/* As doubles; a float NaN becomes the double one, which is canonical if it was. */
static void check(int n, const double *x, const double *y, int increment)
{
    integer_oracle sum, magnitudes, squares, dot;
    integer_oracle_init(&sum);
    integer_oracle_init(&magnitudes);
    integer_oracle_init(&squares);
    integer_oracle_init(&dot);
    for (int i = 0; i < n; i++) {
        integer_oracle_add(&sum, x[i * increment]);
        integer_oracle_add(&magnitudes, fabs(x[i * increment]));
        integer_oracle_add_product(&squares, x[i * increment], x[i * increment]);
        integer_oracle_add_product(&dot, x[i * increment], y[i * increment]);
    }
    compare("dsum", excblas_dsum(n, x, increment), integer_oracle_round(&sum, false));
    compare("dasum", excblas_dasum(n, x, increment), integer_oracle_round(&magnitudes, false));
    compare("dnrm2", excblas_dnrm2(n, x, increment), integer_oracle_root(&squares, false));
    compare("ddot", excblas_ddot(n, x, increment, y, increment), integer_oracle_round(&dot, false));
    integer_oracle_clear(&sum);
    integer_oracle_clear(&magnitudes);
    integer_oracle_clear(&squares);
    integer_oracle_clear(&dot);
}

static void check_float(int n, const float *x, const float *y)
{
    integer_oracle sum, squares, dot;
    integer_oracle_init(&sum);
    integer_oracle_init(&squares);
    integer_oracle_init(&dot);
    for (int i = 0; i < n; i++) {
        integer_oracle_add(&sum, x[i]);
        integer_oracle_add_product(&squares, x[i], x[i]);
        integer_oracle_add_product(&dot, x[i], y[i]);
    }
    compare("ssum", (double)excblas_ssum(n, x, 1), integer_oracle_round(&sum, true));
    compare("snrm2", (double)excblas_snrm2(n, x, 1), integer_oracle_root(&squares, true));
    compare("sdot", (double)excblas_sdot(n, x, 1, y, 1), integer_oracle_round(&dot, true));
    compare("dsdot", excblas_dsdot(n, x, 1, y, 1), integer_oracle_round(&dot, false));
    integer_oracle_clear(&sum);
    integer_oracle_clear(&squares);
    integer_oracle_clear(&dot);
}

static void choose(bytes *b)
{
    const exb_method *m = exb_method_at((int)(next(b) % 12));
    exblas_set_method(m->name);
    exb_isa_select(exb_isa_name((int)next(b) % exb_isa_count()));
    unsigned threads = next(b);
    exblas_set_num_threads(threads < 240 ? 1 : 3); /* threads cost most of a run's time */
    exb_partition_set_grain(1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static double x[MOST], y[MOST];
    static float f[MOST], g[MOST];
    bytes b = {data, size};
    choose(&b);
    unsigned shape = next(&b);
    int n_given = 0;
    while (b.n > 0 && n_given < USUAL / 2) {
        x[n_given] = shape & 1 ? raw(&b) : structured(&b, x, n_given);
        y[n_given] = shape & 2 ? raw(&b) : structured(&b, y, n_given);
        n_given++;
    }
    int n = n_given;
    if (n > 0 && shape & 4) /* long enough for anchors and chunks: the numbers repeat */
        for (; n < (shape & 32 ? MOST : USUAL); n++) {
            x[n] = x[n % n_given];
            y[n] = shape & 8 ? -y[n % n_given] : y[(n + 1) % n_given];
        }
    int increment = shape & 16 ? 2 : 1;
    check(n / increment, x, y, increment);
    for (int i = 0; i < n; i++) {
        f[i] = (float)x[i];
        g[i] = (float)y[i];
    }
    check_float(n, f, g);
    return 0;
}
