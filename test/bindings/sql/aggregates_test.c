/* States of aggregates without a database: rows in columns and states combined, bit by bit as rows
 * that are added one by one. Behind each column stand NaN. */
#include "testing.h"

#include "aggregates.h"
#include "test_random.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 40, MOST_STATES = 3, MOST_WIDE = 2 * MOST_STATES * SQL_MOST_CELLS };

typedef struct {
    exblas_cell cell[MOST_STATES][SQL_MOST_CELLS];
    exblas_cell_wide wide[MOST_WIDE];
    int n_wide, most_wide;
} group;

static exblas_cell_wide *room(void *context)
{
    group *g = context;
    return g->n_wide < g->most_wide ? &g->wide[g->n_wide++] : NULL;
}

static void clear(group *g, int most_wide)
{
    memset(g, 0, sizeof *g);
    g->most_wide = most_wide;
}

static void assert_same_states(sql_kept kept, const group *got, const group *wanted)
{
    for (int s = 0; s < MOST_STATES; s++)
        for (int i = 0; i < sql_cells(kept); i++) {
            unsigned char a[EXBLAS_CELL_BYTES], b[EXBLAS_CELL_BYTES];
            size_t n = exblas_cell_export(&got->cell[s][i], a);
            assert_int_equal(exblas_cell_export(&wanted->cell[s][i], b), n);
            assert_memory_equal(a, b, n);
        }
}

/* A row of one or two columns. */
typedef bool step(sql_kept kept, exblas_cell *cells, const sql_number *x, const sql_number *y,
                  cell_room *with, void *context);

static bool row(step *go, sql_kept kept, exblas_cell *cells, double x, double y, group *g)
{
    sql_number number[2] = {sql_of_double(x), sql_of_double(y)};
    return go(kept, cells, &number[0], &number[1], room, g);
}

/* Of which few fit into three doubles. */
static double number(test_random *r)
{
    return ldexp((double)random_between(r, -9, 9), 100 * (int)random_between(r, -4, 4));
}

/* Rows of the columns, the state that each belongs to, and what the states must be. */
typedef struct {
    double x[MOST_ROWS], y[MOST_ROWS];
    int owner[MOST_ROWS];
    int64_t n;
    group wanted;
} rows;

static void make_rows(rows *t, sql_kept kept, test_random *r, int n_states)
{
    clear(&t->wanted, MOST_WIDE);
    t->n = random_between(r, 0, MOST_ROWS);
    for (int64_t k = 0; k < MOST_ROWS; k++) {
        bool is_there = k < t->n;
        t->x[k] = is_there ? number(r) : NAN;
        t->y[k] = is_there ? number(r) : NAN;
        t->owner[k] = is_there ? (int)random_between(r, 0, n_states - 1) : 0;
        if (is_there)
            assert_true(
                row(sql_add, kept, t->wanted.cell[t->owner[k]], t->x[k], t->y[k], &t->wanted));
    }
}

/* In columns; each state in two parts; and taken away again. */
static void states(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "sql states");
    for (int round = 0; round < 2000; round++) {
        static rows t;
        static group none, got, part[2];
        void *of_row[MOST_ROWS], *to[MOST_STATES], *from[MOST_STATES];
        sql_kept kept = (sql_kept)(round % 4);
        make_rows(&t, kept, &r, 1 + round / 4 % MOST_STATES);
        clear(&got, MOST_WIDE);
        clear(&part[0], MOST_WIDE);
        clear(&part[1], MOST_WIDE);
        for (int k = 0; k < MOST_ROWS; k++)
            of_row[k] = got.cell[t.owner[k]];
        assert_true(sql_add_rows(kept, t.n, of_row, t.x, t.y, room, &got));
        assert_same_states(kept, &got, &t.wanted);
        for (int64_t k = 0; k < t.n; k++)
            row(sql_add, kept, part[k % 2].cell[t.owner[k]], t.x[k], t.y[k], &part[k % 2]);
        for (int s = 0; s < MOST_STATES; s++) {
            to[s] = part[0].cell[s];
            from[s] = part[1].cell[s];
        }
        assert_true(sql_combine_rows(kept, MOST_STATES, to, from, room, &part[0]));
        assert_same_states(kept, &part[0], &t.wanted);
        for (int64_t k = 0; k < t.n; k++)
            assert_true(row(sql_remove, kept, got.cell[t.owner[k]], t.x[k], t.y[k], &got));
        assert_same_states(kept, &got, &none);
    }
}

/* No memory for a wide part. */
static void no_room(NO_STATE)
{
    static const double x[] = {1e300, 1e100, 1, 1e-100, 1e-300};
    static group g, other;
    void *of_row[5], *to[] = {g.cell[0]}, *from[] = {other.cell[0]};
    for (int i = 0; i < 5; i++)
        of_row[i] = g.cell[0];
    clear(&g, 0);
    assert_false(sql_add_rows(KEEP_SUM, 5, of_row, x, NULL, room, &g));
    clear(&g, 0);
    of_row[4] = g.cell[1];
    assert_false(sql_add_rows(KEEP_SUM, 5, of_row, x, NULL, room, &g));
    clear(&g, 0);
    for (int i = 0; i < 3; i++)
        assert_true(row(sql_add, KEEP_SUM, g.cell[0], x[i], 0, &g));
    assert_false(row(sql_add, KEEP_SUM, g.cell[0], x[4], 0, &g));
    clear(&g, 0);
    clear(&other, MOST_WIDE);
    for (int i = 0; i < 3; i++)
        row(sql_add, KEEP_SUM, other.cell[0], x[i], 0, &other);
    row(sql_add, KEEP_SUM, g.cell[0], x[4], 0, &g);
    assert_false(sql_combine_rows(KEEP_SUM, 1, to, from, room, &g));
}

TESTS(states, no_room)
