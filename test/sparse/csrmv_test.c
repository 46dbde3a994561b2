/* Sparse products against the oracle. */
#include "adversarial.h"
#include "csr_case.h"
#include "modes.h"
#include "testing.h"

#include <exblas/sparse.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_OUTPUTS = 3 * 6000 };

static test_number result[MOST_OUTPUTS];

static csr_form form_of(const csr_case *c, const call_mode *m)
{
    csr_form f = {.wide = m->level[FACTOR_ENTRY] >= 3};
    f.as_matrix = c->kind == CSR_GENERAL && (c->n_vectors > 1 || m->level[FACTOR_STRIDES] > 1);
    f.by_rows = m->level[FACTOR_ENTRY] % 2;
    f.padding = m->level[FACTOR_PADDING];
    return f;
}

static void check_form(const csr_case *c, const call_mode *m, csr_form f)
{
    mode_select(m);
    assert_int_equal(csr_call(c, f, m->level[FACTOR_ENVIRONMENT], result), EXBLAS_OK);
    if (!csr_case_holds(c, result)) {
        char text[200];
        mode_text(m, text);
        fail_msg("%s%s", f.by_handle ? "by handle: " : "", text);
    }
}

static void check(const csr_case *c, const call_mode *m)
{
    csr_form f = form_of(c, m);
    check_form(c, m, f);
    if (csr_case_has_handle(c))
        check_form(c, m, (csr_form){.wide = f.wide, .by_handle = true});
}

static void random_cases_in_all_modes(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "csrmv");
    print_message("# seed: TEST_SEED=%llu\n", (unsigned long long)test_seed());
    size_t kind = 0;
    for (int round = 0; round < 160; round++) {
        size_t shape = (size_t)round % csr_shapes();
        csr_case c =
            csr_case_make(&r, "dszc"[round / 8 % 4], shape, kind++ % factors_kinds(), 1600);
        for (int i = 0; i < 6; i++) {
            call_mode m = *mode_next();
            if (i % 2)
                m.level[FACTOR_METHOD] = 0;
            check(&c, &m);
        }
        csr_case_free(&c);
    }
    mode_restore();
}

static void in_some_modes(csr_case *c, int count)
{
    for (int i = 0; i < count; i++) {
        call_mode m = *mode_next();
        m.level[FACTOR_METHOD] = 0;
        check(c, &m);
    }
}

/* A case with room for rows that are put one after the other. */
static csr_case begin_rows(char type, int64_t m, int64_t n, int64_t most)
{
    csr_case c = csr_case_empty(type, m, n, most, 1);
    c.n_entries = 0;
    c.alpha.re = 1;
    return c;
}

static void put_entry(csr_case *c, int64_t column, double value)
{
    c->column[c->n_entries] = column;
    c->value[c->n_entries++].re = value;
}

/* Row i ends here. */
static void end_row(csr_case *c, int64_t i)
{
    c->row_start[i + 1] = c->n_entries;
}

static void answer_in_some_modes(csr_case *c, int count)
{
    csr_case_answer(c);
    in_some_modes(c, count);
    csr_case_free(c);
}

/* Coefficients of few bits: sums end in ties, or are 0. */
static void stencils(NO_STATE)
{
    static const double stencil[] = {-1, -1, 6, -1, -1, 0.5, 2, -8};
    test_random r = test_random_start(test_seed(), "stencils");
    for (int round = 0; round < 24; round++) {
        number_format f = format_of_type("dszc"[round % 4]);
        csr_case c = csr_case_make(&r, "dszc"[round % 4], 1, 0, 1600);
        for (int64_t k = 0; k < c.n_entries; k++)
            c.value[k] = (test_number){stencil[random_between(&r, 0, 7)],
                                       is_complex_type(c.type) ? random_between(&r, -2, 2) : 0};
        for (int64_t i = 0; i < c.n_vectors * c.n_in; i++) {
            double x = random_number(&r, f, round % 3 ? -1 : 0);
            c.x[i].re = round % 5 ? x : 3;
        }
        c.alpha = (test_number){round % 2 ? 1 : -2, 0};
        csr_case_answer(&c);
        in_some_modes(&c, 12);
        csr_case_free(&c);
    }
    mode_restore();
}

/* Inf and NaN among the entries and in the vectors. */
static void special_values(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "specials");
    for (int round = 0; round < 32; round++) {
        double few[40];
        csr_case c = csr_case_make(&r, "dszc"[round % 4], (size_t)round / 4 % 5, 0, 1600);
        for (int i = 0; i < 40; i++)
            few[i] = random_number(&r, format_of_type(c.type), 0);
        sprinkle_specials(&r, 40, few);
        for (int i = 0; i < 40 && c.n_entries > 0; i++) {
            test_number *to[] = {c.value + random_between(&r, 0, c.n_entries - 1),
                                 c.x + random_between(&r, 0, c.n_in - 1),
                                 c.y + random_between(&r, 0, c.n_out - 1)};
            test_number *one = to[random_between(&r, 0, 2)];
            if (few[i] - few[i] != 0)
                *(is_complex_type(c.type) && i % 2 ? &one->im : &one->re) = few[i];
        }
        csr_case_answer(&c);
        in_some_modes(&c, 10);
        csr_case_free(&c);
    }
    mode_restore();
}

/* Products far below and above the format, exact or lost: each row has two that cancel and one. */
static void far_exponents(NO_STATE)
{
    for (int e = -1074; e <= 1000; e += 61)
        for (int g = -1074; g <= 1000; g += 83) {
            csr_case c = begin_rows('d', 4, 3, 12);
            double a = power_of_two(e), b = power_of_two(g);
            for (int i = 0; i < 4; i++) {
                for (int k = 0; k < 3; k++)
                    put_entry(&c, k, k == 0 ? a : k == 1 ? -a : i * a);
                end_row(&c, i);
            }
            c.x[0].re = c.x[1].re = b;
            c.x[2].re = b + b * 0x1p-52;
            answer_in_some_modes(&c, 2);
        }
    mode_restore();
}

/* Bits that no computed number shows decide a tie: a product that underflows to 0, one whose lower
 * part rounds to a multiple of the unit that counts as exact, one below what lower parts hold. */
static void hidden_bits(NO_STATE)
{
    enum { ENTRIES = 6, KINDS = 3, ROWS = 9 };
    static const double rows[KINDS][ENTRIES][2] = {
        {{1, 1}, {0x1p-53, 1}, {0x1p-600, 0x1p-600}},
        {{1 + 0x1p-52, 1}, {1 - 0x1p-53, 1 - 0x1p-37}},
        {{1, 1}, {1, 0x1p-53}, {1, 0x1.0000000000001p-60}, {1, -0x1p-60}},
    };
    for (int round = 0; round < 2 * KINDS; round++) {
        int64_t m = round < KINDS ? 1 : ROWS;
        csr_case c = begin_rows('d', m, ENTRIES, m * ENTRIES);
        for (int64_t k = 0; k < m * ENTRIES; k++) {
            put_entry(&c, k % ENTRIES, rows[round % KINDS][k % ENTRIES][0]);
            end_row(&c, k / ENTRIES);
            c.x[k % ENTRIES].re = rows[round % KINDS][k % ENTRIES][1];
        }
        answer_in_some_modes(&c, 40);
    }
    mode_restore();
}

/* One entry a row: products that round, underflow, overflow, and zeros of either sign. */
static void single_entries(NO_STATE)
{
    enum { FACTORS = 12, ROWS = FACTORS * FACTORS };
    static const double factors[][FACTORS] = {
        {0, -0.0, 1, -3, 0x1p-600, -0x1p-538, 0x1p-500, 0x1p1000, -0x1p1000, INFINITY, NAN,
         0x1.8p-537},
        {0, -0.0, 1, -3, 0x1p-80, -0x1p-75, 0x1p-70, 0x1p120, -0x1p120, INFINITY, NAN, 0x1.8p-74},
    };
    for (int round = 0; round < 4; round++) {
        csr_case c = begin_rows("ds"[round % 2], ROWS, ROWS, ROWS);
        const double *factor = factors[round % 2];
        for (int64_t i = 0; i < ROWS; i++) {
            put_entry(&c, round < 2 ? i : ROWS - 1 - i, factor[i / FACTORS]);
            end_row(&c, i);
            c.x[c.column[i]].re = factor[i % FACTORS];
        }
        answer_in_some_modes(&c, 12);
    }
    mode_restore();
}

/* Every length of one row among short ones: at and above what a block and what a task takes. */
static void every_length(NO_STATE)
{
    enum { ROWS = 70, MOST = 1100 };
    for (int n = 0; n <= MOST; n += n < 40 || n > MOST - 100 ? 1 : 37) {
        csr_case c = begin_rows('d', ROWS, MOST, n + 2 * ROWS);
        for (int i = 0; i < ROWS; i++) {
            int length = i == n % ROWS ? n : 2;
            for (int k = 0; k < length; k++)
                put_entry(&c, c.n_entries % MOST, 1);
            end_row(&c, i);
            c.answer[i].re = length + (c.y[i].re = 1);
        }
        for (int64_t i = 0; i < MOST; i++)
            c.x[i].re = 1;
        c.beta.re = 1;
        in_some_modes(&c, 3);
        csr_case_free(&c);
    }
    mode_restore();
}

/* Neighbours on a grid: diagonals, of which rows at the border lack some; entries that are given
 * twice; values of few bits, whose sums end in ties, or of many. What rows lack is next to Inf, NaN
 * and numbers far from 1. */
static csr_case make_grid(test_random *r, char type, int side, int round)
{
    number_format f = format_of_type(type);
    int64_t n = (int64_t)side * side;
    csr_case c = begin_rows(type, n, n, 6 * n);
    const int64_t step[] = {-side, -1, 0, 1, side};
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < 5; k++) {
            int64_t j = i + step[k];
            bool wraps = (step[k] == 1 && j % side == 0) || (step[k] == -1 && i % side == 0);
            double value = round % 2 ? random_number(r, f, 0) : k == 2 ? 4 : -1;
            if (j >= 0 && j < n && !wraps)
                put_entry(&c, j, value);
            if (k == 2 && round % 3 == 2)
                put_entry(&c, j, value);
        }
        end_row(&c, i);
        c.x[i].re = random_number(r, f, 0);
        c.y[i].re = random_number(r, f, 0);
    }
    const double odd[] = {INFINITY, NAN, f == FORMAT_D ? 0x1p-900 : 0x1p-100, 0};
    for (int k = 0; k < 4 && round % 4; k++)
        c.x[random_between(r, 0, n - 1)].re = odd[(k + round) % 4];
    c.alpha.re = round % 5 ? 1 : -0.75;
    c.beta.re = round % 7 ? 0 : 1;
    return c;
}

static void grids(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "grids");
    for (int round = 0; round < 48; round++) {
        csr_case c = make_grid(&r, "ds"[round / 2 % 2], 8 + round % 13, round);
        answer_in_some_modes(&c, 8);
    }
    mode_restore();
}

/* Of x, which lies between pages that cannot be read, nothing else is read: not at the places by
 * which slices are filled up, nor behind the last one. */
static void vector_alone(NO_STATE)
{
    enum { MOST = 80 };
    static int32_t start[MOST + 1], column[3 * MOST];
    static double value[3 * MOST], y[MOST], expected[MOST];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED && mprotect(pages + page, page, PROT_READ | PROT_WRITE) == 0);
    for (int n = 1; n <= MOST; n++)
        for (int round = 0; round < 4; round++) {
            size_t at_end = round % 2 ? page - (size_t)n * sizeof(double) : 0;
            double *x = (double *)(pages + page + at_end);
            int at = 0, band = round / 2;
            for (int i = 0; i < n; i++) {
                x[i] = 1 + 0x1p-30 * i;
                start[i] = at;
                for (int j = i > band ? i - band : 0; j <= i + band && j < n; j++) {
                    column[at] = j;
                    value[at++] = i == j ? 0.1 + i : -1;
                }
            }
            start[n] = at;
            exblas_dcsr_handle *handle;
            assert_int_equal(exblas_dcsr_create(n, n, start, column, value, &handle), EXBLAS_OK);
            exblas_dcsr_mv(handle, 1, x, 0, y);
            exblas_dcsr_free(handle);
            exblas_dcsrmv(EXBLAS_NO_TRANS, n, n, 1, start, column, value, x, 0, expected);
            for (int i = 0; i < n; i++)
                assert_same_bits(y[i], expected[i]);
        }
    munmap(pages, 3 * page);
}

/* Rows of all lengths beside each other, so that they change their order, some too long for slices;
 * an infinite element in a column that only the longest rows have, and where empty rows are. */
static void unequal_rows(NO_STATE)
{
    enum { COLUMNS = 2500 };
    test_random r = test_random_start(test_seed(), "unequal");
    for (int round = 0; round < 12; round++) {
        char type = "ds"[round % 2];
        int64_t m = random_between(&r, 1, 1200), longest[] = {0, 3, 20, 300};
        csr_case c = begin_rows(type, m, COLUMNS, 2 * 2200 + 40 * m + 6000);
        for (int64_t i = 0; i < m; i++) {
            int64_t most = longest[random_between(&r, 0, random_chance(&r, 40) ? 3 : 2)];
            int64_t n = i == m / 2 ? 2200 : random_between(&r, 0, most);
            if (c.n_entries + n > 40 * m + 2 * 2200)
                n = 0;
            for (int64_t k = 0; k < n; k++)
                put_entry(&c, random_between(&r, 0, COLUMNS - 1),
                          random_number(&r, format_of_type(type), round % 3));
            end_row(&c, i);
        }
        for (int64_t i = 0; i < COLUMNS; i++)
            c.x[i].re = random_number(&r, format_of_type(type), 0);
        if (c.n_entries > 0 && round % 4 > 1)
            c.x[c.column[random_between(&r, 0, c.n_entries - 1)]].re = INFINITY;
        answer_in_some_modes(&c, 6);
    }
    mode_restore();
}

/* A row whose lower parts, added up in this order, end above the midpoint 1 + 2^-53, although the
 * sum is below it: 3/4 of the last place of 2^(s - 38) is rounded up. With an anchor for 1 that is
 * far more than the rounding test allows for by itself, and less than the bound. */
static void put_midpoint(csr_case *c, int64_t column, int s, double scale)
{
    double large = power_of_two(s - 38), small = 0.75 * power_of_two(s - 90);
    const double term[] = {1, 0x1p-53, large, small, -large, -small - power_of_two(s - 95)};
    for (int k = 0; k < 6; k++)
        put_entry(c, column, scale * term[k]);
}

/* Sums next to midpoints, of one size and of many: anchors of blocks do not always fit the next. */
static void next_to_midpoints(NO_STATE)
{
    enum { ROWS = 320, ENTRIES = 6 };
    test_random r = test_random_start(test_seed(), "midpoints");
    for (int round = 0; round < 12; round++) {
        csr_case c = begin_rows('d', ROWS, 3 * ROWS, ENTRIES * ROWS);
        for (int64_t i = 0; i < ROWS; i++) {
            int e = round % 3 == 0   ? 0
                    : round % 3 == 1 ? (int)random_between(&r, -3, 3)
                                     : (int)(i / 64 * (round - 6) * 7);
            double sign = random_chance(&r, 2) ? 1 : -1;
            int64_t column = random_between(&r, 0, 3 * ROWS - 1);
            put_midpoint(&c, column, (int)random_between(&r, -6, 2), sign * power_of_two(e));
            end_row(&c, i);
        }
        for (int64_t i = 0; i < 3 * ROWS; i++)
            c.x[i].re = 1;
        answer_in_some_modes(&c, 8);
    }
    mode_restore();
}

/* What the calls with bad arguments leave alone. */
static double y[3];

static void assert_refused(exblas_status status)
{
    assert_int_equal(status, EXBLAS_EINVAL);
    for (int i = 0; i < 3; i++)
        assert_same_bits(y[i], 7);
}

static void bad_arguments(NO_STATE)
{
    enum { N = EXBLAS_NO_TRANS, T = EXBLAS_TRANS };
    static const int32_t start[] = {0, 2, 2, 3}, down[] = {0, 2, 1, 3}, negative[] = {-1, 0, 1, 2};
    static const int32_t column[] = {0, 2, 1}, outside[] = {0, 3, 1}, below[] = {0, 2, -1};
    static const int64_t wide[] = {0, 2, 2, 3}, far[] = {0, 2, 3}, below_wide[] = {0, -1, 1};
    const double v[] = {1, 2, 4}, x[] = {1, 10, 100};
    for (int i = 0; i < 3; i++)
        y[i] = 7;
    assert_refused(exblas_dcsrmv(110, 3, 3, 1, start, column, v, x, 0, y));
    assert_refused(exblas_dcsrmv(N, -1, 3, 1, start, column, v, x, 0, y));
    assert_refused(exblas_dcsrmv(N, 3, -1, 1, start, column, v, x, 0, y));
    assert_refused(exblas_dcsrmv(N, 3, 0, 1, start, column, v, x, 0, y));
    assert_refused(exblas_dcsrmv(N, 3, 3, 1, down, column, v, x, 0, y));
    assert_refused(exblas_dcsrmv(N, 3, 3, 1, negative, column, v, x, 0, y));
    assert_refused(exblas_dcsrmv(N, 3, 3, 1, NULL, column, v, x, 0, y));
    assert_refused(exblas_dcsrmv(N, 3, 3, 1, start, NULL, v, x, 0, y));
    assert_refused(exblas_dcsrmv(N, 3, 3, 1, start, column, NULL, x, 0, y));
    assert_refused(exblas_dcsrmv(N, 3, 3, 1, start, column, v, NULL, 0, y));
    assert_refused(exblas_dcsrmv(N, 3, 3, 1, start, column, v, x, 0, NULL));
    assert_refused(exblas_dcsrmv(N, 3, 3, 1, start, outside, v, x, 0, y));
    assert_refused(exblas_dcsrmv(N, 3, 3, 1, start, below, v, x, 0, y));
    assert_refused(exblas_dcsrmv(T, 3, 3, 1, start, outside, v, x, 0, y));
    assert_refused(exblas_dcsrmv(N, 3, 3, 0, start, outside, v, x, 1, y));
    assert_refused(exblas_dcsrmv_64(N, 3, 3, 1, wide, far, v, x, 0, y));
    assert_refused(exblas_dcsrmv_64(N, 3, 3, 1, wide, below_wide, v, x, 0, y));
    assert_refused(exblas_dcsrsymv(120, 3, 1, start, column, v, x, 0, y));
    assert_refused(exblas_dcsrsymv(EXBLAS_UPPER, 3, 1, start, outside, v, x, 0, y));
    assert_refused(exblas_dcsrmm(100, N, 3, 3, 1, 1, start, column, v, x, 3, 0, y, 3));
    assert_refused(exblas_dcsrmm(EXBLAS_COL_MAJOR, N, 3, 3, 1, 1, start, column, v, x, 2, 0, y, 3));
    assert_refused(exblas_dcsrmm(EXBLAS_COL_MAJOR, N, 3, 3, 1, 1, start, column, v, x, 3, 0, y, 2));
    assert_refused(exblas_dcsrmm(EXBLAS_ROW_MAJOR, N, 3, 3, 2, 1, start, column, v, x, 1, 0, y, 2));
    assert_refused(
        exblas_dcsrmm(EXBLAS_COL_MAJOR, N, 3, 3, -1, 1, start, column, v, x, 3, 0, y, 3));
    assert_int_equal(exblas_dcsrmv(N, 0, 3, 1, NULL, NULL, NULL, x, 0, NULL), EXBLAS_OK);
    exblas_dcsr_handle *h = NULL;
    assert_refused(exblas_dcsr_create(-1, 3, start, column, v, &h));
    assert_refused(exblas_dcsr_create(3, 3, down, column, v, &h));
    assert_refused(exblas_dcsr_create(3, 3, start, outside, v, &h));
    assert_refused(exblas_dcsr_create(3, 3, start, NULL, v, &h));
    assert_refused(exblas_dcsr_create_64(3, 3, wide, below_wide, v, &h));
    assert_refused(exblas_dcsr_create(3, 3, start, column, v, NULL));
    assert_null(h);
    assert_int_equal(exblas_dcsr_create(3, 3, start, column, v, &h), EXBLAS_OK);
    assert_refused(exblas_dcsr_mv(NULL, 1, x, 0, y));
    assert_refused(exblas_dcsr_mv(h, 1, NULL, 0, y));
    assert_refused(exblas_dcsr_mv(h, 1, x, 0, NULL));
    assert_refused(exblas_dcsr_handle_apply(h, 2, x, y));
    exblas_dcsr_free(h);
    exblas_dcsr_free(NULL);
    y[1] = NAN; /* is not read */
    assert_int_equal(exblas_dcsrmv(N, 3, 3, 1, start, column, v, x, 0, y), EXBLAS_OK);
    assert_same_bits(y[0], 201);
    assert_same_bits(y[1], 0);
    assert_same_bits(y[2], 40);
}

TESTS(bad_arguments, every_length, single_entries, stencils, special_values, far_exponents,
      hidden_bits, grids, vector_alone, unequal_rows, next_to_midpoints, random_cases_in_all_modes)
