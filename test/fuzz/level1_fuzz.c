/* libFuzzer: sum, asum, nrm2 and dot of any numbers, with any method and instruction
 * set, against big integers. The first bytes choose the call, the rest are numbers: half
 * of the inputs take them as raw bits, half as small differences from a few bases, so
 * that ties, cancellation and neighbours of powers of two come up. */
#include "fuzz_input.h"
#include "integer_oracle.h"

#include <exblas/exblas.h>
#include <math.h>

enum { MOST = 9000, USUAL = 800 };

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
    fuzz_compare("dsum", excblas_dsum(n, x, increment), integer_oracle_round(&sum, false));
    fuzz_compare("dasum", excblas_dasum(n, x, increment), integer_oracle_round(&magnitudes, false));
    fuzz_compare("dnrm2", excblas_dnrm2(n, x, increment), integer_oracle_root(&squares, false));
    fuzz_compare("ddot", excblas_ddot(n, x, increment, y, increment),
                 integer_oracle_round(&dot, false));
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
    fuzz_compare("ssum", (double)excblas_ssum(n, x, 1), integer_oracle_round(&sum, true));
    fuzz_compare("snrm2", (double)excblas_snrm2(n, x, 1), integer_oracle_root(&squares, true));
    fuzz_compare("sdot", (double)excblas_sdot(n, x, 1, y, 1), integer_oracle_round(&dot, true));
    fuzz_compare("dsdot", excblas_dsdot(n, x, 1, y, 1), integer_oracle_round(&dot, false));
    integer_oracle_clear(&sum);
    integer_oracle_clear(&squares);
    integer_oracle_clear(&dot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static double x[MOST], y[MOST];
    static float f[MOST], g[MOST];
    fuzz_input b = {data, size};
    fuzz_choose_mode(&b);
    unsigned shape = fuzz_next(&b);
    int n_given = 0;
    while (b.n > 0 && n_given < USUAL / 2) {
        x[n_given] = shape & 1 ? fuzz_raw(&b) : fuzz_structured(&b, x, n_given);
        y[n_given] = shape & 2 ? fuzz_raw(&b) : fuzz_structured(&b, y, n_given);
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
