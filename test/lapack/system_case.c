#include "system_case.h"

#include "hostile_env.h"
#include "testing.h"

#include <math.h>

static double integer(test_random *r, int most)
{
    return (double)random_between(r, -most, most);
}

static void fill(system_case *c, test_random *r, double (*element)(test_random *r, int i, int j))
{
    for (int i = 0; i < c->m; i++)
        for (int j = 0; j < c->n; j++)
            c->a[i][j] = round_to(c->format, element(r, i, j));
}

static double any_element(test_random *r, int i, int j)
{
    (void)i, (void)j;
    return random_number(r, FORMAT_D, (int)random_between(r, -3, 3));
}

static double hilbert_element(test_random *r, int i, int j)
{
    (void)r;
    return 1.0 / (i + j + 1);
}

static double power_element(test_random *r, int i, int j)
{
    (void)r;
    return pow((i + 1) / 3.0, j);
}

static double small_integer(test_random *r, int i, int j)
{
    (void)i, (void)j;
    return integer(r, 9);
}

static double digit_element(test_random *r, int i, int j)
{
    (void)i, (void)j;
    return random_chance(r, 3) ? integer(r, 1) : 0;
}

static void any(system_case *c, test_random *r)
{
    fill(c, r, any_element);
}

static void hilbert(system_case *c, test_random *r)
{
    fill(c, r, hilbert_element);
}

static void powers(system_case *c, test_random *r)
{
    fill(c, r, power_element);
}

static void integers(system_case *c, test_random *r)
{
    fill(c, r, small_integer);
}

/* Often singular, with zeros and ties in the solution. */
static void digits(system_case *c, test_random *r)
{
    fill(c, r, digit_element);
}

/* Rows and columns of any size, up to the ends of the format's range. */
static void graded(system_case *c, test_random *r)
{
    format_limits l = limits_of(c->format);
    int span = random_chance(r, 2) ? (l.max_exp2 - 1) / 2 : 20;
    int column[SYSTEM_MOST];
    for (int j = 0; j < c->n; j++)
        column[j] = (int)random_between(r, -span, span);
    for (int i = 0; i < c->m; i++) {
        int row = (int)random_between(r, -span, span);
        for (int j = 0; j < c->n; j++)
            c->a[i][j] = random_number(r, c->format, row + column[j]);
    }
}

/* Nothing that powers of two could balance. */
static void scattered(system_case *c, test_random *r)
{
    format_limits l = limits_of(c->format);
    for (int i = 0; i < c->m; i++)
        for (int j = 0; j < c->n; j++)
            c->a[i][j] =
                random_chance(r, 3)
                    ? 0
                    : random_number(r, c->format, (int)random_between(r, l.min_exp2, l.max_exp2));
}

/* A column is the sum of two others, and sometimes differs from it in one last place. */
static void dependent(system_case *c, test_random *r)
{
    fill(c, r, small_integer);
    for (int i = 0; i < c->m && c->n > 2; i++)
        c->a[i][c->n - 1] = c->a[i][0] + c->a[i][1];
    double *last = &c->a[0][c->n - 1];
    if (random_chance(r, 2) && *last != 0)
        *last += 2 * half_ulp(*last, c->format);
}

/* Two rows that differ in their last bits: a condition of 10^15 and more. */
static void close_rows(system_case *c, test_random *r)
{
    fill(c, r, any_element);
    for (int j = 0; j < c->n && c->m > 1; j++)
        c->a[1][j] = c->a[0][j] + (j % 2 ? 0 : integer(r, 2) * 2 * half_ulp(c->a[0][j], c->format));
}

static const struct {
    const char *name;
    void (*fill)(system_case *c, test_random *r);
} kinds[] = {{"any", any},
             {"hilbert", hilbert},
             {"powers", powers},
             {"integers", integers},
             {"digits", digits},
             {"graded", graded},
             {"scattered", scattered},
             {"dependent", dependent},
             {"close rows", close_rows}};

size_t system_kinds(void)
{
    return sizeof kinds / sizeof *kinds;
}

const char *system_kind_name(size_t kind)
{
    return kinds[kind].name;
}

/* Zeros and ones, integers, or anything. */
static void fill_right(system_case *c, test_random *r)
{
    int way = (int)random_between(r, 0, 3);
    for (int i = 0; i < c->m; i++)
        for (int k = 0; k < c->nrhs; k++)
            c->b[i][k] = way == 0   ? random_chance(r, 2) ? 0 : 1
                         : way == 1 ? integer(r, 9)
                                    : random_number(r, c->format, (int)random_between(r, -9, 9));
}

/* The product of a matrix of digits with its transpose: of lower rank where that matrix is square
 * and singular. Sometimes one element of the diagonal is a last place smaller or larger. */
static void make_gram(system_case *c, test_random *r)
{
    double b[SYSTEM_MOST][SYSTEM_MOST];
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++)
            b[i][j] = digit_element(r, i, j);
    memset(c->a, 0, sizeof c->a);
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++)
            for (int k = 0; k < c->n; k++)
                c->a[i][j] += b[i][k] * b[j][k];
    double *last = &c->a[c->n - 1][c->n - 1];
    *last += (double)random_between(r, -1, 1) * 2 * half_ulp(*last, c->format);
}

/* Symmetric: the kind's lower triangle, with a diagonal that makes it definite or not; or a
 * product. */
static void make_symmetric(system_case *c, test_random *r)
{
    bool heavy = random_chance(r, 2);
    c->upper = random_chance(r, 2);
    if (random_chance(r, 3)) {
        make_gram(c, r);
        return;
    }
    for (int i = 0; i < c->n; i++) {
        double sum = 0;
        for (int j = 0; j < c->n; j++) {
            c->a[i][j] = c->a[j > i ? j : i][j > i ? i : j];
            sum += fabs(c->a[i][j]);
        }
        if (heavy && sum < 1e30)
            c->a[i][i] = round_to(c->format, sum * (0.5 + 0.25 * (double)random_between(r, 0, 8)));
    }
}

void system_fill(system_case *c, size_t kind, test_random *r)
{
    if (c->routine == SYSTEM_GELS)
        c->m = (int)random_between(r, 1, 9);
    else
        c->m = c->n;
    kinds[kind].fill(c, r);
    if (c->routine == SYSTEM_POSV)
        make_symmetric(c, r);
    fill_right(c, r);
}

/* Arrays of the call's type, with room for padding: NaN where nothing was stored. */
enum { MOST_LD = SYSTEM_MOST + 3 };

typedef union {
    double d[SYSTEM_MOST * MOST_LD];
    float s[SYSTEM_MOST * MOST_LD];
} array;

static void store(array *a, number_format f, int at, double x)
{
    if (f == FORMAT_S)
        a->s[at] = (float)x;
    else
        a->d[at] = x;
}

static double load(const array *a, number_format f, int at)
{
    return f == FORMAT_S ? a->s[at] : a->d[at];
}

typedef struct {
    array a, b, x;
    int lda, ldb, ldx;
} arguments;

static void clear(array *a, number_format f)
{
    for (int i = 0; i < SYSTEM_MOST * MOST_LD; i++)
        store(a, f, i, NAN);
}

static void set_arguments(arguments *v, const system_case *c, const call_mode *m)
{
    int pad = m->level[FACTOR_PADDING] % 3;
    clear(&v->a, c->format);
    clear(&v->b, c->format);
    clear(&v->x, c->format);
    v->lda = c->m + pad;
    v->ldb = c->m + 2 * pad % 3;
    v->ldx = c->n + pad;
    for (int i = 0; i < c->m; i++) {
        for (int j = 0; j < c->n; j++)
            if (c->routine != SYSTEM_POSV || (c->upper ? i <= j : i >= j))
                store(&v->a, c->format, i + j * v->lda, c->a[i][j]);
        for (int k = 0; k < c->nrhs; k++)
            store(&v->b, c->format, i + k * v->ldb, c->b[i][k]);
    }
}

/* The library's routines of one type and width of integers. */
#define CALLS(name, t, integers)                                                                   \
    static exblas_status name(const system_case *c, arguments *v, exblas_solution *info)           \
    {                                                                                              \
        int uplo = c->upper ? 121 : 122;                                                           \
        switch (c->routine) {                                                                      \
        case SYSTEM_GESV:                                                                          \
            return exblas_##t##gesv##integers(c->n, c->nrhs, v->a.t, v->lda, v->b.t, v->ldb,       \
                                              v->x.t, v->ldx, info);                               \
        case SYSTEM_POSV:                                                                          \
            return exblas_##t##posv##integers(uplo, c->n, c->nrhs, v->a.t, v->lda, v->b.t, v->ldb, \
                                              v->x.t, v->ldx, info);                               \
        default:                                                                                   \
            return exblas_##t##gels##integers(c->m, c->n, c->nrhs, v->a.t, v->lda, v->b.t, v->ldb, \
                                              v->x.t, v->ldx, info);                               \
        }                                                                                          \
    }
CALLS(call_d, d, )
CALLS(call_s, s, )
CALLS(call_d_64, d, _64)
CALLS(call_s_64, s, _64)

static exblas_status call_library(const system_case *c, arguments *v, bool wide,
                                  exblas_solution *info)
{
    if (c->format == FORMAT_D)
        return (wide ? call_d_64 : call_d)(c, v, info);
    return (wide ? call_s_64 : call_s)(c, v, info);
}

/* Takes the results out of x, and puts NaN there as it was. */
static void take_results(arguments *v, const system_case *c,
                         double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT])
{
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->nrhs; k++) {
            x[i][k] = load(&v->x, c->format, i + k * v->ldx);
            store(&v->x, c->format, i + k * v->ldx, NAN);
        }
}

exblas_status system_call(const system_case *c, const call_mode *m,
                          double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT], exblas_solution *info,
                          bool *changed)
{
    static arguments v, before;
    set_arguments(&v, c, m);
    before = v;
    mode_select(m);
    hostile_env_enter(m->level[FACTOR_ENVIRONMENT]);
    exblas_status status = call_library(c, &v, m->level[FACTOR_ENTRY] % 2, info);
    bool kept = hostile_env_leave();
    *changed = !kept || (status != EXBLAS_OK && memcmp(&v, &before, sizeof v) != 0);
    take_results(&v, c, x);
    *changed = *changed || memcmp(&v, &before, sizeof v) != 0;
    return status;
}

bool system_holds(const system_case *c, const call_mode *m, exblas_solution *info,
                  exblas_status *answer)
{
    double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT], y[SYSTEM_MOST][SYSTEM_MOST_RIGHT];
    char text[200];
    bool changed;
    exblas_status wanted = system_model(c, x), status = system_call(c, m, y, info, &changed);
    *answer = wanted;
    bool holds = status == wanted && !changed;
    for (int i = 0; i < c->n && holds && wanted == EXBLAS_OK; i++)
        for (int k = 0; k < c->nrhs && holds; k++) {
            holds = same_bits(x[i][k], y[i][k]);
            if (!holds)
                print_error("component %d, %d is %a, not %a\n", i, k, y[i][k], x[i][k]);
        }
    mode_text(m, text);
    if (!holds)
        print_error("routine %d, m = %d, n = %d: status %d, not %d; changed %d; %s\n",
                    (int)c->routine, c->m, c->n, status, wanted, changed, text);
    return holds;
}

void system_set_square(system_case *c, int n, const double *a, const double *b)
{
    *c = (system_case){.routine = SYSTEM_GESV, .format = FORMAT_D, .m = n, .n = n, .nrhs = 1};
    for (int i = 0; i < n; i++) {
        c->b[i][0] = b[i];
        for (int j = 0; j < n; j++)
            c->a[i][j] = a[i * n + j];
    }
}
