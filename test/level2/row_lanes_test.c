/* Rows of products against one anchor, as wrong as the lanes of a kernel can make them
 * (lossy_lanes.h), n terms by n u U N / 6, where the bound for N in a lane is
 * n u U ((N + 3) / 4 + 8). What is added to the row brings the sum next to a midpoint, beyond which
 * the computed one lies. For one lane (a kernel without vectors, any kernel along columns) up to
 * eight, on every instruction set, by all routines that have such rows. */
#include "core/kernels.h"
#include "core/partition.h"

#include "fuzz/differential/compare.h"
#include "isa_from.h"
#include "lossy_lanes.h"
#include "oracle.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

enum { MOST_TERMS = 2048, MOST_LANES = 8, PANEL = 64, MOST_SIDE = 512 + PANEL };

typedef struct {
    fuzz_case c;
    int64_t n_terms, first_row;
} rows;

/* The number that brings 1 + (the terms) from 9/10 of the way between computed and exact to a
 * midpoint. */
static double to_midpoint(int64_t n, const double *term, double c)
{
    MPFR(exact, 400);
    MPFR(way, 400);
    mpfr_set_zero(exact, 1);
    for (int64_t i = 0; i < n; i++)
        mpfr_add_d(exact, exact, term[i], MPFR_RNDN);
    mpfr_sub_d(way, exact, 1, MPFR_RNDN);
    mpfr_sub_d(way, way, c, MPFR_RNDN);
    mpfr_div_ui(way, way, 10, MPFR_RNDN);
    mpfr_sub(way, exact, way, MPFR_RNDN);
    mpfr_d_sub(way, mpfr_get_d(exact, MPFR_RNDD), way, MPFR_RNDN);
    mpfr_add_d(way, way, 0x1p-53, MPFR_RNDN);
    return mpfr_get_d(way, MPFR_RNDN);
}

/* trmv and trsv. */
static bool is_in_place(const rows *r)
{
    return r->c.t.written == OPERAND_X;
}

/* What every row gives but for its sign: the terms and the rest; the imaginary part of pairs of
 * terms times (1, -1). */
static test_number expected(const rows *r, const double *term, double rest)
{
    ORACLE(re);
    ORACLE(im);
    oracle_add(&re, rest);
    for (int64_t i = 0; i < r->n_terms; i++) {
        oracle_add(&re, term[i]);
        oracle_add(&im, i % 2 ? term[i] : -term[i]);
    }
    if (is_in_place(r) && !r->c.t.solves)
        oracle_add(&im, -rest);
    test_number sum = {oracle_round(&re, FORMAT_D),
                       fuzz_parts(&r->c) == 2 ? oracle_round(&im, FORMAT_D) : 0};
    return sum;
}

/* Puts the terms into the rows, with changing signs, and what is added to each into y, the diagonal
 * or the right-hand side. Complex rows hold pairs of them and meet elements (1, -1). */
static void fill(const rows *r, const double *term, double rest)
{
    bool is_complex = fuzz_parts(&r->c) == 2, solves = r->c.t.solves;
    int64_t n_cols = r->n_terms / (is_complex ? 2 : 1), m = r->c.m;
    test_number *a = r->c.operand[OPERAND_A].v, *x = r->c.operand[OPERAND_X].v;
    memset(a, 0, (size_t)(m * r->c.n) * sizeof *a);
    for (int64_t j = 0; j < r->c.n; j++)
        x[j] = (test_number){1, is_complex ? -1 : 0};
    for (int64_t i = r->first_row; i < m; i++) {
        double sign = i % 2 ? -1 : 1, s = solves ? -sign : sign;
        for (int64_t j = 0; j < n_cols; j++)
            a[j * m + i] = is_complex ? (test_number){s * term[2 * j], s * term[2 * j + 1]}
                                      : (test_number){s * term[j], 0};
        *(solves           ? &x[i]
          : is_in_place(r) ? &a[i * m + i]
                           : &r->c.operand[OPERAND_Y].v[i]) = (test_number){sign * rest, 0};
    }
}

static void assert_right(const rows *r, test_number sum, const char *what)
{
    fuzz_memory memory = fuzz_memory_of(&r->c);
    assert_null(fuzz_call(&r->c, &memory).wrong);
    for (int64_t i = r->first_row; i < r->c.m; i++) {
        double sign = i % 2 ? -1 : 1, im = fuzz_parts(&r->c) == 2 ? sign * sum.im : 0;
        test_number got = fuzz_number_in(&r->c, &memory, r->c.t.written, i, 0);
        if (!same_bits(got.re, sign * sum.re) || !same_bits(got.im, im))
            fail_msg("%s, %s, row %d: (%a, %a), not (%a, %a)", r->c.routine->name, what, (int)i,
                     got.re, got.im, sign * sum.re, im);
    }
    fuzz_memory_free(&memory);
}

/* With terms up to 2^g, g = 1 + room, half of U = 2^(g - 40) is 2^(room - 40). */
static void check(rows *r, int n_lanes, int room)
{
    static double term[MOST_TERMS];
    char what[80];
    double c = lossy_lanes(n_lanes, ldexp(1, room - 40), r->n_terms, term);
    double rest = to_midpoint(r->n_terms, term, c);
    test_number sum = expected(r, term, rest);
    fill(r, term, rest);
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        snprintf(what, sizeof what, "%s, %d terms for %d lanes, room %d", exb_isa_name(isa),
                 (int)r->n_terms, n_lanes, room);
        assert_right(r, sum, what);
    }
}

/* m rows of n_terms terms, or the last rows of a triangle or symmetric matrix. */
static void each_filling(const char *name, int64_t m, int64_t n_terms)
{
    rows r = {.c = fuzz_case_named(name), .n_terms = n_terms};
    int64_t n_cols = n_terms / fuzz_parts(&r.c);
    bool is_general = r.c.t.shape == SHAPE_GENERAL;
    r.first_row = is_general ? 0 : n_cols;
    r.c.layout = 'r';
    r.c.diag = r.c.t.solves ? 'u' : 'n';
    r.c.m = r.first_row + m;
    r.c.n = is_general ? n_cols : r.c.m;
    r.c.alpha.re = r.c.beta.re = 1;
    fuzz_allocate(&r.c);
    for (int n_lanes = 1; n_lanes <= MOST_LANES; n_lanes *= 2)
        for (int room = 0; room < 2; room++)
            check(&r, n_lanes, room);
    r.c.layout = 'c';
    for (int room = 0; room < 4 && strcmp(name, "dgemv") == 0; room++)
        check(&r, 1, room);
    fuzz_case_free(&r.c);
}

static void every_routine(NO_STATE)
{
    each_filling("dgemv", 4, 2048);
    each_filling("dgemv", 7, 512);
    each_filling("zgemv", 4, 1024);
    const char *doubles[] = {"dtrmv", "dsymv", "dtrsv"}, *pairs[] = {"ztrmv", "zhemv", "ztrsv"};
    for (int i = 0; i < 3; i++) {
        each_filling(doubles[i], PANEL, 512);
        each_filling(pairs[i], PANEL, 1024);
    }
}

int main(void)
{
    /* So many threads that trmv's blocks are single panels. */
    exblas_set_num_threads(2 * MOST_SIDE / PANEL);
    exb_partition_set_grain(1);
    return run_each(every_routine);
}
