/* Triangular products and systems with some rows at a time, and products with a row of a Hermitian
 * matrix: the bits of trmm, trsm, trmv, trsv and hemm. What is not to be read is NaN. Compiled for
 * all types. */
#include "level3/rows_entry.h"

#include "adversarial.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>
#include <string.h>

#define serial(name) EXB_PASTE4(excblas_, EXB_TYPE, name, _64)
#if EXB_IS_COMPLEX
#define SCALAR(p) (p)
#else
#define SCALAR(p) (*(p))
#endif

enum { MOST = 300, MOST_SIDES = 40, SIZE = EXB_PARTS * sizeof(exb_real) };

static exb_real a[EXB_PARTS * MOST * MOST], panel[EXB_PARTS * MOST * MOST];
static exb_real x[EXB_PARTS * MOST * MOST_SIDES], is[EXB_PARTS * MOST * MOST_SIDES],
    should_be[EXB_PARTS * MOST * MOST_SIDES], product[EXB_PARTS * MOST * MOST_SIDES];

typedef struct {
    int64_t n, n_sides, height; /* order, sides, rows of a panel at most */
    bool is_lower, unit, solves, is_vector;
    exb_real alpha[2];
} problem;

static void fill(test_random *r, int64_t n, int kind, exb_real *out)
{
    static double first[EXB_PARTS * MOST * MOST], second[EXB_PARTS * MOST * MOST];
    if (kind < (int)factors_kinds())
        factors_fill((size_t)kind, r, EXB_IS_S ? FORMAT_S : FORMAT_D, EXB_PARTS * n, first, second);
    for (int64_t i = 0; i < EXB_PARTS * n; i++) {
        bool usual = kind >= (int)factors_kinds();
        out[i] = (exb_real)(usual ? random_number(r, EXB_IS_S ? FORMAT_S : FORMAT_D, 0) : first[i]);
        if (kind % 4 == 3 && random_chance(r, 900))
            out[i] = random_chance(r, 2) ? (exb_real)NAN : -(exb_real)HUGE_VAL;
    }
}

/* The rows as they are had, with NaN where the triangle is not. */
static exb_t(triangle_rows) take_rows(const problem *p, exb_range rows)
{
    int64_t first = p->is_lower ? 0 : rows.begin, end = p->is_lower ? rows.end : p->n;
    int64_t ld = rows.end - rows.begin + p->n % 3;
    for (int64_t j = first; j < end; j++)
        for (int64_t i = rows.begin; i < rows.end; i++) {
            exb_real *to = panel + EXB_PARTS * (i - rows.begin + (j - first) * ld);
            bool stored = (p->is_lower ? j <= i : j >= i) && !(p->unit && i == j);
            memcpy(to, a + EXB_PARTS * (i + j * p->n), SIZE);
            for (int k = 0; k < EXB_PARTS && !stored; k++)
                to[k] = (exb_real)NAN;
        }
    return (exb_t(triangle_rows)){p->n, rows, p->is_lower, panel, ld};
}

static void compute_panel(const problem *p, exb_range rows)
{
    exb_t(triangle_rows) t = take_rows(p, rows);
    int64_t m = rows.end - rows.begin;
    if (p->solves && p->is_vector)
        exb_entry(rows_solve_vector)(&t, p->unit, is);
    else if (p->solves)
        exb_entry(rows_solve)(&t, p->unit, p->n_sides, SCALAR(p->alpha), is, p->n);
    if (p->solves)
        return;
    exb_entry(rows_multiply)(&t, p->unit, p->n_sides, p->is_vector ? NULL : p->alpha, is, p->n,
                             product, m);
    for (int64_t j = 0; j < p->n_sides; j++)
        memcpy(is + EXB_PARTS * (rows.begin + j * p->n), product + EXB_PARTS * j * m,
               (size_t)m * SIZE);
}

static void compute_serially(const problem *p)
{
    int uplo = p->is_lower ? EXBLAS_LOWER : EXBLAS_UPPER,
        diag = p->unit ? EXBLAS_UNIT : EXBLAS_NON_UNIT;
    if (p->is_vector)
        (p->solves ? serial(trsv) : serial(trmv))(EXBLAS_COL_MAJOR, uplo, EXBLAS_NO_TRANS, diag,
                                                  p->n, a, p->n, should_be, 1);
    else
        (p->solves ? serial(trsm) : serial(trmm))(EXBLAS_COL_MAJOR, EXBLAS_LEFT, uplo,
                                                  EXBLAS_NO_TRANS, diag, p->n, p->n_sides,
                                                  SCALAR(p->alpha), a, p->n, should_be, p->n);
}

static void check_problem(const problem *p)
{
    size_t bytes = (size_t)(p->n * p->n_sides) * SIZE;
    memcpy(is, x, bytes);
    memcpy(should_be, x, bytes);
    compute_serially(p);
    for (int64_t done = 0; done < p->n; done += p->height) {
        int64_t m = p->n - done < p->height ? p->n - done : p->height;
        int64_t first = p->is_lower == p->solves ? done : p->n - done - m;
        compute_panel(p, (exb_range){first, first + m});
    }
    for (int64_t i = 0; i < EXB_PARTS * p->n * p->n_sides; i++)
        assert_same_bits((double)is[i], (double)should_be[i]);
}

static problem random_problem(test_random *r)
{
    static const exb_real scalar[] = {1, -1, 0, (exb_real)-0.75, 3};
    problem p = {.is_lower = random_chance(r, 2),
                 .unit = random_chance(r, 2),
                 .solves = random_chance(r, 2),
                 .is_vector = random_chance(r, 4)};
    p.n = random_between(r, 1, random_chance(r, 2) ? MOST : 70);
    p.n_sides = p.is_vector ? 1 : random_between(r, 1, MOST_SIDES);
    p.height = random_between(r, 1, random_chance(r, 2) ? p.n : 1 + p.n / 5);
    p.alpha[0] = scalar[random_between(r, 0, 4)];
    p.alpha[1] = scalar[random_between(r, 0, 4)];
    if (p.alpha[0] == 0)
        p.alpha[0] = 1;
    return p;
}

/* Kinds of numbers, several times each; `step` leaves some out. */
static void check_kinds(const char *method, int step)
{
    test_random r = test_random_start(test_seed(), "rows");
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    for (int i = 0; i < 12 * (int)factors_kinds(); i += step) {
        int kind = i % (2 * (int)factors_kinds());
        problem p = random_problem(&r);
        fill(&r, p.n * p.n, kind, a);
        fill(&r, p.n * p.n_sides, kind, x);
        for (int64_t l = 0; l < p.n && kind % 2; l++) /* sums that do not grow */
            a[EXB_PARTS * l * (p.n + 1)] = (exb_real)ldexp(a[EXB_PARTS * l * (p.n + 1)], 7);
        check_problem(&p);
    }
    exblas_set_method("auto");
}

static void usual_method(NO_STATE)
{
    check_kinds("auto", 1);
}

static void without_filters(NO_STATE)
{
    check_kinds("superacc", 31);
}

/* So little that sides come in several groups. */
static void little_workspace(NO_STATE)
{
    exblas_set_workspace(64 << 10);
    check_kinds("auto", 5);
    exblas_set_workspace(0);
}

#if EXB_IS_COMPLEX
/* Row d of a Hermitian matrix, whose diagonal is taken to the front. */
static void hermitian_rows(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "Hermitian rows");
    for (int kind = 0; kind < 2 * (int)factors_kinds(); kind++) {
        int64_t k = random_between(&r, 1, 60), n = random_between(&r, 1, 20);
        int64_t d = random_between(&r, 0, k - 1);
        const exb_real alpha[] = {1, (exb_real)(kind % 3)}, beta[] = {(exb_real)(kind % 2), 0};
        fill(&r, k * k, kind, a);
        fill(&r, k * n, 3, x);
        fill(&r, k * n, kind, should_be);
        memcpy(is, should_be, sizeof is);
        serial(hemm)(EXBLAS_COL_MAJOR, EXBLAS_LEFT, EXBLAS_UPPER, k, n, alpha, a, k, x, k, beta,
                     should_be, k);
        for (int64_t l = 0; l < k; l++) { /* row d, and x in the same order */
            int64_t from = l == 0 ? d : l == d ? 0 : l;
            const exb_real *at = a + EXB_PARTS * (from < d ? from + d * k : d + from * k);
            panel[EXB_PARTS * l] = at[0];
            panel[EXB_PARTS * l + 1] = from < d ? -at[1] : at[1];
            for (int64_t j = 0; j < n; j++)
                memcpy(product + EXB_PARTS * (l + j * k), x + EXB_PARTS * (from + j * k), SIZE);
        }
        exb_t(strided) h = {panel, 1, 1}, b = {product, 1, k}, c = {is + EXB_PARTS * d, 1, k};
        exb_entry(hermitian_row)(n, k, alpha, h, b, beta, c);
        for (int64_t j = 0; j < n; j++)
            for (int part = 0; part < EXB_PARTS; part++)
                assert_same_bits((double)is[EXB_PARTS * (d + j * k) + part],
                                 (double)should_be[EXB_PARTS * (d + j * k) + part]);
    }
}
#endif

#if EXB_IS_COMPLEX
TESTS(usual_method, without_filters, little_workspace, hermitian_rows)
#else
TESTS(usual_method, without_filters, little_workspace)
#endif
