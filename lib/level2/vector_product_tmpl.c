/* Patterns times vectors: filter, certify, exact for blocks of rows.
 * Types: s d c z. */
#include "level2/vector_product.h"

#include "core/memory.h"
#include "core/thread.h"
#include "element/decide.h"
#include "level2/few_rows.h"
#include "core/stats.h"

/* Rows begin ... end - 1; row i goes to y[EXB_PARTS * (i - begin) * incy]. */
typedef struct {
    const exb_t(matrix) *a;
    const exb_line *line;
    exb_t(vector) x;
    int64_t begin, end;
    exb_real *y;
    int64_t incy;
    const exb_method *method;
    int height; /* rows of a block */
    exb_call_stats *stats;
} problem;

EXB_INLINE problem problem_of(const exb_t(matrix) *a, const exb_line *line, exb_t(vector) x,
                              exb_real *y, int64_t incy)
{
    int64_t n = a->pattern.n_rows;
    return (problem){a, line, x, 0, n, y, incy, exb_method_current(), 0, exb_stats_current_call()};
}

static exb_real *row_of_y(const problem *p, int64_t i)
{
    return p->y + EXB_PARTS * (i - p->begin) * p->incy;
}

static exb_complex old_value(const problem *p, int64_t i)
{
    return exb_is_zero(p->line->beta) ? (exb_complex){0, 0} : exb_t(load)(row_of_y(p, i));
}

/* Row i, whose old value is c, to r, given enclosures of its sums, or NULL. */
static EXB_NOINLINE exb_decision decide_row(const problem *p, int64_t i, exb_complex c,
                                            const exb_enclosure *v, exb_real *r)
{
    const exb_t(pattern_row) row = {p->a, p->x, i};
    exb_t(question) q = {.line = *p->line, .c = c, .method = p->method};
    q.terms = exb_t(pattern_terms)(&row);
    return exb_t(decide)(&q, v, r);
}

/* Most often enclosures decide: to ask for more takes longer than that. */
static void finish_row(const problem *p, int64_t i, const exb_enclosure *v)
{
    exb_real *y = row_of_y(p, i);
    exb_complex c = old_value(p, i);
    if (v && !exb_t(line_round)(p->line, false, v, c, y))
        return;
    if (decide_row(p, i, c, v, y) == EXB_EXACTLY)
        exb_stats_count(p->stats, 0, 1);
}

/* Sums of n rows that seem to be 0 and are, in v; false if there is none. */
static bool know_zeros(const problem *p, int64_t first, int n, exb_enclosure *v)
{
    uint64_t seem = 0;
    for (int i = 0; i < EXB_PARTS * n; i++)
        seem |= (uint64_t)exb_seems_zero(v[i]) << i;
    uint64_t zero = exb_t(zero_rows)(p->a, p->x, first, n, seem);
    for (int i = 0; i < EXB_PARTS * n; i++)
        if (zero >> i & 1)
            v[i] = exb_enclosure_exact(0);
    return zero != 0;
}

/* n rows from enclosures: together what can be, the others one by one. Not inlined: filters have
 * its stack for themselves. */
static EXB_NOINLINE void finish_rows(const problem *p, int64_t first, int n, exb_t(value) *v)
{
    exb_real r[EXB_DECIDED], *y = row_of_y(p, first);
    uint64_t open = exb_t(decide_values)(p->line, EXB_PARTS * n, v->part, y, p->incy, r);
    if (open && know_zeros(p, first, n, v->part))
        open = exb_t(decide_values)(p->line, EXB_PARTS * n, v->part, y, p->incy, r);
    for (int i = 0; i < n; i++)
        if (open >> (EXB_PARTS * i) & 1)
            finish_row(p, first + i, v[i].part);
        else
            memcpy(row_of_y(p, first + i), r + EXB_PARTS * i, EXB_PARTS * sizeof *r);
}

/* Rows first ... first + m - 1, each by itself. */
static void filter_strip(const problem *p, int64_t first, int m, exb_t(value) *v)
{
    for (int i = 0; i < m; i++)
        v[i] = exb_t(value_zero)();
    exb_t(filter_rows)(p->a, first, m, p->x, v, NULL, NULL);
    for (int i = 0; i < m; i += EXB_DECIDED_ROWS)
        finish_rows(p, first + i, (int)exb_least(EXB_DECIDED_ROWS, m - i), v + i);
}

/* The same for m <= EXB_TALL_ROWS: at once, or in strips if there is no memory. */
static EXB_NOINLINE void filter_block(const problem *p, int64_t first, int m)
{
    enum { STRIP = 256 / EXB_PARTS };
    exb_t(value) few[STRIP], *many = NULL;
    if (m > STRIP)
        many = exb_memory_get((size_t)m * sizeof *many);
    int step = many ? m : STRIP;
    for (int i = 0; i < m; i += step)
        filter_strip(p, first + i, (int)exb_least(step, m - i), many ? many : few);
    exb_memory_put(many);
}

static void store_rows(int64_t n, const exb_real *r, exb_real *y, int64_t incy)
{
    if (incy == 1)
        memcpy(y, r, EXB_PARTS * (size_t)n * sizeof *y);
    for (int64_t i = 0; incy != 1 && i < EXB_PARTS * n; i++)
        y[exb_t(offset_of_part)(i, incy)] = r[i];
}

/* All rows, which are those of `a` from its first on; false if there is more to it. */
static EXB_NOINLINE bool compute_few_rows_in(const problem *p, const exb_t(matrix) *a,
                                             exb_t(vector) x, double *room, exb_real *r)
{
    uint64_t uncertified[EXB_FEW_WORDS];
    const exb_enclosure unknown[] = {exb_enclosure_unknown(), exb_enclosure_unknown()}; /* ties */
    int count = exb_t(multiply_few_rows)(a, p->line, x, p->y, p->incy, room, r, uncertified);
    if (count > 0)
        exb_stats_count(p->stats, 0, count / EXB_PARTS);
    for (int64_t i = 0; i < p->end - p->begin && count > 0; i++)
        if (uncertified[EXB_PARTS * i / 64] >> (EXB_PARTS * i % 64) & 1)
            decide_row(p, p->begin + i, old_value(p, p->begin + i), unknown, &r[EXB_PARTS * i]);
    if (count >= 0)
        store_rows(p->end - p->begin, r, p->y, p->incy);
    return count >= 0;
}

/* The same, false without memory for many rows, too. Not inlined: the ways that come after it have
 * its stack for themselves. */
static EXB_NOINLINE bool compute_few_rows(const problem *p, const exb_t(matrix) *a, exb_t(vector) x)
{
    enum { ON_STACK = 256 };
    _Alignas(64) double few[EXB_FEW_ROOM(ON_STACK)];
    exb_real r[ON_STACK];
    int64_t m = EXB_PARTS * a->pattern.n_rows, room = EXB_FEW_ROOM(m);
    if (m <= ON_STACK)
        return compute_few_rows_in(p, a, x, few, r);
    double *many = NULL;
    if (m <= EXB_TRIANGLE_ROWS)
        many = exb_memory_get((size_t)(room + m + 7) * sizeof *many);
    bool done = many && compute_few_rows_in(p, a, x, many, (exb_real *)(many + room));
    exb_memory_put(many);
    return done;
}

static problem part_of(const problem *p, int64_t first, int64_t m)
{
    problem part = *p;
    part.begin = first;
    part.end = first + m;
    part.y += EXB_PARTS * (first - p->begin) * p->incy;
    return part;
}

/* Contiguous columns or rows that are short enough for lanes: of a small matrix's kernels. */
static bool has_short_lines(const exb_pattern *t)
{
    const exb_view *v = &t->piece[0].view;
    int64_t n = EXB_PARTS * t->n_cols, most = 1 << EXB_ANCHOR_NU;
    return exb_pattern_is_general(t) && v->drs == 0 && v->dcs == 0 &&
           (v->rs == 1 ? n <= most : v->cs == 1 && n <= most / EXB_PARTS);
}

/* The rows of a block as a small matrix, whose rows cost less beside their products; false if it is
 * not one of those that can be done so. */
static bool lines_block(const problem *p, int64_t first, int m)
{
    _Static_assert(EXB_PARTS * (int)EXB_TALL_ROWS <= (int)EXB_TRIANGLE_ROWS, "computed at once");
    const exb_pattern *t = &p->a->pattern;
    if (!has_short_lines(t))
        return false;
    exb_view v = exb_view_from(t->piece[0].view, first, 0);
    exb_t(matrix) rows = {p->a->p,
                          exb_pattern_band(v, m, t->n_cols, m, t->n_cols, t->piece[0].conjugate)};
    problem part = part_of(p, first, m);
    return compute_few_rows(&part, &rows, p->x);
}

/* Elements, those on the stack, and rows of what is written out in full. */
enum { FULL = 8 * 512 / EXB_PARTS, FULL_ON_STACK = FULL / 2, FULL_MOST = EXB_PANEL_ROWS };

/* How many rows of a pattern are best written out in full at once, with up to `width` columns; 0:
 * none. Larger triangles have few zeros beside panels of the columns that all rows have. */
static int count_full_rows(const exb_pattern *t, int64_t m, int64_t *width)
{
    int64_t row = exb_pattern_width(t);
    if (exb_pattern_is_general(t) || row == 0)
        return 0;
    int64_t n = exb_most(exb_least(FULL_MOST, exb_round_up(row, 8)), 16);
    int64_t least = row < t->n_cols ? 16 / EXB_PARTS : exb_least(16 * t->n_pieces, t->n_rows);
    while (n * (*width = exb_least(row + n - 1, t->n_cols)) > FULL)
        n -= 8;
    return n < least ? 0 : (int)exb_least(n, m);
}

/* Rows of a band that are contiguous, as rows of n elements: these cost less than columns that are
 * written an element a cache line. */
static bool has_long_rows(const exb_pattern *t, int64_t n)
{
    enum { LONG = 48 * EXB_PARTS };
    const exb_view *v = &t->piece[0].view;
    return n >= LONG && t->n_pieces == 1 && t->diagonal == EXB_DIAGONAL_NONE && v->cs == 1 &&
           v->dcs == 0 && exb_pattern_width(t) < t->n_cols;
}

/* The same for rows of a band or of a small triangle, written out in full. */
static EXB_NOINLINE bool full_block(const problem *p, int64_t first, int m, exb_real *full)
{
    _Alignas(64) double room[EXB_FEW_ROOM(EXB_ROWS)];
    exb_real r[EXB_ROWS];
    exb_range columns = exb_t(columns_of_rows)(&p->a->pattern, first, m);
    int64_t n = columns.end - columns.begin;
    if (n <= 0) /* below the band of a tall matrix */
        return false;
    bool by_rows = has_long_rows(&p->a->pattern, n);
    exb_t(write_in_full)(p->a, (exb_range){first, first + m}, columns, by_rows, full);
    exb_t(matrix) rows =
        exb_t(full_matrix)(full, exb_view_full(by_rows, by_rows ? n : m), m, n, false);
    problem part = part_of(p, first, m);
    return compute_few_rows_in(&part, &rows, exb_t(vector_from)(p->x, columns.begin), room, r);
}

/* Returns how many of m rows are done: up to the first that cannot be. */
static EXB_NOINLINE int full_blocks(const problem *p, int64_t first, int m, int step,
                                    exb_real *many)
{
    exb_real few[EXB_PARTS * FULL_ON_STACK];
    int i = 0;
    while (i < m && full_block(p, first + i, (int)exb_least(step, m - i), many ? many : few))
        i += step;
    return i;
}

/* False without memory, too. Where a block is refused twice, rows are of different size. */
static bool band_block(const problem *p, int64_t first, int m)
{
    int64_t width = 0;
    int step = exb_t(suits_few_rows)() ? count_full_rows(&p->a->pattern, m, &width) : 0;
    int n_refused = 0;
    exb_real *many = NULL;
    if (step * width > FULL_ON_STACK)
        many = exb_memory_get(EXB_PARTS * FULL * sizeof *many);
    bool possible = step > 0 && (step * width <= FULL_ON_STACK || many);
    for (int i = 0; possible && i < m; i += step) {
        i += full_blocks(p, first + i, m - i, step, many);
        if (++n_refused == 2)
            step = m;
        if (i < m)
            filter_block(p, first + i, (int)exb_least(step, m - i));
    }
    exb_memory_put(many);
    return possible;
}

static void row_block(void *ctx, int64_t block)
{
    const problem *p = ctx;
    int64_t first = p->begin + block * p->height;
    int m = (int)exb_least(p->height, p->end - first);
    if (p->method->filter) {
        if (!lines_block(p, first, m) && !band_block(p, first, m))
            filter_block(p, first, m);
        return;
    }
    for (int i = 0; i < m; i++)
        finish_row(p, first + i, NULL);
}

static double count_elements(const exb_pattern *t, int64_t n_rows)
{
    double width = 0;
    for (int k = 0; k < t->n_pieces; k++) {
        double diagonals = (double)t->piece[k].below + (double)t->piece[k].above + 1;
        width += fmin(diagonals, (double)t->n_cols);
    }
    return width * (double)n_rows;
}

/* Tall blocks, whose columns are read in long runs, if there are enough for all threads; fewer rows
 * that lie by themselves, as one anchor is to fit all. */
static int block_height(const problem *p, double work)
{
    int64_t m = p->end - p->begin;
    int n_ranges = exb_partition_count(work, exb_tasks_of(m, EXB_PANEL_ROWS));
    int64_t blocks = exb_tasks_of(m / n_ranges, EXB_PANEL_ROWS);
    const int64_t most = p->a->pattern.piece[0].view.rs == 1 ? EXB_TALL_ROWS / EXB_PANEL_ROWS : 4;
    return EXB_PANEL_ROWS * (int)exb_least(exb_most(blocks, 1), most);
}

static void compute_rows(problem *p)
{
    double work = EXB_PARTS * EXB_PARTS * count_elements(&p->a->pattern, p->end - p->begin);
    p->height = block_height(p, work);
    int64_t n_blocks = exb_tasks_of(p->end - p->begin, p->height);
    exb_parallel_for(exb_partition_count(work, n_blocks), n_blocks, row_block, p);
}

/* One thread is enough for all of it: triangles say so themselves. */
static bool is_small(const exb_pattern *t)
{
    return !exb_pattern_is_general(t) ||
           (t->n_rows <= EXB_FEW_ROWS && EXB_PARTS * t->n_rows * t->n_cols <= EXB_FEW_ELEMENTS);
}

/* alpha and beta are looked at here, inside the guard: under DAZ a subnormal alpha
 * would compare equal to 0. */
EXB_NOINLINE void exb_t(vector_product)(const exb_t(matrix) *a, exb_complex alpha, exb_t(vector) x,
                                        exb_complex beta, exb_real *y, int64_t incy)
{
    static const exb_t(matrix) empty;
    if (exb_is_zero(alpha) && exb_is_one(beta))
        return;
    exb_line line = exb_t(line)(alpha, beta);
    problem p = problem_of(a, &line, x, y, incy);
    if (exb_is_zero(alpha)) { /* an empty sum */
        p.a = &empty;
        line.alpha.re = 1;
    }
    if (!is_small(&p.a->pattern) || !compute_few_rows(&p, p.a, p.x))
        compute_rows(&p);
}

EXB_NOINLINE bool exb_t(small_product_in_place)(const exb_t(matrix) *a, exb_real *x, int64_t incx)
{
    const exb_line sums = exb_t(line_of_sums)();
    problem p = problem_of(a, &sums, (exb_t(vector)){x, incx}, x, incx);
    return compute_few_rows(&p, p.a, p.x);
}

/* Waves of rows from the last to the first, since row i needs the old x_0 ... x_i: as
 * many as a buffer on the stack holds. */
EXB_NOINLINE void exb_t(vector_product_in_place)(const exb_t(matrix) *a, exb_real *x, int64_t incx)
{
    enum { WAVE = 12 * EXB_PANEL_ROWS };
    exb_real buffer[EXB_PARTS * WAVE];
    const exb_line sums = exb_t(line_of_sums)();
    problem p = problem_of(a, &sums, (exb_t(vector)){x, incx}, buffer, 1);
    for (p.end = a->pattern.n_rows; p.end > 0; p.end = p.begin) {
        p.begin = exb_most(p.end - WAVE, 0);
        compute_rows(&p);
        for (int64_t i = p.begin; i < p.end; i++)
            memcpy(x + EXB_PARTS * i * incx, buffer + EXB_PARTS * (i - p.begin),
                   EXB_PARTS * sizeof *x);
    }
}
