#include "lapack/inverse_bound.h"

#include "entry.h"
#include "lapack/approximate_inverse.h"

#include <stdlib.h>

/* e = RN(R S - I). */
static void residual(int64_t n, const double *r, const double *s, double *e)
{
    static const exb_site site = {"exblas_dgesv", EXB_CALL_CBLAS, exb_report};
    memset(e, 0, (size_t)(n * n) * sizeof *e);
    for (int64_t i = 0; i < n; i++)
        e[i * n + i] = 1;
    exb_entry_dgemm(&site, EXB_ROW_MAJOR, EXB_NO_TRANS, EXB_NO_TRANS, n, n, n, 1, r, n, s, n, -1, e,
                    n);
}

/* Each |e_ij| is within a factor 1 + 2^-52 or 2^-1074 of what it rounds, and the sum of n numbers,
 * none negative, within (1 + 2^-53)^(n - 1): (n + 4) 2^-52 covers both and the product. Elements of
 * R below 2^100 keep the underflow of later products small (refinement.c); with NaN or Inf in e
 * or R the comparisons fail. */
static bool bound_rows(exb_inverse_bound *v, const double *e)
{
    double widened = 1 + ((double)v->n + 4) * 0x1p-52, largest = 0;
    v->norm = 0;
    for (int64_t i = 0; i < v->n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < v->n; j++) {
            double r = exb_fabs(v->r[i * v->n + j]);
            sum += exb_fabs(e[i * v->n + j]);
            largest = r > largest ? r : largest;
        }
        if (!(sum < 0.5))
            return false;
        v->row_sum[i] = sum * widened + 0x1p-1000;
        v->norm = v->row_sum[i] > v->norm ? v->row_sum[i] : v->norm;
    }
    return v->norm < 0.5 && largest < 0x1p100;
}

bool exb_inverse_bound_init(exb_inverse_bound *v, int64_t n, const double *s)
{
    size_t size = (size_t)n;
    *v = (exb_inverse_bound){.n = n};
    v->r = malloc(size * size * sizeof *v->r);
    v->row_sum = malloc(size * sizeof *v->row_sum);
    double *work = malloc(size * size * sizeof *work);
    bool done = v->r && v->row_sum && work && exb_approximate_inverse(n, s, v->r, work);
    if (done) {
        residual(n, v->r, s, work);
        done = bound_rows(v, work);
    }
    free(work);
    if (!done)
        exb_inverse_bound_free(v);
    return done;
}

void exb_inverse_bound_free(exb_inverse_bound *v)
{
    free(v->r);
    free(v->row_sum);
    v->r = v->row_sum = NULL;
}
