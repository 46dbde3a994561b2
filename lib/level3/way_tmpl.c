/* Which way a product takes: the one place that chooses.
 * Types: s d c z. */
#include "level3/way.h"

#include "core/cpu.h"
#include "element/line.h"
#include "level3/flow.h"
#include "level3/kernels/small.h"

static bool is_any(const exb_p(product) *p)
{
    return p->method->engine == EXB_ENGINE_ANY && p->method->filter && p->k > 0;
}

static bool has_fma(void)
{
    return EXB_IS_S || exb_kernels_current()->has_fma;
}

static bool are_in_place(const exb_p(product) *p)
{
    return !p->a.gather && !p->b.gather;
}

/* --- few elements with many terms -------------------------------------------- */

/* Packing would cost more than the products: strips of one or two rows, or of one column, would be
 * zeros for the most part. */
static bool has_few_elements(const exb_p(product) *p)
{
    bool in_order = are_in_place(p) && p->a.in_place.ls == 1 && p->b.in_place.ls == 1;
    int64_t most = in_order ? EXB_TILE_WORDS : 4;
    int64_t least_terms = in_order && (p->m <= 2 || p->n == 1) ? 128 : 2048;
    return is_any(p) && p->m <= most && p->n <= most && p->m * p->n <= most && p->k >= least_terms;
}

/* --- small products ------------------------------------------------------------ */

/* What is not read in place can be written out, and fits into the memory for it. */
static bool fit(const exb_p(product) *p)
{
    bool gathers_a = exb_t(is_gathered)(&p->a), gathers_b = exb_t(is_gathered)(&p->b);
    int64_t n = (gathers_a ? p->m : 0) + (gathers_b ? p->n / p->n_sums : 0);
    return (!gathers_a || p->a.write_out) && (!gathers_b || p->b.write_out) &&
           n * p->k <= EXB_SMALL_GATHERED && !p->a.second.p == !p->b.second.p;
}

static bool matrices_are_in_place(const exb_p(product) *p)
{
    return !exb_t(is_gathered)(&p->a) && !exb_t(is_gathered)(&p->b);
}

/* Packing takes less time than it saves, by measurement with vectors of 32 bytes: 100 x 100 x 100
 * doubles are about as fast in either way on Zen 3, 160 x 160 x 160 on Zen 5; of a triangle a
 * quarter of the products count, of four sums an eighth. With vectors of 64 bytes products are read
 * in place, by measurement on Zen 5. */
static bool packing_pays(const exb_p(product) *p)
{
    double products = (double)p->m * (double)p->n * (double)p->k;
    if (p->region != EXB_REGION_ALL)
        products /= p->n_sums > EXB_PARTS ? 8 : 4;
    return products > 0x1p22 && exb_kernels_current()->lanes < 8 && matrices_are_in_place(p) &&
           exb_least(exb_least(p->m, p->n), p->k) >= 16;
}

static bool is_small(const exb_p(product) *p)
{
    int64_t most = matrices_are_in_place(p) ? EXB_SMALL_ORDER : EXB_PARTS * EXB_SMALL_MOST;
    return (p->n_sums <= EXB_PARTS || p->a.second.p) && fit(p) && EXB_PARTS * p->m <= most &&
           EXB_PARTS * p->n <= most * p->n_sums && p->k <= EXB_SMALL_TERMS && is_any(p) &&
           has_fma() && p->target && !packing_pays(p);
}

/* --- engines ------------------------------------------------------------------- */

#if !EXB_IS_COMPLEX /* as those of the parts */
/* Cycles that a product takes by chains of FMAs, or, of doubles where there is none, by expansions
 * (8 with vectors of two, by measurement). By chains, of doubles: four operations for as many as a
 * vector holds, and a twelfth more, by measurement on Zen 5 (0.135 with vectors of 64 bytes and
 * 0.27 with vectors of 32, where residues are as fast at n = 4000 and at n = 1500; what Xeons with
 * AVX-512 took before, 0.29, is counted as 0.27). Of floats: one FMA of doubles, of which there are
 * two a cycle (0.06 with vectors of 64 bytes). */
static double chain_cycles(void)
{
    double lanes = exb_kernels_current()->lanes;
    if (!EXB_IS_S && !exb_kernels_current()->has_fma)
        return 16 / lanes;
    return (EXB_IS_S ? 1.0 / 2 : 13.0 / 12 * 4 / exb_cpu_operations()) / lanes;
}

/* Cost in cycles: bytes for a product, an eighth less where it is halved; the work for each
 * converted and for each reconstructed element, by measurement, of which that before and after
 * residues was less where tiles are, but a modulus takes 20000 to begin with; for chains, the
 * products, of a triangle little more than half. */
bool exb_p(residues_pay)(const exb_p(product) *p, const exb_residue_kernels *kernels, int n)
{
    double m = (double)p->m, columns = (double)p->n, k = (double)p->k;
    double all = m * columns * k, operands = (m + columns) * k, elements = m * columns;
    int64_t least = exb_least(exb_least(p->m, p->n), p->k);
    bool halved = kernels->most_levels > 0 && least >= 2 * EXB_RESIDUE_HALF;
    double bytes = (halved ? 0.875 : 1) * all / kernels->products;
    bool tiles = kernels->quads == EXB_TILE_QUADS;
    double residues = n * (bytes + 0.4 * operands + 0.4 * elements + (tiles ? 20000 : 0));
    double rest = tiles ? 2 : 6, share = p->region == EXB_REGION_ALL ? 1 : 0.55;
    share /= p->n_sums > 2 ? 2 : 1; /* of four sums chains compute two */
    return residues + rest * (operands + elements) < chain_cycles() * all * share;
}
#endif

enum { LIKELY = EXB_IS_S ? 9 : 16 /* moduli */ };

static bool has_residues(const exb_p(product) *p)
{
    bool fast, forced = p->method->engine == EXB_ENGINE_RESIDUE;
    const exb_residue_kernels *kernels = exb_residue_current(&fast);
    return kernels && p->method->filter && p->k > 0 &&
           (forced || (is_any(p) && fast && exb_p(residues_pay)(p, kernels, LIKELY)));
}

static bool has_chains(const exb_p(product) *p)
{
    return p->method->filter && p->method->engine != EXB_ENGINE_GENERAL && has_fma() && p->k > 0 &&
           p->k <= EXB_CHAIN_MOST;
}

/* --- the table ------------------------------------------------------------------ */

exb_product_way exb_t(way_of)(const exb_p(product) *p, const exb_t(output) *o, int *next)
{
    static const struct {
        exb_product_way way;
        bool fills_c;                           /* finds no enclosures */
        bool (*suits)(const exb_p(product) *p); /* NULL: always */
    } table[] = {
        {EXB_WAY_SMALL, true, is_small},        {EXB_WAY_ELEMENTS, true, has_few_elements},
        {EXB_WAY_RESIDUE, false, has_residues}, {EXB_WAY_CHAIN, false, has_chains},
        {EXB_WAY_GENERAL, false, NULL},
    };
    while ((table[*next].fills_c && !o) || (table[*next].suits && !table[*next].suits(p)))
        ++*next;
    return table[(*next)++].way;
}
