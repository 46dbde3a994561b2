#include "generate.h"

/* Where blocks, groups, panels and chunks of the library end. */
static const int limits[] = {1,   2,   3,   4,   8,   16,   24,   32,   64,  96,
                             128, 192, 256, 384, 512, 1024, 2048, 3840, 4096};
enum { N_LIMITS = sizeof limits / sizeof *limits };

/* A limit of at most `most`, or one beside it. */
static int64_t at_limit(test_random *r, int64_t most)
{
    int n = 0;
    while (n < N_LIMITS && limits[n] <= most)
        n++;
    int64_t size = limits[random_between(r, n / 3, n - 1)] + random_between(r, -1, 1);
    return random_chance(r, 3) ? random_between(r, 1, most) : size;
}

static int64_t small(test_random *r)
{
    if (random_chance(r, 40))
        return 0;
    return random_between(r, 1, random_chance(r, 4) ? 20 : 6);
}

static int64_t small_or_long(test_random *r, int64_t most)
{
    return random_chance(r, 2) ? small(r) : at_limit(r, most);
}

static void level1(test_random *r, fuzz_case *c)
{
    bool is_short = c->group == GROUP_ELEMENTS && !random_chance(r, 12);
    c->n = is_short ? small(r) : small_or_long(r, random_chance(r, 4) ? 8200 : 4097);
    if (random_chance(r, 60))
        c->n = -1;
    if (c->group == GROUP_SCATTER) {
        c->n = c->n < 0 ? 0 : c->n > 1025 ? 1025 : c->n;
        c->n_bins = 1 + small(r);
    }
    if (c->group == GROUP_SEGMENT)
        c->n = small(r);
}

static void band(test_random *r, fuzz_case *c)
{
    int64_t widest = c->n > c->m ? c->n : c->m;
    c->kl = random_chance(r, 2) ? random_between(r, 0, 3) : random_between(r, 0, widest);
    c->ku = random_chance(r, 2) ? random_between(r, 0, 3) : random_between(r, 0, widest);
}

/* A wide band of many lines would take too much memory. */
static void narrow_band(fuzz_case *c)
{
    enum { MOST_ELEMENTS = 300000 };
    int64_t lines = fuzz_by_rows(c) ? c->m : c->n;
    while (lines * (c->kl + c->ku + 1) > MOST_ELEMENTS) {
        c->kl /= 2;
        c->ku /= 2;
    }
}

/* More rows than a block of the library has, and more columns than it adds up at once. */
static void beyond_blocks(test_random *r, fuzz_case *c)
{
    const fuzz_traits *t = &c->t;
    c->m = c->n = random_between(r, 250, fuzz_parts(c) == 2 || t->updates ? 320 : 700);
    if (t->shape != SHAPE_GENERAL)
        return;
    c->m = random_between(r, 30, 70);
    c->n = random_between(r, 200, t->updates ? 400 : 2600);
    if (random_chance(r, 2)) {
        int64_t m = c->m;
        c->m = c->n;
        c->n = m;
    }
}

static void level2(test_random *r, fuzz_case *c)
{
    const fuzz_traits *t = &c->t;
    bool is_complex = fuzz_parts(c) == 2;
    if (random_chance(r, 60)) {
        beyond_blocks(r, c);
    } else if (t->shape == SHAPE_GENERAL) {
        int64_t longest = t->updates ? 300 : is_complex ? 2049 : 4097;
        c->m = small(r);
        c->n = small(r);
        int64_t *either = random_chance(r, 2) ? &c->m : &c->n;
        if (random_chance(r, 2))
            *either = at_limit(r, longest);
        else if (random_chance(r, 3))
            c->m = c->n = random_between(r, 1, t->updates ? 24 : 60);
    } else {
        int64_t longest = t->updates ? 65 : is_complex ? 129 : 257;
        c->n = random_chance(r, 4) ? at_limit(r, random_chance(r, 6) ? longest : 65) : small(r);
        c->m = c->n;
    }
    if (t->is_band)
        band(r, c);
    narrow_band(c);
}

/* Products of a call, in thousands of reals. */
static int64_t work_of(const fuzz_case *c)
{
    const fuzz_traits *t = &c->t;
    int64_t m = t->has_m ? c->m : c->n, n = c->n;
    int64_t k = t->has_k ? c->k : c->side == 'l' ? m : n;
    int64_t pairs = fuzz_parts(c) == 2 ? 4 : 1, twice = t->is_rank_2;
    return m * n * k * pairs * (1 + twice) * c->batch;
}

static void level3_sizes(test_random *r, fuzz_case *c, int64_t longest)
{
    c->m = small(r);
    c->n = small(r);
    c->k = small(r);
    int64_t *sizes[] = {&c->k, &c->m, &c->n};
    switch (random_between(r, 0, 3)) {
    case 0: /* long sums, or long sides */
        *sizes[random_between(r, 0, 2)] = at_limit(r, longest);
        break;
    case 1:
        c->k = at_limit(r, longest);
        break;
    case 2:
        c->m = random_between(r, 1, 40);
        c->n = random_between(r, 1, 40);
        c->k = random_between(r, 1, 70);
        break;
    default:
        break;
    }
}

/* All sizes at the limits of blocks: a triangle's order and the other side. */
static void level3_blocks(test_random *r, fuzz_case *c)
{
    int64_t order = at_limit(r, 130), other = at_limit(r, fuzz_parts(c) == 2 ? 12 : 24);
    bool swap = c->side == 'r';
    c->m = swap ? other : order;
    c->n = swap ? order : other;
    c->k = at_limit(r, 70);
}

static void level3(test_random *r, fuzz_case *c)
{
    const fuzz_traits *t = &c->t;
    int64_t most = random_chance(r, 10) ? 60000 : 12000;
    bool in_blocks = random_chance(r, 12);
    c->batch =
        fuzz_has(c->routine, "batch") ? random_between(r, 1, random_chance(r, 4) ? 20 : 3) : 1;
    do {
        if (in_blocks)
            level3_blocks(r, c);
        else
            level3_sizes(r, c, 4097);
        c->m = t->has_m ? c->m : c->n;
        c->k = t->has_k ? c->k : 0;
    } while (work_of(c) > (in_blocks ? 500000 : most) || c->m * c->n > (in_blocks ? 3200 : 1500));
}

void fuzz_choose_sizes(test_random *r, fuzz_case *c)
{
    if (c->group == GROUP_LEVEL2)
        level2(r, c);
    else if (c->group == GROUP_LEVEL3)
        level3(r, c);
    else
        level1(r, c);
}

/* --- long sums ------------------------------------------------------------ */

static int64_t long_sum(test_random *r)
{
    static const int lengths[] = {512, 1024, 1536, 2048, 2048, 2048, 3840, 4096};
    return lengths[random_between(r, 0, 7)] + (random_chance(r, 3) ? random_between(r, -1, 1) : 0);
}

static bool long_level2(test_random *r, fuzz_case *c)
{
    const fuzz_traits *t = &c->t;
    bool is_real = fuzz_parts(c) == 1;
    if (t->updates || t->solves)
        return false;
    if (t->shape != SHAPE_GENERAL) {
        c->m = c->n = random_between(r, 60, !is_real ? 96 : random_chance(r, 8) ? 520 : 150);
    } else {
        int64_t terms = long_sum(r), results = random_between(r, 3, 5);
        c->n = c->transa == 'n' ? terms : results;
        c->m = c->transa == 'n' ? results : terms;
    }
    c->kl = c->ku = c->m > c->n ? c->m - 1 : c->n - 1;
    if (t->shape == SHAPE_GENERAL && !random_chance(r, 4)) /* the terms side by side */
        c->layout = c->transa == 'n' ? 'r' : 'c';
    narrow_band(c);
    return true;
}

static bool long_level3(test_random *r, fuzz_case *c)
{
    const fuzz_traits *t = &c->t;
    if (!t->has_k || t->is_rank_2)
        return false;
    c->k = long_sum(r);
    c->n = random_between(r, 1, 3);
    c->m = t->has_m ? random_between(r, 1, 3) : c->n;
    c->batch = 1;
    return true;
}

bool fuzz_choose_long_sums(test_random *r, fuzz_case *c)
{
    c->incx = c->incy = 1;
    switch (c->group) {
    case GROUP_REDUCTION:
        c->n = long_sum(r) * random_between(r, 1, 2);
        return true;
    case GROUP_LEVEL2:
        return long_level2(r, c);
    case GROUP_LEVEL3:
        return long_level3(r, c);
    default:
        return false;
    }
}
