#include "pairwise.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Candidates per row: more gives fewer rows, at a cost in time. */
enum { N_CANDIDATES = 60 };

typedef struct {
    int n_factors;
    const int *n_levels;
    uint64_t random;
    bool covered[PAIRWISE_MAX_FACTORS][PAIRWISE_MAX_FACTORS][PAIRWISE_MAX_LEVELS]
                [PAIRWISE_MAX_LEVELS];
    int n_left;
} covering;

static int random_below(covering *c, int n)
{
    c->random ^= c->random << 13; /* xorshift64, Marsaglia 2003 */
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return (int)(c->random % (uint64_t)n);
}

static int n_new_pairs(const covering *c, const pairwise_row *r)
{
    int n = 0;
    for (int i = 0; i < c->n_factors; i++)
        for (int j = i + 1; j < c->n_factors; j++)
            n += !c->covered[i][j][r->level[i]][r->level[j]];
    return n;
}

/* A pair that is still missing, so that every row makes progress. */
static void seed_with_missing_pair(const covering *c, pairwise_row *r)
{
    for (int i = 0; i < c->n_factors; i++)
        for (int j = i + 1; j < c->n_factors; j++)
            for (int a = 0; a < c->n_levels[i]; a++)
                for (int b = 0; b < c->n_levels[j]; b++)
                    if (!c->covered[i][j][a][b]) {
                        r->level[i] = a;
                        r->level[j] = b;
                        return;
                    }
}

static pairwise_row best_candidate(covering *c)
{
    pairwise_row best, r;
    int best_score = -1;
    for (int t = 0; t < N_CANDIDATES; t++) {
        for (int i = 0; i < c->n_factors; i++)
            r.level[i] = random_below(c, c->n_levels[i]);
        seed_with_missing_pair(c, &r);
        int score = n_new_pairs(c, &r);
        if (score > best_score) {
            best_score = score;
            best = r;
        }
    }
    return best;
}

static void mark_covered(covering *c, const pairwise_row *r)
{
    c->n_left -= n_new_pairs(c, r);
    for (int i = 0; i < c->n_factors; i++)
        for (int j = i + 1; j < c->n_factors; j++)
            c->covered[i][j][r->level[i]][r->level[j]] = true;
}

size_t pairwise_rows(int n_factors, const int *n_levels, pairwise_row *rows, size_t capacity)
{
    static covering c;
    memset(&c, 0, sizeof c);
    c.n_factors = n_factors;
    c.n_levels = n_levels;
    c.random = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < n_factors; i++)
        for (int j = i + 1; j < n_factors; j++)
            c.n_left += n_levels[i] * n_levels[j];
    size_t n = 0;
    for (; c.n_left > 0 && n < capacity; n++) {
        rows[n] = best_candidate(&c);
        mark_covered(&c, &rows[n]);
    }
    return n;
}
