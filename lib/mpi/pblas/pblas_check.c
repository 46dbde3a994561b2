#include "mpi/pblas/pblas_call.h"

#include "observe/tally.h"

#include <string.h>
#include <stdio.h>

/* A descriptor in the form with first blocks of their own. Its entries have these numbers, from 1,
 * whichever form the caller's has: PBLAS reports them so. */
enum { TYPE = 1, CONTEXT, ROWS, COLS, FIRST_MB, FIRST_NB, MB, NB, ROW_SOURCE, COL_SOURCE, LD };
enum { N_ENTRIES = 12, BLOCK_CYCLIC = 1, BLOCK_CYCLIC_FIRST = 2, MULTIPLIER = 100 };

static void read_descriptor(const int *d, int e[N_ENTRIES])
{
    static const int of_short[N_ENTRIES] = {0, 0, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8};
    e[TYPE] = BLOCK_CYCLIC_FIRST;
    if (d[0] == BLOCK_CYCLIC) {
        for (int i = CONTEXT; i <= LD; i++)
            e[i] = d[of_short[i]];
    } else if (d[0] == BLOCK_CYCLIC_FIRST) {
        memcpy(e + 1, d, (N_ENTRIES - 1) * sizeof *d);
    } else {
        e[TYPE] = d[0];
        e[CONTEXT] = d[1];
    }
}

static void note_fault(exb_pblas_call *q, bool illegal, int position, int entry)
{
    int number = position * MULTIPLIER + entry;
    if (illegal && (q->worst == 0 || number < q->worst))
        q->worst = number;
}

char exb_pblas_option(exb_pblas_call *q, int position, const char *letter, const char *legal)
{
    char c = *letter >= 'a' && *letter <= 'z' ? (char)(*letter - 'a' + 'A') : *letter;
    note_fault(q, c == 0 || !strchr(legal, c), position, 0);
    q->said[position] = (uint32_t)c;
    return c;
}

static bool is_row(const exb_operand *v, const int e[N_ENTRIES])
{
    return v->is_vector && v->inc == e[ROWS];
}

static exb_axis axis_of(exb_over over, int n, int first, int first_block, int block, int source,
                        int n_parts)
{
    bool everywhere = source < 0;
    return (exb_axis){
        everywhere ? EXB_OVER_NONE : over, n,   first, first_block, block, everywhere ? 0 : source,
        everywhere ? 1 : n_parts,          NULL};
}

/* Rows and columns of the operand as they lie in the matrix. */
static exb_layout stored_layout(const exb_pblas_call *q, const exb_operand *v,
                                const int e[N_ENTRIES])
{
    int m = is_row(v, e) ? 1 : v->rows.n, n = is_row(v, e) ? v->rows.n : v->cols.n;
    return (exb_layout){
        axis_of(EXB_OVER_ROWS, m, v->i, e[FIRST_MB], e[MB], e[ROW_SOURCE], q->grid.n_rows),
        axis_of(EXB_OVER_COLS, n, v->j, e[FIRST_NB], e[NB], e[COL_SOURCE], q->grid.n_cols)};
}

/* An own part of the whole matrix. */
static int64_t own_length(exb_axis x, int n, int part)
{
    x.first = 0;
    x.n = n;
    return exb_axis_count(&x, x.over == EXB_OVER_NONE ? 0 : part);
}

/* Whether the leading dimension holds the rows that this process has, if it has any. */
static void check_ld(exb_pblas_call *q, const exb_operand *v, const int e[N_ENTRIES])
{
    exb_layout l = stored_layout(q, v, e);
    int64_t rows = own_length(l.row, e[ROWS], q->grid.row);
    int64_t cols = own_length(l.col, e[COLS], q->grid.col);
    note_fault(q, e[LD] < 1 || (e[LD] < rows && cols > 0), v->position, LD);
}

static void check_bounds(exb_pblas_call *q, const exb_operand *v, const int e[N_ENTRIES])
{
    int m = is_row(v, e) ? 1 : v->rows.n, n = is_row(v, e) ? v->rows.n : v->cols.n;
    bool empty = m == 0 || n == 0;
    note_fault(q, e[ROWS] < !empty, v->position, ROWS);
    note_fault(q, e[COLS] < !empty, v->position, COLS);
    if (empty) {
        note_fault(q, e[LD] < 1, v->position, LD);
        return;
    }
    if (e[ROWS] >= 1 && e[COLS] >= 1) {
        note_fault(q, (int64_t)v->i + m > e[ROWS], v->position - 2, 0);
        note_fault(q, (int64_t)v->j + n > e[COLS], v->position - 1, 0);
    }
    if (q->worst == 0)
        check_ld(q, v, e);
}

static void check_operand(exb_pblas_call *q, const exb_operand *v)
{
    int e[N_ENTRIES] = {0}, p = v->position;
    read_descriptor(v->desc, e);
    note_fault(q, v->rows.n < 0, v->rows.position, 0);
    note_fault(q, v->cols.n < 0, v->cols.position, 0);
    note_fault(q, v->i < 0, p - 2, 0);
    note_fault(q, v->j < 0, p - 1, 0);
    note_fault(q, e[TYPE] != BLOCK_CYCLIC_FIRST, p, TYPE);
    if (e[TYPE] != BLOCK_CYCLIC_FIRST)
        return;
    note_fault(q, e[CONTEXT] != q->grid.context, p, CONTEXT);
    if (e[CONTEXT] != q->grid.context)
        return;
    for (int i = FIRST_MB; i <= NB; i++)
        note_fault(q, e[i] < 1, p, i);
    note_fault(q, e[ROW_SOURCE] < -1 || e[ROW_SOURCE] >= q->grid.n_rows, p, ROW_SOURCE);
    note_fault(q, e[COL_SOURCE] < -1 || e[COL_SOURCE] >= q->grid.n_cols, p, COL_SOURCE);
    note_fault(q, v->is_vector && v->inc != 1 && v->inc != e[ROWS], p + 1, 0);
    check_bounds(q, v, e);
}

/* FNV-1a-32. */
static uint32_t hash_of(const void *bytes, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const unsigned char *)bytes)[i]) * 16777619u;
    return h;
}

/* The layout of an operand, and what all processes must say of it: all but its context and leading
 * dimension. */
static void describe_operand(exb_pblas_call *q, exb_operand *v)
{
    int e[N_ENTRIES] = {0}, p = v->position;
    read_descriptor(v->desc, e);
    v->layout = stored_layout(q, v, e);
    v->n_rows = e[ROWS];
    v->ld = e[LD];
    q->said[v->rows.position] = (uint32_t)v->rows.n;
    q->said[v->cols.position] = (uint32_t)v->cols.n;
    q->said[p - 2] = (uint32_t)v->i;
    q->said[p - 1] = (uint32_t)v->j;
    q->said[p] = hash_of(e + ROWS, (LD - ROWS) * sizeof *e);
    if (v->is_vector)
        q->said[p + 1] = (uint32_t)v->inc;
    q->said[0] = hash_of(q->routine, strlen(q->routine)); /* extents of 1 have position 0 */
}

/* The first operand among the arguments that stands behind this position, or NULL. */
static const exb_operand *operand_behind(const exb_pblas_call *q, int position)
{
    const exb_operand *first = NULL;
    for (int i = 0; i < EXB_N_OPERANDS; i++) {
        const exb_operand *v = &q->operand[i];
        if (v->desc && v->position > position && (!first || v->position < first->position))
            first = v;
    }
    return first;
}

/* The number that PBLAS reports: -position, or -(100 position + entry). */
static int info_of(const exb_pblas_call *q)
{
    return -(q->worst % MULTIPLIER ? q->worst : q->worst / MULTIPLIER);
}

static bool is_legal(exb_pblas_call *q)
{
    const exb_operand *v = operand_behind(q, 0);
    q->grid = exb_grid_of(v->desc[1]);
    if (q->grid.n_rows < 0)
        q->worst = v->position * MULTIPLIER + CONTEXT;
    for (; v && q->grid.n_rows > 0; v = operand_behind(q, v->position))
        check_operand(q, v);
    if (q->worst)
        q->report(q->grid.context, q->routine, info_of(q));
    return !q->worst;
}

/* A vector of one element in a matrix of one row: its owner alone is its scope, since nobody can
 * say whether it is a row or a column. */
static bool is_single(const exb_operand *v)
{
    return v->is_vector && v->inc == 1 && v->n_rows == 1 && v->rows.n == 1;
}

/* The processes of the scope: those that have a part if the axis along the vector has one
 * everywhere. */
static exb_layout scope_of(const exb_operand *v)
{
    exb_layout l = v->layout;
    if (!is_single(v))
        *(v->inc == v->n_rows ? &l.col : &l.row) = exb_axis_whole(v->rows.n);
    return l;
}

/* Whether this process has something to do. */
static bool begin_call(exb_pblas_call *q)
{
    static _Thread_local bool present[EXB_MOST_PROCESSES];
    if (!q->is_laid_out && (!is_legal(q) || q->grid.row < 0))
        return false;
    if ((int64_t)q->grid.n_rows * q->grid.n_cols > EXB_MOST_PROCESSES) {
        fprintf(stderr, "exblas: %s: more than %d processes\n", q->routine, EXB_MOST_PROCESSES);
        return false;
    }
    for (int i = 0; i < EXB_N_OPERANDS && !q->is_laid_out; i++)
        if (q->operand[i].desc)
            describe_operand(q, &q->operand[i]);
    memset(present, 0, (size_t)(q->grid.n_rows * q->grid.n_cols) * sizeof *present);
    for (int i = 0; i < EXB_N_OPERANDS; i++)
        if (exb_pblas_has(q, i)) {
            exb_layout l = q->result ? scope_of(&q->operand[i]) : q->operand[i].layout;
            exb_team_mark(&q->grid, &l, present);
        }
    exb_report_distributed(q->routine);
    q->team = exb_team_of(&q->grid, present);
    if (q->alone && q->team.n == 1 && q->team.self == 0) {
        q->alone(q);
        return false;
    }
    return q->team.self >= 0;
}

void exb_pblas_run(exb_pblas_call *q, void (*compute)(exb_pblas_call *))
{
    bool takes_part = begin_call(q);
    if (q->result && !q->worst)
        memset(q->result, 0, q->result_size);
    if (q->index && !q->worst)
        *q->index = 0;
    if (takes_part)
        compute(q);
    exb_workspace_free(&q->work);
}
