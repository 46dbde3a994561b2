/* Small matrices, triangles and symmetric matrices times vectors, all rows against one anchor: rows
 * that are certified against the exact answers, with sums next to midpoints at distances about the
 * bound; and rows of triangles and symmetric matrices that are not. */
#include "core/kernels.h"
#include "isa_from.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/exblas.h>
#include <math.h>

#define EXB_TYPE_d
#include "level2/few_rows.h"

enum {
    MOST = EXB_TRIANGLE_ROWS,
    MOST_TERMS = 1 << EXB_ANCHOR_NU, /* of a lane, more than rows */
    LITTLE = 96,
    PAD = 3,
    MOST_INC = 3
};

typedef enum { FULL, TRIANGLE, LARGE_TRIANGLE } shape;

typedef struct {
    exb_dmatrix a;
    shape shape;
    bool is_symmetric, is_lower; /* what stands in rows, of a triangle */
    int64_t m, n, lda, free;     /* columns `free` and free + 1 multiply by a power of 2 */
    int64_t incx, incy;
    int n_squares; /* the bound is about the square of n: 2^n_squares more than of others */
    double elements[MOST * (MOST + PAD)], x[MOST_INC * MOST], y[MOST_INC * MOST], alpha, beta;
} problem;

/* Element (i, j), or NULL for one that is 0 or 1. */
static double *a_at(problem *p, int64_t i, int64_t j)
{
    const exb_pattern *t = &p->a.pattern;
    for (int k = 0; k < t->n_pieces; k++) {
        exb_range row = exb_piece_columns(&t->piece[k], t->n_cols, i);
        if (row.begin <= j && j < row.end)
            return &p->elements[exb_view_at(t->piece[k].view, i, j)];
    }
    return NULL;
}

static double value_at(problem *p, int64_t i, int64_t j)
{
    const double *e = a_at(p, i, j);
    return e ? *e : i == j;
}

static double *x_at(problem *p, int64_t j)
{
    return &p->x[j * p->incx];
}

/* Few rows of as many terms as a lane takes, or more rows of fewer. */
static void describe_full(problem *p, test_random *r, bool is_equal)
{
    enum { TERMS = 128, MOST_WIDE = EXB_FEW_ELEMENTS / MOST_TERMS };
    bool by_rows = random_chance(r, 2), is_wide = random_chance(r, 5);
    p->m = random_between(r, EXB_ROW_GROUP, random_chance(r, 4) ? EXB_FEW_ROWS : 40);
    p->n = is_equal ? TERMS : random_between(r, 1, random_chance(r, 3) ? TERMS : 30);
    p->n = exb_least(p->n, EXB_FEW_ELEMENTS / p->m);
    if (is_wide) {
        p->m = random_between(r, EXB_ROW_GROUP, MOST_WIDE);
        p->n = MOST_TERMS - random_between(r, 0, 9);
    }
    p->n_squares = is_wide ? 8 : 0;
    p->incx = random_between(r, 1, MOST_INC);
    p->incy = random_between(r, 1, MOST_INC);
    p->lda = (by_rows ? p->n : p->m) + random_between(r, 0, PAD);
    p->a = exb_dfull_matrix(p->elements, exb_view_full(by_rows, p->lda), p->m, p->n, false);
    p->free = p->n - 2;
}

static void describe_triangle(problem *p, test_random *r)
{
    bool by_rows = random_chance(r, 2), unit = random_chance(r, 3);
    p->n = p->shape == LARGE_TRIANGLE ? MOST - random_between(r, 0, 9)
                                      : random_between(r, 4, random_chance(r, 3) ? LITTLE : 30);
    p->m = p->n;
    p->n_squares = p->shape == LARGE_TRIANGLE ? 4 : 0;
    p->incx = p->incy = 1;
    p->lda = p->n + random_between(r, 0, PAD);
    p->is_symmetric = random_chance(r, 2);
    p->is_lower = p->is_symmetric || random_chance(r, 2);
    exb_view v = random_chance(r, 3) ? exb_view_packed(by_rows, p->n, p->is_lower)
                                     : exb_view_full(by_rows, p->lda);
    p->a.p = p->elements;
    p->a.pattern = p->is_symmetric ? exb_pattern_mirrored(EXB_SYMMETRIC, v, p->n, p->n, false)
                                   : exb_pattern_triangle(v, p->n, p->n, p->is_lower, unit, false);
    if (!p->is_symmetric && unit)
        p->a.pattern.diagonal = EXB_DIAGONAL_ONES;
    p->free = p->is_lower ? 0 : p->n - 2;
}

/* Of a large triangle the first and the last rows, which are the longest. */
static bool is_checked(const problem *p, int64_t i)
{
    bool is_free = i == p->free || i == p->free + 1;
    return p->shape == FULL || (!is_free && (p->n <= LITTLE || i < 12 || i >= p->n - 12));
}

/* Row i, which has both free columns to itself, is `delta` from a midpoint of rounding. */
static void put_near_midpoint(problem *p, int64_t i, double delta)
{
    ORACLE(o);
    for (int64_t j = 0; j < p->n; j++)
        if (j != p->free && j != p->free + 1)
            oracle_add_product(&o, -value_at(p, i, j), *x_at(p, j));
    double near = oracle_round(&o, FORMAT_D);
    oracle_add(&o, -near);
    oracle_add(&o, -half_ulp(near, FORMAT_D));
    oracle_add(&o, delta);
    for (int64_t j = p->free; j < p->free + 2; j++) {
        *a_at(p, i, j) = oracle_round(&o, FORMAT_D) / *x_at(p, j);
        oracle_add_product(&o, -*a_at(p, i, j), *x_at(p, j));
    }
}

/* Numbers of like size; or all the same, so that errors add up. */
static void fill(double *x, int64_t n, test_random *r, int exp2, int spread, bool equal)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = equal && i > 0
                   ? x[0]
                   : random_number(r, FORMAT_D, exp2 - (int)random_between(r, 0, spread));
}

/* The terms of each row alone. */
static void make_terms_equal(problem *p)
{
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 1; j < p->n; j++)
            *a_at(p, i, j) = *a_at(p, i, 0);
}

static void fill_problem(problem *p, test_random *r, shape shape)
{
    bool equal = shape == LARGE_TRIANGLE || random_chance(r, 2), is_full = shape == FULL;
    /* Ones of a diagonal are often above all others. */
    int exp2 = random_chance(r, 2) ? (int)random_between(r, -1, 0) * 40
                                   : (int)random_between(r, -400, 400);
    int spread = is_full && !equal && random_chance(r, 2) ? 12 : 0;
    p->shape = shape;
    if (is_full)
        describe_full(p, r, equal);
    else
        describe_triangle(p, r);
    fill(p->elements, exb_most(p->m, p->n) * p->lda, r, exp2, spread, equal && !is_full);
    fill(p->x, MOST_INC * p->n, r, -exp2 / 2, spread, equal);
    fill(p->y, MOST_INC * p->m, r, exp2 / 2, spread, false);
    p->alpha = random_chance(r, 2) ? 1 : random_number(r, FORMAT_D, 0);
    p->beta = random_chance(r, 2) ? 0 : random_number(r, FORMAT_D, (int)random_between(r, -40, 1));
    if (is_full && equal)
        make_terms_equal(p);
    if (p->n <= 2)
        return;
    *x_at(p, p->free) = *x_at(p, p->free + 1) = ldexp(1, -20 - exp2 / 2);
    int unit = exp2 - exp2 / 2 + p->n_squares;
    for (int64_t i = 0; i < p->m; i++)
        if (is_checked(p, i))
            put_near_midpoint(p, i,
                              random_sign(r) * ldexp(1, unit - (int)random_between(r, 70, 84)));
}

static double right_answer(problem *p, oracle *o, int64_t i)
{
    oracle_reset(o);
    for (int64_t j = 0; j < p->n; j++)
        oracle_add_product(o, value_at(p, i, j), *x_at(p, j));
    return oracle_scaled(o, p->alpha, p->beta, p->y[i * p->incy], FORMAT_D);
}

/* Returns how many rows were certified; all of them have to be right. */
static int64_t check(problem *p, const double *right)
{
    static double memory[EXB_FEW_ROOM(EXB_TRIANGLE_ROWS)];
    static double r[EXB_TRIANGLE_ROWS];
    uint64_t uncertified[EXB_FEW_WORDS];
    const exb_line line = exb_dline((exb_complex){p->alpha, 0}, (exb_complex){p->beta, 0});
    exb_dvector x = {p->x, p->incx};
    int64_t n_right = 0;
    int count = exb_dmultiply_few_rows(&p->a, &line, x, p->y, p->incy, memory, r, uncertified);
    if (count < 0)
        return 0;
    for (int64_t i = 0; i < p->m; i++) {
        bool is_certified = !(uncertified[i / 64] >> (i % 64) & 1);
        count -= !is_certified;
        if (!is_checked(p, i) || !is_certified)
            continue;
        if (!same_bits(r[i], right[i]))
            fail_msg("%s, %d x %d, row %d: %a, not %a; TEST_SEED=%llu", exb_isa_current(),
                     (int)p->m, (int)p->n, (int)i, r[i], right[i], (unsigned long long)test_seed());
        n_right++;
    }
    assert_int_equal(count, 0);
    return n_right;
}

static int64_t count_checked(const problem *p)
{
    int64_t n = 0;
    for (int64_t i = 0; i < p->m; i++)
        n += is_checked(p, i);
    return n;
}

static void check_problems(int n_problems, shape shape)
{
    static problem p;
    static double right[MOST];
    test_random r = test_random_start(test_seed(), "few rows");
    int64_t n_right = 0, n_all = 0;
    ORACLE(o);
    for (int round = 0; round < n_problems; round++) {
        fill_problem(&p, &r, shape);
        for (int64_t i = 0; i < p.m; i++)
            if (is_checked(&p, i))
                right[i] = right_answer(&p, &o, i);
        for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
            if (exb_kernels_current()->has_fma) {
                n_right += check(&p, right);
                n_all += count_checked(&p);
            }
    }
    printf("# certified: %d of %d rows\n", (int)n_right, (int)n_all);
    assert_true(n_right >= n_all / 8);
}

static void certified_rows_are_right(NO_STATE)
{
    check_problems(400, FULL);
}

static void certified_rows_of_triangles_are_right(NO_STATE)
{
    check_problems(300, TRIANGLE);
}

static void certified_rows_of_large_ones_are_right(NO_STATE)
{
    exblas_set_num_threads(1); /* more would share it */
    check_problems(30, LARGE_TRIANGLE);
    exblas_set_num_threads(0);
}

/* --- rows that are not certified, by the routines' names ---------------------- */

typedef struct {
    int uplo, trans, diag, n, lda;
    const double *a, *x;
} call;

static void multiply(const char *method, const call *c, double *symmetric, double *triangle)
{
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    for (int i = 0; i < c->n; i++) {
        symmetric[2 * i] = 1;
        triangle[2 * i] = c->x[i];
    }
    excblas_dsymv(EXBLAS_COL_MAJOR, c->uplo, c->n, 1, c->a, c->lda, c->x, -1, 0.5, symmetric, 2);
    excblas_dtrmv(EXBLAS_COL_MAJOR, c->uplo, c->trans, c->diag, c->n, c->a, c->lda, triangle, -2);
    exblas_set_method(NULL);
}

static void compare(const call *c)
{
    enum { ROOM = 2 * (EXB_TRIANGLE_ROWS + 1) };
    static double got[2][ROOM], right[2][ROOM];
    multiply("auto", c, got[0], got[1]);
    multiply("superacc", c, right[0], right[1]);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < c->n; i++)
            if (!same_bits(got[k][2 * i], right[k][2 * i]))
                fail_msg("%s, uplo %d, trans %d, diag %d, order %d, row %d: %a, not %a",
                         k == 0 ? "symv" : "trmv", c->uplo, c->trans, c->diag, c->n, i,
                         got[k][2 * i], right[k][2 * i]);
}

/* +-1 in two rows and two columns that samples of larger matrices miss, where they cancel. */
static int sign_of_large(const call *c, int i, int j)
{
    int row = c->uplo == EXBLAS_LOWER ? i : j, column = c->uplo == EXBLAS_LOWER ? j : i;
    if (row < c->n - 2 || column < 1 || column > 2)
        return 0;
    return (row + column) % 2 ? 1 : -1;
}

static double a[(EXB_TRIANGLE_ROWS + 1) * (EXB_TRIANGLE_ROWS + 2)], x[EXB_TRIANGLE_ROWS + 1];

/* Numbers about `scale`, in the first n_zeros rows and columns quarters, whose sums are exact.
 * Where signs are not 0, they are `large` instead, if that is not 0. What is not of the triangle is
 * NaN. */
static void check_fallback(call *c, int n_zeros, double scale, double large)
{
    test_random r = test_random_start(test_seed(), "fallback");
    c->lda = c->n + 1;
    c->a = a;
    c->x = x;
    for (int j = 0; j < c->n; j++) {
        bool at_end = j < 3 || j >= c->n - 3;
        x[j] = j < n_zeros || at_end ? 1 : random_number(&r, FORMAT_D, 0);
        for (int i = 0; i < c->n; i++) {
            bool there = c->uplo == EXBLAS_LOWER ? i >= j : i <= j;
            double e = i < n_zeros && j < n_zeros ? (double)random_between(&r, -3, 3) / 4
                                                  : scale * random_number(&r, FORMAT_D, 0);
            if (large != 0 && sign_of_large(c, i, j) != 0)
                e = sign_of_large(c, i, j) * large;
            a[i + j * c->lda] = !there || (i == j && c->diag == EXBLAS_UNIT) ? (double)NAN : e;
        }
    }
    if (c->diag != EXBLAS_UNIT) {
        compare(c);
        return;
    }
    call rest = *c; /* symv reads the diagonal */
    for (int j = 0; j < c->n; j++)
        a[j * (c->lda + 1)] = scale;
    compare(&rest);
}

static void other_rows_are_computed(NO_STATE)
{
    for (int n = 1; n <= 270; n += n < 20 ? 1 : n < 40 ? 5 : 76)
        for (int way = 0; way < 8; way++) {
            call c = {way & 1 ? EXBLAS_LOWER : EXBLAS_UPPER,
                      way & 2 ? EXBLAS_TRANS : EXBLAS_NO_TRANS,
                      way & 4 ? EXBLAS_UNIT : EXBLAS_NON_UNIT,
                      n,
                      0,
                      NULL,
                      NULL};
            check_fallback(&c, 0, 1, 0);
            check_fallback(&c, 3, 1, 0);
            check_fallback(&c, n, 1, 0);
            check_fallback(&c, 0, 1, 0x1p200);
            check_fallback(&c, 0, 1, 0x1p1000);
            check_fallback(&c, 0, 0x1p1000, 0);
            check_fallback(&c, 0, 0x1p-1000, 0);
            check_fallback(&c, 0, 0, 0);
            check_fallback(&c, 0, 1, INFINITY);
            check_fallback(&c, 0, 1, (double)NAN);
        }
}

/* Some rows, from the first to the last, have an element alone, whose product is 2^-105 from a
 * midpoint, which symv's 1/2 does not change. */
static void put_near_ties(call *c)
{
    const int rows[] = {0, 63, 64, 1023, 1024, c->n - 1};
    for (int k = 0; k < 6; k++) {
        int i = rows[k];
        for (int j = 0; j < c->n; j++)
            a[i + j * c->lda] = a[j + i * c->lda] = 0;
        a[i * (c->lda + 1)] = 1 - 0x1p-53;
        x[i] = 1 + 0x1p-52;
    }
}

/* Products of one sign: 1 in the lines that are sampled, elsewhere next to the most that an anchor
 * with three bits of room holds, so that the sums of the longest row run to the end of the
 * binade. */
static void fill_anchor(call *c, int sign)
{
    enum { N_SAMPLES = 4 };
    int step = c->n / N_SAMPLES;
    for (int j = 0; j < c->n; j++)
        for (int i = 0; i < c->n; i++) {
            bool is_sampled = j % step == step / 2;
            a[i + j * c->lda] = sign * (is_sampled ? 1 : 8 - 0x1p-46 - 0x1p-50 * (i * j % 3));
        }
    for (int i = 0; i < c->n; i++)
        x[i] = 1;
}

/* The largest orders that one thread reads once, and the next. */
static void large_orders(NO_STATE)
{
    static const int orders[] = {1025, EXB_TRIANGLE_ROWS - 1, EXB_TRIANGLE_ROWS,
                                 EXB_TRIANGLE_ROWS + 1};
    exblas_set_num_threads(1); /* more would share it */
    for (int k = 0; k < 4; k++)
        for (int way = 0; way < 4; way++) {
            call c = {way & 1 ? EXBLAS_LOWER : EXBLAS_UPPER,
                      way & 2 ? EXBLAS_TRANS : EXBLAS_NO_TRANS,
                      EXBLAS_NON_UNIT,
                      orders[k],
                      0,
                      NULL,
                      NULL};
            check_fallback(&c, 0, 1, 0);
            put_near_ties(&c);
            compare(&c);
            fill_anchor(&c, way < 2 ? 1 : -1);
            compare(&c);
        }
    exblas_set_num_threads(0);
}

/* --- elements above all others -------------------------------------------------- */

enum { ORDER = 40 };

static void multiply_symmetric(const char *method, int uplo, const double *a, const double *x,
                               double *y)
{
    exblas_set_method(method);
    excblas_dsymv(EXBLAS_COL_MAJOR, uplo, ORDER, 1, a, ORDER, x, 1, 0, y, 1);
    exblas_set_method(NULL);
}

static void multiply_triangle(const char *method, int uplo, int trans, const double *a,
                              const double *x, double *y)
{
    exblas_set_method(method);
    memcpy(y, x, ORDER * sizeof *y);
    excblas_dtrmv(EXBLAS_COL_MAJOR, uplo, trans, EXBLAS_NON_UNIT, ORDER, a, ORDER, y, 1);
    exblas_set_method(NULL);
}

/* As a full matrix, of reals or of half as many rows of complex numbers; pairs of elements
 * of x have large real parts, the next ones large imaginary ones. */
static void multiply_full(const char *method, int parts, const double *a, const double *x,
                          double *y)
{
    const double one[] = {1, 0}, zero[] = {0, 0};
    double z[2 * ORDER];
    for (int j = 0; j < 2 * ORDER; j++)
        z[j] = j / 4 % 2 == j % 2 ? x[j / 2] : 0x1p-90;
    exblas_set_method(method);
    if (parts == 1)
        excblas_dgemv(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, ORDER, ORDER, 1, a, ORDER, x, 1, 0, y, 1);
    else
        excblas_zgemv(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, ORDER / 2, ORDER, one, a, ORDER / 2, z, 1,
                      zero, y, 1);
    exblas_set_method(NULL);
}

static void compare_full_products(const double *a, const double *x)
{
    double y[ORDER], right[ORDER];
    for (int parts = 1; parts <= 2; parts++) {
        multiply_full("superacc", parts, a, x, right);
        multiply_full(NULL, parts, a, x, y);
        assert_memory_equal(y, right, sizeof y);
    }
}

static void compare_products(int uplo, const double *a, const double *x)
{
    double y[ORDER], right[ORDER];
    multiply_symmetric("superacc", uplo, a, x, right);
    multiply_symmetric(NULL, uplo, a, x, y);
    assert_memory_equal(y, right, sizeof y);
    for (int way = 0; way < 2; way++) {
        int trans = way ? EXBLAS_TRANS : EXBLAS_NO_TRANS;
        multiply_triangle("superacc", uplo, trans, a, x, right);
        multiply_triangle(NULL, uplo, trans, a, x, y);
        assert_memory_equal(y, right, sizeof y);
    }
}

/* Elements (i, j) and (i, j + 1) are far above the others, and their products add up to 0. */
static void check_large_elements(int i, int j, double *a, const double *x)
{
    double *pair[] = {&a[i + j * ORDER], &a[i + (j + 1) * ORDER]}, old[] = {*pair[0], *pair[1]};
    *pair[0] *= 0x1p70;
    *pair[1] = -*pair[0];
    if (i >= j + 1)
        compare_products(EXBLAS_LOWER, a, x);
    if (i <= j)
        compare_products(EXBLAS_UPPER, a, x);
    compare_full_products(a, x);
    *pair[0] = old[0];
    *pair[1] = old[1];
}

/* Wherever they are: the guess of the largest term knows a few lines alone. */
static void large_elements_are_noticed(NO_STATE)
{
    static double a[ORDER * ORDER], x[ORDER];
    test_random r = test_random_start(test_seed(), "large elements");
    fill(a, ORDER * ORDER, &r, 0, 0, false);
    fill(x, ORDER, &r, 0, 0, false);
    for (int j = 0; j < ORDER; j += 2)
        x[j + 1] = x[j];
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (int j = 0; j < ORDER; j += 2)
            for (int i = 0; i < ORDER; i++)
                check_large_elements(i, j, a, x);
}

/* Element (i, j) is a signalling NaN, whose row is no concern of others. */
static void check_signalling(int i, int j, double *a, const double *x)
{
    double old = a[i + j * ORDER];
    const uint64_t signalling = 0x7ff0000000000001u;
    memcpy(&a[i + j * ORDER], &signalling, sizeof signalling);
    compare_products(i >= j ? EXBLAS_LOWER : EXBLAS_UPPER, a, x);
    if (j % 3 == 0) /* each row and lane, and their ends */
        compare_full_products(a, x);
    a[i + j * ORDER] = old;
}

/* Some processors' maximum forgets what was before a signalling NaN: here elements far above the
 * others, whose products add up to 0, in any lanes that it may share with them. */
static void signalling_nans_hide_nothing(NO_STATE)
{
    static double a[ORDER * ORDER], x[ORDER];
    test_random r = test_random_start(test_seed(), "signalling");
    fill(a, ORDER * ORDER, &r, 0, 0, false);
    fill(x, ORDER, &r, 0, 0, false);
    for (int j = 4; j < ORDER; j++)
        x[j] = x[j % 4];
    for (int way = 0; way < 2; way++) {
        int i = way ? 2 : 13, j = way ? 18 : 2, k = j + 4; /* in no line that is sampled */
        double old[] = {a[i + j * ORDER], a[i + k * ORDER]};
        a[i + j * ORDER] *= 0x1p70;
        a[i + k * ORDER] = -a[i + j * ORDER];
        for (int isa = 0; isa < exb_isa_count(); isa++)
            for (int at = 0; at < ORDER * ORDER && exb_isa_select(exb_isa_name(isa)) == 0; at++)
                check_signalling(at % ORDER, at / ORDER, a, x);
        a[i + j * ORDER] = old[0];
        a[i + k * ORDER] = old[1];
    }
}

TESTS(certified_rows_are_right, certified_rows_of_triangles_are_right,
      certified_rows_of_large_ones_are_right, other_rows_are_computed, large_orders,
      large_elements_are_noticed, signalling_nans_hide_nothing)
