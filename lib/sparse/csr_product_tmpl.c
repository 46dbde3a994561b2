/* The driver of sparse products. Tasks hold whole rows of about equally many entries. Short rows go
 * in blocks (csr_block.h); what these leave, and longer rows, one by one: filters, then exactly.
 * Rows longer than a task are split over threads by themselves.
 * Types: s d c z. */
#include "sparse/csr_block.h"

#include "core/memory.h"
#include "core/thread.h"
#include "element/decide.h"

typedef struct {
    const exb_t(csr_product) *p;
    const exb_method *method;
    int n_tasks;
    int64_t longest; /* most entries of a row that a task takes */
} job;

/* Row i, times vector j; x: room for the vector's elements of all entries, or NULL. */
typedef struct {
    const job *job;
    int64_t i, j, begin, n;
    exb_real *x;
} row;

static exb_real *output_at(const exb_t(csr_product) *p, int64_t i, int64_t j)
{
    int64_t at = exb_index_is_none(p->row_order) ? i : exb_index_at(p->row_order, i);
    return p->y + j * p->y_next + EXB_PARTS * at * p->incy;
}

/* Elements of consecutive rows are contiguous. */
static bool is_contiguous(const exb_t(csr_product) *p)
{
    return p->incy == 1 && exb_index_is_none(p->row_order);
}

/* --- one row ------------------------------------------------------------------ */

/* What n entries' imaginary parts multiply: nothing on the diagonal of a Hermitian matrix, where 0
 * times Inf would be NaN. */
EXB_INLINE void leave_out_diagonal(const row *r, int64_t begin, int64_t n, exb_real *x)
{
    const exb_t(csr) *a = &r->job->p->a;
    for (int64_t e = 0; e < n && a->hermitian; e++)
        if (exb_index_at(a->column, begin + e) == r->i)
            x[EXB_PARTS * e + EXB_PARTS - 1] = 0;
}

/* The products of part k with the entries from *at on, as many as there is room for. */
static bool next_run(const void *of, int k, int64_t *at, exb_p(run_space) *space,
                     exb_p(reduction) *run)
{
    const row *r = of;
    const exb_t(csr_product) *p = r->job->p;
    int64_t n = exb_least(r->x ? r->n : EXB_RUN / EXB_PARTS, r->n - *at), begin = r->begin + *at;
    exb_real *x = r->x ? r->x : space->x;
    if (n == 0)
        return false;
    exb_t(csr_gather)(p, r->j, k, begin, n, x);
    leave_out_diagonal(r, begin, n, x);
    *run = (exb_p(reduction)){EXB_TERM_XY, EXB_PARTS * n, p->a.value + EXB_PARTS * begin, 1, x, 1};
    *at += n;
    return true;
}

/* known: enclosures of the row's sums, or NULL. */
static void decide_row(const row *r, const exb_enclosure *known, exb_real *y)
{
    const exb_t(csr_product) *p = r->job->p;
    exb_t(question) q = {.line = exb_t(line)(p->alpha, p->beta), .method = r->job->method};
    q.by_threads = r->n > r->job->longest;
    q.terms = (exb_p(terms)){next_run, r};
    if (!exb_is_zero(p->beta))
        q.c = exb_t(load)(y);
    exb_t(decide)(&q, known, y);
}

/* Row i times all vectors. A long row's vector is gathered whole if there is memory. */
static EXB_NOINLINE void multiply_row(const job *q, int64_t i)
{
    const exb_t(csr) *a = &q->p->a;
    row r = {.job = q, .i = i, .begin = exb_t(csr_begin)(a, i)};
    r.n = exb_t(csr_begin)(a, i + 1) - r.begin;
    if (EXB_PARTS * r.n > EXB_RUN)
        r.x = exb_memory_get((size_t)r.n * EXB_PARTS * sizeof *r.x);
    for (r.j = 0; r.j < q->p->n_vectors; r.j++)
        decide_row(&r, NULL, output_at(q->p, i, r.j));
    exb_memory_put(r.x);
}

/* --- blocks ------------------------------------------------------------------- */

/* Row `at` of the block, which is open after a filter, if that was asked. */
static void finish_row(const job *q, const exb_t(csr_block) *b, int64_t j, int at, bool filtered)
{
    row r = {.job = q, .i = b->first + at, .j = j, .begin = b->begin + b->start[at] / EXB_PARTS};
    r.n = (b->start[at + 1] - b->start[at]) / EXB_PARTS;
    const exb_enclosure unknown[] = {exb_enclosure_unknown(), exb_enclosure_unknown()};
    decide_row(&r, filtered ? unknown : NULL, output_at(q->p, r.i, j));
}

uint64_t exb_t(csr_round)(const exb_t(csr_product) *p, int64_t first, int n_rows, int64_t j,
                          double *h, double *l, double bound, exb_real *r)
{
    const exb_line line = exb_t(line)(p->alpha, p->beta);
    double old[EXB_CSR_LANES];
    int n = EXB_PARTS * n_rows;
    for (int i = n; i % 8 != 0; i++)
        h[i] = l[i] = old[i] = 0;
    exb_column column = {.h = h, .l = l, .col_bound = bound};
    for (int i = 0; i < n && !exb_is_zero(p->beta); i++)
        old[i] = output_at(p, first + i / EXB_PARTS, j)[i % EXB_PARTS];
    return exb_t(whole_elements)(exb_t(decide_column)(&line, n, &column, old, r));
}

static uint64_t decide_block(const job *q, const exb_t(csr_block) *b, int64_t j, exb_experience *e,
                             exb_t(csr_sums) *s, exb_real *r)
{
    bool is_exact = e->has_ties && exb_t(csr_block_is_exact)(q->p, b, s);
    uint64_t uncertified;
    for (;; is_exact = true) {
        if (is_exact)
            s->bound = 0;
        uncertified = exb_t(csr_round)(q->p, b->first, b->n_rows, j, s->h, s->l, s->bound, r);
        if (is_exact || !uncertified || !exb_t(csr_block_is_exact)(q->p, b, s))
            break;
    }
    e->has_ties = is_exact;
    return uncertified;
}

/* Rows that are not certified are computed otherwise. */
static void multiply_block(const job *q, const exb_t(csr_block) *b, int64_t j, exb_experience *e)
{
    exb_t(csr_sums) s;
    exb_real r[EXB_CSR_LANES];
    bool filtered = q->method->filter && exb_t(csr_block_sums)(q->p, b, j, &e->g, &s);
    uint64_t uncertified = filtered ? decide_block(q, b, j, e, &s, r) : ~(uint64_t)0;
    if (!uncertified && is_contiguous(q->p)) {
        memcpy(output_at(q->p, b->first, j), r, (size_t)b->n_rows * EXB_PARTS * sizeof *r);
        return;
    }
    for (int i = 0; i < b->n_rows; i++)
        if (uncertified >> (EXB_PARTS * i) & 1)
            finish_row(q, b, j, i, filtered);
        else
            memcpy(output_at(q->p, b->first + i, j), r + EXB_PARTS * i, EXB_PARTS * sizeof *r);
}

static void multiply_rows(const job *q, exb_range rows)
{
    const exb_t(csr) *a = &q->p->a;
    exb_t(csr_block) b;
    exb_experience e = {EXB_ANCHOR_MIN_G, false};
    for (int64_t i = rows.begin; i < rows.end;) {
        exb_t(csr_block_at)(a, i, rows.end, &b);
        for (int64_t j = 0; j < q->p->n_vectors && b.n_rows > 0; j++)
            multiply_block(q, &b, j, &e);
        i += b.n_rows;
        if (b.n_rows > 0)
            continue;
        if (exb_t(csr_begin)(a, i + 1) - b.begin <= q->longest)
            multiply_row(q, i);
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
            multiply_row(q, i);
}

static job job_of(const exb_t(csr_product) *p)
{
    job q = {.p = p, .method = exb_method_current(), .longest = INT64_MAX};
    return q;
}

void exb_t(csr_multiply_row)(const exb_t(csr_product) *p, int64_t i)
{
    job q = job_of(p);
    multiply_row(&q, i);
}

/* Arrays without elements may be NULL, to which no offset may be added. */
static exb_t(csr_product) with_arrays(exb_t(csr_product) p)
{
    static const exb_real number[EXB_PARTS];
    static const int32_t index;
    p.a.value = p.a.value ? p.a.value : number;
    p.x.p = p.x.p ? p.x.p : number;
    if (exb_index_is_none(p.a.column))
        p.a.column.narrow = &index;
    return p;
}

EXB_NOINLINE void exb_t(csr_multiply)(const exb_t(csr_product) *given)
{
    const exb_t(csr_product) product = with_arrays(*given), *p = &product;
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
    q.n_tasks = n_threads * EXB_CSR_TASKS;
    q.longest = exb_most(work / q.n_tasks, EXB_CSR_SHORT);
    exb_parallel_for(n_threads, q.n_tasks, multiply_task, &q);
    multiply_long_rows(&q);
}
