/* The ways to an element of a product, and which of them a product takes first. */
#pragma once

#include "level3/output.h"

/* Elements that the first ways leave open go to the last one, or each by itself (fallback.h). */
typedef enum {
    EXB_WAY_SMALL,    /* in blocks, in one pass over operands in place (small_product) */
    EXB_WAY_ELEMENTS, /* each by itself, as Level 1's dots: filter, three parts, exactly */
    EXB_WAY_RESIDUE,  /* products of integers, modulo small numbers (residue.h) */
    EXB_WAY_CHAIN,    /* chains of FMAs (chain.h) */
    EXB_WAY_GENERAL,  /* blocks against two anchors, or for methods without a filter exactly */
    EXB_WAY_TWICE,    /* small blocks against two anchors, again */
    EXB_N_WAYS
} exb_product_way;

enum {
    EXB_SMALL_ORDER = 192,                /* most rows and columns of a small product */
    EXB_SMALL_GATHERED = 4096 * EXB_PARTS /* most reals of it that are not in place */
};

/* As statistics call it; those that a method chooses have its name. */
static inline const char *exb_product_way_name(exb_product_way way)
{
    static const char *const name[] = {"small", "filter", "residue", "anchor", "general", "twice"};
    return name[way];
}

/* A call takes that way; the first ones are its engine. s may be NULL. */
static inline void exb_note_way(exb_call_stats *s, exb_product_way way)
{
    if (!s)
        return;
    if (way < EXB_WAY_TWICE)
        s->engine = exb_product_way_name(way);
    atomic_fetch_or_explicit(&s->ways, 1u << way, memory_order_relaxed);
}

/* The way of p from number *next of the table on, which moves behind it; *next = 0 at first. o:
 * where p goes, or NULL if enclosures of all elements are wanted. A way may decline when it sees
 * the numbers, or without memory; the last one does not. */
exb_product_way exb_t(way_of)(const exb_p(product) *p, const exb_t(output) *o, int *next);

/* The matrix is not read where it lies, but by `gather`: of complex ones, rows come as conjugates.
 */
EXB_INLINE bool exb_t(is_gathered)(const exb_p(operand) *o)
{
    return EXB_IS_COMPLEX ? !o->in_place.p : o->gather && !o->second.p;
}

/* Fills C; false if it declines, and C has not been touched. o->product is set. */
bool exb_t(small_product)(exb_t(output) *o);
