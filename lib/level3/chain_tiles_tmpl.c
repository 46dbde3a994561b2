/* Tiles of a block of the engine of FMA chains: their chains advance through a panel, and are
 * enclosures after the last one.
 * Types: s d. */
#include "level3/flow.h"

#include "core/fpenv.h"

enum { ROWS = EXB_CHAIN_TILE_ROWS, COLUMNS = EXB_CHAIN_TILE_COLUMNS };

/* The terms of strips first, first + 1, ... that are not all zeros. */
static void load_filled(const double *filled, int64_t first, int64_t n_strips, exb_range *out)
{
    for (int64_t s = 0; s < n_strips; s++)
        out[s] =
            (exb_range){(int64_t)filled[2 * (first + s)], (int64_t)filled[2 * (first + s) + 1]};
}

/* Those of `all`: at least one, which sets sums to where they start. */
static inline exb_range common_terms(exb_range a, exb_range b, exb_range all)
{
    exb_range t = exb_common(exb_common(a, b), all);
    return t.begin < t.end ? t : (exb_range){all.begin, all.begin + 1};
}

/* Terms at a time: whole runs, so bounds stay; with that many, the rows of a tile fit into a
 * second-level cache of half a megabyte, and a strip of columns into a first one. */
enum { PART = EXB_CHAIN_RUN };

/* Strips of a tile: of two rows or columns at least. */
enum { MOST_STRIPS = ROWS / 2, MOST_COLUMN_STRIPS = COLUMNS / 2 };

/* --- rounding at once -------------------------------------------------------- */

/* A tile on its way through the panel: where its strips have terms that are not zeros. Whole strips
 * may be rounded as soon as they are summed up, in registers. */
typedef struct {
    const exb_t(flow) *f;
    const exb_block *q;
    double *sums, *lows;
    exb_range terms; /* of the panel, which go to these sums; they have some already */
    bool resumes;
    int64_t n_a, n_b, row, column; /* strips; the tile in the block */
    exb_range in_a[MOST_STRIPS], in_b[MOST_COLUMN_STRIPS];
    bool can_round;
    exb_chain_ending ending;
    int64_t n_words;
    uint64_t *left; /* exb_enclosures' open */
} walk;

static bool are_usual(int64_t n, const double *scale)
{
    int all = 1;
    for (int64_t i = 0; i < n; i++)
        all &= (scale[i] >= EXB_USUAL_SCALE_LEAST) & (scale[i] <= EXB_USUAL_SCALE_MOST);
    return all;
}

static void begin_rounding(walk *w, uint64_t *left)
{
    const exb_p(product) *p = w->f->p;
    const exb_chain_work *c = &w->f->chain;
    const exb_block *q = w->q;
    w->can_round = left && p->sign != 0 && c->chain.end &&
                   are_usual(q->m, c->rows.scale + w->row) &&
                   are_usual(q->n, c->columns.scale + w->column);
    if (!w->can_round)
        return;
    w->ending.sign = p->sign;
    w->ending.bound = c->bound;
    w->ending.adds = p->adds;
    w->ending.ldc = p->target_step / (int64_t)sizeof(double);
    w->left = left;
    w->n_words = exb_tasks_of(q->m, 64);
    for (int64_t j = 0; j < q->n; j++)
        for (int64_t i = 0; i < q->m; i += 64)
            left[j * w->n_words + i / 64] = exb_first_bits(exb_least(q->m - i, 64));
}

/* n_strips whole strips of rows from row i on are in C, but for what is open. */
static void note_open(const walk *w, int64_t i, int64_t n_strips, int64_t j, const uint64_t *open)
{
    int64_t rows = w->f->chain.chain.rows, cols = w->f->chain.chain.cols;
    for (int64_t end = i + n_strips * rows; i < end; i += rows)
        for (int64_t t = j; t < j + cols; t++) { /* a strip lies in one word */
            uint64_t *word = &w->left[t * w->n_words + i / 64];
            *word = (*word & ~(exb_first_bits(rows) << i % 64)) | *open++ << i % 64;
        }
}

static bool is_whole(const exb_t(flow) *f, const exb_block *q, int64_t i, int64_t j)
{
    int64_t rows = f->chain.chain.rows, cols = f->chain.chain.cols;
    return i + rows <= q->m && j + cols <= q->n &&
           exb_t(product_wants_all)(f->p, q->i0 + i, rows, q->j0 + j, cols);
}

/* How many strips of rows of tile q from strip g on one call can compute: whole ones that are
 * wanted in the strip of columns j, with their terms where the first has them; or that one. */
static int64_t count_alike(const exb_t(flow) *f, const exb_block *q, const exb_range *in_a,
                           int64_t g, int64_t j)
{
    int64_t end = g, rows = f->chain.chain.rows;
    while (is_whole(f, q, end * rows, j) && in_a[end].begin == in_a[g].begin &&
           in_a[end].end == in_a[g].end)
        end++;
    return exb_most(end - g, 1);
}

/* --- tiles --------------------------------------------------------------------- */

static void begin_walk(const exb_t(flow) *f, const exb_block *q, double *sums, double *lows,
                       uint64_t *left, walk *w)
{
    const exb_chain_work *c = &f->chain;
    w->f = f;
    w->q = q;
    w->sums = sums;
    w->lows = lows;
    w->row = q->i0 - f->block.i0;
    w->column = q->j0 - f->block.j0;
    w->n_a = exb_tasks_of(q->m, c->chain.rows);
    w->n_b = exb_tasks_of(q->n, c->chain.cols);
    load_filled(c->rows.filled, w->row / c->chain.rows, w->n_a, w->in_a);
    load_filled(c->columns.filled, w->column / c->chain.cols, w->n_b, w->in_b);
    begin_rounding(w, left);
}

/* The panels of strips g and h from a term on; the columns that come next are those of the next
 * strip, this tile's or another's, at the same terms. */
static exb_chain_panels panels_of(const walk *w, int64_t g, int64_t h, int64_t begin)
{
    const exb_chain_work *c = &w->f->chain;
    int64_t rows = c->chain.rows, cols = c->chain.cols, column = w->column + h * cols;
    int64_t panel = w->f->panel;
    exb_chain_panels p = {.n_strips = 1, .a_step = rows * panel};
    p.a = c->a + (w->row + g * rows) * panel + begin * rows;
    p.b = c->b + column * panel + begin * cols;
    p.ahead = p.b + (column + cols < w->f->block.n ? cols * panel : 0);
    return p;
}

/* Whole strips of rows i ... and of columns j ... of the tile, of which all is wanted, through
 * their last terms; their sums are at index `at`. */
static void round_strips(walk *w, int64_t i, int64_t j, const exb_chain_panels *p, bool resume,
                         int64_t at)
{
    const exb_t(flow) *f = w->f;
    const exb_chain_work *c = &f->chain;
    exb_chain_ending *e = &w->ending;
    uint64_t open[MOST_STRIPS * EXB_CHAIN_MOST_COLS];
    char *to = f->p->target + (w->q->i0 + i) * f->p->element_bytes;
    e->c = (double *)(void *)(to + (w->q->j0 + j) * f->p->target_step);
    e->row_scale = c->rows.scale + w->row + i;
    e->col_scale = c->columns.scale + w->column + j;
    e->resumes = resume;
    c->chain.end(p, e, w->sums + at, w->lows + at, c->ld, open);
    note_open(w, i, p->n_strips, j, open);
}

/* Some strips of rows of the tile, from strip g on, and strip h of its columns through a part of
 * the panel; how many. Terms of 0 are left out: they change nothing, and vectors that are not
 * finite have no scale; and nearly all of what is not wanted. */
static int64_t advance_strips(walk *w, int64_t part, int64_t h, int64_t g)
{
    const exb_t(flow) *f = w->f;
    const exb_chain_work *c = &f->chain;
    const exb_range all = w->terms, nothing = {all.begin, all.begin + 1};
    int64_t rows = c->chain.rows, cols = c->chain.cols, i = g * rows, j = h * cols;
    int64_t at = j * c->ld + i;
    bool wanted = exb_t(product_wants)(f->p, w->q->i0 + i, rows, w->q->j0 + j, cols);
    exb_range t = wanted ? common_terms(w->in_a[g], w->in_b[h], all) : nothing;
    exb_chain_panels p = panels_of(w, g, h, t.begin + part);
    p.k = exb_least(t.end - t.begin - part, PART);
    if (p.k <= 0)
        return 1;
    bool resume = w->resumes || part > 0;
    p.n_strips = count_alike(f, w->q, w->in_a, g, j);
    if (w->can_round && t.end - t.begin - part <= PART && is_whole(f, w->q, i, j)) {
        round_strips(w, i, j, &p, resume, at);
        return p.n_strips;
    }
    c->chain.run(&p, resume, w->sums + at, w->lows + at, c->ld);
    return p.n_strips;
}

/* The panel's terms of one of the halves, or all. */
static void begin_half(walk *w, int half)
{
    const exb_t(flow) *f = w->f;
    int64_t k = f->p->k / (f->p->is_apart ? 2 : 1), begin = half * k;
    w->terms = exb_common((exb_range){begin - f->l0, begin + k - f->l0}, (exb_range){0, f->k});
    w->resumes = f->l0 > begin;
    w->sums += half * f->chain.tile / 2;
    w->lows += half * f->chain.tile / 2;
}

/* The chains of tile q through the panel. Returns whether `left`, unless NULL, says what is not in
 * C yet. */
static EXB_NOINLINE bool advance_chains(const exb_t(flow) *f, const exb_block *q, double *sums,
                                        double *lows, uint64_t *left)
{
    int64_t since = exb_stats_now(f->p->stats);
    exb_fpenv env;
    walk w;
    begin_walk(f, q, sums, lows, left, &w);
    exb_fpenv_enter_flushing(&env);
    for (int half = 0; half <= f->p->is_apart; half++) {
        begin_half(&w, half);
        for (int64_t part = 0; part < w.terms.end - w.terms.begin; part += PART)
            for (int64_t h = 0; h < w.n_b; h++)
                for (int64_t g = 0; g < w.n_a;)
                    g += advance_strips(&w, part, h, g);
    }
    exb_fpenv_leave(&env);
    exb_stats_phase(f->p->stats, EXB_PHASE_PRODUCT, &since);
    return w.can_round;
}

void exb_t(chain_multiply)(exb_t(task) *t)
{
    const exb_t(flow) *f = t->flow;
    int64_t at = f->chain.tile * exb_t(place_of)(t);
    uint64_t *left = exb_t(is_last_panel)(f) ? t->open : NULL;
    bool is_rounded = advance_chains(f, &t->tile, f->chain.sums + at, f->chain.lows + at, left);
    t->found.open = is_rounded ? left : NULL;
}

/* Rows and columns on the grid: the chains are exact. */
static double bound_of(const exb_chain_work *w, double lost)
{
    return lost == 0 ? 0 : lost == EXB_CHAIN_ZEROS ? EXB_BOUND_OF_ZEROS : w->bound;
}

static void set_bounds(exb_t(task) *t, const double *row_lost, const double *column_lost)
{
    const exb_chain_work *w = &t->flow->chain;
    for (int64_t i = 0; i < t->tile.m; i++)
        t->row_bound[i] = bound_of(w, row_lost[i]);
    for (int64_t i = t->tile.m; i % 8 != 0; i++) /* readable (product.h) */
        t->row_bound[i] = 0;
    for (int64_t j = 0; j < t->tile.n; j++)
        t->col_bound[j] = bound_of(w, column_lost[j]);
}

/* What plain chains have for corrections. */
static const double no_lows[EXB_CHAIN_TILE];

/* The sums of two halves, P and Q, become P + Q and P - Q (chain_begin). */
static void join_halves(const exb_t(task) *t, double *sums, double *lows)
{
    const exb_chain_work *w = &t->flow->chain;
    double *sums_q = sums + w->tile / 2, *lows_q = lows + w->tile / 2;
    for (int64_t j = 0; j < t->tile.n; j++)
        for (int64_t at = j * w->ld; at < j * w->ld + t->tile.m; at++) {
            double p = sums[at], q = sums_q[at];
            double low = EXB_IS_S ? 0 : lows[at], low_q = EXB_IS_S ? 0 : lows_q[at];
            sums[at] = p - w->anchor + q;
            sums_q[at] = p - q + w->anchor;
            lows[at] = low + low_q;
            lows_q[at] = low - low_q;
        }
}

/* Field by field: a copy of what has just been written is slow in products of a few elements. */
void exb_t(chain_find)(exb_t(task) *t)
{
    _Static_assert(EXB_FITS_TILE(ROWS, COLUMNS), "one tile");
    const exb_t(flow) *f = t->flow;
    const exb_chain_work *w = &f->chain;
    exb_enclosures *to = &t->found;
    int64_t at = w->tile * exb_t(place_of)(t), row = t->tile.i0 - f->block.i0,
            column = t->tile.j0 - f->block.j0;
    set_bounds(t, w->rows.lost + row, w->columns.lost + column);
    to->i0 = t->tile.i0;
    to->j0 = t->tile.j0 << f->p->is_apart;
    to->m = (int)t->tile.m;
    to->n = (int)t->tile.n << f->p->is_apart;
    to->apart = f->p->is_apart ? w->tile / 2 : 0;
    if (f->p->is_apart)
        join_halves(t, w->sums + at, w->lows + at);
    to->ld = (int)w->ld;
    to->anchor = w->anchor;
    to->h = w->sums + at;
    to->l = w->anchor != 0 || f->p->is_apart ? w->lows + at : no_lows;
    to->e = NULL;
    to->row_scale = w->rows.scale + row;
    to->col_scale = w->columns.scale + column;
    to->row_bound = t->row_bound;
    to->col_bound = t->col_bound;
    to->strip = w->chain.rows;
}
