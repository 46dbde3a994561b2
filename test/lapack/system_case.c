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

void system_fill(system_case *c, size_t kind, test_random *r)
{
    kinds[kind].fill(c, r);
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
            store(&v->a, c->format, i + j * v->lda, c->a[i][j]);
        for (int k = 0; k < c->nrhs; k++)
            store(&v->b, c->format, i + k * v->ldb, c->b[i][k]);
    }
}

static exblas_status call_library(const system_case *c, arguments *v, bool wide,
                                  exblas_solution *info)
{
    if (c->format == FORMAT_D)
        return wide ? exblas_dgesv_64(c->n, c->nrhs, v->a.d, v->lda, v->b.d, v->ldb, v->x.d, v->ldx,
                                      info)
                    : exblas_dgesv(c->n, c->nrhs, v->a.d, v->lda, v->b.d, v->ldb, v->x.d, v->ldx,
                                   info);
    return wide ? exblas_sgesv_64(c->n, c->nrhs, v->a.s, v->lda, v->b.s, v->ldb, v->x.s, v->ldx,
                                  info)
                : exblas_sgesv(c->n, c->nrhs, v->a.s, v->lda, v->b.s, v->ldb, v->x.s, v->ldx, info);
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

bool system_holds(const system_case *c, const call_mode *m, exblas_solution *info)
{
    double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT], y[SYSTEM_MOST][SYSTEM_MOST_RIGHT];
    char text[200];
    bool changed;
    exblas_status wanted = system_model(c, x), status = system_call(c, m, y, info, &changed);
    bool holds = status == wanted && !changed;
    for (int i = 0; i < c->n && holds && wanted == EXBLAS_OK; i++)
        for (int k = 0; k < c->nrhs && holds; k++) {
            holds = same_bits(x[i][k], y[i][k]);
            if (!holds)
                print_error("component %d, %d is %a, not %a\n", i, k, y[i][k], x[i][k]);
        }
    mode_text(m, text);
    if (!holds)
        print_error("n = %d: status %d, not %d; changed %d; %s\n", c->n, status, wanted, changed,
                    text);
    return holds;
}
