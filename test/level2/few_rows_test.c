/* Small matrices, triangles and symmetric matrices times vectors, all rows against one anchor: rows
 * next to midpoints at distances about the bound, of which many are certified; rows that are not:
 * ties, zeros, large elements that cancel, what is no number; and rows, terms and orders that are
 * as large as they may be, or larger. Against the model or, where that takes long, the exact
 * method.
 */
#include "core/kernels.h"
#include "fuzz/differential/compare.h"
#include "fuzz/differential/expect.h"
#include "isa_from.h"
#include "oracle.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <exblas/exblas.h>
#include <math.h>

#define EXB_TYPE_d
#include "level2/few_rows.h"

enum { MOST_TERMS = 1 << EXB_ANCHOR_NU /* of a lane */, LITTLE = 96 };

static bool is_general(const fuzz_case *c)
{
    return c->t.shape == SHAPE_GENERAL;
}

static int64_t rows_of(const fuzz_case *c)
{
    return is_general(c) && c->transa == 'n' ? c->m : c->n;
}

static int64_t columns_of(const fuzz_case *c)
{
    return is_general(c) && c->transa != 'n' ? c->m : c->n;
}

static void set_size(fuzz_case *c, int64_t rows, int64_t columns)
{
    c->m = c->transa == 'n' ? rows : columns;
    c->n = c->transa == 'n' ? columns : rows;
    fuzz_allocate(c);
}

static test_number *stored(const fuzz_case *c, int64_t row, int64_t column)
{
    return &c->operand[OPERAND_A].v[column * c->operand[OPERAND_A].rows + row];
}

/* Element (i, j) of op(A), or of what the triangle stands for; NULL: it is 0, or 1 on a diagonal.
 */
static test_number *element(const fuzz_case *c, int64_t i, int64_t j)
{
    bool is_symmetric = c->t.shape == SHAPE_SYMMETRIC;
    bool turned = is_symmetric ? !fuzz_is_stored(c, OPERAND_A, i, j) : c->transa != 'n';
    int64_t row = turned ? j : i, column = turned ? i : j;
    bool is_one = c->t.has_diag && c->diag == 'u' && i == j;
    return is_one || !fuzz_is_stored(c, OPERAND_A, row, column) ? NULL : stored(c, row, column);
}

/* The sign of its imaginary part, 0 where that does not count. */
static double sign_of_imaginary(const fuzz_case *c, int64_t i, int64_t j)
{
    bool turned = c->t.shape == SHAPE_SYMMETRIC && !fuzz_is_stored(c, OPERAND_A, i, j);
    bool conjugates = c->t.is_hermitian ? turned : c->transa == 'c';
    return c->t.is_hermitian && i == j ? 0 : conjugates ? -1 : 1;
}

/* What the exact method computes, to be freed. */
static test_number *exactly(fuzz_case *c)
{
    c->set.method = "superacc";
    fuzz_settle(&c->set);
    test_number *right = fuzz_computed(c);
    c->set.method = "auto";
    return right;
}

static uint64_t count_fallbacks(const fuzz_case *c, const test_number *right)
{
    exblas_stats stats;
    exblas_stats_enable(1);
    fuzz_verdict v = fuzz_try(c, right);
    exblas_stats_enable(0);
    if (v.differs) {
        fuzz_print(stderr, c, &v);
        fail_msg("TEST_SEED=%llu", (unsigned long long)test_seed());
    }
    assert_int_equal(exblas_stats_last(&stats), EXBLAS_OK);
    return stats.fallbacks;
}

static uint64_t compare(fuzz_case *c)
{
    test_number *right = exactly(c);
    uint64_t n = count_fallbacks(c, right);
    free(right);
    return n;
}

static fuzz_case start(const char *name)
{
    fuzz_case c = fuzz_case_named(name);
    c.alpha.re = 1;
    c.set.isa = exb_isa_current();
    return c;
}

/* --- rows next to midpoints ----------------------------------------------------- */

/* This column and the next multiply by a power of 2; of a triangle they are the longest. */
static int64_t free_column(const fuzz_case *c)
{
    bool is_upper = c->t.shape == SHAPE_TRIANGLE && (c->uplo == 'u') == (c->transa == 'n');
    return is_general(c) || is_upper ? columns_of(c) - 2 : 0;
}

/* Of a large triangle the first and the last rows. */
static bool is_near(const fuzz_case *c, int64_t i)
{
    int64_t n = rows_of(c), free = free_column(c);
    bool is_free = i == free || i == free + 1;
    return is_general(c) || (!is_free && (n <= LITTLE || i < 12 || i >= n - 12));
}

/* Part k of row i is `delta` from a midpoint of rounding. */
static void put_near_midpoint(const fuzz_case *c, int64_t i, int k, double delta)
{
    const test_number *x = c->operand[OPERAND_X].v, one = {1, 0};
    int64_t free = free_column(c);
    ORACLE(o);
    for (int64_t j = 0; j < columns_of(c); j++) {
        const test_number *e = element(c, i, j);
        if (j == free || j == free + 1 || (!e && i != j))
            continue;
        e = e ? e : &one;
        double im = sign_of_imaginary(c, i, j) * e->im;
        oracle_add_product(&o, -e->re, k == 0 ? x[j].re : x[j].im);
        oracle_add_product(&o, k == 0 ? im : -im, k == 0 ? x[j].im : x[j].re);
    }
    double near = oracle_round(&o, FORMAT_D);
    oracle_add(&o, -near);
    oracle_add(&o, -half_ulp(near, FORMAT_D));
    oracle_add(&o, delta);
    for (int64_t j = free; j < free + 2; j++) {
        test_number *e = element(c, i, j);
        double *part = k == 0 ? &e->re : &e->im, sign = k == 0 ? 1 : sign_of_imaginary(c, i, j);
        *part = sign * oracle_round(&o, FORMAT_D) / x[j].re;
        oracle_add_product(&o, -sign * *part, x[j].re);
    }
}

/* Numbers of like size; or all the same, so that errors add up. */
static void fill(const fuzz_case *c, fuzz_which which, test_random *r, int exp2, int spread,
                 bool equal)
{
    const fuzz_operand *o = &c->operand[which];
    for (int64_t i = 0; i < o->rows * o->cols; i++) {
        double part[2];
        for (int k = 0; k < 2; k++)
            part[k] = random_number(r, FORMAT_D, exp2 - (int)random_between(r, 0, spread));
        o->v[i] =
            equal && i > 0 ? o->v[0] : (test_number){part[0], fuzz_parts(c) == 2 ? part[1] : 0};
    }
}

/* Few rows of as many terms as a lane takes, or more rows of fewer; or a triangle. The bound is
 * about the square of what is returned times that of others. */
static int choose_size(fuzz_case *c, test_random *r, bool equal, bool is_large)
{
    enum { TERMS = 128, MOST_WIDE = EXB_FEW_ELEMENTS / MOST_TERMS, FEW = 40 };
    int64_t m = random_between(r, EXB_ROW_GROUP, FEW), n = random_between(r, 3, FEW);
    bool is_wide = is_large && is_general(c);
    if (is_wide) {
        m = random_between(r, EXB_ROW_GROUP, MOST_WIDE);
        n = MOST_TERMS - random_between(r, 0, 9);
    } else if (is_general(c) && fuzz_parts(c) == 1) {
        m = random_chance(r, 4) ? random_between(r, FEW, EXB_FEW_ROWS) : m;
        n = equal ? TERMS : random_chance(r, 3) ? random_between(r, 3, TERMS) : n;
        n = exb_least(n, EXB_FEW_ELEMENTS / m);
    } else if (!is_general(c)) {
        n = is_large ? EXB_TRIANGLE_ROWS / fuzz_parts(c) - random_between(r, 0, 9)
                     : random_between(r, 4, random_chance(r, 3) ? LITTLE : 30);
        m = n;
    }
    set_size(c, m, n);
    return is_wide ? 8 : is_large ? 4 : 0;
}

static fuzz_case near_midpoints(test_random *r, const char *name, bool is_large)
{
    fuzz_case c = start(name);
    bool full = is_general(&c), equal = (is_large && !full) || random_chance(r, 2);
    /* Ones of a diagonal are often above all others. */
    int exp2 = random_chance(r, 2) ? (int)random_between(r, -1, 0) * 40
                                   : (int)random_between(r, -400, 400);
    int spread = full && !equal && random_chance(r, 2) ? 12 : 0;
    c.layout = random_letter(r, "rc");
    c.uplo = random_letter(r, "ul");
    c.diag = random_letter(r, "unn");
    c.transa = c.t.shape == SHAPE_SYMMETRIC ? 'n' : random_letter(r, "ntc");
    c.padding[OPERAND_A] = random_between(r, 0, 3);
    c.incx = full ? random_between(r, 1, 3) : 1;
    c.incy = full ? random_between(r, 1, 3) : 1;
    int unit = exp2 - exp2 / 2 + choose_size(&c, r, equal, is_large);
    fill(&c, OPERAND_A, r, exp2, spread, equal && !full);
    fill(&c, OPERAND_X, r, -exp2 / 2, spread, equal);
    fill(&c, OPERAND_Y, r, exp2 / 2, spread, false);
    c.alpha.re = random_chance(r, 2) ? 1 : random_number(r, FORMAT_D, 0);
    c.beta.re =
        random_chance(r, 2) ? 0 : random_number(r, FORMAT_D, (int)random_between(r, -40, 1));
    for (int64_t i = 0; i < rows_of(&c) && full && equal; i++) /* the terms of each row alone */
        for (int64_t j = 1; j < columns_of(&c); j++)
            *element(&c, i, j) = *element(&c, i, 0);
    for (int64_t j = free_column(&c); j < free_column(&c) + 2; j++)
        c.operand[OPERAND_X].v[j] = (test_number){ldexp(1, -20 - exp2 / 2), 0};
    for (int64_t i = 0; i < rows_of(&c); i++)
        for (int k = 0; k < fuzz_parts(&c) && is_near(&c, i); k++)
            put_near_midpoint(&c, i, k,
                              random_sign(r) * ldexp(1, unit - (int)random_between(r, 70, 88)));
    return c;
}

static void check_near_midpoints(const char *const *names, int n_names, int n_rounds, bool is_large)
{
    test_random r = test_random_start(test_seed(), names[0]);
    uint64_t n_open = 0, n_all = 0;
    for (int round = 0; round < n_rounds; round++) {
        fuzz_case c = near_midpoints(&r, names[round % n_names], is_large);
        test_number *right = is_large ? exactly(&c) : fuzz_model(&c);
        for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
            c.set.isa = exb_isa_name(isa);
            n_open += count_fallbacks(&c, right);
            n_all += (uint64_t)rows_of(&c);
        }
        free(right);
        fuzz_case_free(&c);
    }
    printf("# open: %d of %d rows\n", (int)n_open, (int)n_all);
    assert_true(n_open < n_all - n_all / 8);
}

static void rows_next_to_midpoints(NO_STATE)
{
    static const char *const full[] = {"dgemv"}, *const pairs[] = {"zgemv"},
                             *const triangles[] = {"dsymv", "dtrmv", "dtpmv", "dspmv",
                                                   "zhemv", "ztrmv", "ztpmv", "zhpmv"};
    check_near_midpoints(full, 1, 320, false);
    check_near_midpoints(full, 1, 80, true);
    check_near_midpoints(pairs, 1, 300, false);
    check_near_midpoints(triangles, 8, 400, false);
    check_near_midpoints(triangles, 8, 8, true);
}

/* --- rows that are not certified ------------------------------------------------ */

static const struct {
    const char *name;
    char uplo, transa, diag;
} products[] = {{"dgemv", 'l', 'n', 'n'}, {"zgemv", 'l', 'n', 'n'}, {"dsymv", 'l', 'n', 'n'},
                {"dsymv", 'u', 'n', 'n'}, {"dtrmv", 'l', 'n', 'n'}, {"dtrmv", 'u', 't', 'n'},
                {"dtrmv", 'l', 't', 'n'}, {"dtrmv", 'u', 'n', 'n'}, {"dgemv", 'l', 't', 'n'},
                {"dtrmv", 'l', 'n', 'u'}, {"dtrmv", 'u', 't', 'u'}, {"dtrmv", 'l', 't', 'u'},
                {"dtrmv", 'u', 'n', 'u'}, {"zhemv", 'l', 'n', 'n'}, {"zhemv", 'u', 'n', 'n'},
                {"ztrmv", 'l', 'n', 'n'}, {"ztrmv", 'l', 't', 'u'}, {"ztrmv", 'u', 'c', 'n'}};
enum { N_PRODUCTS = sizeof products / sizeof *products, FIRST_SYMMETRIC = 2, FIRST_COMPLEX = 13 };

static fuzz_case start_product(int k, int64_t rows, int64_t columns)
{
    fuzz_case c = start(products[k].name);
    c.uplo = products[k].uplo;
    c.transa = products[k].transa;
    c.diag = products[k].diag;
    c.beta.re = 0.5;
    c.incx = -1;
    c.incy = 2;
    c.padding[OPERAND_A] = 1;
    set_size(&c, rows, columns);
    return c;
}

/* Numbers about `scale`. n_zeros rows are sums that are exact, of a full matrix 0. `large`, if not
 * 0: two rows and columns that are not sampled have elements that cancel, beyond the anchor that
 * the samples suggest. */
typedef struct {
    int n_zeros;
    double scale, large;
} data;

static const data kinds[] = {{0, 1, 0},        {1, 1, 0},          {3, 1, 0},
                             {1000, 1, 0},     {0, 1, 0x1p200},    {0, 1, 0x1p1000},
                             {0, 0x1p1000, 0}, {0, 0x1p-1000, 0},  {0, 0, 0},
                             {0, 1, INFINITY}, {0, 1, (double)NAN}};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static void fill_as(const fuzz_case *c, const data *d)
{
    test_random r = test_random_start(test_seed(), "fallback");
    bool full = is_general(c);
    int64_t n = c->n;
    for (int64_t i = 0; i < n; i++) {
        bool is_one = full ? i < 3 : i < d->n_zeros || i < 3 || i >= n - 3;
        c->operand[OPERAND_X].v[i].re = is_one ? 1 : random_number(&r, FORMAT_D, 0);
        if (c->t.has_y)
            c->operand[OPERAND_Y].v[i].re = 1;
        for (int64_t j = 0; j < (full ? n : i + 1);
             j++) { /* of a lower triangle or its transpose */
            bool cancels =
                full ? i > 0 && i < n - 1 && (j == 0 || j == 2) : i >= n - 2 && (j == 1 || j == 2);
            double sign = full ? 1 - (double)j : (i + j) % 2 ? 1 : -1;
            double x = d->scale * random_number(&r, FORMAT_D, 0);
            if (i < d->n_zeros && full)
                x = (j == 0) * 0.25 - (j == 1) * 0.75;
            else if (i < d->n_zeros)
                x = (double)random_between(&r, -3, 3) / 4;
            else if (d->large != 0 && cancels)
                x = sign * d->large;
            (full ? element(c, i, j) : c->uplo == 'l' ? stored(c, i, j) : stored(c, j, i))->re = x;
        }
    }
}

static void other_rows_are_computed(NO_STATE)
{
    for (int n = 1; n <= 270; n += n < 20 ? 1 : n < 40 ? 5 : 76)
        for (int way = 0; way < N_PRODUCTS; way++)
            for (int k = 0; k < N_KINDS; k++) {
                fuzz_case c = start_product(way, n, n);
                bool is_few =
                    is_general(&c) && fuzz_parts(&c) == 1 && n >= EXB_ROW_GROUP && n <= 64;
                fill_as(&c, &kinds[k]);
                uint64_t n_open = compare(&c);
                assert_true(!is_few || kinds[k].n_zeros != 1 || n_open == 1);
                fuzz_case_free(&c);
            }
}

/* Rows whose products are zeros, by either factor, are known at once: some, and those of many that
 * the columns are read for, up to their ends. */
static void zero_rows_are_known(NO_STATE)
{
    enum { M = 80, N = 10 };
    for (int by_rows = 0; by_rows < 2; by_rows++)
        for (int n_zeros = 3; n_zeros < 20; n_zeros += 14) {
            fuzz_case c = start("dgemv");
            c.transa = by_rows ? 't' : 'n';
            set_size(&c, M, N);
            for (int j = 0; j < N; j++) {
                c.operand[OPERAND_X].v[j].re = j % 2;
                for (int i = 0; i < M; i++)
                    element(&c, i, j)->re = i < n_zeros ? j % 2 == 0 : 0.1;
            }
            assert_int_equal(compare(&c), 0);
            fuzz_case_free(&c);
        }
}

/* --- the largest --------------------------------------------------------------- */

/* Products of one sign: 1 in the lines that are sampled, elsewhere next to the most that an anchor
 * with its four bits of room holds, so that the sums of the longest row run to the end of the
 * binade; both products of complex numbers do, where they are not conjugated. */
static void fill_anchor(const fuzz_case *c, int sign)
{
    enum { N_SAMPLES = 4 };
    const fuzz_operand *a = &c->operand[OPERAND_A];
    bool by_rows = is_general(c) && c->transa != 'n';
    int64_t step = a->cols / N_SAMPLES;
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++) {
            bool is_sampled = by_rows ? j % (a->cols - 1) == 0
                                      : (is_general(c) && j == 0) || j % step == step / 2;
            double rest = (is_general(c) ? 0x1p-48 : 0x1p-45) + (double)(i * 7 % 1021) * 0x1p-40;
            double x = sign * (is_sampled ? 1 : 16 - rest - 0x1p-49 * (double)(i * j % 3));
            *stored(c, i, j) = (test_number){x, (1 - fuzz_parts(c)) * x};
        }
    for (int64_t j = 0; j < c->operand[OPERAND_X].rows; j++)
        c->operand[OPERAND_X].v[j] = (test_number){1, fuzz_parts(c) - 1};
    if (is_general(c)) /* the largest is sampled */
        c->operand[OPERAND_X].v[0].re = 1 + 0x1p-52;
}

/* As long as a lane, or longer; and x has a stride. */
static void long_rows(NO_STATE)
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (int way = 0; way < 4; way++)
            for (int n = MOST_TERMS - 1; n <= 3 * MOST_TERMS / 2; n += n <= MOST_TERMS ? 1 : 511) {
                fuzz_case c = start("dgemv");
                c.transa = way & 1 ? 't' : 'n';
                c.incx = 2;
                c.set.isa = exb_isa_name(isa);
                set_size(&c, 6, n);
                fill_anchor(&c, way & 2 ? 1 : -1);
                compare(&c);
                fuzz_case_free(&c);
            }
}

/* Some rows, from the first to the last, have an element alone, whose product is 2^-105 from a
 * midpoint, which symv's 1/2 does not change. */
static void put_near_ties(const fuzz_case *c)
{
    const int64_t rows[] = {0, 63, 64, 1023, 1024, c->n - 1};
    for (int k = 0; k < 6; k++) {
        int64_t i = rows[k];
        for (int64_t j = 0; j < c->n; j++)
            stored(c, i, j)->re = stored(c, j, i)->re = 0;
        stored(c, i, i)->re = 1 - 0x1p-53;
        c->operand[OPERAND_X].v[i].re = 1 + 0x1p-52;
    }
}

/* The largest orders that one thread reads once, and the next. */
static void large_orders(NO_STATE)
{
    static const int orders[] = {1025, EXB_TRIANGLE_ROWS, EXB_TRIANGLE_ROWS + 1};
    static const int ways[] = {FIRST_SYMMETRIC,     FIRST_SYMMETRIC + 1, FIRST_SYMMETRIC + 2,
                               FIRST_SYMMETRIC + 3, FIRST_COMPLEX,       FIRST_COMPLEX + 2};
    for (int k = 0; k < 3; k++)
        for (int at = 0; at < 6; at++) {
            int way = ways[at], n = way < FIRST_COMPLEX ? orders[k] : (orders[k] + 1) / 2;
            fuzz_case c = start_product(way, n, n);
            if (way < FIRST_COMPLEX) {
                fill_as(&c, &kinds[0]);
                put_near_ties(&c);
                compare(&c);
            }
            fill_anchor(&c, way % 2 ? 1 : -1);
            compare(&c);
            fuzz_case_free(&c);
        }
}

/* Each row is a tie of floats, 1 + 2^-24, and terms so small that sums in double lose them all. */
static void floats_beside_ties(NO_STATE)
{
    static const int heights[] = {4, 5, 63, 64, 65, 255, 257, 300, 2500};
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (int k = 0; k < (int)(sizeof heights / sizeof *heights); k++) {
            fuzz_case c = start("sgemv");
            c.set.isa = exb_isa_name(isa);
            set_size(&c, heights[k], 3 + k * 14);
            for (int64_t j = 0; j < c.n; j++) {
                c.operand[OPERAND_X].v[j].re = 1;
                for (int64_t i = 0; i < c.m; i++)
                    stored(&c, i, j)->re = j == 0   ? 1
                                           : j == 1 ? 0x1p-24f
                                           : i % 2  ? 0x1p-54f
                                                    : -0x1p-54f;
            }
            compare(&c);
            fuzz_case_free(&c);
        }
}

/* Ordinary numbers; rows of every magnitude, which one anchor does not decide; short integers,
 * whose sums are ties; cancellation in some rows; and numbers that are not finite. */
static double tall_element(test_random *r, int kind, int64_t i, int64_t j)
{
    double x = random_number(r, FORMAT_D, kind == 1 ? (int)(i % 200) - 100 : 0);
    if (kind == 2)
        return (double)random_between(r, -9, 9) + (j == 0 ? 0x1p54 : 0);
    if (kind == 5) /* 4 + 2^-51 + 2^-200: beside a tie, by what two doubles do not hold */
        return j < 3 && i % 3 == 0 ? (j == 0 ? 2 : ldexp(1, j == 1 ? -51 : -200)) : 0;
    if (kind == 3 && i % 7 == 0)
        return j % 2 ? -3 : 3;
    return kind == 4 && i % 90 == 0 && j == 2 ? (i % 4 ? HUGE_VAL : (double)NAN) : x;
}

/* With short columns. */
static void tall_matrices(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "tall");
    for (int way = 0; way < 12; way++)
        for (int m = 250; m <= 2500; m += 450)
            for (int n = 2; n <= 120; n += n < 20 ? 4 : 49) {
                fuzz_case c = start(way % 2 ? "sgemv" : "dgemv");
                c.beta.re = way / 2 == 5 ? 0 : -1;
                set_size(&c, m, n);
                for (int64_t i = 0; i < m; i++)
                    c.operand[OPERAND_Y].v[i].re = 1;
                for (int64_t j = 0; j < n; j++) {
                    c.operand[OPERAND_X].v[j].re = j % 3 ? 1 : 2;
                    for (int64_t i = 0; i < m; i++)
                        stored(&c, i, j)->re =
                            round_to(fuzz_format(&c), tall_element(&r, way / 2, i, j));
                }
                compare(&c);
                fuzz_case_free(&c);
            }
}

/* Rows of triangles are zeros only if so are both pieces and the diagonal, as read or as implied,
 * even if all products underflow. */
static void small_elements_are_none(NO_STATE)
{
    const double tiny = 0x1p-600, mirrored[] = {0, tiny, 0, 0}, x[] = {0, 0x1p-480};
    const double diagonal[] = {0, 0, 0, 0, 0, 0, tiny, 0}, z[] = {0, 0, 0, 0x1p-480};
    const double complex_zero[] = {0, 0}, zeros[4] = {0};
    double y[4], v[] = {0, 0x1p-1074};
    excblas_dsymv(EXBLAS_COL_MAJOR, EXBLAS_LOWER, 2, 0x1p200, mirrored, 2, x, 1, 0, y, 1);
    assert_true(y[0] == 0x1p-880 && y[1] == 0);
    excblas_zhemv(EXBLAS_COL_MAJOR, EXBLAS_LOWER, 2, (const double[]){0x1p200, 0}, diagonal, 2, z,
                  1, complex_zero, y, 1);
    assert_true(y[0] == 0 && y[1] == 0 && y[2] == 0 && y[3] == 0x1p-880);
    excblas_dtrmv(EXBLAS_COL_MAJOR, EXBLAS_LOWER, EXBLAS_NO_TRANS, EXBLAS_UNIT, 2, zeros, 2, v, 1);
    assert_true(v[0] == 0 && v[1] == 0x1p-1074);
}

/* Imaginary parts on the diagonal of a Hermitian matrix are not read, also where they are numbers.
 */
static void diagonals_are_real(NO_STATE)
{
    enum { N = 5 };
    double a[2 * N * N], x[2 * N], y[2][2 * N];
    test_random r = test_random_start(test_seed(), "diagonals");
    for (int i = 0; i < 2 * N * N; i++)
        a[i] = random_number(&r, FORMAT_D, 0);
    for (int i = 0; i < 2 * N; i++)
        x[i] = random_number(&r, FORMAT_D, 0);
    for (int k = 0; k < 2; k++) {
        excblas_zhemv(EXBLAS_COL_MAJOR, EXBLAS_UPPER, N, (const double[]){1, 0}, a, N, x, 1,
                      (const double[]){0, 0}, y[k], 1);
        for (int i = 0; i < N; i++)
            a[2 * (i + i * N) + 1] = 0;
    }
    assert_memory_equal(y[0], y[1], sizeof *y);
}

/* --- elements above all others -------------------------------------------------- */

enum { ORDER = 40, N_ABOVE = 9 };

/* The same matrix in all of them; complex: half as many rows; pairs of elements of x have large
 * real parts, the next ones large imaginary ones. */
static void start_products(fuzz_case *c, const double *a, const double *x)
{
    for (int k = 0; k < N_ABOVE; k++, c++) {
        int parts = k == 1 ? 2 : 1;
        *c = start_product(k, ORDER / parts, ORDER);
        for (int i = 0; i < ORDER * ORDER; i++)
            *(i % parts ? &c->operand[OPERAND_A].v[i / parts].im
                        : &c->operand[OPERAND_A].v[i / parts].re) = a[i];
        for (int j = 0; j < ORDER; j++) {
            bool is_turned = parts == 2 && j / 2 % 2;
            test_number *z = &c->operand[OPERAND_X].v[j];
            *z = (test_number){is_turned ? 0x1p-90 : x[j], 0};
            z->im = parts == 1 ? 0 : is_turned ? x[j] : 0x1p-90;
        }
    }
}

static void free_products(fuzz_case *c)
{
    for (int k = 0; k < N_ABOVE; k++)
        fuzz_case_free(&c[k]);
}

/* Elements (i, j) and (i, k) become those; the products that they take part in are right. */
static void check_with(fuzz_case *all, const char *isa, int i, int j, int k, const double with[2],
                       bool in_full)
{
    for (int n = 0; n < N_ABOVE; n++) {
        fuzz_case *c = &all[n];
        bool is_complex = fuzz_parts(c) == 2, full = is_general(c);
        if (full ? !in_full
                 : !fuzz_is_stored(c, OPERAND_A, i, j) || !fuzz_is_stored(c, OPERAND_A, i, k))
            continue;
        double *place[2], old[2];
        for (int at = 0; at < 2; at++) {
            test_number *e = stored(c, is_complex ? i / 2 : i, at ? k : j);
            place[at] = is_complex && i % 2 ? &e->im : &e->re;
            old[at] = *place[at];
            *place[at] = with[at];
        }
        c->set.isa = isa;
        compare(c);
        *place[1] = old[1];
        *place[0] = old[0];
    }
}

static void fill_order(test_random *r, int period, double *a, double *x)
{
    for (int i = 0; i < ORDER * ORDER; i++)
        a[i] = random_number(r, FORMAT_D, 0);
    for (int j = 0; j < ORDER; j++)
        x[j] = j < period ? random_number(r, FORMAT_D, 0) : x[j % period];
}

/* Wherever they are: the guess of the largest term knows a few lines alone. Their products add up
 * to 0. */
static void large_elements_are_noticed(NO_STATE)
{
    static double a[ORDER * ORDER], x[ORDER];
    static fuzz_case all[N_ABOVE];
    test_random r = test_random_start(test_seed(), "large elements");
    fill_order(&r, ORDER, a, x);
    for (int j = 0; j < ORDER; j += 2)
        x[j + 1] = x[j];
    start_products(all, a, x);
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (int j = 0; j < ORDER; j += 2)
            for (int i = j / 2 % 3; i < ORDER; i += 3) {
                double large = a[i + j * ORDER] * 0x1p70;
                check_with(all, exb_isa_name(isa), i, j, j + 1, (double[]){large, -large}, true);
            }
    free_products(all);
}

/* Some processors' maximum forgets what was before a signalling NaN: here elements far above the
 * others, whose products add up to 0, in any lanes that it may share with them. Its row is no
 * concern of others. */
static void signalling_nans_hide_nothing(NO_STATE)
{
    static double a[ORDER * ORDER], x[ORDER];
    static fuzz_case all[N_ABOVE];
    test_random r = test_random_start(test_seed(), "signalling");
    const double nan = from_bits(0x7ff0000000000001u);
    for (int way = 0; way < 2; way++) {
        int i = way ? 2 : 13, j = way ? 18 : 2, k = j + 4; /* in no line that is sampled */
        fill_order(&r, 4, a, x);
        a[i + j * ORDER] *= 0x1p70;
        a[i + k * ORDER] = -a[i + j * ORDER];
        start_products(all, a, x);
        for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
            for (int at = 0; at < ORDER * ORDER; at += 3) /* each row and lane, and their ends */
                check_with(all, exb_isa_name(isa), at % ORDER, at / ORDER, at / ORDER,
                           (double[]){nan, nan}, at / ORDER % 3 == 0);
        free_products(all);
    }
}

/* Rows that share a look at their sums, with a lane in which one is not finite, and another has an
 * element beyond the anchor. */
static void rows_hide_nothing_of_others(NO_STATE)
{
    enum { ROW = 2, TERM = 13, NEXT = 8 /* in the same lane */ };
    static double a[ORDER * ORDER], x[ORDER];
    static fuzz_case all[N_ABOVE];
    test_random r = test_random_start(test_seed(), "others");
    for (int round = 0; round < 20; round++) {
        fill_order(&r, 4, a, x);
        a[TERM + ROW * ORDER] = 0x1p30 / 3;
        x[TERM] = 1;
        start_products(all, a, x);
        for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
            for (int k = 0; k < 3; k++) {
                double odd = k == 0 ? (double)INFINITY : k == 1 ? -(double)INFINITY : (double)NAN;
                check_with(all, exb_isa_name(isa), TERM + NEXT, ROW + 1, ROW + 1,
                           (double[]){odd, odd}, true);
            }
        free_products(all);
    }
}

TESTS(rows_next_to_midpoints, other_rows_are_computed, zero_rows_are_known, long_rows, large_orders,
      floats_beside_ties, tall_matrices, small_elements_are_none, diagonals_are_real,
      large_elements_are_noticed, signalling_nans_hide_nothing, rows_hide_nothing_of_others)
