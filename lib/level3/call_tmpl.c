/* Types: s d c z. */
#include "level3/call.h"

#include "core/fpenv.h"
#include "element/line.h"
#include "level2/pattern_rows.h"

/* --- operands ----------------------------------------------------------------- */

/* The parts of n elements, step apart, exchanged or not, with signs; of real ones the last sign. */
EXB_INLINE void copy_parts(bool exchanged, exb_real first, exb_real last, int64_t n,
                           const exb_real *x, int64_t step, exb_real *out, int64_t out_step)
{
    for (int64_t t = 0; t < n; t++, x += EXB_PARTS * step, out += out_step) {
        if (EXB_IS_COMPLEX)
            out[0] = first * x[exchanged];
        out[EXB_PARTS - 1] = last * x[exchanged ? 0 : EXB_PARTS - 1];
    }
}

/* The same as the product multiplies them (call.h): of columns for sum 0 or 1, or, negated, 2 or 3;
 * -1: of rows. */
static void copy_elements(int sum, bool conjugate, int64_t n, const exb_real *x, int64_t step,
                          exb_real *out, int64_t out_step)
{
    exb_real one = sum >= 2 ? -1 : 1;
    exb_real im = conjugate != (EXB_IS_COMPLEX && sum < 0) ? -one : one;
    if (EXB_IS_COMPLEX && sum > 0 && sum % 2 == 1)
        copy_parts(true, im, -one, n, x, step, out, out_step);
    else if (step == 1 && out_step == EXB_PARTS)
        copy_parts(false, one, im, n, x, 1, out, EXB_PARTS);
    else
        copy_parts(false, one, im, n, x, step, out, out_step);
}

/* n rows and k columns of a piece from x on, in the order in which they lie, to rows ld apart. */
static void copy_piece(int sum, const exb_piece *p, const exb_real *x, int64_t n, int64_t k,
                       exb_real *out, int64_t ld)
{
    if (p->view.rs < p->view.cs && n > 1)
        for (; k > 0; k--, x += EXB_PARTS * p->view.cs, out += EXB_PARTS)
            copy_elements(sum, p->conjugate, n, x, p->view.rs, out, ld);
    else
        for (; n > 0; n--, x += EXB_PARTS * p->view.rs, out += ld)
            copy_elements(sum, p->conjugate, k, x, p->view.cs, out, EXB_PARTS);
}

/* Terms of n rows from row i on, one of them unless the matrix is general; what the pattern does
 * not have is 0. */
static void fetch_rows(int sum, const exb_t(matrix) *a, int64_t i, int64_t n, exb_range terms,
                       exb_real *out, int64_t ld)
{
    const exb_pattern *t = &a->pattern;
    exb_range first = exb_piece_columns(&t->piece[0], t->n_cols, i);
    if (first.begin > terms.begin || first.end < terms.end)
        memset(out, 0, (size_t)(EXB_PARTS * (terms.end - terms.begin)) * sizeof *out);
    for (int k = 0; k < t->n_pieces; k++) {
        const exb_piece *p = &t->piece[k];
        exb_range r = exb_common(terms, exb_piece_columns(p, t->n_cols, i));
        if (r.begin < r.end)
            copy_piece(sum, p, a->p + EXB_PARTS * exb_view_at(p->view, i, r.begin), n,
                       r.end - r.begin, out + EXB_PARTS * (r.begin - terms.begin), ld);
    }
    if (t->diagonal != EXB_DIAGONAL_NONE && i >= terms.begin && i < terms.end) {
        exb_real parts[2] = {exb_t(diagonal_of)(a, i), 0};
        copy_elements(sum, false, 1, parts, 1, out + EXB_PARTS * (i - terms.begin), EXB_PARTS);
    }
}

/* Rows i ... i + n - 1 of the matrices side by side, of which the second may be negated. */
static void fetch_vectors(const exb_t(source) *s, int sum, int64_t i, int64_t n, exb_range terms,
                          exb_real *out, int64_t ld)
{
    int64_t before = 0;
    for (int k = 0; k < s->n_matrices; k++) {
        const exb_t(matrix) *a = &s->matrix[k];
        exb_range r = exb_common(terms, (exb_range){before, before + a->pattern.n_cols});
        exb_real *to = out + EXB_PARTS * (r.begin - terms.begin);
        int64_t step = exb_pattern_is_general(&a->pattern) ? n : 1;
        for (int64_t v = 0; r.begin < r.end && v < n; v += step)
            fetch_rows(k == 0 && sum >= 2 ? sum - 2 : sum, a, i + v, step,
                       (exb_range){r.begin - before, r.end - before}, to + v * ld, ld);
        before += a->pattern.n_cols;
    }
}

static void gather_vectors(const void *source, int64_t v0, int64_t nv, int64_t l0, int64_t nl,
                           exb_real *out)
{
    const exb_t(source) *s = source;
    bool as_rows = s->role == EXB_AS_ROWS;
    int n_sums = as_rows ? 1 : s->n_sums;
    exb_range terms = {l0 / EXB_PARTS, (l0 + nl) / EXB_PARTS};
    for (int64_t v = v0; v < v0 + exb_least(nv, n_sums); v++, out += nl)
        fetch_vectors(s, as_rows ? -1 : (int)(v % n_sums), v / n_sums,
                      exb_tasks_of(v0 + nv - v, n_sums), terms, out, n_sums * nl);
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
    out->n_alike = s->role == EXB_AS_COLUMNS ? s->n_sums : 1;
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
