/* Types: s d c z. */
#include "level3/call.h"

#include "core/fpenv.h"
#include "element/line.h"
#include "level2/pattern_rows.h"

/* --- operands ----------------------------------------------------------------- */

/* n elements, step apart, next to each other; of the conjugate of a real one, the negative. */
static void copy_elements(int64_t n, const exb_real *x, int64_t step, bool conjugate, exb_real *out)
{
    exb_real sign = conjugate ? -1 : 1;
    for (int64_t t = 0; t < n; t++) {
        out[EXB_PARTS * t + EXB_PARTS - 1] = sign * x[EXB_PARTS * t * step + EXB_PARTS - 1];
        if (EXB_IS_COMPLEX)
            out[EXB_PARTS * t] = x[EXB_PARTS * t * step];
    }
}

/* Elements of row i; what the pattern does not have is 0. */
static void fetch_row(const exb_t(matrix) *a, int64_t i, exb_range terms, exb_real *out)
{
    const exb_pattern *t = &a->pattern;
    int64_t n = terms.end - terms.begin;
    exb_range first = exb_piece_columns(&t->piece[0], t->n_cols, i);
    if (first.begin > terms.begin || first.end < terms.end)
        memset(out, 0, (size_t)(EXB_PARTS * n) * sizeof *out);
    for (int k = 0; k < t->n_pieces; k++) {
        const exb_piece *p = &t->piece[k];
        exb_range r = exb_common(terms, exb_piece_columns(p, t->n_cols, i));
        if (r.begin < r.end)
            copy_elements(r.end - r.begin, a->p + EXB_PARTS * exb_view_at(p->view, i, r.begin),
                          p->view.cs, p->conjugate, out + EXB_PARTS * (r.begin - terms.begin));
    }
    if (t->diagonal != EXB_DIAGONAL_NONE && i >= terms.begin && i < terms.end)
        out[EXB_PARTS * (i - terms.begin)] = exb_t(diagonal_of)(a, i);
}

/* (re, im) to what the product multiplies (call.h). */
static void arrange_parts(exb_role role, bool imaginary, int64_t n, exb_real *out)
{
    for (int64_t t = 0; t < n; t++, out += 2) {
        exb_real re = out[0], im = out[1];
        out[0] = imaginary ? im : re;
        out[1] = imaginary ? -re : role == EXB_AS_ROWS ? -im : im;
    }
}

static void fetch_vector(const exb_t(source) *s, int64_t i, exb_range terms, bool second_negated,
                         exb_real *out)
{
    int64_t before = 0;
    for (int k = 0; k < s->n_matrices; k++) {
        int64_t n = s->matrix[k].pattern.n_cols;
        exb_range r = exb_common(terms, (exb_range){before, before + n});
        exb_real *to = out + EXB_PARTS * (r.begin - terms.begin);
        if (r.begin < r.end) {
            fetch_row(&s->matrix[k], i, (exb_range){r.begin - before, r.end - before}, to);
            for (int64_t t = 0; second_negated && k == 1 && t < EXB_PARTS * (r.end - r.begin); t++)
                to[t] = -to[t];
        }
        before += n;
    }
}

static void gather_vectors(const void *source, int64_t v0, int64_t nv, int64_t l0, int64_t nl,
                           exb_real *out)
{
    const exb_t(source) *s = source;
    int n_sums = s->role == EXB_AS_ROWS ? 1 : s->n_sums;
    exb_range terms = {l0 / EXB_PARTS, (l0 + nl) / EXB_PARTS};
    for (int64_t v = v0; v < v0 + nv; v++, out += nl) {
        int sum = (int)(v % n_sums);
        fetch_vector(s, v / n_sums, terms, sum >= 2, out);
        if (EXB_IS_COMPLEX)
            arrange_parts(s->role, sum % 2 == 1, terms.end - terms.begin, out);
    }
}

static void write_out(const void *source, int64_t n, exb_real *out)
{
    const exb_t(source) *s = source;
    for (int i = 0; i < s->n_matrices; i++) {
        int64_t k = s->matrix[i].pattern.n_cols;
        exb_t(write_in_full)(&s->matrix[i], (exb_range){0, n}, (exb_range){0, k}, false, out);
        out += EXB_PARTS * n * k;
    }
}

/* Where row i of a matrix has elements at all. */
static exb_range extent_of_row(const exb_pattern *t, int64_t i)
{
    bool has_diagonal = t->diagonal != EXB_DIAGONAL_NONE;
    exb_range all = has_diagonal ? (exb_range){i, i + 1} : (exb_range){i, i};
    for (int k = 0; k < t->n_pieces; k++) {
        exb_range r = exb_piece_columns(&t->piece[k], t->n_cols, i);
        if (r.begin >= r.end)
            continue;
        all.begin = exb_least(r.begin, all.begin);
        all.end = exb_most(r.end, all.end);
    }
    return all;
}

/* Complex: a real diagonal; reals: none between two strict triangles. */
static bool has_hole(const exb_pattern *t)
{
    bool has_diagonal = t->diagonal != EXB_DIAGONAL_NONE;
    return EXB_IS_COMPLEX ? has_diagonal : t->n_pieces == 2 && t->piece[0].above < 0;
}

/* The terms that count: not the zeros outside of a triangle and on a skew-symmetric diagonal, and
 * not the products with the imaginary part, which is none, of a real element of the diagonal. */
static int find_runs(const void *source, int64_t v, exb_range out[2])
{
    const exb_t(source) *s = source;
    const exb_pattern *t = &s->matrix[0].pattern;
    int n_sums = s->role == EXB_AS_ROWS ? 1 : s->n_sums;
    int64_t i = v / n_sums;
    exb_range all = extent_of_row(t, i);
    out[0] = (exb_range){EXB_PARTS * all.begin, EXB_PARTS * all.end};
    if (!has_hole(t))
        return 1;
    int64_t hole = EXB_PARTS * i + (!EXB_IS_COMPLEX || v % n_sums == 1 ? 0 : 1);
    out[1] = (exb_range){hole + 1, out[0].end};
    out[0].end = hole;
    return 2;
}

static exb_p(elements) elements_of(const exb_t(matrix) *a)
{
    const exb_view *v = &a->pattern.piece[0].view;
    return (exb_p(elements)){a->p ? a->p + EXB_PARTS * v->origin : NULL, EXB_PARTS * v->rs,
                             EXB_PARTS * v->cs};
}

void exb_t(operand_of)(const exb_t(source) *s, exb_p(operand) *out)
{
    const exb_t(matrix) *a = &s->matrix[0];
    bool general = exb_pattern_is_general(&a->pattern);
    bool conjugate = a->pattern.piece[0].conjugate;
    bool in_order = general && (EXB_IS_COMPLEX || !conjugate);
    bool in_place = !EXB_IS_COMPLEX && in_order && s->n_matrices == 1;
    bool in_two = in_order && s->n_matrices == 2 && exb_pattern_is_general(&s->matrix[1].pattern) &&
                  s->matrix[1].pattern.piece[0].conjugate == conjugate;
    bool in_any = in_order && (s->n_matrices == 1 || in_two);
    out->in_place = in_any ? elements_of(a) : (exb_p(elements)){NULL, 0, 0};
    out->conjugate = conjugate;
    out->gather = in_place ? NULL : gather_vectors;
    out->write_out = write_out;
    out->source = in_place ? NULL : s;
    out->runs = general ? NULL : find_runs;
    out->n_first = in_two && !EXB_IS_COMPLEX ? a->pattern.n_cols : 0;
    out->second = in_two ? elements_of(&s->matrix[1]) : (exb_p(elements)){NULL, 0, 0};
}

/* --- calls -------------------------------------------------------------------- */

exb_complex exb_t(scalar_at)(const exb_real *p, bool is_real)
{
    if (!p)
        return (exb_complex){0, 0};
    return (exb_complex){p[0], EXB_IS_COMPLEX && !is_real ? (double)p[EXB_PARTS - 1] : 0};
}

/* The transpose of everything: results are best written along columns. The loop becomes vectors;
 * copies of structs would take a tenth of a product of 8 x 8. */
static void transpose_call(exb_t(call) *call)
{
    char *a = (char *)&call->a, *b = (char *)&call->b, byte;
    int64_t m = call->m;
    for (size_t i = 0; i < sizeof call->a; b[i++] = byte) {
        byte = a[i];
        a[i] = b[i];
    }
    call->m = call->n;
    call->n = m;
    call->output.c = exb_t(target_transposed)(&call->output.c);
}

void exb_t(call_prepare)(exb_t(call) *call, exb_call_stats *stats)
{
    exb_t(output) *o = &call->output;
    if (o->c.view.rs != 1)
        transpose_call(call);
    if (o->n_sums == 0)
        o->n_sums = EXB_PARTS;
    call->a.role = EXB_AS_ROWS;
    call->b.role = EXB_AS_COLUMNS;
    call->b.n_sums = o->n_sums;
    exb_t(operand_of)(&call->a, &o->product.a);
    exb_t(operand_of)(&call->b, &o->product.b);
    o->product.stats = stats;
    o->alpha = exb_t(scalar_at)(call->alpha, o->real_alpha);
    o->beta = exb_t(scalar_at)(call->beta, o->real_beta);
}

EXB_NOINLINE void exb_t(call_compute)(exb_t(call) *call, exb_call_stats *stats)
{
    exb_t(call_prepare)(call, stats);
    exb_t(output) *o = &call->output;
    int64_t k = call->a.n_matrices * call->k;
    bool is_empty = exb_is_zero(o->alpha) || k == 0;
    if (is_empty && exb_is_one(o->beta))
        return;
    if (is_empty) { /* neither A nor B nor alpha counts */
        k = 0;
        o->alpha = (exb_complex){1, 0};
    }
    exb_t(output_run)(o, call->m, call->n, k);
}

void exb_t(call_guarded)(const exb_site *site, void (*run)(void *ctx, exb_call_stats *stats),
                         void *ctx)
{
    exb_fpenv env;
    exb_call_stats memory;
    exb_fpenv_enter(&env);
    exb_call_stats *stats = exb_stats_begin_call(&memory);
    run(ctx, stats);
    exb_stats_end_call(stats, site->routine);
    exb_fpenv_leave(&env);
}

static void compute_call(void *ctx, exb_call_stats *stats)
{
    exb_t(call_compute)(ctx, stats);
}

void exb_t(call_run)(exb_t(call) *call, const exb_site *site)
{
    if (call->m > 0 && call->n > 0)
        exb_t(call_guarded)(site, compute_call, call);
}
