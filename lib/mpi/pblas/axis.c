#include "mpi/pblas/axis.h"

exb_axis exb_axis_shared(int64_t n, int n_parts)
{
    int64_t block = n > n_parts ? (n + n_parts - 1) / n_parts : 1;
    return (exb_axis){EXB_OVER_TEAM, n, 0, block, block, 0, n_parts, NULL};
}

exb_axis exb_axis_on_first(int64_t n, int n_parts)
{
    return (exb_axis){EXB_OVER_TEAM, n, 0, n > 0 ? n : 1, 1, 0, n_parts, NULL};
}

bool exb_axis_is_same(const exb_axis *a, const exb_axis *b)
{
    bool whole = a->n_parts == 1 && b->n_parts == 1;
    return a->n == b->n &&
           (whole || (a->over == b->over && a->first == b->first &&
                      a->first_block == b->first_block && a->block == b->block &&
                      a->source == b->source && a->n_parts == b->n_parts && a->begin == b->begin));
}

exb_axis exb_axis_cut(exb_axis x, int64_t begin, int64_t length)
{
    x.first += begin;
    x.n = exb_least(length, x.n - begin);
    return x;
}

/* Blocks are counted from the first one, parts from its owner. */
static int distance_of(const exb_axis *x, int part)
{
    return (part - x->source + x->n_parts) % x->n_parts;
}

/* Elements before g of the whole axis that the part owns. */
static int64_t owned_below(const exb_axis *x, int part, int64_t g)
{
    int d = distance_of(x, part), n = x->n_parts;
    if (n == 1)
        return g;
    if (x->begin)
        return exb_most(exb_least(g, x->begin[part + 1]) - x->begin[part], 0);
    if (g <= x->first_block)
        return d == 0 ? g : 0;
    int64_t whole = (g - x->first_block) / x->block; /* blocks 1 ... whole end before g */
    int64_t rest = (g - x->first_block) % x->block;  /* of the next */
    int64_t full = d == 0 ? whole / n : whole >= d ? (whole - d) / n + 1 : 0;
    return full * x->block + (d == 0 ? x->first_block : 0) + ((whole + 1) % n == d ? rest : 0);
}

int64_t exb_axis_offset(const exb_axis *x, int part)
{
    return owned_below(x, part, x->first);
}

int64_t exb_axis_before(const exb_axis *x, int part, int64_t i)
{
    return owned_below(x, part, x->first + i) - owned_below(x, part, x->first);
}

int64_t exb_axis_count(const exb_axis *x, int part)
{
    return exb_axis_before(x, part, x->n);
}

static int64_t begin_of(const exb_axis *x, int64_t b)
{
    return b == 0 ? 0 : x->first_block + (b - 1) * x->block;
}

int64_t exb_axis_index(const exb_axis *x, int part, int64_t local)
{
    int d = distance_of(x, part);
    int64_t at = local + owned_below(x, part, x->first), b = d;
    if (x->n_parts == 1)
        return at - x->first;
    if (x->begin)
        return x->begin[part] + at - x->first;
    if (d == 0 && at < x->first_block)
        return at - x->first;
    at -= d == 0 ? x->first_block : 0;
    b += (at / x->block + (d == 0)) * x->n_parts;
    return begin_of(x, b) + at % x->block - x->first;
}

exb_range exb_axis_block_at(const exb_axis *x, int64_t i, int *part)
{
    exb_range all = {0, x->n};
    int64_t g = x->first + i, b = g < x->first_block ? 0 : 1 + (g - x->first_block) / x->block;
    *part = 0;
    if (x->n_parts == 1)
        return all;
    if (x->begin) {
        while (g >= x->begin[*part + 1])
            ++*part;
        return exb_common(all,
                          (exb_range){x->begin[*part] - x->first, x->begin[*part + 1] - x->first});
    }
    *part = (int)((x->source + b) % x->n_parts);
    return exb_common(all, (exb_range){begin_of(x, b) - x->first, begin_of(x, b + 1) - x->first});
}

/* The first run that the part owns and that ends after `at`, from `at` on. */
static exb_range run_from(const exb_axis *x, int part, int64_t at)
{
    int64_t g = x->first + at;
    if (x->n_parts == 1)
        return (exb_range){at, x->n};
    int64_t b = g < x->first_block ? 0 : 1 + (g - x->first_block) / x->block;
    int64_t n = x->n_parts, skip = (distance_of(x, part) - b % n + n) % n;
    exb_range r = {begin_of(x, b + skip) - x->first, begin_of(x, b + skip + 1) - x->first};
    if (x->begin)
        r = (exb_range){x->begin[part] - x->first, x->begin[part + 1] - x->first};
    return exb_common(r, (exb_range){at, x->n});
}

bool exb_walk_next(exb_walk *w, exb_range *run)
{
    while (w->at < w->end) {
        exb_range a = run_from(w->a, w->pa, w->at), b = run_from(w->b, w->pb, w->at);
        if (a.begin >= a.end || b.begin >= b.end)
            return false; /* one of them has nothing more */
        *run = exb_common(exb_common(a, b), (exb_range){w->at, w->end});
        if (run->begin < run->end) {
            w->at = run->end;
            return true;
        }
        w->at = a.begin > b.begin ? a.begin : b.begin;
    }
    return false;
}
