/* Some rows of a triangle are a band of a rectangle: row i of a lower one's reaches up to column
 * rows.begin + i of rows.end, row i of an upper one's from column i on, counted from rows.begin. A
 * diagonal of ones is to be that of the rectangle: read from their ends, rows of a lower triangle
 * are such of an upper one.
 * Types: s d c z. */
#include "level3/rows_entry.h"

#include "core/fpenv.h"
#include "level2/solve.h"
#include "level3/call.h"
#include "level3/trsm_system.h"

/* --- products ----------------------------------------------------------------- */

static void run_call(exb_t(call) *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    EXB_GUARDED(exb_t(call_compute)(call, NULL));
}

static int64_t count_rows(const exb_t(triangle_rows) *t)
{
    return t->rows.end - t->rows.begin;
}

static int64_t count_columns(const exb_t(triangle_rows) *t)
{
    return t->is_lower ? t->rows.end : t->n - t->rows.begin;
}

static exb_t(matrix) band_of(const exb_t(triangle_rows) *t)
{
    int64_t m = count_rows(t), k = count_columns(t);
    int64_t below = t->is_lower ? m : 0, above = t->is_lower ? t->rows.begin : k;
    return (exb_t(matrix)){
        t->p, exb_pattern_band(exb_view_full(false, t->ld), m, k, below, above, false)};
}

/* From the last row and term on, or from the first. */
static exb_t(matrix) unit_band_of(const exb_t(triangle_rows) *t)
{
    int64_t m = count_rows(t), k = count_columns(t);
    exb_view v = exb_view_full(false, t->ld);
    if (t->is_lower)
        v = (exb_view){m - 1 + (k - 1) * t->ld, -1, 0, -t->ld, 0};
    exb_t(matrix) rows = {t->p, exb_pattern_band(v, m, k, -1, k, false)};
    rows.pattern.diagonal = EXB_DIAGONAL_ONES;
    return rows;
}

void exb_entry(rows_multiply)(const exb_t(triangle_rows) *t, bool unit, int64_t n_sides,
                              const exb_real *alpha, const exb_real *x, int64_t ldx, exb_real *c,
                              int64_t ldc)
{
    static const exb_real one = 1;
    bool backwards = unit && t->is_lower;
    int64_t m = count_rows(t), k = count_columns(t), first = t->is_lower ? 0 : t->rows.begin;
    exb_view sides = {backwards ? k - 1 : 0, ldx, 0, backwards ? -1 : 1, 0};
    exb_t(call) call;
    exb_t(call_init)(&call, alpha ? alpha : &one, NULL);
    call.output.real_alpha = !alpha;
    call.m = m;
    call.n = n_sides;
    call.k = k;
    exb_t(source_set)(&call.a, unit ? unit_band_of(t) : band_of(t));
    exb_t(source_set)(&call.b, exb_t(full_matrix)(x + EXB_PARTS * first, sides, n_sides, k, false));
    call.output.c.p = c;
    call.output.c.view = (exb_view){backwards ? m - 1 : 0, backwards ? -1 : 1, 0, ldc, 0};
    run_call(&call);
}

#if EXB_IS_COMPLEX
/* The first element is the diagonal's, the others are a piece that begins behind it. */
void exb_entry(hermitian_row)(int64_t n, int64_t k, exb_scalar alpha, exb_t(strided) h,
                              exb_t(strided) b, exb_scalar beta, exb_t(strided) c)
{
    exb_view row = {0, 0, 0, h.cs, 0}, sides = {0, b.cs, 0, b.rs, 0};
    exb_t(matrix) a = {h.p, exb_pattern_band(row, 1, k, -1, k, false)};
    exb_t(call) call;
    a.pattern.diagonal = EXB_DIAGONAL_REAL;
    a.pattern.diagonal_view = row;
    exb_t(call_init)(&call, exb_t(parts_of)(&alpha), exb_t(parts_of)(&beta));
    call.m = 1;
    call.n = n;
    call.k = k;
    exb_t(source_set)(&call.a, a);
    exb_t(source_set)(&call.b, exb_t(full_matrix)(b.p, sides, n, k, false));
    exb_t(call_set_c)(&call, false, c.p, c.cs);
    run_call(&call);
}
#endif

/* --- systems ------------------------------------------------------------------ */

/* The whole triangle as the rows that are there would continue it: others are not read. An upper
 * one is read from its end. */
static exb_t(system) system_of(const exb_t(triangle_rows) *t, bool unit, int64_t n_sides,
                               exb_real *x, int64_t ldx)
{
    int64_t b = t->rows.begin, last = t->n - 1;
    exb_view v = {-b, 1, 0, t->ld, 0};
    exb_t(system) q = {.unit = unit, .n = t->n, .n_sides = n_sides, .xl = 1, .xv = ldx, .x = x};
    if (!t->is_lower) {
        v = (exb_view){last - b + (last - b) * t->ld, -1, 0, -t->ld, 0};
        q.xl = -1;
        q.x = x + EXB_PARTS * last;
    }
    q.t = (exb_t(matrix)){t->p, exb_pattern_triangle(v, t->n, t->n, true, true, false)};
    q.method = exb_method_current();
    return q;
}

/* Rows as they are counted in the system. */
static exb_range rows_of_system(const exb_t(triangle_rows) *t)
{
    return t->is_lower ? t->rows : (exb_range){t->n - t->rows.end, t->n - t->rows.begin};
}

void exb_entry(rows_solve_vector)(const exb_t(triangle_rows) *t, bool unit, exb_real *x)
{
    exb_t(system) q = system_of(t, unit, 1, x, t->n);
    EXB_GUARDED(exb_t(solve)(&q.t, unit, rows_of_system(t), q.x, q.xl));
}

void exb_entry(rows_solve)(const exb_t(triangle_rows) *t, bool unit, int64_t n_sides,
                           exb_scalar alpha, exb_real *x, int64_t ldx)
{
    exb_fpenv env;
    exb_fpenv_enter(&env);
    exb_t(system) q = system_of(t, unit, n_sides, x, ldx);
    q.alpha = exb_t(scalar_at)(exb_t(parts_of)(&alpha), false);
    exb_t(solve_system_rows)(&q, rows_of_system(t));
    exb_fpenv_leave(&env);
}
