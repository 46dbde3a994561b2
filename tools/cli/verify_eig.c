/* verify --eig: are saved eigenvalues of a symmetric matrix the correctly rounded ones?
 *
 * For an eigenvalue w and its vector v, r = A v - w v is known exactly, in accumulators. With
 * d = v'r / v'v the quotient of Rayleigh is w + d, and some eigenvalue lies within
 *
 *   e = sqrt(|r|^2 / v'v - d^2)
 *
 * of it. If these intervals of all n vectors are apart, each has one eigenvalue, and that is within
 * e^2 / gap of w + d, gap being the distance to the nearest other interval.
 *
 * Source: Parlett, The Symmetric Eigenvalue Problem (1998), theorems 4.5.1 and 10.2.1 (Kato,
 * Temple). */
#include "findings.h"
#include "show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <exblas/exblas.h>

typedef struct {
    double w, d;  /* the given value, and what Rayleigh's quotient adds */
    double e;     /* |eigenvalue - (w + d)| <= e for some eigenvalue */
    double error; /* the same for the one of this index; Inf if it is not separated */
} enclosure;

typedef enum { RIGHT, WRONG, UNDECIDED } verdict;

enum { N_LISTED = 20 };

/* Bounds are widened by far more than the roundings of a line of arithmetic. */
static const double up = 1 + 0x1p-40, down = 1 - 0x1p-40;

/* r = A v - w v as high + low, within 2^-105 |r|. False: r is 0. */
static bool residual(const double *row, int64_t n, const double *v, double w, double v_i,
                     double *high, double *low)
{
    exblas_acc acc;
    exblas_acc_init(&acc);
    exblas_acc_add_dot(&acc, n, row, 1, v, 1);
    exblas_acc_sub_product(&acc, w, v_i);
    bool is_left = exblas_acc_sign(&acc) != 0;
    *high = exblas_acc_to_double(&acc);
    exblas_acc_sub(&acc, *high);
    *low = exblas_acc_to_double(&acc);
    return is_left;
}

static enclosure enclose(const double *a, int64_t n, const double *v, double w)
{
    exblas_acc product, square, length;
    double magnitudes = 0;
    bool is_left = false;
    exblas_acc_init(&product);
    exblas_acc_init(&square);
    exblas_acc_init(&length);
    for (int64_t i = 0; i < n; i++) {
        double high, low;
        is_left |= residual(a + i * n, n, v, w, v[i], &high, &low);
        exblas_acc_add_product(&product, v[i], high);
        exblas_acc_add_product(&product, v[i], low);
        exblas_acc_add_product(&square, high, high);
        magnitudes += fabs(v[i] * high);
    }
    exblas_acc_add_dot(&length, n, v, 1, v, 1);
    if (!is_left && exblas_acc_sign(&length) > 0)
        return (enclosure){.w = w}; /* v is an eigenvector */
    double l = exblas_acc_to_double(&length), r2 = exblas_acc_to_double(&square) / l;
    enclosure f = {.w = w, .d = exblas_acc_to_double(&product) / l};
    f.e = sqrt(fmax(r2 * up - f.d * f.d * down, 0) * up) + 0x1p-500;
    f.error = magnitudes / l * 0x1p-100 + fabs(f.d) * 0x1p-50 + 0x1p-1000; /* of d */
    return f;
}

/* A distance that is not larger than that of the two intervals. */
static double gap(const enclosure *x, const enclosure *y)
{
    double rounding = (fabs(x->w) + fabs(y->w) + fabs(x->d) + fabs(y->d)) * 0x1p-50;
    return fabs((x->w - y->w) + (x->d - y->d)) * down - y->e * up - rounding;
}

/* The errors of the eigenvalues, from those of d. */
static void separate(enclosure *f, int64_t n)
{
    bool apart = true;
    double *least = cli_allocate(n, sizeof *least);
    for (int64_t i = 0; i < n; i++) {
        least[i] = INFINITY;
        for (int64_t j = 0; j < n; j++)
            least[i] = i == j ? least[i] : fmin(least[i], gap(&f[i], &f[j]));
        apart = apart && least[i] > f[i].e;
    }
    for (int64_t i = 0; i < n; i++)
        f[i].error = apart ? (f[i].error + f[i].e * f[i].e / least[i]) * up : INFINITY;
    free(least);
}

static double neighbour(double w, double towards, bool is_float)
{
    return is_float ? (double)nextafterf((float)w, (float)towards) : nextafter(w, towards);
}

/* Is w the nearest number of its format to w + d +- error? */
static verdict judge(const enclosure *f, bool is_float)
{
    if (f->d == 0 && f->error == 0)
        return RIGHT; /* 0 has no halves of steps */
    double half_up = (neighbour(f->w, INFINITY, is_float) - f->w) / 2;
    double half_down = (f->w - neighbour(f->w, -INFINITY, is_float)) / 2;
    double highest = f->d + f->error, lowest = f->d - f->error;
    if (highest < half_up * down && lowest > -half_down * down)
        return RIGHT;
    return lowest > half_up * up || highest < -half_down * up ? WRONG : UNDECIDED;
}

/* How far w is from the eigenvalue, in steps to its neighbour on that side. */
static double ulps(const enclosure *f, bool is_float)
{
    double step = fabs(neighbour(f->w, f->d > 0 ? INFINITY : -INFINITY, is_float) - f->w);
    return fabs(f->d) / step;
}

static void list_value(const cli_request *q, const enclosure *f, int64_t i, bool is_float,
                       verdict v)
{
    char text[CLI_SHOWN], low[CLI_SHOWN], high[CLI_SHOWN];
    double error = isinf(f->error) ? f->e : f->error;
    double from = nextafter(f->w + (f->d - error), -INFINITY);
    double to = nextafter(f->w + (f->d + error), INFINITY);
    if (q->json) {
        printf("{\"index\": %lld, \"wrong\": %s, \"ulps\": %.3g, \"given\": ", (long long)i,
               v == WRONG ? "true" : "null", ulps(f, is_float));
        cli_json_number(f->w, is_float);
        printf(", \"from\": ");
        cli_json_number(from, false);
        printf(", \"to\": ");
        cli_json_number(to, false);
        printf("}");
        return;
    }
    printf("  [%lld]  %s, %s %s ... %s", (long long)i, cli_show(f->w, is_float, text),
           isinf(f->error) ? "not separated; one is in" : "is in", cli_show(from, false, low),
           cli_show(to, false, high));
    printf(v == WRONG ? "  %.3g ulps\n" : "  not decided\n", ulps(f, is_float));
}

static int show(const cli_request *q, const enclosure *f, int64_t n, bool is_float)
{
    int64_t n_of[3] = {0}, n_listed = 0;
    for (int64_t i = 0; i < n; i++)
        n_of[judge(&f[i], is_float)]++;
    if (q->json)
        printf(
            "{\"command\": \"verify\", \"type\": \"%s\", \"eigenvalues\": %lld, \"wrong\": %lld, "
            "\"undecided\": %lld,\n \"list\": [",
            is_float ? "f32" : "f64", (long long)n, (long long)n_of[WRONG],
            (long long)n_of[UNDECIDED]);
    else
        printf(
            "%lld of %lld eigenvalues are correctly rounded, %lld are not, %lld are not decided\n",
            (long long)n_of[RIGHT], (long long)n, (long long)n_of[WRONG],
            (long long)n_of[UNDECIDED]);
    for (int64_t i = 0; i < n && (q->all || n_listed < N_LISTED); i++) {
        verdict v = judge(&f[i], is_float);
        if (v == RIGHT)
            continue;
        fputs(q->json && n_listed ? ",\n  " : "", stdout);
        list_value(q, &f[i], i, is_float, v);
        n_listed++;
    }
    if (q->json)
        printf("]}\n");
    else if (n_listed < n - n_of[RIGHT])
        printf("  ... and %lld more (--all lists them)\n", (long long)(n - n_of[RIGHT] - n_listed));
    return n_of[RIGHT] == n ? CLI_OK : CLI_FINDING;
}

static void require_symmetric(const cli_matrix *a)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j <= i; j++) {
            double x = cli_matrix_element(a, i * a->rows + j);
            if (!(x == cli_matrix_element(a, j * a->rows + i)) || isinf(x))
                cli_fail(CLI_BAD_INPUT, "%s: not symmetric and finite at (%lld, %lld)", a->name,
                         (long long)i, (long long)j);
        }
}

/* The matrix as doubles, transposed; all of it finite. */
static double *transposed(const cli_matrix *a)
{
    double *y = cli_allocate(a->rows * a->columns, sizeof *y);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->columns; j++) {
            double x = cli_matrix_element(a, i * a->columns + j);
            if (!isfinite(x))
                cli_fail(CLI_BAD_INPUT, "%s: Inf or NaN at (%lld, %lld)", a->name, (long long)i,
                         (long long)j);
            y[j * a->rows + i] = x;
        }
    return y;
}

int cli_verify_eigenvalues(const cli_request *q)
{
    cli_matrix a = cli_load_matrix(q, q->file[0], false), w = cli_load_matrix(q, q->file[1], true);
    cli_matrix v = cli_load_matrix(q, q->file[2], false);
    int64_t n = a.rows;
    cli_expect_type(&a, &w);
    cli_expect_type(&a, &v);
    cli_expect_shape(&a, n, n, "symmetric matrix");
    cli_expect_shape(&w, n, 1, "vector of eigenvalues");
    cli_expect_shape(&v, n, n, "matrix of eigenvectors");
    require_symmetric(&a);
    double *rows = transposed(&a), *vectors = transposed(&v), *values = transposed(&w);
    enclosure *f = cli_allocate(n, sizeof *f);
    for (int64_t i = 0; i < n; i++)
        f[i] = enclose(rows, n, vectors + i * n, values[i]);
    separate(f, n);
    int status = show(q, f, n, a.is_float);
    free(a.x);
    free(w.x);
    free(v.x);
    free(rows);
    free(vectors);
    free(values);
    free(f);
    return status;
}
