#include "pblas_problem.h"

#include <math.h>
#include <stdlib.h>

enum { UNTOUCHED = 0x5a };

/* The part that element g (from 0) belongs to, and its place there. */
static int owner(int g, int first, int block, int source, int n)
{
    return source < 0 ? -1 : g < first ? source : (source + 1 + (g - first) / block) % n;
}

static bool owns(int part, int g, int first, int block, int source, int n)
{
    int o = owner(g, first, block, source, n);
    return o < 0 || o == part;
}

static int count(int total, int part, int first, int block, int source, int n)
{
    int c = 0;
    for (int i = 0; i < total; i++)
        c += owns(part, i, first, block, source, n);
    return c;
}

static void set_descriptor(matrix *a, const grid *g, bool is_long)
{
    int of_long[11] = {2,     g->context, a->m,          a->n,          a->first_mb, a->first_nb,
                       a->mb, a->nb,      a->row_source, a->col_source, a->ld};
    int of_short[11] = {1,     g->context,    a->m,          a->n, a->mb,
                        a->nb, a->row_source, a->col_source, a->ld};
    memcpy(a->desc, is_long ? of_long : of_short, sizeof a->desc);
}

matrix make_matrix(test_random *r, const grid *g, size_t size, int order, int block)
{
    matrix a = {.size = size, .inc = 0};
    bool is_long = random_chance(r, 3), other = random_chance(r, 2);
    a.m = order + (int)random_between(r, 1, 20);
    a.n = order + (int)random_between(r, 1, 20);
    a.i = (int)random_between(r, 1, a.m - order + 1);
    a.j = (int)random_between(r, 1, a.n - order + 1);
    a.mb = other ? (int)random_between(r, 1, block) : block;
    a.nb = other ? (int)random_between(r, 1, block) : block;
    a.first_mb = is_long ? (int)random_between(r, 1, 2 * block) : a.mb;
    a.first_nb = is_long ? (int)random_between(r, 1, 2 * block) : a.nb;
    a.row_source = (int)random_between(r, random_chance(r, 8) ? -1 : 0, g->n_rows - 1);
    a.col_source = (int)random_between(r, random_chance(r, 8) ? -1 : 0, g->n_cols - 1);
    a.local_rows = count(a.m, g->row, a.first_mb, a.mb, a.row_source, g->n_rows);
    a.local_cols = count(a.n, g->col, a.first_nb, a.nb, a.col_source, g->n_cols);
    a.ld = a.local_rows + GUARD;
    a.global = malloc((size_t)(a.m * a.n) * size);
    a.local = malloc((size_t)(a.ld * (a.local_cols + 1)) * size);
    set_descriptor(&a, g, is_long);
    return a;
}

void make_vector(test_random *r, matrix *a)
{
    a->inc = random_chance(r, 2) ? 1 : a->m;
}

/* Ties, cancellation, far exponents, zeros of both signs. */
static double random_element(test_random *r)
{
    static const double plain[] = {0, -0.0, 1, -1, 0x1p-30, 3};
    int kind = (int)random_between(r, 0, 9);
    return kind < 3 ? plain[random_between(r, 0, 5)]
                    : random_number(r, FORMAT_S, (int)random_between(r, -12, kind < 8 ? 2 : 12));
}

void fill_matrix(test_random *r, const grid *g, matrix *a, bool is_float, bool specials)
{
    size_t n = (size_t)(a->m * a->n) * a->size / (is_float ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < n; i++) {
        double x = random_element(r);
        if (!is_float)
            x += x * 0x1p-29 * random_number(r, FORMAT_S, 0);
        if (specials && random_chance(r, a->inc ? 60 : 300))
            x = random_chance(r, 3) ? NAN : random_sign(r) * HUGE_VAL;
        set_number(a->global, i, is_float, x);
    }
    distribute(g, a);
}

typedef void visit(matrix *a, char *global, char *local, bool *same);

enum { MOST = MOST_ORDER + 20 };

/* Where each element of an axis lies in this part; -1: elsewhere. */
static void places(int total, int part, int first, int block, int source, int n, int place[MOST])
{
    int local = 0;
    for (int i = 0; i < total; i++)
        place[i] = owns(part, i, first, block, source, n) ? local++ : -1;
}

static bool for_own(const grid *g, matrix *a, visit *v)
{
    bool same = true;
    int row[MOST], col[MOST];
    places(a->m, g->row, a->first_mb, a->mb, a->row_source, g->n_rows, row);
    places(a->n, g->col, a->first_nb, a->nb, a->col_source, g->n_cols, col);
    for (int j = 0; j < a->n; j++)
        for (int i = 0; i < a->m; i++)
            if (row[i] >= 0 && col[j] >= 0)
                v(a, a->global + (size_t)(i + j * a->m) * a->size,
                  a->local + (size_t)(row[i] + col[j] * a->ld) * a->size, &same);
    return same;
}

static void copy_element(matrix *a, char *global, char *local, bool *same)
{
    (void)same;
    memcpy(local, global, a->size);
}

static void compare_element(matrix *a, char *global, char *local, bool *same)
{
    *same = *same && memcmp(local, global, a->size) == 0;
}

void distribute(const grid *g, matrix *a)
{
    memset(a->local, UNTOUCHED, (size_t)(a->ld * (a->local_cols + 1)) * a->size);
    for_own(g, a, copy_element);
}

bool is_same(const grid *g, const matrix *a)
{
    matrix copy = *a;
    for (int j = 0; j <= a->local_cols; j++) {
        const char *at = a->local + (size_t)(j * a->ld) * a->size;
        size_t begin = j < a->local_cols ? (size_t)a->local_rows * a->size : 0;
        for (size_t i = begin; i < (size_t)a->ld * a->size; i++)
            if (at[i] != UNTOUCHED)
                return false;
    }
    return for_own(g, &copy, compare_element);
}

void *serial_start(const matrix *a)
{
    return a->global ? a->global + (size_t)(a->i - 1 + (a->j - 1) * a->m) * a->size : NULL;
}

int serial_step(const matrix *a)
{
    return a->inc == a->m ? a->m : 1;
}

bool is_in_scope(const grid *g, const matrix *a, int n)
{
    (void)n;
    return a->inc == a->m ? owns(g->row, a->i - 1, a->first_mb, a->mb, a->row_source, g->n_rows)
                          : owns(g->col, a->j - 1, a->first_nb, a->nb, a->col_source, g->n_cols);
}

void free_matrix(matrix *a)
{
    free(a->global);
    free(a->local);
}
