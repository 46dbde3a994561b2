/* The driver of sparse products. Tasks hold whole rows of about equally many entries. Short rows go
 * in blocks (csr_block.h); what these leave, and longer rows, one by one: filters, then exactly.
 * Rows longer than a task are split over threads by themselves.
 * Types: s d c z. */
#include "sparse/csr_block.h"

#include "core/memory.h"
#include "core/thread.h"
#include "level1/reduce.h"
#include "level2/kernels/column.h"

enum { TASKS_PER_THREAD = 8 };

typedef struct {
    const exb_t(csr_product) *p;
    const exb_method *method;
    int n_tasks;
    int64_t longest; /* most entries of a row that a task takes */
    bool is_plain;   /* alpha and beta are real and finite: what the finish kernel takes */
} job;

/* Row i, times vector j. The vector's elements are gathered `size` entries at a time. */
typedef struct {
    const job *job;
    int64_t i, j, begin, n, size;
    exb_real *x;
    bool threads;
} row;

static exb_real *output(const exb_t(csr_product) *p, int64_t i, int64_t j)
{
    int64_t at = p->row_order ? p->row_order[i] : i;
    return p->y + j * p->y_next + EXB_PARTS * at * p->incy;
}

/* Elements of consecutive rows are contiguous. */
static bool is_contiguous(const exb_t(csr_product) *p)
{
    return p->incy == 1 && !p->row_order;
}

static exb_complex old_value(const exb_t(csr_product) *p, const exb_real *y)
{
    return exb_is_zero(p->beta) ? (exb_complex){0, 0} : exb_t(load)(y);
}

/* --- one row ------------------------------------------------------------------ */

/* What n entries' imaginary parts multiply: nothing on the diagonal of a Hermitian matrix, where 0
 * times Inf would be NaN. */
EXB_INLINE void leave_out_diagonal(const row *r, int64_t begin, int64_t n)
{
    const exb_t(csr) *a = &r->job->p->a;
    for (int64_t e = 0; e < n && a->hermitian; e++)
        if (exb_index_at(a->column, begin + e) == r->i)
            r->x[EXB_PARTS * e + EXB_PARTS - 1] = 0;
}

/* The products of part k with the entries from `at` on, as many as are gathered at once. */
static exb_p(reduction) gathered(const row *r, int k, int64_t at)
{
    const exb_t(csr_product) *p = r->job->p;
    int64_t n = exb_least(r->size, r->n - at), begin = r->begin + at;
    exb_t(csr_gather)(p, r->j, k, begin, n, r->x);
    leave_out_diagonal(r, begin, n);
    return (exb_p(reduction)){EXB_TERM_XY, EXB_PARTS * n, p->a.value + EXB_PARTS * begin,
                              1,           r->x,          1};
}

/* Short rows of which blocks know too little are better known by sums of three parts. */
static exb_enclosure filter_part(const row *r, int k)
{
    exb_enclosure v = exb_enclosure_exact(0);
    for (int64_t at = 0; at < r->n; at += r->size) {
        exb_p(reduction) q = gathered(r, k, at);
        exb_enclosure part = exb_enclosure_unknown();
        if (r->n <= r->size)
            part = exb_p(reduce_triple)(&q);
        if (!exb_enclosure_is_finite(part))
            part = (r->threads ? exb_p(reduce_filter_threads) : exb_p(reduce_filter))(&q);
        v = exb_enclosure_add(v, part);
    }
    return v;
}

static void add_part(const row *r, int k, exb_superacc *acc)
{
    for (int64_t at = 0; at < r->n; at += r->size) {
        exb_p(reduction) q = gathered(r, k, at);
        (r->threads ? exb_p(reduce_exact_threads) : exb_p(reduce_exact))(&q, r->job->method, acc);
    }
}

static bool round_parts(const exb_t(csr_product) *p, const exb_t(value) *v, exb_complex old,
                        exb_real *out)
{
    bool decided = true;
    for (int k = 0; k < EXB_PARTS && decided; k++)
        decided = exb_round_enclosure(exb_t(affine)(k, p->alpha, v, p->beta, old), &out[k]);
    return decided;
}

static void sum_row(const row *r, exb_real *y)
{
    const exb_t(csr_product) *p = r->job->p;
    exb_complex old = old_value(p, y);
    exb_t(value) v;
    exb_t(exact) sum;
    exb_real out[EXB_PARTS];
    bool decided = false;
    if (r->job->method->filter) {
        for (int k = 0; k < EXB_PARTS; k++)
            v.part[k] = filter_part(r, k);
        decided = round_parts(p, &v, old, out);
    }
    if (!decided) {
        exb_t(exact_zero)(&sum);
        for (int k = 0; k < EXB_PARTS; k++)
            add_part(r, k, &sum.part[k].acc);
        for (int k = 0; k < EXB_PARTS; k++)
            out[k] = exb_t(affine_exact)(k, p->alpha, &sum, p->beta, old);
    }
    memcpy(y, out, sizeof out);
}

/* Row i times all vectors. A long row's vector is gathered whole if there is memory. */
static EXB_NOINLINE void multiply_row(const job *q, int64_t i, bool threads)
{
    const exb_t(csr) *a = &q->p->a;
    exb_real few[EXB_PARTS * EXB_GATHER];
    row r = {.job = q, .i = i, .begin = exb_t(csr_begin)(a, i), .size = EXB_GATHER, .x = few};
    r.n = exb_t(csr_begin)(a, i + 1) - r.begin;
    exb_real *many = NULL;
    if (r.n > EXB_GATHER)
        many = exb_memory_get((size_t)r.n * EXB_PARTS * sizeof *many);
    if (many) {
        r.size = r.n;
        r.x = many;
        r.threads = threads;
    }
    for (r.j = 0; r.j < q->p->n_vectors; r.j++)
        sum_row(&r, output(q->p, i, r.j));
    exb_memory_put(many);
}

/* --- blocks ------------------------------------------------------------------- */

/* Row `at` of the block, which the finish kernel left: with the sums of the block if alpha or beta
 * is not for that kernel, then by itself. */
static void finish_row(const job *q, const exb_t(csr_block) *b, int64_t j, int at,
                       const exb_t(csr_sums) *s)
{
    exb_real few[EXB_PARTS * EXB_CSR_SHORT], out[EXB_PARTS];
    const exb_t(csr_product) *p = q->p;
    exb_real *y = output(p, b->first + at, j);
    if (s && !q->is_plain) {
        exb_t(value) v;
        for (int k = 0; k < EXB_PARTS; k++)
            v.part[k] = (exb_enclosure){s->h[EXB_PARTS * at + k], s->l[EXB_PARTS * at + k],
                                        s->bound, s->bound == 0};
        if (round_parts(p, &v, old_value(p, y), out)) {
            memcpy(y, out, sizeof out);
            return;
        }
    }
    row r = {.job = q, .i = b->first + at, .j = j, .size = EXB_CSR_SHORT, .x = few};
    r.begin = b->begin + b->start[at] / EXB_PARTS;
    r.n = (b->start[at + 1] - b->start[at]) / EXB_PARTS;
    sum_row(&r, y);
}

/* Rounds the sums of a block to r; returns those that are not certified, a bit each. */
static uint64_t round_block(const exb_t(csr_product) *p, const exb_t(csr_block) *b, int64_t j,
                            exb_t(csr_sums) *s, exb_real *r)
{
    static const double no_bounds[EXB_CSR_LANES];
    double old[EXB_CSR_LANES];
    int n = EXB_PARTS * b->n_rows;
    for (int i = n; i % 8 != 0; i++)
        s->h[i] = s->l[i] = 0;
    exb_column column = {.h = s->h, .l = s->l, .row_bound = no_bounds, .col_bound = s->bound};
    column.alpha = p->alpha.re;
    column.beta = p->beta.re;
    column.c = old;
    for (int i = 0; i < exb_round_up(n, 8) && column.beta != 0; i++)
        old[i] = i < n ? output(p, b->first + i / EXB_PARTS, j)[i % EXB_PARTS] : 0;
    return exb_t_kernels()->finish(n, &column, r);
}

/* Writes the rows of r, and computes those that are not certified otherwise. */
static void put_block(const job *q, const exb_t(csr_block) *b, int64_t j, uint64_t uncertified,
                      const exb_real *r, const exb_t(csr_sums) *s)
{
    const uint64_t row_mask = ((uint64_t)1 << EXB_PARTS) - 1;
    if (!uncertified && is_contiguous(q->p)) {
        memcpy(output(q->p, b->first, j), r, (size_t)b->n_rows * EXB_PARTS * sizeof *r);
        return;
    }
    for (int i = 0; i < b->n_rows; i++)
        if (uncertified >> (EXB_PARTS * i) & row_mask)
            finish_row(q, b, j, i, s);
        else
            memcpy(output(q->p, b->first + i, j), r + EXB_PARTS * i, EXB_PARTS * sizeof *r);
}

/* What a block leaves for the next. */
typedef struct {
    int g;         /* the anchor's exponent */
    bool has_ties; /* only exact sums decided all its rows */
} experience;

static uint64_t decide_block(const job *q, const exb_t(csr_block) *b, int64_t j, experience *e,
                             exb_t(csr_sums) *s, exb_real *r)
{
    bool is_exact = e->has_ties && exb_t(csr_block_is_exact)(q->p, b, s);
    uint64_t uncertified = ~(uint64_t)0;
    for (;; is_exact = true) {
        if (is_exact)
            s->bound = 0;
        if (q->is_plain)
            uncertified = round_block(q->p, b, j, s, r);
        if (is_exact || !uncertified || !exb_t(csr_block_is_exact)(q->p, b, s))
            break;
    }
    e->has_ties = is_exact;
    return uncertified;
}

/* Rows of one entry each, as diagonal matrices have them, need one rounding: that of the product.
 * An exact zero is +0, a product that underflows keeps its sign. */
static bool multiply_single_entries(const job *q, const exb_t(csr_block) *b, int64_t j)
{
    const exb_t(csr_product) *p = q->p;
    bool single = !EXB_IS_COMPLEX && b->n == b->n_rows && is_contiguous(p) && q->is_plain &&
                  q->method->filter && p->alpha.re == 1 && p->beta.re == 0;
    for (int i = 0; i <= b->n_rows && single; i++)
        single = b->start[i] == i;
    if (!single)
        return false;
    exb_real x[EXB_CSR_ROWS], *y = output(p, b->first, j);
    const exb_real *value = p->a.value + b->begin;
    exb_t(csr_gather)(p, j, 0, b->begin, b->n, x);
    for (int i = 0; i < b->n_rows; i++) {
        exb_real r = value[i] * x[i];
        bool is_zero = r == 0 && (value[i] == 0 || x[i] == 0);
        y[i] = exb_canonical(is_zero ? 0 : r);
    }
    return true;
}

static void multiply_block(const job *q, const exb_t(csr_block) *b, int64_t j, experience *e)
{
    exb_t(csr_sums) s;
    exb_real r[EXB_CSR_LANES];
    if (multiply_single_entries(q, b, j))
        return;
    if (!q->method->filter || !exb_t(csr_block_sums)(q->p, b, j, &e->g, &s)) {
        put_block(q, b, j, ~(uint64_t)0, r, NULL);
        return;
    }
    uint64_t uncertified = decide_block(q, b, j, e, &s, r);
    put_block(q, b, j, uncertified, r, &s);
}

static void multiply_rows(const job *q, exb_range rows)
{
    const exb_t(csr) *a = &q->p->a;
    exb_t(csr_block) b;
    experience e = {EXB_ANCHOR_MIN_G, false};
    for (int64_t i = rows.begin; i < rows.end;) {
        exb_t(csr_block_at)(a, i, rows.end, &b);
        for (int64_t j = 0; j < q->p->n_vectors && b.n_rows > 0; j++)
            multiply_block(q, &b, j, &e);
        i += b.n_rows;
        if (b.n_rows > 0)
            continue;
        if (exb_t(csr_begin)(a, i + 1) - b.begin <= q->longest)
            multiply_row(q, i, false);
        i++;
    }
}

static void multiply_task(void *ctx, int64_t task)
{
    const job *q = ctx;
    multiply_rows(q, exb_pieces_of_task(exb_t(csr_rows)(&q->p->a), q->n_tasks, (int)task));
}

static void multiply_long_rows(const job *q)
{
    for (int64_t i = 0; i < q->p->a.m; i++)
        if (exb_piece_length(exb_t(csr_rows)(&q->p->a), i) > q->longest)
            multiply_row(q, i, true);
}

static job job_of(const exb_t(csr_product) *p)
{
    job q = {.p = p, .method = exb_method_current(), .longest = INT64_MAX};
    q.is_plain = exb_csr_is_plain(p->alpha) && exb_csr_is_plain(p->beta);
    return q;
}

void exb_t(csr_multiply_row)(const exb_t(csr_product) *p, int64_t i)
{
    job q = job_of(p);
    multiply_row(&q, i, false);
}

EXB_NOINLINE void exb_t(csr_multiply)(const exb_t(csr_product) *p)
{
    job q = job_of(p);
    int64_t work =
        exb_index_is_none(p->a.row_start) ? p->a.m : exb_pieces_work(exb_t(csr_rows)(&p->a));
    int n_threads = exb_index_is_none(p->a.row_start)
                        ? 1
                        : exb_partition_count((double)work * (double)p->n_vectors, EXB_MOST_RANGES);
    if (n_threads == 1) {
        multiply_rows(&q, (exb_range){0, p->a.m});
        return;
    }
    q.n_tasks = n_threads * TASKS_PER_THREAD;
    q.longest = exb_most(work / q.n_tasks, EXB_CSR_SHORT);
    exb_parallel_for(n_threads, q.n_tasks, multiply_task, &q);
    multiply_long_rows(&q);
}
