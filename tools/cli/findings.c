#include "findings.h"

#include "show.h"
#include "source.h"
#include "system.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_BINS = 66, N_LISTED = 20 };

typedef struct {
    int64_t n, n_wrong, n_special, n_zero_sign;
    int64_t bin[N_BINS]; /* bin k: 2^(k-1) < ulps <= 2^k */
    uint64_t worst;
    int64_t worst_at; /* -1: none */
} findings;

static void to_floats(cli_matrix *a)
{
    int64_t n = a->rows * a->columns;
    float *f = cli_allocate(n, sizeof(float));
    for (int64_t k = 0; k < n; k++)
        f[k] = (float)a->x[k]; /* exact: they were floats */
    memcpy(a->x, f, (size_t)n * sizeof(float));
    free(f);
}

cli_matrix cli_load_matrix(const cli_request *q, const char *path, bool vector)
{
    static cli_source s;
    int64_t n;
    cli_source_open(&s, q, path);
    if (s.format != CLI_NPY)
        cli_fail(CLI_BAD_INPUT, "%s: not an npy file", s.in.name);
    if (s.n_dims != 2 && !(vector && s.n_dims == 1))
        cli_fail(CLI_BAD_INPUT, "%s: %d dimensions, a cli_matrix has 2", s.in.name, s.n_dims);
    if (s.element.kind != 'f')
        cli_fail(CLI_BAD_INPUT, "%s: elements are integers, floats (f4, f8) are needed", s.in.name);
    int64_t n_columns = s.n_dims == 2 ? s.shape[1] : 1;
    cli_matrix a = {s.in.name, s.shape[0], n_columns, s.is_float, cli_source_read_all(&s, &n)};
    if (s.fortran_order && s.n_dims == 2)
        cli_to_c_order(&s, a.x);
    cli_input_close(&s.in);
    if (a.is_float)
        to_floats(&a);
    return a;
}

void cli_expect_shape(const cli_matrix *c, int64_t rows, int64_t columns, const char *what)
{
    if (c->rows != rows || c->columns != columns)
        cli_fail(CLI_BAD_INPUT, "%s has shape (%lld, %lld), the %s has (%lld, %lld)", c->name,
                 (long long)c->rows, (long long)c->columns, what, (long long)rows,
                 (long long)columns);
}

void cli_expect_type(const cli_matrix *a, const cli_matrix *b)
{
    if (a->is_float != b->is_float)
        cli_fail(CLI_BAD_INPUT, "%s is of type %s, %s of %s", a->name, a->is_float ? "f4" : "f8",
                 b->name, b->is_float ? "f4" : "f8");
}

double cli_matrix_element(const cli_matrix *a, int64_t k)
{
    if (!a->is_float)
        return a->x[k];
    float f;
    memcpy(&f, (const char *)a->x + (size_t)k * sizeof f, sizeof f);
    return (double)f;
}

FILE *cli_open_output(const char *path)
{
    FILE *f = path ? cli_system_create(path) : stdout;
    if (!f)
        cli_fail(CLI_RESOURCES, "%s: %s", path, strerror(errno));
    return f;
}

void cli_close_output(FILE *f, const char *path)
{
    bool failed = ferror(f) != 0;
    if (f != stdout && (fclose(f) != 0 || failed))
        cli_fail(CLI_RESOURCES, "%s: cannot be written", path);
}

void cli_write_transpose(FILE *f, const char *path, const cli_matrix *a)
{
    char text[CLI_SHOWN];
    fprintf(f, "%%%%MatrixMarket matrix array real general\n%lld %lld\n", (long long)a->columns,
            (long long)a->rows);
    for (int64_t k = 0; k < a->rows * a->columns; k++)
        fprintf(f, "%s\n", cli_show(cli_matrix_element(a, k), a->is_float, text));
    cli_close_output(f, path);
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

static findings compare(const cli_matrix *given, const cli_matrix *right)
{
    findings f = {.n = given->rows * given->columns, .worst_at = -1};
    for (int64_t k = 0; k < f.n; k++) {
        double x = cli_matrix_element(given, k), y = cli_matrix_element(right, k);
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

static void list_element(const cli_request *q, const cli_matrix *given, const cli_matrix *right,
                         int64_t k)
{
    char x[CLI_SHOWN], y[CLI_SHOWN];
    double a = cli_matrix_element(given, k), b = cli_matrix_element(right, k);
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

static void list_elements(const cli_request *q, const cli_matrix *given, const cli_matrix *right,
                          const findings *f)
{
    int64_t n_listed = 0;
    for (int64_t k = 0; k < f->n && (q->all || n_listed < N_LISTED); k++)
        if (judge(cli_matrix_element(given, k), cli_matrix_element(right, k)) != RIGHT) {
            fputs(q->json && n_listed ? ",\n  " : "", stdout);
            list_element(q, given, right, k);
            n_listed++;
        }
    if (!q->json && n_listed < f->n_wrong)
        printf("  ... and %lld more (--all lists them)\n", (long long)(f->n_wrong - n_listed));
}

static void show_text(const cli_request *q, const cli_matrix *given, const cli_matrix *right,
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

static void show_json(const cli_request *q, const cli_matrix *given, const cli_matrix *right,
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

int cli_show_findings(const cli_request *q, const cli_matrix *given, const cli_matrix *right)
{
    findings f = compare(given, right);
    (q->json ? show_json : show_text)(q, given, right, &f);
    return f.n_wrong ? CLI_FINDING : CLI_OK;
}
