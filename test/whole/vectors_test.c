/* Every case of test/vectors, first by the oracle alone (which proves both), then by
 * the library in every mode: full products of instruction sets and methods, of
 * environments and threads, of entries, strides and paddings, and a covering of all pairs of
 * {instruction set, method, threads, floating-point environment, entry and layout, strides,
 * padding}; complex cases in the last of these. */
#include "check_case.h"
#include "hostile_env.h"
#include "level2_model.h"
#include "level2_run.h"
#include "level3_run.h"
#include "oracle.h"
#include "routine_call.h"
#include "testing.h"
#include "vector_reader.h"

#include <exblas/cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* A reduction of real numbers as a call. */
static blas_case to_call(const vector_case *v)
{
    static const struct {
        const char *name;
        blas_op op;
    } routines[] = {{"dsum", OP_SUM}, {"ssum", OP_SUM}, {"dasum", OP_ASUM}, {"dnrm2", OP_NRM2},
                    {"ddot", OP_DOT}, {"sdot", OP_DOT}, {"dsdot", OP_DSDOT}};
    size_t i = 0;
    while (strcmp(routines[i].name, v->routine->name) != 0)
        assert_true(++i < sizeof routines / sizeof *routines);
    blas_case c = {.op = routines[i].op, .type = v->routine->type, .n = vector_int(v, "n")};
    c.x = vector_operand(v, 'x');
    c.y = blas_op_has_y(c.op) ? vector_operand(v, 'y') : NULL;
    return c;
}

/* --- complex reductions, as they are called ---------------------------------------------- */

static void store(void *p, size_t i, double x, bool is_float)
{
    if (is_float)
        ((float *)p)[i] = (float)x;
    else
        ((double *)p)[i] = x;
}

/* n pairs with a stride, the gaps NaN. */
static void *lay_out(const double *pairs, int n, int inc, bool is_float)
{
    size_t n_reals = 2 * (size_t)(n > 0 ? 1 + (n - 1) * abs(inc) : 1);
    void *p = malloc(n_reals * sizeof(double));
    assert_non_null(p);
    for (size_t i = 0; i < n_reals; i++)
        store(p, i, poison(is_float ? FORMAT_S : FORMAT_D), is_float);
    for (int i = 0; i < n; i++) {
        int at = inc < 0 ? (n - 1 - i) * -inc : i * inc;
        store(p, 2 * (size_t)at, pairs[2 * i], is_float);
        store(p, 2 * (size_t)at + 1, pairs[2 * i + 1], is_float);
    }
    return p;
}

static double number_at(const void *result, size_t i, bool is_float)
{
    return is_float ? (double)((const float *)result)[i] : ((const double *)result)[i];
}

static bool reduction_fails(const vector_case *v, const call_mode *m)
{
    placement p = mode_placement(m);
    bool is_float = v->routine->type == 'c';
    bool forward_only = strstr(v->routine->name, "asum") != NULL;
    int n = (int)vector_int(v, "n"), incx = forward_only ? abs(p.incx) : p.incx;
    bool has_y = v->routine->operands[1] == 'y';
    void *x = lay_out(vector_operand(v, 'x'), n, incx, is_float);
    void *y = has_y ? lay_out(vector_operand(v, 'y'), n, p.incy, is_float) : NULL;
    double result[2] = {0};
    routine_call q = {.n = n, .x = x, .incx = incx, .y = y, .incy = p.incy, .result = result};
    hostile_env_enter(p.environment);
    routine_run(v->routine->name, FORM_CBLAS, &q);
    bool ok = hostile_env_leave();
    for (size_t i = 0; i < v->answer.n; i++)
        ok = ok && same_bits(number_at(result, i, is_float), v->answer.value[i]);
    if (!ok) {
        char how[200];
        mode_text(m, how);
        print_error("%s:%d %s: %a %a, not %a\n    %s\n", v->file, v->line, v->routine->name,
                    number_at(result, 0, is_float), number_at(result, 1, is_float),
                    v->answer.value[0], how);
    }
    free(x);
    free(y);
    return !ok;
}

/* --- gemv, trsv and gemm -------------------------------------------------------------- */

/* A case as a problem of Level 2 or 3, with room for its result. */
typedef struct {
    bool is_level3;
    level2_problem two;
    level3_problem three;
    level2_number *operand[VECTOR_MAX_OPERANDS], *result;
} matrix_call;

static level2_number *pairs_of(const vector_array *a, bool is_complex)
{
    level2_number *p = calloc(a->n + 1, sizeof *p);
    assert_non_null(p);
    if (is_complex)
        memcpy(p, a->value, a->n * sizeof *a->value); /* re, im pairs */
    for (size_t i = 0; !is_complex && i < a->n; i++)
        p[i].re = a->value[i];
    return p;
}

static level2_number scalar_of(const vector_case *v, const char *name, bool is_complex)
{
    char re[8], im[8];
    snprintf(re, sizeof re, "%s%s", name, is_complex ? "r" : "");
    snprintf(im, sizeof im, "%si", name);
    return (level2_number){vector_number(v, re), is_complex ? vector_number(v, im) : 0};
}

/* What is written comes last in the file; where nothing is, it is the result. */
static matrix_call matrix_call_of(const vector_case *v)
{
    const char *base = v->routine->name + 1;
    bool is_complex = level2_is_complex(v->routine->type), is_trsv = strcmp(base, "trsv") == 0;
    matrix_call c = {.is_level3 = strcmp(base, "gemm") == 0};
    int last = (int)strlen(v->routine->operands) - 1;
    for (int i = 0; i <= last; i++)
        c.operand[i] = pairs_of(&v->operand[i], is_complex);
    c.result = pairs_of(&v->operand[last], is_complex);
    level2_number alpha = is_trsv ? (level2_number){1, 0} : scalar_of(v, "alpha", is_complex);
    level2_number beta = is_trsv ? (level2_number){0, 0} : scalar_of(v, "beta", is_complex);
    if (c.is_level3) {
        c.three = (level3_problem){.family = L3_GEMM, .type = v->routine->type};
        c.three.transa = vector_letter(v, "transa");
        c.three.transb = vector_letter(v, "transb");
        c.three.m = vector_int(v, "m");
        c.three.n = vector_int(v, "n");
        c.three.k = vector_int(v, "k");
        c.three.alpha = alpha;
        c.three.beta = beta;
        c.three.a = c.operand[0];
        c.three.b = c.operand[1];
        c.three.c = c.operand[2];
        return c;
    }
    c.two = (level2_problem){.family = is_trsv ? L2_TRSV : L2_GEMV, .type = v->routine->type};
    c.two.trans = vector_letter(v, "trans");
    c.two.uplo = is_trsv ? vector_letter(v, "uplo") : 0;
    c.two.diag = is_trsv ? vector_letter(v, "diag") : 0;
    c.two.n = vector_int(v, "n");
    c.two.m = is_trsv ? c.two.n : vector_int(v, "m");
    c.two.alpha = alpha;
    c.two.beta = beta;
    c.two.a = c.operand[0];
    c.two.x = c.operand[1];
    c.two.y = c.operand[2];
    return c;
}

static void matrix_call_free(matrix_call *c)
{
    for (int i = 0; i < VECTOR_MAX_OPERANDS; i++)
        free(c->operand[i]);
    free(c->result);
}

/* Whether something is wrong with the result, or with the call. */
static bool differs(const vector_case *v, const char *wrong, const level2_number *result,
                    const char *how)
{
    bool is_complex = level2_is_complex(v->routine->type);
    for (size_t i = 0; i < v->answer.n && !wrong; i++) {
        double got = !is_complex ? result[i].re : i % 2 ? result[i / 2].im : result[i / 2].re;
        if (!same_bits(got, v->answer.value[i]))
            wrong = "a number is wrong";
    }
    if (wrong)
        print_error("%s:%d %s: %s\n    %s\n", v->file, v->line, v->name, wrong, how);
    return wrong != NULL;
}

static bool matrix_call_fails(const vector_case *v, const call_mode *m)
{
    char how[200];
    matrix_call c = matrix_call_of(v);
    placement p = mode_placement(m);
    const char *wrong = c.is_level3 ? level3_run_problem(&c.three, &p, c.result)
                                    : level2_run_problem(&c.two, &p, c.result);
    mode_text(m, how);
    bool fails = differs(v, wrong, c.result, how);
    matrix_call_free(&c);
    return fails;
}

static bool is_of_matrices(const vector_case *v)
{
    return v->routine->operands[0] == 'a';
}

/* --- modes ------------------------------------------------------------------------- */

static bool fails(const vector_case *v, const call_mode *m)
{
    char label[512];
    if (is_of_matrices(v))
        return matrix_call_fails(v, m);
    if (level2_is_complex(v->routine->type))
        return reduction_fails(v, m);
    blas_case c = to_call(v);
    snprintf(label, sizeof label, "%s:%d %s", v->file, v->line, v->name);
    return !check_case(&c, m, *v->answer.value, label);
}

static size_t failures_in_mode(const vector_file *f, const call_mode *m, size_t *n_run)
{
    size_t failures = 0;
    mode_select(m);
    for (size_t i = 0; i < f->n_cases && failures < 5; i++) {
        failures += fails(&f->cases[i], m);
        (*n_run)++;
    }
    return failures;
}

static vector_file *read_vectors(const char *name)
{
    char path[512];
    const char *dir = getenv("TEST_VECTORS");
    snprintf(path, sizeof path, "%s/%s", dir ? dir : "test/vectors", name);
    vector_file *f = vector_file_read(path);
    assert_non_null(f);
    return f;
}

static bool oracle_differs(const vector_case *v)
{
    if (is_of_matrices(v)) {
        matrix_call c = matrix_call_of(v);
        if (c.is_level3)
            level3_model(&c.three, c.result);
        else
            level2_model(&c.two, c.result);
        bool wrong = differs(v, NULL, c.result, "by the oracle");
        matrix_call_free(&c);
        return wrong;
    }
    blas_case c = to_call(v);
    level2_number result = {oracle_blas(&c), 0};
    return differs(v, NULL, &result, "by the oracle");
}

static void oracle_agrees(void **state)
{
    vector_file *f = read_vectors(*state);
    size_t n_wrong = 0;
    for (size_t i = 0; i < f->n_cases; i++)
        n_wrong += oracle_differs(&f->cases[i]);
    vector_file_free(f);
    assert_int_equal(n_wrong, 0);
}

static void run_modes(const char *name, const call_mode *modes, size_t n_modes)
{
    vector_file *f = read_vectors(name);
    size_t n_run = 0, failures = 0;
    for (size_t i = 0; i < n_modes && failures == 0; i++)
        failures += failures_in_mode(f, &modes[i], &n_run);
    printf("# %s: %zu calls in %zu modes\n", name, n_run, n_modes);
    mode_restore();
    vector_file_free(f);
    assert_int_equal(failures, 0);
    assert_true(n_run > 0);
}

static void product(void **state)
{
    const call_mode *modes;
    size_t n = modes_product(1u << FACTOR_ISA | 1u << FACTOR_METHOD, &modes);
    run_modes(*state, modes, n);
}

static void environments(void **state)
{
    const call_mode *modes;
    size_t n =
        modes_product(1u << FACTOR_ISA | 1u << FACTOR_ENVIRONMENT | 1u << FACTOR_THREADS, &modes);
    run_modes(*state, modes, n);
}

static void placements(void **state)
{
    const call_mode *modes;
    size_t n =
        modes_product(1u << FACTOR_ENTRY | 1u << FACTOR_STRIDES | 1u << FACTOR_PADDING, &modes);
    run_modes(*state, modes, n);
}

static void pairwise(void **state)
{
    const call_mode *modes;
    size_t n = modes_pairwise(&modes);
    run_modes(*state, modes, n);
}

/* Dots of a vector with itself are those with a copy of it, and subnormal ones leave the flag of
 * subnormal operands alone. */
static void with_itself(NO_STATE)
{
    enum { N = 40 };
    static const int increments[][2] = {{1, 1}, {2, 2}, {-1, -1}, {1, 2}, {1, -1}, {3, 3}};
    static const double odd_ones[] = {1, 0x1p600, 0x1p-600, INFINITY, NAN};
    static const double tiny[] = {0x1p-535, 0, 0x1p-536, 0};
    double x[6 * N], copy[6 * N], y[2], right[2];
    for (int i = 0; i < 6 * N; i++)
        x[i] = 1 / (i + 0.7) - 0.1;
    for (size_t k = 0; k < sizeof odd_ones / sizeof *odd_ones; k++)
        for (size_t i = 0; i < sizeof increments / sizeof *increments; i++)
            for (int n = 1; n <= N; n += 13) {
                int incx = increments[i][0], incy = increments[i][1];
                x[0] = odd_ones[k];
                memcpy(copy, x, sizeof x);
                excblas_zdotc_sub(n, x, incx, x, incy, y);
                excblas_zdotc_sub(n, x, incx, copy, incy, right);
                for (int part = 0; part < 2; part++)
                    assert_true(same_bits(y[part], right[part]) ||
                                (isnan(y[part]) && isnan(right[part])));
            }
#if defined(__x86_64__)
    _mm_setcsr(0x1f80);
    excblas_zdotc_sub(2, tiny, 1, tiny, 1, y);
    assert_int_equal(_mm_getcsr(), 0x1f80);
#endif
    assert_true(tiny[0] > 0);
}

int main(void)
{
    static char one[] = "level1.txt", two[] = "level23.txt", complex[] = "complex.txt";
    const struct CMUnitTest tests[] = {
        {"level1.txt, the oracle", oracle_agrees, NULL, NULL, one},
        {"level1.txt, instruction sets x methods", product, NULL, NULL, one},
        {"level1.txt, environments x threads", environments, NULL, NULL, one},
        {"level1.txt, entries x strides x paddings", placements, NULL, NULL, one},
        {"level1.txt, all pairs of modes", pairwise, NULL, NULL, one},
        {"level23.txt, the oracle", oracle_agrees, NULL, NULL, two},
        {"level23.txt, instruction sets x methods", product, NULL, NULL, two},
        {"level23.txt, environments x threads", environments, NULL, NULL, two},
        {"level23.txt, entries x strides x paddings", placements, NULL, NULL, two},
        {"level23.txt, all pairs of modes", pairwise, NULL, NULL, two},
        {"complex.txt, all pairs of modes", pairwise, NULL, NULL, complex},
        cmocka_unit_test(with_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
