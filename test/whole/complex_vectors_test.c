/* The cases of test/vectors/complex.txt in all pairs of modes. */
#include "hostile_env.h"
#include "level2_run.h"
#include "level3_run.h"
#include "modes.h"
#include "testing.h"
#include "vector_reader.h"

#include <exblas/cblas.h>
#include <math.h>

/* How a routine is called: parts are doubles or floats, the result one or two of them. */
typedef void call(int n, const void *x, int incx, const void *y, int incy, void *result);

#define SUM(f)                                                                                     \
    static void f(int n, const void *x, int incx, const void *y, int incy, void *result)           \
    {                                                                                              \
        (void)y, (void)incy;                                                                       \
        excblas_##f##_sub(n, x, incx, result);                                                     \
    }
#define NORM(f, real)                                                                              \
    static void f(int n, const void *x, int incx, const void *y, int incy, void *result)           \
    {                                                                                              \
        (void)y, (void)incy;                                                                       \
        real r = excblas_##f(n, x, incx);                                                          \
        memcpy(result, &r, sizeof r);                                                              \
    }
#define DOT(f)                                                                                     \
    static void f(int n, const void *x, int incx, const void *y, int incy, void *result)           \
    {                                                                                              \
        excblas_##f##_sub(n, x, incx, y, incy, result);                                            \
    }
SUM(csum)
SUM(zsum)
NORM(scasum, float)
NORM(dzasum, double)
NORM(scnrm2, float)
NORM(dznrm2, double)
DOT(cdotu)
DOT(cdotc)
DOT(zdotu)
DOT(zdotc)

static const struct {
    const char *name;
    call *call;
} routines[] = {{"csum", csum},     {"zsum", zsum},     {"scasum", scasum}, {"dzasum", dzasum},
                {"scnrm2", scnrm2}, {"dznrm2", dznrm2}, {"cdotu", cdotu},   {"cdotc", cdotc},
                {"zdotu", zdotu},   {"zdotc", zdotc}};

static call *find(const char *name)
{
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (strcmp(routines[i].name, name) == 0)
            return routines[i].call;
    return NULL;
}

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

static double part(const void *result, size_t i, bool is_float)
{
    return is_float ? (double)((const float *)result)[i] : ((const double *)result)[i];
}

static size_t run(const vector_case *v, call *f, const call_mode *m)
{
    placement p = mode_placement(m);
    bool is_float = v->routine->type == 'c';
    bool forward_only = strstr(v->routine->name, "asum") != NULL;
    int n = (int)vector_int(v, "n"), incx = forward_only ? abs(p.incx) : p.incx;
    bool has_y = v->routine->operands[1] == 'y';
    void *x = lay_out(vector_operand(v, 'x'), n, incx, is_float);
    void *y = has_y ? lay_out(vector_operand(v, 'y'), n, p.incy, is_float) : NULL;
    double result[2] = {0};
    hostile_env_enter(p.environment);
    f(n, x, incx, y, p.incy, result);
    bool ok = hostile_env_leave();
    for (size_t i = 0; i < v->answer.n; i++)
        ok = ok && same_bits(part(result, i, is_float), v->answer.value[i]);
    if (!ok) {
        char how[200];
        mode_text(m, how);
        print_error("%s:%d %s: %a %a, not %a\n    %s\n", v->file, v->line, v->routine->name,
                    part(result, 0, is_float), part(result, 1, is_float), v->answer.value[0], how);
    }
    free(x);
    free(y);
    return !ok;
}

/* What is wrong with numbers that came out, or with the call. */
static size_t compare(const vector_case *v, const call_mode *m, const char *wrong,
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

static const level2_number *operand(const vector_case *v, char name)
{
    return (const level2_number *)vector_operand(v, name); /* re, im pairs */
}

static size_t run_trsv(const vector_case *v, const call_mode *m)
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
    q.a = operand(v, 'a');
    q.x = operand(v, 'x');
    return compare(v, m, level2_run_problem(&q, &p, result), result);
}

static size_t run_gemm(const vector_case *v, const call_mode *m)
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
    q.a = operand(v, 'a');
    q.b = operand(v, 'b');
    q.c = operand(v, 'c');
    memcpy(result, q.c, v->answer.n * sizeof(double)); /* for quick returns */
    return compare(v, m, level3_run_problem(&q, &p, result), result);
}

static size_t run_case(const vector_case *v, const call_mode *m)
{
    const char *name = v->routine->name;
    call *f = find(name);
    if (f)
        return run(v, f, m);
    if (strcmp(name + 1, "trsv") == 0)
        return run_trsv(v, m);
    if (strcmp(name + 1, "gemm") == 0)
        return run_gemm(v, m);
    fail_msg("%s is not in the table", name);
    return 1;
}

static void all_pairs_of_modes(void **state)
{
    char path[512];
    const char *dir = getenv("TEST_VECTORS");
    call_mode *modes;
    size_t n_modes = modes_pairwise(&modes), failures = 0, n_run = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/complex.txt", dir ? dir : "test/vectors");
    vector_file *file = vector_file_read(path);
    assert_non_null(file);
    for (size_t i = 0; i < n_modes; i++) {
        mode_select(&modes[i]);
        for (size_t j = 0; j < file->n_cases && failures < 5; j++) {
            failures += run_case(&file->cases[j], &modes[i]);
            n_run++;
        }
    }
    mode_restore();
    free(modes);
    printf("# %zu calls of %zu cases\n", n_run, file->n_cases);
    assert_int_equal(failures, 0);
    assert_true(file->n_cases > 300 && n_run == n_modes * file->n_cases);
    vector_file_free(file);
}

/* Dots of a vector with itself are those with a copy of it. */
static void with_itself(void **state)
{
    enum { N = 40 };
    static const int increments[][2] = {{1, 1}, {2, 2}, {-1, -1}, {1, 2}, {1, -1}, {3, 3}};
    static const double odd_ones[] = {1, 0x1p600, 0x1p-600, INFINITY, NAN};
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_pairs_of_modes),
                                       cmocka_unit_test(with_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
