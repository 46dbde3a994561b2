/* segment_sum: the sums of consecutive pieces of a vector. Short pieces go to the filter
 * kernel one after another; tasks hold whole pieces of about equally many terms. A piece
 * longer than that is split over threads by itself.
 * Types: s d. */
#include "core/fpenv.h"
#include "core/thread.h"
#include "acc/pieces.h"
#include "element/decide.h"
#include "indexed.h"

enum { TASKS_PER_THREAD = 8 };

typedef struct {
    exb_slices pieces;
    const exb_real *x;
    exb_real *y;
    const exb_method *method;
    int n_tasks;
    int64_t longest; /* most terms of a segment that a task takes */
} segments;

static exb_t(reduction) segment_at(const segments *s, int64_t i)
{
    int64_t begin = exb_index_at(s->pieces.offset, i), n = exb_piece_length(s->pieces, i);
    return (exb_t(reduction)){EXB_TERM_X, n, n ? s->x + begin : s->x, 1, NULL, 0};
}

/* v: what is known, or NULL. */
static void decide_segment(const segments *s, int64_t i, const exb_t(reduction) *r,
                           const exb_enclosure *v)
{
    exb_t(question) q = {.by_threads = r->n > s->longest, .line = exb_t(line_of_sums)()};
    q.terms = (exb_t(terms)){exb_t(next_of_one), r};
    q.method = s->method;
    exb_t(decide)(&q, v, &s->y[i]);
}

/* Segments begin ... end - 1, except those longer than `longest`; few terms straight from their
 * kernel. */
static void sum_range(const segments *s, int64_t begin, int64_t end)
{
    const exb_kernels *kernels = exb_kernels_current();
    for (int64_t i = begin; i < end; i++) {
        exb_t(reduction) r = segment_at(s, i);
        exb_enclosure v;
        if (r.n > s->longest)
            continue;
        bool is_few = s->method->filter && r.n <= EXB_FEW;
        if (!is_few || !kernels->EXB_TYPE.few(EXB_TERM_X, r.n, r.x, NULL, &v, &s->y[i]))
            decide_segment(s, i, &r, is_few ? &v : NULL);
    }
}

static void sum_task(void *ctx, int64_t task)
{
    const segments *s = ctx;
    exb_range r = exb_pieces_of_task(s->pieces, s->n_tasks, (int)task);
    sum_range(s, r.begin, r.end);
}

static void sum_long_segments(const segments *s)
{
    for (int64_t i = 0; i < s->pieces.n; i++) {
        exb_t(reduction) r = segment_at(s, i);
        if (r.n > s->longest)
            decide_segment(s, i, &r, NULL);
    }
}

static EXB_NOINLINE void sum_segments(segments *s)
{
    int64_t work = exb_pieces_work(s->pieces);
    int n_threads = exb_partition_count((double)work, EXB_MOST_RANGES);
    s->method = exb_method_current();
    s->longest = INT64_MAX;
    if (n_threads == 1) {
        sum_range(s, 0, s->pieces.n);
        return;
    }
    s->n_tasks = n_threads * TASKS_PER_THREAD;
    s->longest = work / s->n_tasks;
    exb_parallel_for(n_threads, s->n_tasks, sum_task, s);
    sum_long_segments(s);
}

exblas_status exb_t(segment_sum)(int64_t n_segments, exb_index offset, const exb_real *x,
                                 exb_real *y)
{
    exb_slices pieces = {n_segments, offset};
    if (n_segments < 0)
        return EXBLAS_EINVAL;
    if (n_segments == 0)
        return EXBLAS_OK;
    if (!(offset.narrow || offset.wide) || !y || !exb_offsets_are_good(pieces))
        return EXBLAS_EINVAL;
    if (!x && exb_index_at(offset, n_segments) > exb_index_at(offset, 0))
        return EXBLAS_EINVAL;
    segments s = {.pieces = pieces, .x = x, .y = y};
    EXB_GUARDED(sum_segments(&s));
    return EXBLAS_OK;
}
