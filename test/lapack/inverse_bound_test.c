/* The bounds of inverse_bound.h, which proofs rest on, against R = P' X_L' X_U', I - R S and S^-1
 * in numbers of so many bits that they might be exact. */
#include "lapack/inverse_bound.h"

#include "lapack/scaled_system.h"
#include "test_random.h"
#include "testing.h"

#include <gmp.h>
#include <math.h>

enum { N = 24, LARGE = 140, BITS = 700 };

/* n rows of n: S; M = X_L' X_U', an inverse, what is inverted. */
static int n;
static double s[LARGE * LARGE];
static mpf_t m[LARGE * LARGE], inverse[LARGE * LARGE], given[LARGE * LARGE], t, sum;

static void random_rows(test_random *random, int bits)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i * n + j] = random_number(random, FORMAT_D, -(int)random_between(random, 0, 1)) +
                           (i == n - 1 && bits ? ldexp(s[j], bits) : 0);
}

static void kahan(test_random *random, int bits)
{
    double angle = 1.2 - 0.01 * bits, size = 1;
    (void)random;
    for (int i = 0; i < n; i++, size *= sin(angle))
        for (int j = 0; j < n; j++)
            s[i * n + j] = j < i ? 0 : j == i ? size : -size * cos(angle);
}

static void vandermonde(test_random *random, int bits)
{
    (void)random;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i * n + j] = pow((1.0 + i) / n, j * bits / 50.0);
}

/* A triangle whose inverse grows by a factor from row to row, so that the condition of its rows is
 * that of the matrix. */
static void steep(test_random *random, int bits)
{
    double factor = exp2(bits / 25.0) - 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i * n + j] = j > i    ? 0
                           : j == i ? 1
                                    : -factor * (1 + 0x1p-10 * random_number(random, FORMAT_D, 0));
}

/* By rows and by columns. */
static void graded(test_random *random, int bits)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i * n + j] = ldexp(random_number(random, FORMAT_D, 0), -bits * (i + 2 * j) / (3 * n));
}

/* Singular values from 1 to 2^-bits. */
static void spread_values(test_random *random, int bits)
{
    (void)random;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            s[i * n + j] = 0;
            for (int k = 0; k < n; k++)
                s[i * n + j] += cos(1.0 + i * (k + 1)) * cos(2.0 + j * (k + 1)) *
                                exp2(-(double)bits * k / (n - 1));
        }
}

static double sine(int i, int j)
{
    return sqrt(2 / (n + 1.0)) * sin(3.14159265358979 * (i + 1) * (j + 1) / (n + 1));
}

/* An orthogonal matrix: sines with signs times sines. */
static void set_orthogonal(test_random *random, double *q)
{
    memset(q, 0, (size_t)(n * n) * sizeof *q);
    for (int k = 0; k < n; k++) {
        double sign = random_between(random, 0, 1) ? 1 : -1;
        for (int i = 0; i < n * n; i++)
            q[i] += sine(i / n, k) * sign * sine(k, i % n);
    }
}

/* The same between orthogonal matrices, of which one may be sines. */
static void between(const double *left, const double *right, int bits)
{
    memset(s, 0, sizeof s);
    for (int k = 0; k < n; k++) {
        double value = exp2(-(double)bits * k / (n - 1));
        for (int i = 0; i < n * n; i++)
            s[i] += (left ? left[i / n * n + k] : sine(i / n, k)) * value * right[k * n + i % n];
    }
}

static double left_factor[LARGE * LARGE], right_factor[LARGE * LARGE];

static void orthogonal(test_random *random, int bits)
{
    set_orthogonal(random, right_factor);
    between(NULL, right_factor, bits);
}

static void dense(test_random *random, int bits)
{
    set_orthogonal(random, left_factor);
    set_orthogonal(random, right_factor);
    between(left_factor, right_factor, bits);
}

/* sum += x y */
static void add_product(double x, double y)
{
    mpf_set_d(t, x);
    mpf_t u;
    mpf_init_set_d(u, y);
    mpf_mul(u, u, t);
    mpf_add(sum, sum, u);
    mpf_clear(u);
}

static void set_product(const exb_plain_factors *f)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            mpf_set_ui(sum, 0);
            for (int k = i > j ? i : j; k < n; k++)
                add_product(f->lower[k * n + i], f->upper[j * n + k]);
            mpf_set(m[i * n + j], sum);
        }
}

static double magnitude(mpf_t x)
{
    return fabs(mpf_get_d(x));
}

/* x -= factor y for n numbers each. */
static void subtract_row(mpf_t *x, mpf_t *y, mpf_t factor)
{
    for (int j = 0; j < n; j++) {
        mpf_mul(t, y[j], factor);
        mpf_sub(x[j], x[j], t);
    }
}

static void swap_rows(mpf_t *x, mpf_t *y)
{
    for (int j = 0; j < n; j++)
        mpf_swap(x[j], y[j]);
}

/* inverse = that of `given`, which changes; false if it has none. */
static bool invert(void)
{
    mpf_t factor;
    mpf_init(factor);
    for (int i = 0; i < n * n; i++)
        mpf_set_ui(inverse[i], i / n == i % n);
    bool done = true;
    for (int k = 0; k < n && done; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            best = magnitude(given[i * n + k]) > magnitude(given[best * n + k]) ? i : best;
        swap_rows(given + k * n, given + best * n);
        swap_rows(inverse + k * n, inverse + best * n);
        done = mpf_sgn(given[k * n + k]) != 0;
        for (int i = 0; i < n && done; i++) {
            mpf_div(factor, given[i * n + k], given[k * n + k]);
            if (i == k)
                continue;
            subtract_row(inverse + i * n, inverse + k * n, factor);
            subtract_row(given + i * n, given + k * n, factor);
        }
    }
    for (int i = 0; i < n && done; i++)
        for (int j = 0; j < n; j++)
            mpf_div(inverse[i * n + j], inverse[i * n + j], given[i * n + i]);
    mpf_clear(factor);
    return done;
}

/* sums_i = (|I - R S| e)_i, in the order of S; returns the largest. */
static double residual_sums(const exb_inverse_bound *v, double *sums)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        int at = (int)v->factors.order[i];
        sums[at] = 0;
        for (int j = 0; j < n; j++) {
            mpf_set_si(sum, at == j ? -1 : 0);
            for (int k = 0; k < n; k++) {
                mpf_set_d(t, s[k * n + j]);
                mpf_mul(t, t, m[i * n + k]);
                mpf_add(sum, sum, t);
            }
            sums[at] += magnitude(sum);
        }
        most = fmax(most, sums[at]);
    }
    return most;
}

/* exb_inverse_apply is within its bound. */
static void check_product(const exb_inverse_bound *v, test_random *random)
{
    double x[LARGE], y[LARGE], work[LARGE], most = 0;
    for (int i = 0; i < n; i++) {
        x[i] = random_number(random, FORMAT_D, 0);
        most = fmax(most, fabs(x[i]));
    }
    exb_inverse_apply(v, x, y, work);
    for (int i = 0; i < n; i++) {
        int at = (int)v->factors.order[i];
        mpf_set_d(sum, -y[at]);
        for (int j = 0; j < n; j++) {
            mpf_set_d(t, x[j]);
            mpf_mul(t, t, m[i * n + j]);
            mpf_add(sum, sum, t);
        }
        assert_true(magnitude(sum) <= exb_inverse_product_error(v, at) * most * (1 + 0x1p-40));
    }
}

/* The largest |M r|, of signs r. */
static double largest_product(const double *r)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        mpf_set_ui(sum, 0);
        for (int j = 0; j < n; j++)
            (r[j] < 0 ? mpf_sub : mpf_add)(sum, sum, m[i * n + j]);
        most = fmax(most, magnitude(sum));
    }
    return most;
}

/* |S^-1 r - R r|_i for the r for which it is largest, of every `step`th i; the sums of |S^-1|. */
static void check_rest(const exb_inverse_bound *v, int step)
{
    double r[LARGE];
    for (int i = 0; i < n * n; i++)
        mpf_set_d(given[i], s[i]);
    assert_true(invert());
    for (int i = 0; i < n; i += step) {
        int at = (int)v->factors.order[i];
        double apart = 0, all = 0;
        for (int j = 0; j < n; j++) {
            all += magnitude(inverse[at * n + j]);
            mpf_sub(t, inverse[at * n + j], m[i * n + j]);
            r[j] = mpf_sgn(t) < 0 ? -1 : 1;
            apart += magnitude(t);
        }
        double bound = v->rest[at] * largest_product(r);
        assert_true(apart <= bound * (1 + 0x1p-40));
        assert_true(all <= exb_inverse_sum(v, at) * (1 + 0x1p-40));
    }
}

/* y = |M'| x of a triangle; that of L has a diagonal of ones. */
typedef enum { LOWER, UNIT_LOWER, UPPER } triangle;

static void multiply(const double *a, triangle kind, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        int begin = kind == UPPER ? 0 : i, end = kind == UPPER ? i + 1 : n;
        y[i] = 0;
        for (int k = begin; k < end; k++)
            y[i] += (kind == UNIT_LOWER && k == i ? 1 : fabs(a[k * n + i])) * x[k];
    }
}

static double largest(const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, x[i]);
    return most;
}

/* What the bounds are made of, by their names in inverse_bound.h, in plain arithmetic: X_U may have
 * been rounded since, by 2^-21. */
typedef struct {
    double l[LARGE], v[LARGE], spread[LARGE];
    double c[LARGE]; /* g (l + 2 |X_U'| |U'| l) */
} terms;

static void set_terms(const exb_plain_factors *f, terms *p)
{
    double ones[LARGE], x[LARGE], g = exb_plain_factors_error(n);
    for (int i = 0; i < n; i++)
        ones[i] = 1;
    multiply(f->upper, UPPER, ones, p->v);
    for (int i = 0; i < n; i++)
        p->v[i] = fmax(p->v[i], 1);
    multiply(f->lower, LOWER, p->v, p->spread);
    multiply(f->lu, UNIT_LOWER, ones, p->l);
    multiply(f->lu, UPPER, p->l, x);
    multiply(f->upper, UPPER, x, p->c);
    for (int i = 0; i < n; i++)
        p->c[i] = g * (p->l[i] + 2 * p->c[i]);
}

static const double nearly = 1 - 0x1p-19;

/* rest = sums / (1 - |sums|) at least. */
static void check_rest_of(const exb_inverse_bound *v, const double *sums, double part)
{
    for (int i = 0; i < n; i++)
        assert_true(v->rest[v->factors.order[i]] >= sums[i] / (1 - largest(sums)) * part);
}

/* The sum of the magnitudes in column i of W = P S' X_U - L. */
static double enclosed_column(const exb_plain_factors *f, int i)
{
    double all = 0;
    for (int j = 0; j < n; j++) {
        mpf_set_d(sum, j > i ? -f->lu[j * n + i] : -(j == i));
        for (int k = 0; k <= i; k++)
            add_product(s[k * n + f->order[j]], f->upper[k * n + i]);
        all += magnitude(sum);
    }
    return all;
}

/* |S^-1 d| <= |R d| + rest |R d|_max. */
static void check_sums(const exb_inverse_bound *v)
{
    const int64_t *order = v->factors.order;
    static terms p;
    set_terms(&v->factors, &p);
    for (int i = 0; i < n; i++) {
        double sum = p.spread[i] + v->rest[order[i]] * largest(p.spread);
        double found = exb_inverse_sum(v, order[i]);
        assert_true(found >= sum * nearly && found <= sum * (1 + 0x1p-16));
    }
}

/* The rest from |X_L'| (g l + |W'| e), by way of |L| and |U| for the first columns of W. */
static void check_bounds(const exb_inverse_bound *v)
{
    const exb_plain_factors *f = &v->factors;
    static terms p;
    double sums[LARGE];
    set_terms(f, &p);
    for (int i = (int)v->first; i < n; i++)
        p.c[i] = exb_plain_factors_error(n) * p.l[i] + enclosed_column(f, i);
    multiply(f->lower, LOWER, p.c, sums);
    check_rest_of(v, sums, nearly);
}

typedef enum { NOT, FROM_FACTORS, FROM_PRODUCT, WAYS } way;

/* Rows and columns with largest elements near 1, and below 2, as solutions have them. */
static void scale(void)
{
    exb_scaled_system scaled;
    if (!exb_scaled_system_init(&scaled, n, s))
        return;
    memcpy(s, scaled.s, (size_t)(n * n) * sizeof *s);
    exb_scaled_system_free(&scaled);
}

static way check(test_random *random)
{
    exb_inverse_bound v;
    double sums[LARGE];
    scale();
    if (!exb_inverse_bound_init(&v, n, s))
        return NOT;
    set_product(&v.factors);
    double norm = residual_sums(&v, sums);
    assert_true(norm < 0.9);
    for (int i = 0; i < n; i++)
        assert_true(v.rest[i] >= sums[i] / (1 - norm) * (1 - 0x1p-40));
    check_bounds(&v);
    way found = v.first < n ? FROM_PRODUCT : FROM_FACTORS;
    check_rest(&v, n == N ? 3 : 40);
    check_product(&v, random);
    check_sums(&v);
    exb_inverse_bound_free(&v);
    return found;
}

/* Proved up to conditions of 2^40 or so, not beyond 2^60. */
static void bounds_hold(NO_STATE)
{
    static void (*const kind[])(test_random *, int) = {
        random_rows, kahan, vandermonde, steep, graded, spread_values, orthogonal};
    test_random random = test_random_start(test_seed(), "inverses");
    int n_found[WAYS] = {0};
    n = N;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
        for (int bits = 0; bits <= 100; bits += bits > 20 && bits < 50 ? 1 : 5) {
            kind[k](&random, bits);
            n_found[check(&random)]++;
        }
    print_message("# none %d, from factors %d, from products %d\n", n_found[NOT],
                  n_found[FROM_FACTORS], n_found[FROM_PRODUCT]);
    assert_true(n_found[FROM_FACTORS] > 40 && n_found[FROM_PRODUCT] > 10 && n_found[NOT] > 10);
}

/* |X_L'| |X_U'| e is beyond what bounds are for, |X_U'| e is not. */
static void too_small(NO_STATE)
{
    const double tiny[] = {0x1.8p-100, -0x1.8p-100, 0, 0x1.8p-100};
    exb_inverse_bound v;
    assert_false(exb_inverse_bound_init(&v, 2, tiny));
}

/* Of some products bounds are known from vectors, of some columns from products. */
static void large(NO_STATE)
{
    test_random random = test_random_start(test_seed(), "large inverses");
    n = LARGE;
    int n_found[WAYS] = {0};
    for (int bits = 34; bits <= 46; bits += 4) {
        (bits < 40 ? orthogonal : dense)(&random, bits);
        way w = check(&random);
        print_message("# bits %d way %d\n", bits, w);
        n_found[w]++;
    }
    assert_true(n_found[FROM_PRODUCT] > 2);
}

/* L with an inverse that grows from row to row: what its own inverse factor misses is most of what
 * is not known. */
static void growing(NO_STATE)
{
    int n_found[WAYS] = {0};
    test_random random = test_random_start(test_seed(), "growing inverses");
    for (n = 43; n <= 52; n++) {
        for (int i = 0; i < n * n; i++)
            s[i] = (i / n == i % n) -
                   (i / n < i % n) * (1 - 0x1p-20 * fabs(random_number(&random, FORMAT_D, 0)));
        n_found[check(&random)]++;
    }
    print_message("# growing: none %d, from factors %d, from products %d\n", n_found[NOT],
                  n_found[FROM_FACTORS], n_found[FROM_PRODUCT]);
    assert_true(n_found[FROM_PRODUCT] > 0);
}

/* A matrix without inverse has none that could be proved. */
static void singular(NO_STATE)
{
    exb_inverse_bound v;
    test_random random = test_random_start(test_seed(), "no inverse");
    n = N;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                s[i * N + j] = (double)random_between(&random, -99, 99);
        for (int j = 0; j < N; j++)
            s[(N - 1) * N + j] = s[j] + 3 * s[N + j];
        scale();
        assert_false(exb_inverse_bound_init(&v, N, s));
    }
}

int main(void)
{
    mpf_set_default_prec(BITS);
    mpf_init(t);
    mpf_init(sum);
    for (int i = 0; i < LARGE * LARGE; i++) {
        mpf_init(m[i]);
        mpf_init(inverse[i]);
        mpf_init(given[i]);
    }
    int failed = run_each(too_small, bounds_hold, large, growing, singular);
    for (int i = 0; i < LARGE * LARGE; i++) {
        mpf_clear(m[i]);
        mpf_clear(inverse[i]);
        mpf_clear(given[i]);
    }
    mpf_clear(sum);
    mpf_clear(t);
    return failed;
}
