/* trsv: substitution, x_i = RN((b_i - sum of t_ij x_j) / t_ii): the residual is
 * exact, the quotient is rounded once, the x_j are the rounded unknowns.
 *
 * Blocks of EXB_ROWS rows: the part left of the diagonal block comes as
 * enclosures from the row kernels, the part inside it as dots, row by row. An
 * upper triangle is a lower one read from its end, so there is one loop. */
#include "entry.h"

#include "core/check.h"
#include "core/fpenv.h"
#include "level2/rows.h"

typedef struct {
    int64_t n;
    exb_t(matrix) t; /* lower triangle */
    bool unit;
    exb_real *x;
    int64_t incx;
    const exb_method *method;
} problem;

static exb_enclosure negated(exb_enclosure v)
{
    v.h = -v.h;
    v.l = -v.l;
    return v;
}

static exb_real exact_unknown(const problem *p, int64_t i, double d)
{
    exb_product_acc storage;
    exb_superacc *r = exb_product_acc_init(&storage);
    exb_t(row_exact)(i, i, p->t, p->x, p->incx, p->method, r);
    exb_superacc_negate(r);
    exb_superacc_add(r, p->x[i * p->incx]);
    return p->unit ? exb_round_superacc(r) : exb_round_quotient(r, d);
}

/* Unknown i, given the enclosure of the sum over the columns before i0. */
static void solve_row(const problem *p, int64_t i0, int64_t i, exb_enclosure before)
{
    exb_real *xi = p->x + i * p->incx;
    exb_t(matrix) row = exb_t(submatrix)(p->t, i, i0);
    double d = p->unit ? 1 : p->t.p[i * (p->t.rs + p->t.cs)];
    exb_real result;
    if (p->method->filter) {
        exb_t(reduction) r = exb_t(dot_of)(i - i0, row.p, row.cs, p->x + i0 * p->incx, p->incx);
        exb_enclosure sum = exb_enclosure_add(before, exb_t(reduce_filter)(&r));
        exb_enclosure v = exb_enclosure_add(exb_enclosure_exact(*xi), negated(sum));
        if (exb_round_enclosure(p->unit ? v : exb_enclosure_divide(v, d), &result)) {
            *xi = result;
            return;
        }
    }
    *xi = exact_unknown(p, i, d);
}

static EXB_NOINLINE void solve(const problem *p)
{
    exb_enclosure before[EXB_ROWS] = {{0}};
    for (int64_t i0 = 0; i0 < p->n; i0 += EXB_ROWS) {
        int m = (int)(p->n - i0 < EXB_ROWS ? p->n - i0 : EXB_ROWS);
        if (p->method->filter)
            exb_t(rows_filter)(m, i0, exb_t(submatrix)(p->t, i0, 0), p->x, p->incx, before);
        for (int i = 0; i < m; i++)
            solve_row(p, i0, i0 + i, before[i]);
    }
}

void exb_entry(trsv)(const exb_site *site, int layout, int uplo, int trans, int diag, int64_t n,
                     const exb_real *a, int64_t lda, exb_real *x, int64_t incx)
{
    if (exb_rejected(site, exb_check_trsv(site, layout, uplo, trans, diag, n, lda, incx)))
        return;
    if (n == 0)
        return;
    bool transposed = trans != EXB_NO_TRANS;
    problem p = {.n = n, .unit = diag == EXB_UNIT, .incx = incx, .method = exb_method_current()};
    p.t = exb_t(matrix_of)(a, lda, transposed != (layout == EXB_ROW_MAJOR));
    p.x = incx < 0 ? x + (1 - n) * incx : x;
    if ((uplo == EXB_UPPER) != transposed) {
        p.t = (exb_t(matrix)){p.t.p + (n - 1) * (p.t.rs + p.t.cs), -p.t.rs, -p.t.cs};
        p.x += (n - 1) * incx;
        p.incx = -incx;
    }
    exb_fpenv env;
    exb_fpenv_enter(&env);
    solve(&p);
    exb_fpenv_leave(&env);
}
