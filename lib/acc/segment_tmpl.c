/* segment_sum: the sums of consecutive pieces of a vector. Short pieces go to the filter
 * kernel one after another; tasks hold whole pieces of about equally many terms. A piece
 * longer than that is split over threads by itself.
 * Types: s d. */
#include "core/fpenv.h"
#include "acc/pieces.h"
#include "element/decide.h"
#include "indexed.h"

typedef struct {
    exb_pieces_job job;
    const exb_real *x;
    exb_real *y;
    const exb_method *method;
} segments;

static exb_t(reduction) segment_at(const segments *s, int64_t i)
{
    exb_slices pieces = s->job.pieces;
    int64_t begin = exb_index_at(pieces.offset, i), n = exb_piece_length(pieces, i);
    return (exb_t(reduction)){EXB_TERM_X, n, n ? s->x + begin : s->x, 1, NULL, 0};
}

/* v: what is known, or NULL. */
static void decide_segment(const segments *s, int64_t i, const exb_t(reduction) *r,
                           const exb_enclosure *v)
{
    exb_t(question) q = {.by_threads = r->n > s->job.longest, .line = exb_t(line_of_sums)()};
    q.terms = (exb_t(terms)){exb_t(next_of_one), r};
    q.method = s->method;
    exb_t(decide)(&q, v, &s->y[i]);
}

/* Few terms straight from their kernel. */
static void sum_range(const exb_pieces_job *job, exb_range range)
{
    const segments *s = (const segments *)job;
    const exb_kernels *kernels = exb_kernels_current();
    for (int64_t i = range.begin; i < range.end; i++) {
        exb_t(reduction) r = segment_at(s, i);
        exb_enclosure v;
        if (r.n > job->longest)
            continue;
        bool is_few = s->method->filter && r.n <= EXB_FEW;
        if (!is_few || !kernels->EXB_TYPE.few(EXB_TERM_X, r.n, r.x, NULL, &v, &s->y[i]))
            decide_segment(s, i, &r, is_few ? &v : NULL);
    }
}

static void sum_long(const exb_pieces_job *job, int64_t i)
{
    const segments *s = (const segments *)job;
    exb_t(reduction) r = segment_at(s, i);
    decide_segment(s, i, &r, NULL);
}

static EXB_NOINLINE void sum_segments(segments *s)
{
    double work = (double)exb_pieces_work(s->job.pieces);
    s->method = exb_method_current();
    exb_pieces_run(&s->job, exb_partition_count(work, EXB_MOST_RANGES), 0);
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
    segments s = {.job = {pieces, sum_range, sum_long, 0, 0}, .x = x, .y = y};
    EXB_GUARDED(sum_segments(&s));
    return EXBLAS_OK;
}
