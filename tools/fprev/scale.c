#include "scale.h"

#include "blas.h"
#include "format.h"
#include "probe.h"
#include "random.h"
#include "tree.h"

#include <math.h>

enum { N_TRIES = 24 };

static double draw(fprev_type type, uint64_t *state)
{
    return fprev_round(type, 1 + fprev_random_unit(state));
}

/* One term that is not zero: which of the three ways to round alpha * a * b gives all results? */
static fprev_alpha_place place_in_product(fprev_probe *p, fprev_function *f, int32_t leaf,
                                          uint64_t *state)
{
    fprev_type type = f->type;
    bool by_a = true, by_b = true, by_sum = true;
    for (int k = 0; k < N_TRIES; k++) {
        double alpha = draw(type, state), a = draw(type, state), b = draw(type, state);
        fprev_blas_scale(f, alpha, 0, 0);
        fprev_probe_set(p, leaf, a, b);
        double r = fprev_probe_call(p);
        by_a &= r == fprev_mul(type, fprev_mul(type, alpha, a), b);
        by_b &= r == fprev_mul(type, a, fprev_mul(type, alpha, b));
        by_sum &= r == fprev_mul(type, alpha, fprev_mul(type, a, b));
    }
    fprev_probe_set(p, leaf, 0, 0);
    if (by_a + by_b + by_sum != 1)
        return FPREV_ALPHA_UNKNOWN;
    return by_a ? FPREV_ALPHA_A : by_b ? FPREV_ALPHA_B : FPREV_ALPHA_SUM;
}

/* Two terms that meet in the last addition: is alpha * (x + y) one product? */
static bool multiplies_whole_sum(fprev_probe *p, fprev_function *f, const fprev_tree *t,
                                 uint64_t *state)
{
    fprev_type type = f->type;
    bool whole = true;
    int32_t x = t->first[t->n_nodes - 1], y = t->next[x];
    for (int k = 0; k < N_TRIES; k++) {
        double alpha = draw(type, state), u = draw(type, state), v = draw(type, state);
        fprev_blas_scale(f, alpha, 0, 0);
        fprev_probe_set(p, fprev_leaf_of(t, x), u, 1);
        fprev_probe_set(p, fprev_leaf_of(t, y), v, 1);
        whole &= fprev_probe_call(p) == fprev_mul(type, alpha, fprev_add(type, u, v));
    }
    return whole;
}

static void find_alpha(fprev_probe *p, fprev_function *f, const fprev_tree *t, uint64_t *state,
                       fprev_scaling *scaling)
{
    fprev_probe_fill(p, 0, 0);
    scaling->alpha = place_in_product(p, f, 0, state);
    if (scaling->alpha == FPREV_ALPHA_SUM && t->n_leaves > 1 &&
        !multiplies_whole_sum(p, f, t, state))
        scaling->alpha = FPREV_ALPHA_PARTIAL;
    fprev_probe_fill(p, p->mask.unit_a, p->mask.unit_b);
}

/* c = M and -M for each term in turn, as between two terms. */
static void find_beta(fprev_probe *p, fprev_function *f, fprev_scaling *scaling)
{
    const fprev_mask *m = &p->mask;
    if (f->n_terms > m->capacity)
        return;
    fprev_blas_scale(f, 1, 1, m->mask_a * m->mask_b);
    for (int64_t j = 0; j < f->n_terms; j++) {
        fprev_probe_set(p, j, -m->mask_a, m->mask_b);
        double left = fprev_probe_call(p) / (m->unit_a * m->unit_b);
        fprev_probe_set(p, j, m->unit_a, m->unit_b);
        if (!(left >= 0 && left < (double)f->n_terms && left == rint(left))) {
            scaling->beta_joins = 0;
            return;
        }
        int64_t below = f->n_terms - (int64_t)left;
        if (j == 0 || below < scaling->beta_joins) {
            scaling->beta_joins = below;
            scaling->beta_term = j;
        }
    }
}

fprev_status fprev_find_scaling(fprev_function *f, int64_t element, const fprev_tree *t,
                                uint64_t seed, volatile int64_t *count, fprev_scaling *scaling)
{
    fprev_probe p;
    *scaling = (fprev_scaling){.asked = true};
    if (fprev_probe_start(&p, f, element, count)) {
        find_alpha(&p, f, t, &seed, scaling);
        find_beta(&p, f, scaling);
        fprev_blas_scale(f, 1, 0, 0);
    }
    fprev_probe_stop(&p);
    return p.status;
}
