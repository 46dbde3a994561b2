/* Products whose terms come panel by panel: what is certified are the bits of gemm, what is not is
 * left as it was, and that is little. */
#include "level3/panels_entry.h"

#include "adversarial.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 220, MOST_TERMS = 500, MOST_PARTS = 5 };

static double a[MOST * MOST_TERMS], b[MOST * MOST_TERMS];
static double c[MOST * MOST], is[MOST * MOST], should_be[MOST * MOST];

/* m x k times k x n; element (i, l) of A at i + l m if it lies by columns, else at i k + l. */
typedef struct {
    int m, n, k, panel, n_moduli;
    bool a_by_columns, b_by_columns;
    double alpha, beta;
} problem;

static exb_panel_operand operand_a(const problem *p, int l)
{
    return p->a_by_columns ? (exb_panel_operand){a + l * p->m, 1, p->m}
                           : (exb_panel_operand){a + l, p->k, 1};
}

static exb_panel_operand operand_b(const problem *p, int l)
{
    return p->b_by_columns ? (exb_panel_operand){b + l, p->k, 1}
                           : (exb_panel_operand){b + l * p->n, 1, p->n};
}

/* Norms of parts, put together. */
static void find_norms(int n, int k, exb_panel_operand x, int n_parts, exb_vector_norms *out)
{
    static exb_vector_norms part[MOST_PARTS][MOST];
    for (int q = 0; q < n_parts; q++) {
        int l = k * q / n_parts, end = k * (q + 1) / n_parts;
        exb_panel_operand from = {x.p + l * x.ls, x.vs, x.ls};
        exb_entry_panel_norms(n, end - l, from, part[q]);
    }
    for (int i = 0; i < n; i++) {
        exb_vector_norms all[MOST_PARTS];
        for (int q = 0; q < n_parts; q++)
            all[q] = part[q][i];
        out[i] = exb_entry_panel_merge_norms(n_parts, all);
    }
}

static exb_panels *multiply(const problem *p, int n_parts)
{
    static exb_vector_norms rows[MOST], cols[MOST];
    find_norms(p->m, p->k, operand_a(p, 0), n_parts, rows);
    find_norms(p->n, p->k, operand_b(p, 0), n_parts, cols);
    exb_panel_product shape = {p->m, p->n,     p->k,    p->panel, p->n_moduli, rows,
                               cols, p->alpha, p->beta, is,       p->m};
    exb_panels *q = exb_entry_panels_open(&shape);
    assert_non_null(q);
    for (int l = 0; l < p->k; l += p->panel) {
        int nl = p->k - l < p->panel ? p->k - l : p->panel;
        exb_entry_panels_add(q, nl, operand_a(p, l), operand_b(p, l));
    }
    return q;
}

/* Returns how many are open. */
static int64_t check_elements(const problem *p, const exb_panels *q)
{
    int64_t i = -1, j = 0, n_open = 0;
    bool more = exb_entry_panels_next(q, &i, &j);
    for (int64_t col = 0; col < p->n; col++)
        for (int64_t row = 0; row < p->m; row++) {
            bool open = more && row == i && col == j;
            int64_t at = col * p->m + row;
            assert_same_bits(is[at], open ? c[at] : should_be[at]);
            n_open += open;
            if (open)
                more = exb_entry_panels_next(q, &i, &j);
        }
    assert_false(more);
    assert_int_equal(n_open, exb_entry_panels_count(q));
    return n_open;
}

static int64_t check_problem(const problem *p, int n_parts)
{
    size_t bytes = sizeof *c * (size_t)p->m * (size_t)p->n;
    memcpy(is, c, bytes);
    memcpy(should_be, c, bytes);
    excblas_dgemm(EXBLAS_COL_MAJOR, p->a_by_columns ? EXBLAS_NO_TRANS : EXBLAS_TRANS,
                  p->b_by_columns ? EXBLAS_NO_TRANS : EXBLAS_TRANS, p->m, p->n, p->k, p->alpha, a,
                  p->a_by_columns ? p->m : p->k, b, p->b_by_columns ? p->k : p->n, p->beta,
                  should_be, p->m);
    exb_panels *q = multiply(p, n_parts);
    int64_t n_open = check_elements(p, q);
    exb_entry_panels_close(q);
    return n_open;
}

static void fill(size_t kind, test_random *r)
{
    static double first[MOST * MOST_TERMS], second[MOST * MOST_TERMS];
    factors_fill(kind % factors_kinds(), r, kind % 3 ? FORMAT_D : FORMAT_S, MOST * MOST_TERMS,
                 first, second);
    memcpy(a, first, sizeof a);
    memcpy(b, second, sizeof b);
    for (int i = 0; i < MOST * MOST; i++)
        c[i] = i % 7 ? random_number(r, FORMAT_D, (int)random_between(r, -40, 40)) : first[i];
}

static problem random_problem(test_random *r)
{
    static const double scalar[] = {1, 0, -0.75, 0x1p-1074, 0x1p900};
    problem p = {.m = (int)random_between(r, 1, MOST),
                 .n = (int)random_between(r, 1, MOST),
                 .k = (int)random_between(r, 1, MOST_TERMS),
                 .panel = (int)random_between(r, 1, 200),
                 .n_moduli = (int)random_between(r, 5, 20)};
    p.a_by_columns = random_chance(r, 2);
    p.b_by_columns = random_chance(r, 2);
    p.alpha = scalar[random_between(r, 0, 4)];
    p.alpha = p.alpha == 0 ? 3 : p.alpha;
    p.beta = scalar[random_between(r, 0, 4)];
    return p;
}

static void adversarial_numbers(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "panels");
    for (size_t round = 0; round < 3 * factors_kinds(); round++) {
        fill(round, &r);
        problem p = random_problem(&r);
        check_problem(&p, (int)random_between(&r, 1, MOST_PARTS));
    }
}

/* Numbers of like size: next to nothing is open, whatever the panels. */
static void usual_numbers(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "usual panels");
    for (int i = 0; i < MOST * MOST; i++)
        c[i] = random_number(&r, FORMAT_D, 0);
    exblas_set_method("residue");
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < MOST * MOST_TERMS; i++) {
            a[i] = random_number(&r, FORMAT_D, (int)random_between(&r, -3, 3));
            b[i] = random_number(&r, FORMAT_D, (int)random_between(&r, -3, 3));
        }
        problem p = {MOST, MOST - round, MOST_TERMS, 40 + 60 * round, 0, true, true, 1, round % 2};
        p.n_moduli =
            exb_entry_panel_moduli(p.m, p.n, p.k, p.panel, operand_a(&p, 0), operand_b(&p, 0));
        assert_in_range(p.n_moduli, 5, 20);
        assert_true(check_problem(&p, 3) < p.m * p.n / 1000);
    }
    exblas_set_method("auto");
}

/* What scaling takes below the normal numbers is lost, and not unnoticed: it is all that counts. */
static void tiny_beside_huge(void **state)
{
    (void)state;
    double huge_row[] = {0x1p700, 3 * 0x1p-900}, column[] = {0, 5 * 0x1p900};
    problem p = {1, 1, 2, 1, 10, true, true, 1, 0};
    memcpy(a, huge_row, sizeof huge_row);
    memcpy(b, column, sizeof column);
    check_problem(&p, 2);
    assert_true(should_be[0] == 15);
}

/* Parts of very different sizes, and of none: their norms are those of the whole. */
static void norms_of_parts(void **state)
{
    (void)state;
    double x[] = {0, 0, 0x1p-600, 3 * 0x1p-600, 0x1p700, 0, 0x1p-1074, 1};
    exb_panel_operand first = {x, 0, 1}, second = {x + 4, 0, 1}, third = {x + 2, 0, 1};
    exb_vector_norms part[3], all;
    exb_entry_panel_norms(1, 2, first, &part[0]);
    exb_entry_panel_norms(1, 4, second, &part[1]);
    exb_entry_panel_norms(1, 2, third, &part[2]);
    all = exb_entry_panel_merge_norms(3, part);
    assert_true(ldexp(all.sumsq, 2 * (int)(all.shift - 700)) == 1);
    assert_true(all.largest == 0x1p700 && all.least == 0x1p-1074);
    all = exb_entry_panel_merge_norms(1, part);
    assert_true(all.sumsq == 0 && all.largest == 0 && all.least == HUGE_VAL);
    part[1] = part[2];
    all = exb_entry_panel_merge_norms(2, part);
    assert_true(ldexp(all.sumsq, 2 * (int)all.shift + 1200) == 10);
    x[4] = NAN;
    exb_entry_panel_norms(1, 4, second, &part[1]);
    all = exb_entry_panel_merge_norms(3, part);
    assert_true(isnan(all.sumsq));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adversarial_numbers),
        cmocka_unit_test(usual_numbers),
        cmocka_unit_test(tiny_beside_huge),
        cmocka_unit_test(norms_of_parts),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
