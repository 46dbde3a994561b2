/* Panels whose columns are contiguous. Each row is a lane with an anchor of its own (anchor.h),
 * guessed from a few columns; if a term exceeds it the panel is done again with anchors that
 * are known to fit, and if that fails by compensated sums. Floats are added up plainly first.
 *
 * The parts of a complex panel are rows, of twice as many terms as there are columns. The sums of
 * up to 128 reals of each column lie on the stack, with 16 KiB of x; more are in memory or, if
 * there is none, come in strips.
 * Types: s d c z. */
#include "level2/panel.h"

#include "core/arith/compensated.h"
#include "core/memory.h"
#include "element/anchored.h"

enum {
    /* Columns that are summed up at once: at most as many as anchor.h allows in a lane. */
    SESSION = (1 << EXB_ANCHOR_NU) / EXB_PARTS,
    FEW_COLUMNS = 24 / EXB_PARTS, /* up to here compensated sums are faster */
    N_SAMPLES = 8,
    STACK_ROWS = 128, /* of reals, whose sums lie on the stack */
    N_SUMS = 4        /* of each of them */
};

/* How rows are summed up. */
typedef enum { COMPENSATED, ANCHORED, PLAIN } kind;

/* Columns j ... j + n - 1 of the panel, n <= SESSION, and x there; and the sums of its rows.
 * Compensated: s, c, and w in peak; anchored, each row at its own g; or plain: s and peak. */
typedef struct {
    const exb_t(panel) *a;
    int m; /* rows as reals */
    int64_t j, n;
    const exb_real *x;
    kind kind;
    double *s, *c, *peak, *sigma;
} session;

static const exb_real *column_at(const session *w, int64_t k)
{
    return w->a->p + EXB_PARTS * exb_view_at(w->a->view, 0, w->j + k);
}

/* Columns k ... k + n - 1 of the session, a constant stride apart. */
static void sweep_columns(const session *w, int64_t k, int64_t n)
{
    exb_numbers of = exb_t(numbers)(w->a->conjugate);
    int64_t lda = EXB_PARTS * w->a->view.cs;
    const exb_real *a = column_at(w, k), *x = w->x + EXB_PARTS * k;
#if EXB_IS_S
    if (w->kind == PLAIN) {
        exb_t_kernels()->plain_sweep(of, w->m, n, a, lda, x, w->s, w->peak);
        return;
    }
#endif
    if (w->kind == ANCHORED) {
        exb_t_kernels()->anchored_sweep(of, w->m, n, a, lda, x, w->s, w->c, w->peak);
        return;
    }
    for (int i = 0; i < w->m; i += EXB_ROWS)
        exb_t_kernels()->sweep(of, (int)exb_least(EXB_ROWS, w->m - i), n, a + i, lda, x, w->s + i,
                               w->c + i, w->peak + i);
}

static void sweep_session(const session *w)
{
    int64_t step = w->a->view.dcs != 0 ? 1 : w->n;
    for (int64_t k = 0; k < w->n; k += step)
        sweep_columns(w, k, step);
}

static void start_sums(session *w, kind kind)
{
    w->kind = kind;
    for (int i = 0; i < exb_round_up(w->m, 8); i++) {
        w->s[i] = kind == ANCHORED ? w->sigma[i] : 0;
        w->c[i] = w->peak[i] = 0;
    }
}

/* sigma_i for what is seen of row i's terms, which both parts of a are in. Above the anchors' range
 * nothing fits, and no peak passes. */
static void set_anchors(const session *w)
{
    for (int i = 0; i < exb_round_up(w->m, 8); i++) {
        double seen = fmax(w->peak[i], w->peak[i ^ (EXB_PARTS - 1)]);
        w->sigma[i] = exb_anchor_sigma((int)exb_least(exb_anchor_guess(seen), EXB_ANCHOR_MAX_G));
    }
}

/* 2^g of an anchor: sigma / 1.5 / 2^(NU + 1). */
static double limit(double sigma)
{
    return exb_from_bits((exb_bits(sigma) >> 52 << 52) - ((uint64_t)(EXB_ANCHOR_NU + 1) << 52));
}

/* All sums stayed within their anchors' range, and were finite. Each row's reach takes the place of
 * its peak. */
static bool is_valid(const session *w)
{
    bool valid = true;
    double n = (double)(EXB_PARTS * w->n);
    for (int i = 0; i < w->m; i++) {
        int64_t upper = exb_most((int64_t)exb_bits(w->peak[i]), (int64_t)exb_bits(DBL_MIN));
        double rise = exb_from_bits((uint64_t)upper | UINT32_MAX);
        double fall = w->sigma[i] > w->s[i] ? w->sigma[i] - w->s[i] : 0;
        w->peak[i] = exb_anchored_most(n * rise + fall, 0);
        valid &= (w->peak[i] <= limit(w->sigma[i])) & (w->c[i] - w->c[i] == 0);
    }
    return valid;
}

static void sample_column(const session *w, int64_t k)
{
    for (int part = 0; part < EXB_PARTS; part++)
        exb_t_kernels()->column_peaks(w->m, column_at(w, k), w->x[EXB_PARTS * k + part], w->peak);
}

static void sample_columns(session *w)
{
    int64_t step = w->n / N_SAMPLES,
            largest = exb_p(place_of_largest)(EXB_PARTS * w->n, w->x) / EXB_PARTS;
    start_sums(w, COMPENSATED);
    for (int64_t k = step / 2; k < w->n; k += step)
        sample_column(w, k);
    if (largest < w->n)
        sample_column(w, largest);
}

static void sweep_as(kind kind, session *w)
{
    start_sums(w, kind);
    sweep_session(w);
}

/* exb_anchor_fit with an anchor for each row. */
static bool sweep_anchored(session *w)
{
    bool valid = false;
    sample_columns(w);
    for (int i = 1; i <= EXB_ANCHOR_TRIES && !valid; i++) {
        set_anchors(w);
        sweep_as(ANCHORED, w);
        valid = is_valid(w);
    }
    return valid;
}

/* Plain sums of floats, if few of them lose so much that another way is worth its time. */
static bool sweep_plain(session *w)
{
    int n_coarse = 0;
    sweep_as(PLAIN, w);
    for (int i = 0; i < w->m; i++)
        n_coarse += exb_plain_is_coarse(exb_plain_enclosure(w->s[i], w->peak[i], EXB_PARTS * w->n));
    return n_coarse <= w->m / 16;
}

static void sum_session(session *w)
{
    bool can_anchor = EXB_IS_S || exb_kernels_current()->has_fma;
    if (EXB_IS_S && sweep_plain(w))
        return;
    if (w->n <= FEW_COLUMNS || !can_anchor || !sweep_anchored(w))
        sweep_as(COMPENSATED, w);
}

static exb_enclosure enclosure_of(const session *w, int i)
{
    int64_t n = EXB_PARTS * w->n;
    if (w->kind == PLAIN)
        return exb_plain_enclosure(w->s[i], w->peak[i], n);
    if (w->kind == COMPENSATED)
        return exb_compensated_enclosure(w->s[i], w->c[i], w->peak[i], n, EXB_IS_S);
    /* s - sigma is a multiple of the unit, exactly. A row is one lane. */
    double unit = limit(w->sigma[i]) * 0x1p-40, e = exb_anchor_bound(unit, n, n);
    _Static_assert(EXB_ANCHOR_NU + 1 - 52 == -40, "unit of the anchor");
    return (exb_enclosure){w->s[i] - w->sigma[i], w->c[i], e, false};
}

/* room: for N_SUMS times as many numbers as there are rows, rounded up. */
static EXB_NOINLINE void sweep(int m, int64_t n, bool reversed, const exb_t(panel) *a,
                               exb_t(vector) x, double *room, exb_t(value) *out)
{
    exb_real buffer[EXB_PARTS * SESSION];
    session w = {.a = a, .m = EXB_PARTS * m};
    int64_t n_rows = exb_round_up(w.m, 8);
    w.s = room;
    w.c = room + n_rows;
    w.peak = room + 2 * n_rows;
    w.sigma = room + 3 * n_rows;
    for (w.j = 0; w.j < n; w.j += SESSION) {
        w.n = exb_least(SESSION, n - w.j);
        w.x = exb_t(side_by_side)(x, w.j, w.n, buffer);
        sum_session(&w);
        for (int i = 0; i < w.m; i++) {
            int row = i / EXB_PARTS, k = i % EXB_PARTS;
            exb_enclosure *v = &out[reversed ? m - 1 - row : row].part[k];
            *v = exb_enclosure_add(*v, enclosure_of(&w, i));
        }
    }
}

EXB_NOINLINE void exb_t(panel_sweep)(int m, int64_t n, bool reversed, const exb_t(panel) *a,
                                     exb_t(vector) x, exb_t(value) *out)
{
    double few[N_SUMS * STACK_ROWS], *many = NULL;
    int64_t n_rows = exb_round_up(EXB_PARTS * m, 8);
    if (n_rows > STACK_ROWS && n > FEW_COLUMNS)
        many = exb_memory_get((size_t)(N_SUMS * n_rows) * sizeof *many);
    int step = many ? m : STACK_ROWS / EXB_PARTS;
    for (int i = 0; i < m; i += step) {
        int rows = (int)exb_least(step, m - i);
        exb_t(panel) strip = *a;
        strip.view.origin += i; /* a reversed view's rows count from the other end */
        sweep(rows, n, reversed, &strip, x, many ? many : few, out + (reversed ? m - i - rows : i));
    }
    exb_memory_put(many);
}
