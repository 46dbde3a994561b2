/* solve: a sparse system by conjugate gradients, BiCGStab or GMRES, whose steps have the same bits
 * on any machine. */
#include "findings.h"
#include "show.h"
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <exblas/cblas.h>
#include <exblas/sparse.h>

/* The rows of a square matrix. */
typedef struct {
    exblas_int64 n, *row_start, *column;
    double *value;
} matrix;

typedef struct {
    exblas_int64 n, room, *row, *column;
    double *value;
} entries;

typedef exblas_status solver(exblas_int64, exblas_dapply_fn *, void *, const double *, double *,
                             const exblas_dsolver_options *, exblas_solver_result *);

/* What is told while the solver runs. */
typedef struct {
    bool on_terminal, has_shown;
    clock_t shown;
} report;

static void append(entries *e, const cli_matrix_market *m, double value)
{
    if (e->n == e->room) {
        e->room = 2 * e->room + 1024;
        e->row = cli_grow(e->row, e->room, sizeof *e->row);
        e->column = cli_grow(e->column, e->room, sizeof *e->column);
        e->value = cli_grow(e->value, e->room, sizeof *e->value);
    }
    e->row[e->n] = m->row;
    e->column[e->n] = m->column;
    e->value[e->n++] = value;
}

static matrix rows_of(const entries *e, int64_t n, const char *name)
{
    matrix a = {n, cli_allocate(n + 1, sizeof *a.row_start), cli_allocate(e->n, sizeof *a.column),
                cli_allocate(e->n, sizeof *a.value)};
    exblas_status status = exblas_dcoo_to_csr_64(n, n, e->n, e->row, e->column, e->value,
                                                 a.row_start, a.column, a.value);
    if (status != EXBLAS_OK)
        cli_fail(CLI_RESOURCES, "%s: not enough memory for its rows", name);
    return a;
}

static matrix read_matrix(const cli_request *q, const char *path)
{
    cli_source s;
    entries e = {0};
    double value;
    cli_source_open(&s, &(cli_request){.command = q->command, .quiet = q->quiet}, path);
    if (s.format != CLI_MTX || !s.matrix.coordinate)
        cli_fail(CLI_BAD_INPUT, "%s: a Matrix Market file of coordinates is needed", path);
    int64_t n = s.matrix.n_rows;
    if (n != s.matrix.n_columns)
        cli_fail(CLI_BAD_INPUT, "%s: %lld x %lld is not square", path, (long long)n,
                 (long long)s.matrix.n_columns);
    while (cli_source_read(&s, &value, 1))
        append(&e, &s.matrix, value);
    cli_input_close(&s.in);
    matrix a = rows_of(&e, n, path);
    free(e.row);
    free(e.column);
    free(e.value);
    return a;
}

static void free_matrix(matrix *a)
{
    free(a->row_start);
    free(a->column);
    free(a->value);
}

/* As conjugate gradients need it; t is the transpose. */
static void expect_equal_rows(const matrix *a, const matrix *t, const char *name)
{
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t k = a->row_start[i], l = t->row_start[i]; k < a->row_start[i + 1]; k++) {
            while (l < t->row_start[i + 1] && t->column[l] < a->column[k])
                l++;
            bool is_there = l < t->row_start[i + 1] && t->column[l] == a->column[k];
            if (a->value[k] != (is_there ? t->value[l] : 0))
                cli_fail(CLI_BAD_INPUT,
                         "%s: not symmetric at (%lld, %lld), as --cg needs it: say --gmres", name,
                         (long long)i + 1, (long long)a->column[k] + 1);
        }
}

static void expect_symmetric(const matrix *a, const char *name)
{
    int64_t n = a->row_start[a->n];
    matrix t = {a->n, cli_allocate(a->n + 1, sizeof *t.row_start),
                cli_allocate(n, sizeof *t.column), cli_allocate(n, sizeof *t.value)};
    exblas_status status = exblas_dcsr_transpose_64(a->n, a->n, a->row_start, a->column, a->value,
                                                    t.row_start, t.column, t.value);
    if (status != EXBLAS_OK)
        cli_fail(CLI_RESOURCES, "%s: not enough memory for its transpose", name);
    expect_equal_rows(a, &t, name);
    free_matrix(&t);
}

static double *read_vector(const cli_request *q, const char *path, int64_t n)
{
    cli_source s;
    int64_t n_read;
    cli_source_open(&s, q, path);
    if (s.is_complex)
        cli_fail(CLI_BAD_INPUT, "%s: the right-hand side is not real", path);
    double *b = cli_source_read_all(&s, &n_read);
    cli_input_close(&s.in);
    if (n_read != n)
        cli_fail(CLI_BAD_INPUT, "%s: %lld numbers, but the matrix has %lld rows", path,
                 (long long)n_read, (long long)n);
    return b;
}

/* Step, residual as a decimal and in full. */
static void write_history(const char *path, FILE *f, int n_steps, const double *residual)
{
    char text[CLI_SHOWN];
    for (int i = 0; i <= n_steps; i++)
        fprintf(f, "%d %s %a\n", i, cli_show(residual[i], false, text), residual[i]);
    cli_close_output(f, path);
}

static int show_step(void *context, int step, double residual, const double *x)
{
    report *r = context;
    (void)x;
    if (r->on_terminal && clock() - r->shown > CLOCKS_PER_SEC / 10) {
        fprintf(stderr, "\rstep %d, residual %.3e\033[K", step, residual);
        r->shown = clock();
        r->has_shown = true;
    }
    return 0;
}

/* M = the inverse of the diagonal. */
static matrix jacobi(const matrix *a, const char *name)
{
    matrix m = {a->n, cli_allocate(a->n + 1, sizeof *m.row_start),
                cli_allocate(a->n, sizeof *m.column), cli_allocate(a->n, sizeof *m.value)};
    exblas_status status = exblas_dcsr_block_inverse_64(a->n, 1, a->row_start, a->column, a->value,
                                                        m.row_start, m.column, m.value);
    if (status == EXBLAS_ERANGE)
        cli_fail(CLI_BAD_INPUT, "%s: an element of the diagonal has no inverse", name);
    if (status != EXBLAS_OK)
        cli_fail(CLI_RESOURCES, "not enough memory for the preconditioner");
    return m;
}

static exblas_dcsr_handle *handle_of(const matrix *a)
{
    exblas_dcsr_handle *h;
    if (exblas_dcsr_create_64(a->n, a->n, a->row_start, a->column, a->value, &h) != EXBLAS_OK)
        cli_fail(CLI_RESOURCES, "not enough memory for the matrix");
    return h;
}

static int conclude(const cli_request *q, const exblas_solver_result *r)
{
    static const char *const reasons[] = {"", "converged", "not converged", "breakdown", "stopped"};
    if (!q->quiet)
        fprintf(stderr, "exblas: %s after %d steps, residual %.3e\n", reasons[r->reason], r->steps,
                r->residual);
    return r->reason == EXBLAS_CONVERGED ? CLI_OK : CLI_FINDING;
}

/* x = 0 at the beginning. */
static exblas_solver_result run(const cli_request *q, const matrix *a, const matrix *m,
                                const double *b, double *x, double *history)
{
    static solver *const solvers[] = {exblas_dcg_64, exblas_dbicgstab_64, exblas_dgmres_64};
    report r = {.on_terminal = !q->quiet && isatty(STDERR_FILENO)};
    exblas_dcsr_handle *product = handle_of(a), *inverse = m ? handle_of(m) : NULL;
    exblas_dsolver_options o = {.tolerance = q->tolerance,
                                .most_steps = (int)q->steps,
                                .precondition = m ? exblas_dcsr_handle_apply : NULL,
                                .precondition_context = inverse,
                                .step = show_step,
                                .step_context = &r,
                                .history = history,
                                .history_size = (int)q->steps + 1};
    exblas_solver_result result = {0};
    memset(x, 0, (size_t)a->n * sizeof *x);
    exblas_status status =
        solvers[q->method](a->n, exblas_dcsr_handle_apply, product, b, x, &o, &result);
    exblas_dcsr_free(product);
    exblas_dcsr_free(inverse);
    if (r.has_shown)
        fprintf(stderr, "\r\033[K");
    if (status != EXBLAS_OK)
        cli_fail(CLI_RESOURCES, "not enough memory for the solver");
    return result;
}

int cli_solve(const cli_request *q)
{
    if (q->n_files != 2)
        cli_fail(CLI_BAD_INPUT, "solve takes a matrix and a right-hand side");
    if (q->method == CLI_LEAST_SQUARES)
        return cli_least_squares(q);
    matrix a = read_matrix(q, q->file[0]), m = {0};
    double *b = read_vector(q, q->file[1], a.n), *x = cli_allocate(a.n, sizeof *x);
    double *history = cli_allocate(q->steps + 1, sizeof *history);
    if (q->jacobi)
        m = jacobi(&a, q->file[0]);
    if (q->method == CLI_CG)
        expect_symmetric(&a, q->file[0]);
    FILE *out = cli_open_output(q->output), *to = q->history ? cli_open_output(q->history) : NULL;
    exblas_solver_result result = run(q, &a, q->jacobi ? &m : NULL, b, x, history);
    if (to)
        write_history(q->history, to, result.steps, history);
    if (result.reason == EXBLAS_BREAKDOWN) /* x may be anything */
        cli_close_output(out, q->output);
    else
        cli_write_transpose(out, q->output, &(cli_matrix){"", 1, a.n, false, x});
    free_matrix(&a);
    free_matrix(&m);
    free(b);
    free(x);
    free(history);
    return conclude(q, &result);
}
