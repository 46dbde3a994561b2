/* libFuzzer: dtrsv of any small system, either triangle, transposed or not, with any method and
 * instruction set: each unknown against the rational number (b - sum t x) / t_ii, x being the
 * unknowns that the library itself returned. */
#include "fuzz_input.h"
#include "integer_oracle.h"

#include <exblas/exblas.h>
#include <math.h>
#include <string.h>

enum { MOST = 40, COL_MAJOR = 102, NO_TRANS = 111, UPPER = 121, UNIT = 132 };

typedef struct {
    int uplo, trans, diag, n;
    double a[MOST * MOST], b[MOST];
} problem;

/* Element (i, j) of op(A). */
static double element(const problem *p, int i, int j)
{
    return p->trans == NO_TRANS ? p->a[i + j * p->n] : p->a[j + i * p->n];
}

/* Row i of the system in which x holds the solution. */
static double unknown(const problem *p, int i, const double *x)
{
    bool upper = (p->uplo == UPPER) == (p->trans == NO_TRANS);
    double d = p->diag == UNIT ? 1 : element(p, i, i), result;
    integer_oracle rest;
    integer_oracle_init(&rest);
    integer_oracle_add(&rest, p->b[i]);
    for (int j = upper ? i + 1 : 0; j < (upper ? p->n : i); j++)
        integer_oracle_add_product(&rest, -element(p, i, j), x[j]);
    if (isfinite(d) && d != 0) {
        result = integer_oracle_quotient(&rest, d);
    } else { /* only the sign of the residual counts; 0 / 0 and Inf / Inf are NaN */
        bool is_finite = !rest.has_nan && !rest.has_pos_inf && !rest.has_neg_inf;
        double r = is_finite ? mpz_sgn(rest.sum) : integer_oracle_round(&rest, false);
        result = isinf(d) && is_finite ? 0 : r / d; /* an exact zero has no sign */
    }
    integer_oracle_clear(&rest);
    return result;
}

static void take_problem(fuzz_input *b, problem *p)
{
    unsigned shape = fuzz_next(b);
    p->uplo = UPPER + (shape & 1);
    p->trans = NO_TRANS + (shape >> 1 & 1);
    p->diag = UNIT - (shape >> 2 & 1);
    p->n = 1 + (int)fuzz_next(b) % MOST;
    int n = p->n * p->n, given = n < 60 ? n : 60;
    fuzz_numbers(b, shape >> 3 & 1, p->a, given);
    for (int i = given; i < n; i++)
        p->a[i] = (shape >> 4 & 1 ? 1 : 0x1p-3) * p->a[(i * 7 + i / given) % given];
    fuzz_numbers(b, shape >> 5 & 1, p->b, p->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static problem p;
    double x[MOST];
    fuzz_input b = {data, size};
    fuzz_choose_mode(&b);
    take_problem(&b, &p);
    memcpy(x, p.b, sizeof x);
    excblas_dtrsv(COL_MAJOR, p.uplo, p.trans, p.diag, p.n, p.a, p.n, x, 1);
    for (int i = 0; i < p.n; i++)
        fuzz_compare("dtrsv", x[i], unknown(&p, i, x));
    return 0;
}
