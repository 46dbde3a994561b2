/* The residue engine with panels that come one after the other: its block is the whole product.
 * Compiled for doubles.
 * Types: d. */
#include "level3/panels_entry.h"

#include "core/fpenv.h"
#include "core/memory.h"
#include "core/thread.h"
#include "level3/engine.h"
#include "level3/output_finish.h"
#include "level3/strips.h"

#include <stdlib.h>

struct exb_panels {
    exb_t(output) output;
    exb_t(flow) flow;
    exb_residue_given given;
    int64_t n_words, n_added;
    void *memory;
};

/* --- norms -------------------------------------------------------------------- */

static exb_t(operand) operand_in_place(exb_panel_operand x)
{
    return (exb_t(operand)){.in_place = {x.p, x.vs, x.ls}};
}

static double least_magnitude(int64_t k, const double *x, int64_t ls)
{
    double least = (double)INFINITY;
    for (int64_t l = 0; l < k; l++) {
        double m = fabs(x[l * ls]);
        least = m != 0 && m < least ? m : least;
    }
    return least;
}

static EXB_NOINLINE void find_norms(int64_t n, int64_t k, exb_panel_operand x,
                                    exb_vector_norms *out)
{
    exb_t(operand) o = operand_in_place(x);
    for (int64_t i = 0; i < n; i++) {
        double sumsq = 0, largest = 0;
        int shift = 0;
        if (k > 0)
            exb_t(norms)(&o, i, 1, k, (exb_norms){&sumsq, &largest, &shift});
        out[i] =
            (exb_vector_norms){sumsq, shift, largest, least_magnitude(k, x.p + i * x.vs, x.ls)};
    }
}

void exb_entry_panel_norms(int64_t n, int64_t k, exb_panel_operand x, exb_vector_norms *out)
{
    exb_fpenv env;
    exb_fpenv_enter(&env);
    find_norms(n, k, x, out);
    exb_fpenv_leave(&env);
}

/* In units of the largest part's: what underflows is below 2^-900 of it. Each part has a relative
 * error below 2^-21 (strips.h); n additions add n 2^-53. */
static EXB_NOINLINE exb_vector_norms merge_norms(int n, const exb_vector_norms *part)
{
    exb_vector_norms all = {0, 0, 0, (double)INFINITY};
    for (int i = 0; i < n; i++) {
        bool larger = part[i].largest > all.largest;
        all.shift = larger ? part[i].shift : all.shift;
        all.largest = larger ? part[i].largest : all.largest;
        all.least = part[i].least < all.least ? part[i].least : all.least;
    }
    for (int i = 0; i < n; i++)
        all.sumsq += ldexp(part[i].sumsq, 2 * (int)(part[i].shift - all.shift));
    return all;
}

exb_vector_norms exb_entry_panel_merge_norms(int n, const exb_vector_norms *part)
{
    exb_fpenv env;
    exb_fpenv_enter(&env);
    exb_vector_norms all = merge_norms(n, part);
    exb_fpenv_leave(&env);
    return all;
}

/* --- how many moduli ------------------------------------------------------------ */

static exb_t(product) product_of(int64_t m, int64_t n, int64_t k, exb_panel_operand a,
                                 exb_panel_operand b)
{
    return (exb_t(product)){.m = m,
                            .n = n,
                            .k = k,
                            .a = operand_in_place(a),
                            .b = operand_in_place(b),
                            .method = exb_method_current(),
                            .region = EXB_REGION_ALL,
                            .n_sums = 1};
}

/* Over r times the terms of a panel norms grow by r^(1/2), so do the units of what is left out, of
 * r times as many terms: the bound grows by r against the elements, and a modulus is worth four
 * bits of it. One more leaves a 16th open. */
static EXB_NOINLINE int choose_moduli(const exb_t(product) *p, int64_t k)
{
    bool fast, forced = p->method->engine == EXB_ENGINE_RESIDUE;
    const exb_residue_kernels *kernels = exb_residue_current(&fast);
    bool usual = p->method->engine == EXB_ENGINE_ANY && fast;
    if (!p->method->filter || !(usual || forced) || k > EXB_RESIDUE_MOST_TERMS)
        return 0;
    int n = exb_t(residue_choose)(p, kernels, forced);
    double ratio = (double)k / (double)p->k;
    n += n > 0 ? 1 + (int)ceil(log2(ratio) / 4) : 0;
    return n < EXB_MODULI_MAX ? n : EXB_MODULI_MAX;
}

int exb_entry_panel_moduli(int64_t m, int64_t n, int64_t k, int64_t panel, exb_panel_operand a,
                           exb_panel_operand b)
{
    exb_fpenv env;
    exb_fpenv_enter(&env);
    exb_t(product) p = product_of(m, n, panel, a, b);
    int n_moduli = m > 0 && n > 0 && panel > 0 ? choose_moduli(&p, k) : EXB_MODULI_MAX;
    exb_fpenv_leave(&env);
    return n_moduli;
}

int64_t exb_entry_panels_bytes(int64_t m, int64_t n, int64_t panel, int n_moduli)
{
    exb_panel_operand none = {NULL, 0, 0};
    exb_t(product) p = product_of(m, n, panel + 1, none, none);
    return exb_t(residue_bytes)(&p, n_moduli, panel);
}

/* --- the product ---------------------------------------------------------------- */

static void set_output(exb_panels *q, const exb_panel_product *p)
{
    exb_panel_operand none = {NULL, 0, 0};
    exb_t(output) *o = &q->output;
    o->alpha = (exb_complex){p->alpha, 0};
    o->beta = (exb_complex){p->beta, 0};
    o->n_sums = 1;
    o->c = (exb_t(target)){p->c, exb_view_full(false, p->ldc), EXB_REGION_ALL};
    o->product = product_of(p->m, p->n, p->k, none, none);
}

/* Copies of the norms, and the bits of what is open. */
static bool take_memory(exb_panels *q, const exb_panel_product *p)
{
    size_t words = (size_t)(exb_tasks_of(p->m, 64) * p->n), vectors = (size_t)(p->m + p->n);
    q->memory = calloc(1, words * sizeof(uint64_t) + vectors * sizeof(exb_vector_norms));
    if (!q->memory)
        return false;
    exb_vector_norms *norms = q->memory;
    memcpy(norms, p->rows, (size_t)p->m * sizeof *norms);
    memcpy(norms + p->m, p->cols, (size_t)p->n * sizeof *norms);
    q->given = (exb_residue_given){norms, norms + p->m};
    q->n_words = exb_tasks_of(p->m, 64);
    q->output.open = (uint64_t *)(norms + vectors);
    return true;
}

static EXB_NOINLINE bool open_product(exb_panels *q, const exb_panel_product *p)
{
    set_output(q, p);
    exb_t(flow_init)(&q->flow, &q->output.product);
    if (!take_memory(q, p))
        return false;
    return exb_t(residue_open)(&q->flow, p->n_moduli, p->panel, &q->given);
}

exb_panels *exb_entry_panels_open(const exb_panel_product *p)
{
    exb_fpenv env;
    exb_panels *q = aligned_alloc(64, exb_round_up(sizeof *q, 64));
    if (!q)
        return NULL;
    memset(q, 0, sizeof *q);
    exb_fpenv_enter(&env);
    bool is_open = open_product(q, p);
    exb_fpenv_leave(&env);
    if (is_open)
        return q;
    free(q->memory);
    free(q);
    return NULL;
}

/* Term l0 of the product is the panel's first: as integers, since the address of term 0 may be
 * nowhere. */
static exb_t(operand) operand_from(exb_panel_operand x, int64_t l0)
{
    uintptr_t term_0 = (uintptr_t)x.p - (uintptr_t)(l0 * x.ls) * sizeof *x.p;
    return (exb_t(operand)){.in_place = {(const double *)term_0, x.vs, x.ls}};
}

static EXB_NOINLINE void add_panel(exb_panels *q, int64_t k, exb_panel_operand a,
                                   exb_panel_operand b)
{
    exb_t(product) *p = &q->output.product;
    p->a = operand_from(a, q->n_added);
    p->b = operand_from(b, q->n_added);
    exb_t(residue_add)(&q->flow, q->n_added, k);
    q->n_added += k;
    if (q->n_added == p->k)
        exb_t(output_finish)(&q->output, &q->flow);
}

void exb_entry_panels_add(exb_panels *q, int64_t k, exb_panel_operand a, exb_panel_operand b)
{
    exb_fpenv env;
    if (k == 0)
        return;
    exb_fpenv_enter(&env);
    add_panel(q, k, a, b);
    exb_fpenv_leave(&env);
}

int64_t exb_entry_panels_count(const exb_panels *q)
{
    int64_t count = 0;
    for (int64_t w = 0; w < q->n_words * q->output.product.n; w++)
        count += __builtin_popcountll(q->output.open[w]);
    return count;
}

bool exb_entry_panels_next(const exb_panels *q, int64_t *i, int64_t *j)
{
    int64_t n = q->output.product.n, next = *i + 1;
    for (; *j < n; ++*j, next = 0)
        for (int64_t w = next / 64; w < q->n_words; w++, next = 64 * w) {
            uint64_t word = q->output.open[*j * q->n_words + w] >> (next % 64);
            if (word) {
                *i = next + __builtin_ctzll(word);
                return true;
            }
        }
    return false;
}

void exb_entry_panels_close(exb_panels *q)
{
    if (!q)
        return;
    exb_t(flow_end)(&q->flow);
    free(q->memory);
    free(q);
}
