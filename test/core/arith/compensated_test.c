/* Compensated sums whose bounds are filled (lossy_lanes.h): the enclosures of one lane and of
 * joined ones hold, and just so; and the routines that have such sums, on every instruction set.
 * Then products so small that two_prod loses their last bits, which only the bits of the factors
 * show. */
#include "core/arith/compensated.h"
#include "core/kernels.h"

#include "isa_from.h"
#include "lossy_lanes.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/exblas.h>
#include <math.h>

enum { N = 200, ABOVE = 60, MOST = 32 * N };

static double term[MOST], one[MOST];

/* |exact - (h + l)| in units of e. */
static double error_of(int64_t n, const double *x, exb_enclosure v)
{
    ORACLE(o);
    for (int64_t i = 0; i < n; i++)
        oracle_add(&o, x[i]);
    oracle_add(&o, -v.h);
    oracle_add(&o, -v.l);
    return fabs(mpfr_get_d(o.sum, MPFR_RNDA)) / v.e;
}

static exb_comp lane(int64_t n, const double *x, int64_t inc)
{
    exb_comp a = {0, 0, 0};
    for (int64_t i = 0; i < n; i++)
        a = exb_comp_add(a, x[i * inc], 0);
    return a;
}

static void one_lane(NO_STATE)
{
    lossy_compensated(1, ABOVE, N, term);
    exb_comp a = lane(N, term, 1);
    double error = error_of(N, term, exb_compensated_enclosure(a.s, a.c, a.w, N, true));
    if (!(error > 0.97 && error <= 1))
        fail_msg("the error is %g of the bound", error);
}

/* Products of which nothing but their errors is left in the end. */
static void products(NO_STATE)
{
    static double errors[N];
    test_random r = test_random_start(test_seed(), "compensated products");
    exb_comp a = {0, 0, 0};
    for (int i = 0; i < N; i++) {
        double low, x = random_number(&r, FORMAT_D, 0), y = random_number(&r, FORMAT_D, 0);
        double p = exb_two_prod(x, y, &low);
        a = exb_comp_add(a, p, low);
        a = exb_comp_add(a, -p, 0);
        errors[i] = low;
    }
    double error = error_of(N, errors, exb_compensated_enclosure(a.s, a.c, a.w, 2 * N, true));
    if (!(error <= 1))
        fail_msg("the error is %g of the bound", error);
}

static void joined_lanes(NO_STATE)
{
    enum { LANES = 4 };
    double s[LANES], c[LANES], w[LANES];
    lossy_compensated(LANES, ABOVE, LANES * N, term);
    for (int j = 0; j < LANES; j++) {
        exb_comp a = lane(N, term + j, LANES);
        s[j] = a.s;
        c[j] = a.c;
        w[j] = a.w;
    }
    double error = error_of(LANES * N, term, exb_compensated_join(s, c, w, LANES, N, true));
    if (!(error > 0.94 && error <= 1))
        fail_msg("the error is %g of the bound", error);
}

static double exact_sum(int64_t n, const double *x)
{
    ORACLE(o);
    for (int64_t i = 0; i < n; i++)
        oracle_add(&o, x[i]);
    return oracle_round(&o, FORMAT_D);
}

/* With n_lane terms in the bound of a lane: such that half of it would be too little. */
static int above_for(int64_t n_lane)
{
    return (int)(0.3 * (double)(n_lane + 2)) + 1;
}

static void each_isa(void (*check)(void))
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        check();
}

/* Lanes of the filter's kernel, whose bound counts up to 8 more terms. A vector with an increment
 * is summed up in chunks of EXB_GATHER elements. */
static void check_dots(void)
{
    static double spread[2 * MOST];
    for (int n_lanes = 1; n_lanes <= 32; n_lanes *= 2)
        for (int chunk = 0; chunk < 2; chunk++) {
            int n = chunk ? 512 : n_lanes * N;
            lossy_compensated(n_lanes, above_for(n / n_lanes + 8), n, term);
            for (int i = 0; i < n; i++)
                spread[2 * i] = term[i];
            double wanted = exact_sum(n, term);
            assert_same_bits(excblas_ddot(n, term, 1, one, 1), wanted);
            assert_same_bits(excblas_ddot(n, spread, 2, one, 1), wanted);
            assert_same_bits(excblas_dsum(n, term, 1), wanted);
            assert_same_bits(excblas_dsum(n, spread, 2), wanted);
        }
}

static void dots(NO_STATE)
{
    each_isa(check_dots);
}

/* Rows along columns: compensated up to 24 columns, and without FMA. */
static void check_gemv(void)
{
    enum { ROWS = 11 };
    static double a[N * ROWS];
    for (int n = 24; n <= N; n += N - 24) {
        double y[ROWS];
        lossy_compensated(1, above_for(n), n, term);
        for (int i = 0; i < n * ROWS; i++)
            a[i] = i % ROWS % 2 ? -term[i / ROWS] : term[i / ROWS];
        excblas_dgemv(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, ROWS, n, 1, a, ROWS, one, 1, 0, y, 1);
        for (int i = 0; i < ROWS; i++)
            assert_same_bits(y[i], i % 2 ? -exact_sum(n, term) : exact_sum(n, term));
    }
}

static void gemv(NO_STATE)
{
    each_isa(check_gemv);
}

static void check_gemm(void)
{
    enum { SIDE = 9 };
    static const char *const methods[] = {"auto", "filter", "general"};
    static double a[SIDE * N];
    lossy_compensated(1, ABOVE, N, term);
    for (int i = 0; i < SIDE * N; i++)
        a[i] = term[i / SIDE];
    for (int m = 0; m < 3; m++) {
        double c[SIDE * SIDE];
        assert_int_equal(exblas_set_method(methods[m]), EXBLAS_OK);
        excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, SIDE, SIDE, N, 1, a, SIDE,
                      one, N, 0, c, SIDE);
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_same_bits(c[i], exact_sum(N, term));
    }
    exblas_set_method(NULL);
}

static void gemm(NO_STATE)
{
    each_isa(check_gemm);
}

/* The last unknown of a unit triangle in a block of trsm: minus the sum of what its row has. */
static void check_trsm(void)
{
    enum { UNKNOWNS = 64, SIDES = 19 };
    static double t[UNKNOWNS * UNKNOWNS], b[UNKNOWNS * SIDES];
    lossy_compensated(1, above_for(UNKNOWNS - 1), UNKNOWNS - 1, term);
    for (int j = 0; j < UNKNOWNS - 1; j++)
        t[j * UNKNOWNS + UNKNOWNS - 1] = term[j];
    for (int i = 0; i < UNKNOWNS * SIDES; i++)
        b[i] = i % UNKNOWNS == UNKNOWNS - 1 ? 0 : i / UNKNOWNS % 2 ? -1 : 1;
    excblas_dtrsm(EXBLAS_COL_MAJOR, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_UNIT,
                  UNKNOWNS, SIDES, 1, t, UNKNOWNS, b, UNKNOWNS);
    double wanted = -exact_sum(UNKNOWNS - 1, term);
    for (int v = 0; v < SIDES; v++)
        assert_same_bits(b[v * UNKNOWNS + UNKNOWNS - 1], v % 2 ? -wanted : wanted);
}

static void trsm(NO_STATE)
{
    each_isa(check_trsm);
}

/* --- products below the range of two_prod ------------------------------------ */

enum { KNOWN = 12, ROWS = 30, UNKNOWNS = KNOWN + ROWS, SIDES = 11 };

/* A unit triangle whose first unknowns are those of B, and whose other rows have zeros in B and
 * only products of numbers near 2^exp2: parts of complex numbers if n_parts = 2. */
typedef struct {
    int n_parts;
    double t[2 * UNKNOWNS * UNKNOWNS], b[2 * UNKNOWNS * SIDES], x[2 * UNKNOWNS * SIDES];
} system_of_tiny;

static void fill_tiny(test_random *r, int exp2, int n_parts, system_of_tiny *s)
{
    memset(s, 0, sizeof *s);
    s->n_parts = n_parts;
    for (int j = 0; j < KNOWN; j++)
        for (int k = 0; k < n_parts; k++) {
            for (int i = KNOWN; i < UNKNOWNS; i++)
                s->t[n_parts * (j * UNKNOWNS + i) + k] =
                    random_number(r, FORMAT_D, exp2 - (int)random_between(r, 0, 2));
            for (int v = 0; v < SIDES; v++)
                s->b[n_parts * (v * UNKNOWNS + j) + k] =
                    random_number(r, FORMAT_D, exp2 - (int)random_between(r, 0, 2));
        }
    memcpy(s->x, s->b, sizeof s->x);
}

/* Part k of minus the sum of the products of row i with side v, rounded. */
static double model(const system_of_tiny *s, int i, int v, int k)
{
    ORACLE(o);
    for (int j = 0; j < KNOWN; j++) {
        const double *t = s->t + s->n_parts * (j * UNKNOWNS + i);
        const double *x = s->b + s->n_parts * (v * UNKNOWNS + j);
        oracle_add_product(&o, -t[0], x[k]);
        if (s->n_parts == 2)
            oracle_add_product(&o, k ? -t[1] : t[1], x[1 - k]);
    }
    return oracle_round(&o, FORMAT_D);
}

static void solve_tiny(system_of_tiny *s)
{
    const double unit[2] = {1, 0};
    memcpy(s->x, s->b, sizeof s->x);
    if (s->n_parts == 1)
        excblas_dtrsm(EXBLAS_COL_MAJOR, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_UNIT,
                      UNKNOWNS, SIDES, 1, s->t, UNKNOWNS, s->x, UNKNOWNS);
    else
        excblas_ztrsm(EXBLAS_COL_MAJOR, EXBLAS_LEFT, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_UNIT,
                      UNKNOWNS, SIDES, unit, s->t, UNKNOWNS, s->x, UNKNOWNS);
}

static void check_tiny(system_of_tiny *s, int exp2)
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        solve_tiny(s);
        for (int i = KNOWN; i < UNKNOWNS; i++)
            for (int v = 0; v < SIDES; v++)
                for (int k = 0; k < s->n_parts; k++) {
                    double got = s->x[s->n_parts * (v * UNKNOWNS + i) + k];
                    if (!same_bits(got, model(s, i, v, k)))
                        fail_msg("%s, %d parts, factors near 2^%d: %a, not %a", exb_isa_name(isa),
                                 s->n_parts, exp2, got, model(s, i, v, k));
                }
    }
}

static void tiny_products_of_trsm(NO_STATE)
{
    static system_of_tiny s;
    static const int exponents[] = {-484, -500, -511, -517, -525, -530, -536};
    test_random r = test_random_start(test_seed(), "tiny products");
    for (int i = 0; i < 7; i++)
        for (int n_parts = 1; n_parts <= 2; n_parts++) {
            fill_tiny(&r, exponents[i], n_parts, &s);
            check_tiny(&s, exponents[i]);
        }
}

int main(void)
{
    exblas_set_num_threads(1);
    for (int i = 0; i < MOST; i++)
        one[i] = 1;
    return run_each(one_lane, products, joined_lanes, dots, gemv, gemm, trsm,
                    tiny_products_of_trsm);
}
