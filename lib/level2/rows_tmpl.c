#include "level2/rows.h"

#include "core/compensated.h"

/* compensated.h's bound holds for 2^25 terms. */
static const int64_t most_terms = (int64_t)1 << 24;

/* The rows are contiguous in each column: sweep over the columns. */
static void sweep(int m, int64_t n, exb_t(matrix) a, const exb_real *x, int64_t incx,
                  exb_enclosure *out)
{
    double s[EXB_ROWS] = {0}, c[EXB_ROWS] = {0}, w[EXB_ROWS] = {0};
    exb_real buffer[EXB_GATHER];
    for (int64_t j = 0; j < n; j += EXB_GATHER) {
        int64_t nj = n - j < EXB_GATHER ? n - j : EXB_GATHER;
        const exb_real *xj = exb_t(contiguous)(x, incx, j, nj, buffer);
        exb_t_kernels()->sweep(m, nj, a.p + j * a.cs, a.cs, xj, s, c, w);
    }
    for (int i = 0; i < m; i++)
        out[i] = exb_compensated_enclosure(s[i], c[i], w[i], n, EXB_IS_S || n == 0);
}

static void sweep_all(int m, int64_t n, exb_t(matrix) a, const exb_real *x, int64_t incx,
                      exb_enclosure *out)
{
    exb_enclosure more[EXB_ROWS];
    sweep(m, n < most_terms ? n : most_terms, a, x, incx, out);
    for (int64_t j = most_terms; j < n; j += most_terms) {
        int64_t nj = n - j < most_terms ? n - j : most_terms;
        sweep(m, nj, exb_t(submatrix)(a, 0, j), x + j * incx, incx, more);
        for (int i = 0; i < m; i++)
            out[i] = exb_enclosure_add(out[i], more[i]);
    }
}

static void reverse(int m, exb_enclosure *v)
{
    for (int i = 0; i < m / 2; i++) {
        exb_enclosure t = v[i];
        v[i] = v[m - 1 - i];
        v[m - 1 - i] = t;
    }
}

void exb_t(rows_filter)(int m, int64_t n, exb_t(matrix) a, const exb_real *x, int64_t incx,
                        exb_enclosure *out)
{
    if (a.rs == 1) {
        sweep_all(m, n, a, x, incx, out);
    } else if (a.rs == -1) { /* rows in reverse: a triangle solved from its end */
        a.p += (m - 1) * a.rs;
        sweep_all(m, n, a, x, incx, out);
        reverse(m, out);
    } else {
        for (int i = 0; i < m; i++) {
            exb_t(reduction) r = exb_t(dot_of)(n, a.p + i * a.rs, a.cs, x, incx);
            out[i] = exb_t(reduce_filter)(&r);
        }
    }
}

void exb_t(row_exact)(int64_t i, int64_t n, exb_t(matrix) a, const exb_real *x, int64_t incx,
                      const exb_method *method, exb_superacc *acc)
{
    exb_t(reduction) r = exb_t(dot_of)(n, a.p + i * a.rs, a.cs, x, incx);
    exb_t(reduce_exact)(&r, method, acc);
}
