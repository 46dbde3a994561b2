/* Every case of test/vectors, first by the oracle alone (which proves both), then by
 * the library in every mode: full products of instruction sets and methods, of
 * environments and threads, of entries, strides and paddings, and a covering of all pairs of
 * {instruction set, method, threads, floating-point environment, entry and layout, strides,
 * padding}; complex cases in the last of these. */
#include "check_case.h"
#include "hostile_env.h"
#include "level2_run.h"
#include "level3_run.h"
#include "oracle.h"
#include "routine_call.h"
#include "vector_reader.h"

#include <exblas/cblas.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <cmocka.h>

/* A real case of the file as a call. */
typedef void convert(const vector_case *v, blas_case *c);

static void level1(const vector_case *v, blas_case *c)
{
    c->n = vector_int(v, "n");
    c->x = vector_operand(v, 'x');
    if (v->routine->operands[1] == 'y')
        c->y = vector_operand(v, 'y');
}

static void gemv(const vector_case *v, blas_case *c)
{
    c->transa = vector_letter(v, "trans");
    c->m = vector_int(v, "m");
    c->n = vector_int(v, "n");
    c->alpha = vector_number(v, "alpha");
    c->beta = vector_number(v, "beta");
    c->a = vector_operand(v, 'a');
    c->x = vector_operand(v, 'x');
    c->y = vector_operand(v, 'y');
}

static void trsv(const vector_case *v, blas_case *c)
{
    c->uplo = vector_letter(v, "uplo");
    c->transa = vector_letter(v, "trans");
    c->diag = vector_letter(v, "diag");
    c->n = vector_int(v, "n");
    c->a = vector_operand(v, 'a');
    c->x = vector_operand(v, 'x');
}

static void gemm(const vector_case *v, blas_case *c)
{
    c->transa = vector_letter(v, "transa");
    c->transb = vector_letter(v, "transb");
    c->m = vector_int(v, "m");
    c->n = vector_int(v, "n");
    c->k = vector_int(v, "k");
    c->alpha = vector_number(v, "alpha");
    c->beta = vector_number(v, "beta");
    c->a = vector_operand(v, 'a');
    c->b = vector_operand(v, 'b');
    c->c = vector_operand(v, 'c');
}

static const struct {
    const char *name;
    blas_op op;
    convert *convert;
} routines[] = {
    {"dsum", OP_SUM, level1},    {"ssum", OP_SUM, level1}, {"dasum", OP_ASUM, level1},
    {"dnrm2", OP_NRM2, level1},  {"ddot", OP_DOT, level1}, {"sdot", OP_DOT, level1},
    {"dsdot", OP_DSDOT, level1}, {"dgemv", OP_GEMV, gemv}, {"sgemv", OP_GEMV, gemv},
    {"dtrsv", OP_TRSV, trsv},    {"strsv", OP_TRSV, trsv}, {"dgemm", OP_GEMM, gemm},
    {"sgemm", OP_GEMM, gemm},
};
enum { N_ROUTINES = sizeof routines / sizeof *routines };

static void to_call(const vector_case *v, blas_case *c)
{
    int i = 0;
    while (i < N_ROUTINES && strcmp(routines[i].name, v->routine->name) != 0)
        i++;
    if (i == N_ROUTINES)
        fail_msg("%s:%d: %s is not in the table", v->file, v->line, v->routine->name);
    *c = (blas_case){.op = routines[i].op, .type = v->routine->type};
    routines[i].convert(v, c);
}

/* --- complex cases, as they are called ---------------------------------------------- */

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

/* What is wrong with numbers that came out, or with the call. */
static bool differs(const vector_case *v, const call_mode *m, const char *wrong,
                    const level2_number *result)
{
    for (size_t i = 0; i < v->answer.n && !wrong; i++)
        if (!same_bits(i % 2 ? result[i / 2].im : result[i / 2].re, v->answer.value[i]))
            wrong = "a number is wrong";
    if (wrong) {
        char how[200];
        mode_text(m, how);
        print_error("%s:%d %s: %s\n    %s\n", v->file, v->line, v->name, wrong, how);
    }
    return wrong != NULL;
}

static const level2_number *complex_operand(const vector_case *v, char name)
{
    return (const level2_number *)vector_operand(v, name); /* re, im pairs */
}

static bool complex_trsv_fails(const vector_case *v, const call_mode *m)
{
    enum { MOST = 16 };
    placement p = mode_placement(m);
    level2_problem q = {.family = L2_TRSV, .type = v->routine->type};
    level2_number result[MOST];
    q.m = q.n = vector_int(v, "n");
    assert_in_range(q.n, 0, MOST);
    q.trans = vector_letter(v, "trans");
    q.uplo = vector_letter(v, "uplo");
    q.diag = vector_letter(v, "diag");
    q.a = complex_operand(v, 'a');
    q.x = complex_operand(v, 'x');
    return differs(v, m, level2_run_problem(&q, &p, result), result);
}

static bool complex_gemm_fails(const vector_case *v, const call_mode *m)
{
    enum { MOST = 64 };
    placement p = mode_placement(m);
    level3_problem q = {.family = L3_GEMM, .type = v->routine->type};
    level2_number result[MOST];
    q.m = vector_int(v, "m");
    q.n = vector_int(v, "n");
    q.k = vector_int(v, "k");
    assert_in_range(q.m * q.n, 0, MOST);
    q.transa = vector_letter(v, "transa");
    q.transb = vector_letter(v, "transb");
    q.alpha = (level2_number){vector_number(v, "alphar"), vector_number(v, "alphai")};
    q.beta = (level2_number){vector_number(v, "betar"), vector_number(v, "betai")};
    q.a = complex_operand(v, 'a');
    q.b = complex_operand(v, 'b');
    q.c = complex_operand(v, 'c');
    memcpy(result, q.c, v->answer.n * sizeof(double)); /* for quick returns */
    return differs(v, m, level3_run_problem(&q, &p, result), result);
}

static bool complex_fails(const vector_case *v, const call_mode *m)
{
    const char *name = v->routine->name + 1;
    if (strcmp(name, "trsv") == 0)
        return complex_trsv_fails(v, m);
    if (strcmp(name, "gemm") == 0)
        return complex_gemm_fails(v, m);
    return reduction_fails(v, m);
}

/* --- modes ------------------------------------------------------------------------- */

static bool real_fails(const vector_case *v, const call_mode *m)
{
    blas_case c;
    char label[512];
    to_call(v, &c);
    snprintf(label, sizeof label, "%s:%d %s", v->file, v->line, v->name);
    return !check_case(&c, m, v->answer.value, label);
}

static size_t failures_in_mode(const vector_file *f, const call_mode *m, size_t *n_run)
{
    size_t failures = 0;
    mode_select(m);
    for (size_t i = 0; i < f->n_cases && failures < 5; i++) {
        const vector_case *v = &f->cases[i];
        bool is_complex = strchr("cz", v->routine->type) != NULL;
        failures += is_complex ? complex_fails(v, m) : real_fails(v, m);
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

/* How many elements of the case's answer the oracle finds otherwise. */
static size_t oracle_differs(const vector_case *v, const blas_case *c)
{
    size_t n = blas_result_length(c), n_wrong = 0;
    double *result = calloc(n ? n : 1, sizeof *result);
    assert_non_null(result);
    assert_int_equal(n, v->answer.n);
    oracle_blas(c, result);
    for (size_t i = 0; i < n; i++)
        if (!same_bits(result[i], v->answer.value[i])) {
            print_error("%s:%d %s: the oracle has %a, not %a\n", v->file, v->line, v->name,
                        result[i], v->answer.value[i]);
            n_wrong++;
        }
    free(result);
    return n_wrong;
}

static void oracle_agrees(void **state)
{
    vector_file *f = read_vectors(*state);
    size_t n_wrong = 0;
    for (size_t i = 0; i < f->n_cases; i++) {
        blas_case c;
        to_call(&f->cases[i], &c);
        n_wrong += oracle_differs(&f->cases[i], &c);
    }
    vector_file_free(f);
    assert_int_equal(n_wrong, 0);
}

static void run_modes(const char *name, call_mode *modes, size_t n_modes)
{
    vector_file *f = read_vectors(name);
    size_t n_run = 0, failures = 0;
    for (size_t i = 0; i < n_modes && failures == 0; i++)
        failures += failures_in_mode(f, &modes[i], &n_run);
    printf("# %s: %zu calls in %zu modes\n", name, n_run, n_modes);
    mode_restore();
    vector_file_free(f);
    free(modes);
    assert_int_equal(failures, 0);
    assert_true(n_run > 0);
}

static void product(void **state)
{
    call_mode *modes;
    size_t n = modes_product(1u << FACTOR_ISA | 1u << FACTOR_METHOD, &modes);
    run_modes(*state, modes, n);
}

static void environments(void **state)
{
    call_mode *modes;
    size_t n =
        modes_product(1u << FACTOR_ISA | 1u << FACTOR_ENVIRONMENT | 1u << FACTOR_THREADS, &modes);
    run_modes(*state, modes, n);
}

static void placements(void **state)
{
    call_mode *modes;
    size_t n =
        modes_product(1u << FACTOR_ENTRY | 1u << FACTOR_STRIDES | 1u << FACTOR_PADDING, &modes);
    run_modes(*state, modes, n);
}

static void pairwise(void **state)
{
    call_mode *modes;
    size_t n = modes_pairwise(&modes);
    run_modes(*state, modes, n);
}

/* Dots of a vector with itself are those with a copy of it, and subnormal ones leave the flag of
 * subnormal operands alone. */
static void with_itself(void **state)
{
    enum { N = 40 };
    static const int increments[][2] = {{1, 1}, {2, 2}, {-1, -1}, {1, 2}, {1, -1}, {3, 3}};
    static const double odd_ones[] = {1, 0x1p600, 0x1p-600, INFINITY, NAN};
    static const double tiny[] = {0x1p-535, 0, 0x1p-536, 0};
    double x[6 * N], copy[6 * N], y[2], right[2];
    (void)state;
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
