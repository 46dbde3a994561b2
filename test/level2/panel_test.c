/* The bounds of the panel kernels: the exact sum of every row lies inside its enclosure, for
 * every instruction set, direction and kind of data, outliers that the anchors' guess misses
 * included. And ordinary data is decided. Compiled for each type. */
#include "level2/panel.h"

#include "adversarial.h"
#include "enclosing.h"
#include "isa_from.h"
#include "oracle.h"
#include "testing.h"

enum { MOST_ROWS = 72, MOST_COLS = 2100, N = MOST_ROWS * MOST_COLS + MOST_COLS * MOST_COLS / 2 };

static exb_real a[EXB_PARTS * N], x[EXB_PARTS * MOST_COLS];
static double row[EXB_PARTS * MOST_COLS], factor[EXB_PARTS * MOST_COLS];
static const number_format element = EXB_IS_S ? FORMAT_S : FORMAT_D;
static exb_t(value) sum[MOST_ROWS];

#define UNIT (EXB_IS_S ? 0x1p-24 : 0x1p-53)

/* How the panel lies in memory. GROWING: in columns of a packed triangle, each longer by one. */
typedef enum { BY_COLUMNS, REVERSED, BY_ROWS, N_DIRECTIONS, GROWING = N_DIRECTIONS } direction;

static exb_view view_of(direction d, int m, int64_t n)
{
    if (d == BY_ROWS)
        return (exb_view){0, n, 0, 1, 0};
    if (d == GROWING)
        return (exb_view){0, 1, 0, m, 1};
    return d == REVERSED ? (exb_view){m - 1, -1, 0, m, 0} : (exb_view){0, 1, 0, m, 0};
}

static const exb_real *at(exb_view v, int64_t i, int64_t j)
{
    return a + EXB_PARTS * exb_view_at(v, i, j);
}

/* Part k of a product of elements. */
static void add_term(oracle *o, int k, bool conjugate, const exb_real *p, const exb_real *q)
{
    if (!EXB_IS_COMPLEX) {
        oracle_add_product(o, p[0], q[0]);
        return;
    }
    double im = conjugate ? -p[EXB_PARTS - 1] : p[EXB_PARTS - 1];
    oracle_add_product(o, p[0], q[k]);
    oracle_add_product(o, k == 0 ? -im : im, q[1 - k]);
}

static int n_decided, n_sums;

static void check(int m, int64_t n, direction d, const char *what)
{
    exb_view v = view_of(d, m, n);
    bool conjugate = EXB_IS_COMPLEX && n % 2;
    exb_t(panel) panel = {a, v, conjugate};
    ORACLE(o);
    for (int i = 0; i < m; i++)
        sum[i] = exb_t(value_zero)();
    exb_t(panel_filter)(m, n, &panel, (exb_t(vector)){x, 1}, sum);
    for (int i = 0; i<m; i += m> 20 ? 7 : 1)
        for (int k = 0; k < EXB_PARTS; k++) {
            exb_real r;
            oracle_reset(&o);
            for (int64_t j = 0; j < n; j++)
                add_term(&o, k, conjugate, at(v, i, j), x + EXB_PARTS * j);
            assert_encloses_at(&o, sum[i].part[k], what);
            n_decided += exb_round_enclosure(sum[i].part[k], &r);
            n_sums++;
        }
}

static void each_isa(int m, int64_t n, direction d, const char *what)
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        check(m, n, d, what);
}

static const int64_t lengths[] = {1, 7, 23, 25, 64, 100, 700, 2048, 2100};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

/* Rows whose products with x are hard to add, times powers of two. */
static void hostile(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "panel");
    for (size_t kind = 0; kind < factors_kinds(); kind++)
        for (int l = 0; l < N_LENGTHS; l++) {
            int64_t n = lengths[l];
            int m = n > 500 ? 9 : (int)random_between(&r, 1, MOST_ROWS);
            direction d = (direction)random_between(&r, 0, N_DIRECTIONS - 1);
            if (kind % 2 == 1 && (n == 25 || n == MOST_COLS))
                d = GROWING;
            exb_view v = view_of(d, m, n);
            factors_fill(kind, &r, element, EXB_PARTS * n, row, factor);
            for (int64_t j = 0; j < EXB_PARTS * n; j++)
                x[j] = (exb_real)factor[j];
            for (int i = 0; i < m; i++) {
                int exp2 = (int)random_between(&r, -40, 40);
                for (int64_t j = 0; j < EXB_PARTS * n; j++)
                    a[EXB_PARTS * exb_view_at(v, i, j / EXB_PARTS) + j % EXB_PARTS] =
                        (exb_real)scale_if_exact(row[j], exp2, element);
            }
            each_isa(m, n, d, factors_kind_name(kind));
        }
}

/* All products just below a power of two and of one sign, with full significands: the most
 * that the bounds allow for; then with outliers anywhere, Inf and NaN among them. */
static void at_the_limits(NO_STATE)
{
    static const double outliers[] = {
        0,        0x1p3, 0x1p40, EXB_IS_S ? -0x1p120 : -0x1p600, EXB_IS_S ? 0x1p-140 : 0x1p-300,
        INFINITY, NAN};
    test_random r = test_random_start(test_seed(), "limits");
    for (size_t k = 0; k < sizeof outliers / sizeof *outliers; k++)
        for (int l = 0; l < N_LENGTHS; l++) {
            int64_t n = lengths[l];
            int m = n > 500 ? 9 : 24;
            double scale = EXB_IS_S || k != 4 ? 1 : 0x1p-976; /* below the least anchor's unit */
            for (int64_t i = 0; i < EXB_PARTS * m * n; i++)
                a[i] = (exb_real)(2 - (double)random_between(&r, 1, 1000) * 2 * UNIT);
            for (int64_t j = 0; j < EXB_PARTS * n; j++)
                x[j] = (exb_real)(scale * (1 - (double)random_between(&r, 1, 1000) * UNIT));
            if (k > 0)
                a[random_between(&r, 0, EXB_PARTS * m * n - 1)] = (exb_real)outliers[k];
            for (int d = 0; d < N_DIRECTIONS; d++)
                each_isa(m, n, (direction)d, "limits");
        }
}

static void ordinary_data_is_decided(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "ordinary");
    n_decided = n_sums = 0;
    for (int64_t i = 0; i < EXB_PARTS * 64 * 700; i++)
        a[i] = (exb_real)random_number(&r, element, (int)random_between(&r, -4, 0));
    for (int64_t j = 0; j < EXB_PARTS * 700; j++)
        x[j] = (exb_real)random_number(&r, element, (int)random_between(&r, -4, 0));
    for (int d = 0; d < N_DIRECTIONS; d++)
        each_isa(64, 700, (direction)d, "ordinary");
    assert_int_equal(n_decided, n_sums);
}

TESTS(hostile, at_the_limits, ordinary_data_is_decided)
