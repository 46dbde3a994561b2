/* Rows of products against one anchor, as wrong as the lanes of a kernel can make them
 * (lossy_lanes.h), n terms by n u U N / 6, where the bound for N in a lane is
 * n u U ((N + 3) / 4 + 8). What is added to the row brings the sum next to a midpoint, beyond which
 * the computed one lies. For one lane (a kernel without vectors, any kernel along columns) up to
 * eight, on every instruction set, by all routines that have such rows. */
#include "core/kernels.h"
#include "core/partition.h"

#include "isa_from.h"
#include "problem.h"
#include "lossy_lanes.h"
#include "oracle.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

enum { MOST_TERMS = 2048, MOST_LANES = 8, PANEL = 64, MOST_SIDE = 512 + PANEL };

typedef struct {
    level2_problem p;
    int64_t n_terms, first_row;
    bool by_columns;
    level2_number a[MOST_SIDE * MOST_SIDE], x[MOST_TERMS], y[MOST_SIDE];
    level2_number got[MOST_SIDE];
} rows;

/* The number that brings 1 + (the terms) from 9/10 of the way between computed and exact to a
 * midpoint. */
static double to_midpoint(int64_t n, const double *term, double c)
{
    mpfr_t exact, way;
    mpfr_inits2(400, exact, way, (mpfr_ptr)NULL);
    mpfr_set_zero(exact, 1);
    for (int64_t i = 0; i < n; i++)
        mpfr_add_d(exact, exact, term[i], MPFR_RNDN);
    mpfr_sub_d(way, exact, 1, MPFR_RNDN);
    mpfr_sub_d(way, way, c, MPFR_RNDN);
    mpfr_div_ui(way, way, 10, MPFR_RNDN);
    mpfr_sub(way, exact, way, MPFR_RNDN);
    mpfr_d_sub(way, mpfr_get_d(exact, MPFR_RNDD), way, MPFR_RNDN);
    mpfr_add_d(way, way, 0x1p-53, MPFR_RNDN);
    double y = mpfr_get_d(way, MPFR_RNDN);
    mpfr_clears(exact, way, (mpfr_ptr)NULL);
    return y;
}

/* What every row gives but for its sign: the terms and the rest; the imaginary part of pairs of
 * terms times (1, -1). */
static level2_number expected(const rows *r, const double *term, double rest)
{
    oracle re, im;
    oracle_init(&re);
    oracle_init(&im);
    oracle_add(&re, rest);
    for (int64_t i = 0; i < r->n_terms; i++) {
        oracle_add(&re, term[i]);
        oracle_add(&im, i % 2 ? term[i] : -term[i]);
    }
    if (r->p.family == L2_TRMV)
        oracle_add(&im, -rest);
    level2_number sum = {oracle_round(&re, FORMAT_D),
                         r->p.type == 'z' ? oracle_round(&im, FORMAT_D) : 0};
    oracle_clear(&re);
    oracle_clear(&im);
    return sum;
}

/* Puts the terms into the rows, with changing signs, and what is added to each into y, the diagonal
 * or the right-hand side. Complex rows hold pairs of them and meet elements (1, -1). */
static void fill(rows *r, const double *term, double rest)
{
    bool is_complex = r->p.type == 'z', solves = r->p.family == L2_TRSV;
    int64_t n_cols = r->n_terms / (is_complex ? 2 : 1);
    memset(r->a, 0, sizeof r->a);
    for (int64_t j = 0; j < r->p.n; j++)
        r->x[j] = (level2_number){1, is_complex ? -1 : 0};
    for (int64_t i = r->first_row; i < r->p.m; i++) {
        double sign = i % 2 ? -1 : 1, s = solves ? -sign : sign;
        for (int64_t j = 0; j < n_cols; j++)
            r->a[j * r->p.m + i] = is_complex
                                       ? (level2_number){s * term[2 * j], s * term[2 * j + 1]}
                                       : (level2_number){s * term[j], 0};
        r->y[i] = (level2_number){sign * rest, 0};
        if (r->p.family == L2_TRMV)
            r->a[i * r->p.m + i] = r->y[i];
        if (solves)
            r->x[i] = r->y[i];
    }
}

static void assert_right(rows *r, level2_number sum, const char *what)
{
    placement q = plain_placement();
    q.row_major = !r->by_columns;
    assert_null(level2_run_problem(&r->p, &q, r->got));
    for (int64_t i = r->first_row; i < r->p.m; i++) {
        double sign = i % 2 ? -1 : 1, im = r->p.type == 'z' ? sign * sum.im : 0;
        if (!same_bits(r->got[i].re, sign * sum.re) || !same_bits(r->got[i].im, im))
            fail_msg("%s, %s, row %d: (%a, %a), not (%a, %a)", level2_name(r->p.family, r->p.type),
                     what, (int)i, r->got[i].re, r->got[i].im, sign * sum.re, im);
    }
}

/* With terms up to 2^g, g = 1 + room, half of U = 2^(g - 40) is 2^(room - 40). */
static void check(rows *r, int n_lanes, int room)
{
    static double term[MOST_TERMS];
    char what[80];
    double c = lossy_lanes(n_lanes, ldexp(1, room - 40), r->n_terms, term);
    double rest = to_midpoint(r->n_terms, term, c);
    level2_number sum = expected(r, term, rest);
    fill(r, term, rest);
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        snprintf(what, sizeof what, "%s, %d terms for %d lanes, room %d", exb_isa_name(isa),
                 (int)r->n_terms, n_lanes, room);
        assert_right(r, sum, what);
    }
}

/* m rows of n_terms terms, or the last rows of a triangle or symmetric matrix. */
static void each_filling(level2_family family, char type, int64_t m, int64_t n_terms)
{
    static rows r;
    int64_t n_cols = n_terms / (type == 'z' ? 2 : 1);
    r.n_terms = n_terms;
    r.first_row = family == L2_GEMV ? 0 : n_cols;
    r.p = (level2_problem){.family = family, .type = type, .trans = 'n', .uplo = 'l'};
    r.p.diag = family == L2_TRSV ? 'u' : 'n';
    r.p.m = r.first_row + m;
    r.p.n = family == L2_GEMV ? n_cols : r.p.m;
    r.p.alpha = r.p.beta = (level2_number){1, 0};
    r.p.a = r.a;
    r.p.x = r.x;
    r.p.y = r.y;
    for (int n_lanes = 1; n_lanes <= MOST_LANES; n_lanes *= 2)
        for (int room = 0; room < 2; room++)
            check(&r, n_lanes, room);
    r.by_columns = family == L2_GEMV && type == 'd';
    for (int room = 0; room < 4 && r.by_columns; room++)
        check(&r, 1, room);
    r.by_columns = false;
}

static void dgemv(NO_STATE)
{
    each_filling(L2_GEMV, 'd', 4, 2048);
    each_filling(L2_GEMV, 'd', 7, 512);
}

static void zgemv(NO_STATE)
{
    each_filling(L2_GEMV, 'z', 4, 1024);
}

static void dtrmv(NO_STATE)
{
    each_filling(L2_TRMV, 'd', PANEL, 512);
}

static void ztrmv(NO_STATE)
{
    each_filling(L2_TRMV, 'z', PANEL, 1024);
}

static void dsymv(NO_STATE)
{
    each_filling(L2_SYMV, 'd', PANEL, 512);
}

static void zhemv(NO_STATE)
{
    each_filling(L2_SYMV, 'z', PANEL, 1024);
}

static void dtrsv(NO_STATE)
{
    each_filling(L2_TRSV, 'd', PANEL, 512);
}

static void ztrsv(NO_STATE)
{
    each_filling(L2_TRSV, 'z', PANEL, 1024);
}

int main(void)
{
    /* So many threads that trmv's blocks are single panels. */
    exblas_set_num_threads(2 * MOST_SIDE / PANEL);
    exb_partition_set_grain(1);
    return run_each(dgemv, zgemv, dtrmv, ztrmv, dsymv, zhemv, dtrsv, ztrsv);
}
