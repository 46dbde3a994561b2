/* verify: is a saved product the correctly rounded one? */
#include "show.h"
#include "source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <exblas/exblas.h>

typedef struct {
    const char *name;
    int64_t rows, columns;
    bool is_float;
    double *x; /* C order; floats if is_float */
} matrix;

enum { N_BINS = 66, N_LISTED = 20 };

typedef struct {
    int64_t n, n_wrong, n_special, n_zero_sign;
    int64_t bin[N_BINS]; /* bin k: 2^(k-1) < ulps <= 2^k */
    uint64_t worst;
    int64_t worst_at; /* -1: none */
} findings;

static void to_floats(matrix *a)
{
    int64_t n = a->rows * a->columns;
    float *f = cli_allocate(n, sizeof(float));
    for (int64_t k = 0; k < n; k++)
        f[k] = (float)a->x[k]; /* exact: they were floats */
    memcpy(a->x, f, (size_t)n * sizeof(float));
    free(f);
}

static matrix load(const cli_request *q, const char *path)
{
    static cli_source s;
    int64_t n;
    cli_source_open(&s, q, path);
    if (s.format != CLI_NPY)
        cli_fail(CLI_BAD_INPUT, "%s: not an npy file", s.in.name);
    if (s.n_dims != 2)
        cli_fail(CLI_BAD_INPUT, "%s: %d dimensions, a matrix has 2", s.in.name, s.n_dims);
    if (s.element.kind != 'f')
        cli_fail(CLI_BAD_INPUT, "%s: elements are integers, floats (f4, f8) are needed", s.in.name);
    matrix a = {s.in.name, s.shape[0], s.shape[1], s.is_float, cli_source_read_all(&s, &n)};
    if (s.fortran_order)
        cli_to_c_order(&s, a.x);
    cli_source_close(&s);
    if (a.is_float)
        to_floats(&a);
    return a;
}

static void expect_shape(const matrix *c, int64_t rows, int64_t columns)
{
    if (c->rows != rows || c->columns != columns)
        cli_fail(CLI_BAD_INPUT, "%s has shape (%lld, %lld), the product has (%lld, %lld)", c->name,
                 (long long)c->rows, (long long)c->columns, (long long)rows, (long long)columns);
}

static void expect_type(const matrix *a, const matrix *b)
{
    if (a->is_float != b->is_float)
        cli_fail(CLI_BAD_INPUT, "%s is of type %s, %s of %s", a->name, a->is_float ? "f4" : "f8",
                 b->name, b->is_float ? "f4" : "f8");
}

static double scalar(const char *option, const char *text, double otherwise, bool is_float)
{
    double x = otherwise;
    if (text && cli_parse_number(text, is_float, &x) != CLI_NUMBER)
        cli_fail(CLI_BAD_INPUT, "%s %s: not a number%s", option, text,
                 is_float ? " that fits a float" : "");
    return x;
}

/* C0 -> alpha A B + beta C0. */
static void multiply(const matrix *a, const matrix *b, double alpha, double beta, void *c)
{
    int64_t m = a->rows, n = b->columns, k = a->columns;
    int64_t lda = k ? k : 1, ldc = n ? n : 1;
    if (a->is_float)
        excblas_sgemm_64(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, m, n, k, (float)alpha,
                         (float *)a->x, lda, (float *)b->x, ldc, (float)beta, c, ldc);
    else
        excblas_dgemm_64(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, m, n, k, alpha, a->x,
                         lda, b->x, ldc, beta, c, ldc);
}

static double element(const matrix *a, int64_t k)
{
    if (!a->is_float)
        return a->x[k];
    float f;
    memcpy(&f, (const char *)a->x + (size_t)k * sizeof f, sizeof f);
    return (double)f;
}

/* Bits in the order of the numbers: their difference counts the steps between neighbours, which
 * are ulps except across a power of two. */
static int64_t ordered(double x, bool is_float)
{
    int64_t b;
    if (is_float) {
        float f = (float)x;
        int32_t half;
        memcpy(&half, &f, sizeof half);
        return half < 0 ? (int64_t)INT32_MIN - half : half;
    }
    memcpy(&b, &x, sizeof b);
    return b < 0 ? INT64_MIN - b : b;
}

static uint64_t distance(double x, double y, bool is_float)
{
    int64_t a = ordered(x, is_float), b = ordered(y, is_float);
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

typedef enum { RIGHT, WRONG, ZERO_SIGN, SPECIAL } verdict;

static verdict judge(double given, double right)
{
    if (isnan(given) || isnan(right))
        return isnan(given) && isnan(right) ? RIGHT : SPECIAL;
    if (given == right)
        return signbit(given) == signbit(right) ? RIGHT : ZERO_SIGN;
    return isinf(given) || isinf(right) ? SPECIAL : WRONG;
}

static int bin_of(uint64_t ulps)
{
    return ulps <= 1 ? 0 : 64 - __builtin_clzll(ulps - 1);
}

static findings compare(const matrix *given, const matrix *right)
{
    findings f = {.n = given->rows * given->columns, .worst_at = -1};
    for (int64_t k = 0; k < f.n; k++) {
        double x = element(given, k), y = element(right, k);
        verdict v = judge(x, y);
        f.n_wrong += v != RIGHT;
        f.n_special += v == SPECIAL;
        f.n_zero_sign += v == ZERO_SIGN;
        if (v != WRONG)
            continue;
        uint64_t ulps = distance(x, y, given->is_float);
        f.bin[bin_of(ulps)]++;
        if (ulps > f.worst) {
            f.worst = ulps;
            f.worst_at = k;
        }
    }
    return f;
}

static void list_element(const cli_request *q, const matrix *given, const matrix *right, int64_t k)
{
    char x[CLI_SHOWN], y[CLI_SHOWN];
    double a = element(given, k), b = element(right, k);
    long long i = (long long)(k / given->columns), j = (long long)(k % given->columns);
    verdict v = judge(a, b);
    unsigned long long ulps = v == WRONG ? (unsigned long long)distance(a, b, given->is_float) : 0;
    if (q->json) {
        printf("{\"element\": [%lld, %lld], \"given\": ", i, j);
        cli_json_number(a, given->is_float);
        printf(", \"right\": ");
        cli_json_number(b, given->is_float);
        if (v == WRONG)
            printf(", \"ulps\": %llu}", ulps);
        else
            printf(", \"ulps\": null}");
        return;
    }
    printf("  (%lld, %lld)  %s instead of %s", i, j, cli_show(a, given->is_float, x),
           cli_show(b, given->is_float, y));
    if (v == WRONG)
        printf("  %llu ulp%s\n", ulps, ulps == 1 ? "" : "s");
    else
        printf("  %s\n", v == ZERO_SIGN ? "sign of zero" : "not finite");
}

static void list_elements(const cli_request *q, const matrix *given, const matrix *right,
                          const findings *f)
{
    int64_t n_listed = 0;
    for (int64_t k = 0; k < f->n && (q->all || n_listed < N_LISTED); k++)
        if (judge(element(given, k), element(right, k)) != RIGHT) {
            fputs(q->json && n_listed ? ",\n  " : "", stdout);
            list_element(q, given, right, k);
            n_listed++;
        }
    if (!q->json && n_listed < f->n_wrong)
        printf("  ... and %lld more (--all lists them)\n", (long long)(f->n_wrong - n_listed));
}

static void show_text(const cli_request *q, const matrix *given, const matrix *right,
                      const findings *f)
{
    printf("%lld of %lld elements are correctly rounded\n", (long long)(f->n - f->n_wrong),
           (long long)f->n);
    if (!f->n_wrong)
        return;
    for (int k = 0; k < N_BINS; k++)
        if (f->bin[k] && k < 2)
            printf("  %10lld  off by %d ulp%s\n", (long long)f->bin[k], k + 1, k ? "s" : "");
        else if (f->bin[k])
            printf("  %10lld  off by %.0f to %.0f ulps\n", (long long)f->bin[k],
                   ldexp(1, k - 1) + 1, ldexp(1, k));
    if (f->n_zero_sign)
        printf("  %10lld  zeros of the wrong sign\n", (long long)f->n_zero_sign);
    if (f->n_special)
        printf("  %10lld  infinite or NaN on one side\n", (long long)f->n_special);
    if (f->worst_at >= 0) {
        printf("the worst:\n");
        list_element(q, given, right, f->worst_at);
    }
    printf("wrong:\n");
    list_elements(q, given, right, f);
}

static void show_json(const cli_request *q, const matrix *given, const matrix *right,
                      const findings *f)
{
    const char *separator = "";
    printf("{\"command\": \"verify\", \"type\": \"%s\", \"elements\": %lld, \"wrong\": %lld, "
           "\"zero_signs\": %lld, \"not_finite\": %lld,\n \"histogram\": [",
           given->is_float ? "f32" : "f64", (long long)f->n, (long long)f->n_wrong,
           (long long)f->n_zero_sign, (long long)f->n_special);
    for (int k = 0; k < N_BINS; k++)
        if (f->bin[k]) {
            printf("%s{\"up_to_ulps\": %.0f, \"count\": %lld}", separator, ldexp(1, k),
                   (long long)f->bin[k]);
            separator = ", ";
        }
    printf("],\n \"worst\": ");
    if (f->worst_at >= 0)
        list_element(q, given, right, f->worst_at);
    else
        printf("null");
    printf(",\n \"list\": [");
    list_elements(q, given, right, f);
    printf("]}\n");
}

int cli_verify(const cli_request *q)
{
    if (q->n_files != 3)
        cli_fail(CLI_BAD_INPUT, "verify needs three files: A B C");
    matrix a = load(q, q->file[0]), b = load(q, q->file[1]), c = load(q, q->file[2]);
    if (a.columns != b.rows)
        cli_fail(CLI_BAD_INPUT, "%s has %lld columns, %s has %lld rows", a.name,
                 (long long)a.columns, b.name, (long long)b.rows);
    expect_type(&a, &b);
    expect_type(&a, &c);
    expect_shape(&c, a.rows, b.columns);
    double alpha = scalar("--alpha", q->alpha, 1, a.is_float);
    double beta = scalar("--beta", q->beta, 0, a.is_float);
    if (!q->c0 && beta != 0)
        cli_fail(CLI_BAD_INPUT, "--beta needs --c0");
    matrix right = {"", c.rows, c.columns, c.is_float, NULL};
    if (q->c0) {
        right = load(q, q->c0);
        expect_type(&a, &right);
        expect_shape(&right, c.rows, c.columns);
    } else {
        right.x = cli_allocate(c.rows * c.columns, sizeof(double));
        memset(right.x, 0, (size_t)(c.rows * c.columns) * sizeof(double));
    }
    multiply(&a, &b, alpha, beta, right.x);
    findings f = compare(&c, &right);
    if (q->json)
        show_json(q, &c, &right, &f);
    else
        show_text(q, &c, &right, &f);
    free(a.x);
    free(b.x);
    free(c.x);
    free(right.x);
    return f.n_wrong ? CLI_FINDING : CLI_OK;
}
