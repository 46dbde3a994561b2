/* trsm: substitution for many right-hand sides, every unknown RN((alpha b - sum of t x) / t_ii):
 * the residual is exact, the quotient is rounded once, the x are the rounded unknowns.
 *
 * Both triangles, sides and layouts are one system: a lower triangle, read from its end if it is an
 * upper one, and right-hand sides with a step between unknowns and one between sides. The unknowns
 * are halved: once the first half is known its products with the rows of the second come
 * from the engines of gemm, as enclosures that are kept until those rows are solved
 * (trsm_block_tmpl.c).
 * Types: s d c z. */
#include "entry.h"

#include "core/memory.h"
#include "level2/solve.h"
#include "level3/flow.h"
#include "level3/trsm_system.h"

/* Column 0 of the product is part 0 of row 0. Its rows are the sides, so that they are contiguous
 * in both places. */
static void keep_task(void *ctx, int64_t number)
{
    exb_p(flow) *f = ctx;
    const exb_kept_sums *kept = f->owner;
    exb_p(task) t;
    exb_task_space space;
    exb_p(task_begin)(&t, f, number);
    while (exb_p(task_next)(&t, &space))
        for (int j = 0; j < t.found.n; j++) {
            int64_t at = exb_kept_at(kept, 0, t.found.j0 + j) + t.found.i0;
            exb_column column;
            exb_set_column(&column, &t.found, 0, j);
            exb_kernels_current()->EXB_PART.keep(t.found.m, &column, kept->adds, kept->h + at,
                                                 kept->l + at, kept->e + at);
        }
}

/* The products of unknowns begin ... middle - 1 with rows middle ... end - 1. */
static EXB_NOINLINE void multiply_range(const exb_t(system) *q, int64_t begin, int64_t middle,
                                        int64_t end)
{
    const exb_piece *piece = &q->t.pattern.piece[0];
    exb_view x = {begin * q->xl, q->xv, 0, q->xl, 0}, t = exb_view_from(piece->view, middle, begin);
    int64_t k = middle - begin;
    if (q->xl < 0) { /* the terms the other way round, as they lie in memory */
        x = (exb_view){(middle - 1) * q->xl, q->xv, 0, -q->xl, 0};
        t.origin += (k - 1) * t.cs;
        t.cs = -t.cs;
    }
    exb_t(source) sides, rows;
    exb_t(source_set)(&sides, exb_t(full_matrix)(q->x, x, q->n_sides, k, false));
    exb_t(source_set)(&rows, exb_t(full_matrix)(q->t.p, t, end - middle, k, piece->conjugate));
    rows.role = EXB_AS_COLUMNS;
    rows.n_sums = EXB_PARTS;
    exb_p(product) p = {.m = q->n_sides, .n = EXB_PARTS * (end - middle), .k = EXB_PARTS * k};
    exb_t(operand_of)(&sides, &p.a);
    exb_t(operand_of)(&rows, &p.b);
    p.method = q->method;
    p.stats = q->stats;
    exb_kept_sums kept = q->kept;
    kept.first -= middle;
    kept.adds = begin > 0;
    exb_product_way way;
    int next = 0;
    do {
        way = exb_t(way_of)(&p, NULL, &next);
        exb_note_way(p.stats, way);
    } while (!exb_p(flow_run)(&p, way, keep_task, &kept));
}

static void solve_range(const exb_t(system) *q, int64_t begin, int64_t end)
{
    if (end - begin <= EXB_TRSM_BLOCK) {
        exb_t(solve_block)(q, begin, end);
        return;
    }
    int64_t middle = begin + exb_round_up((end - begin) / 2, EXB_TRSM_BLOCK);
    solve_range(q, begin, middle);
    multiply_range(q, begin, middle, end);
    solve_range(q, middle, end);
}

/* As many sides at once as the workspace holds sums of, in whole groups or whole vectors. */
static void solve_in_memory(const exb_t(system) *all, exb_range rows)
{
    int64_t n_sums = EXB_PARTS * (rows.end - rows.begin);
    int64_t most = (int64_t)(exb_memory_limit() / sizeof(double)) / (3 * n_sums);
    int64_t step = most < EXB_TRSM_GROUP ? 8 : EXB_TRSM_GROUP;
    int64_t width = exb_least(most / step * step, all->n_sides);
    int64_t plane = n_sums * exb_round_up(width, 8);
    bool has_room = all->method->filter && width > 0;
    double *memory = has_room ? exb_memory_get((size_t)(3 * plane) * sizeof(double)) : NULL;
    for (int64_t v = 0; memory && v < all->n_sides; v += width) {
        exb_t(system) some = *all;
        some.x = exb_t(unknown)(all, 0, v);
        some.n_sides = exb_least(all->n_sides - v, width);
        some.kept = (exb_kept_sums){memory,         memory + plane, memory + 2 * plane,
                                    plane / n_sums, rows.begin,     false};
        if (rows.begin > 0)
            multiply_range(&some, 0, rows.begin, rows.end);
        solve_range(&some, rows.begin, rows.end);
    }
    if (!memory)
        exb_t(solve_alone)(all, rows, (exb_range){0, all->n_sides});
    exb_memory_put(memory);
}

/* So few sides that each is solved by itself: a kernel of trsv goes along the rows of the triangle,
 * where here it would have empty lanes. Of few rows it does that one by one. */
static bool has_few_sides(const exb_t(system) *q)
{
    int most = q->n > 16 ? 4 : 1;
    return !EXB_IS_COMPLEX && q->n_sides <= most && q->alpha.re == 1 && q->method->filter &&
           q->method->engine == EXB_ENGINE_ANY;
}

void exb_t(solve_system_rows)(const exb_t(system) *q, exb_range rows)
{
    if (has_few_sides(q)) {
        for (int64_t v = 0; v < q->n_sides; v++)
            exb_t(solve)(&q->t, q->unit, rows, exb_t(unknown)(q, 0, v), q->xl);
        exb_stats_count(q->stats, (rows.end - rows.begin) * q->n_sides, 0);
    } else if (rows.begin == 0 && rows.end <= EXB_TRSM_BLOCK)
        exb_t(solve_block)(q, 0, rows.end);
    else
        solve_in_memory(q, rows);
}

static void set_to_zero(const exb_t(system) *q)
{
    for (int64_t v = 0; v < q->n_sides; v++)
        for (int64_t i = 0; i < q->n; i++)
            memset(exb_t(unknown)(q, i, v), 0, EXB_PARTS * sizeof(exb_real));
}

static void solve_problem(void *ctx, exb_call_stats *stats)
{
    exb_t(system) *q = ctx;
    q->alpha = exb_t(scalar_at)(q->given_alpha, false);
    q->method = exb_method_current();
    q->stats = stats;
    if (exb_is_zero(q->alpha))
        set_to_zero(q);
    else
        exb_t(solve_system_rows)(q, (exb_range){0, q->n});
}

void exb_entry(trsm)(const exb_site *site, int layout, int side, int uplo, int transa, int diag,
                     int64_t m, int64_t n, exb_scalar alpha, const exb_real *a, int64_t lda,
                     exb_real *b, int64_t ldb)
{
    if (exb_rejected(site,
                     exb_check_trsm(site, layout, side, uplo, transa, diag, m, n, lda, ldb)) ||
        m == 0 || n == 0)
        return;
    bool by_rows = layout == EXB_ROW_MAJOR, left = side == EXB_LEFT;
    exb_t(system) q = {.given_alpha = exb_t(parts_of)(&alpha)};
    q.unit = diag == EXB_UNIT;
    q.n = left ? m : n;
    q.t = exb_t(triangle_of)(a, by_rows, left, uplo, transa, true, lda, q.n);
    q.n_sides = left ? n : m;
    q.xl = left == by_rows ? ldb : 1;
    q.xv = left == by_rows ? 1 : ldb;
    q.x = b;
    if (!exb_pattern_is_lower(&q.t.pattern)) { /* from its end */
        exb_pattern_reverse(&q.t.pattern);
        q.x = b + EXB_PARTS * (q.n - 1) * q.xl;
        q.xl = -q.xl;
    }
    exb_t(call_guarded)(site, solve_problem, &q);
}
