#include "lapack/residual_tiles.h"

#include "core/arith/anchor.h"
#include "core/memory.h"
#include "core/method.h"
#include "core/partition.h"

#include <stdlib.h>

enum { MOST_TERMS = 4 * EXB_RESIDUE_QUADS };

#define PART_OF_RANGE 0.49
#define LEAST_KNOWN 0x1p-31

typedef exb_residual_work work;

/* 0 if no number of moduli is enough. */
static int choose_moduli(int64_t n, exb_residual_room room)
{
    double terms = (double)n, needed = 0.2 * terms * sqrt(terms) / room.room + 16 * terms;
    int n_moduli = EXB_MODULI_MIN;
    while (n_moduli <= EXB_MODULI_MAX &&
           !(exb_residue_log2(n_moduli) >= room.n_bits + log2(needed)))
        n_moduli++;
    return n_moduli <= EXB_MODULI_MAX ? n_moduli : 0;
}

/* Integers of that many bits, and a sign, have digits enough (residue.h). */
static int digit_bits(const exb_residue_system *s)
{
    return EXB_DIGIT_BITS * (s->n_digits - 1) + 28;
}

/* The largest elements of the columns of A. */
static void set_largest(const work *w)
{
    const exb_residual_problem *p = w->p;
    for (int64_t i = 0; i < w->n_columns; i++)
        w->largest[i] = 0;
    for (int64_t k = 0; k < w->n; k += 2) {
        const double *row = p->a + k * w->n + p->first;
        const double *next = k + 1 < w->n ? row + w->n : row;
        for (int64_t i = exb_most(0, k - p->first); i < w->n_columns; i++) {
            double x = exb_fabs(row[i]), y = exb_fabs(next[i]);
            x = y > x ? y : x;
            w->largest[i] = x > w->largest[i] ? x : w->largest[i];
        }
    }
}

/* The least power of two that is not below x > 0. */
static double power_from(double x)
{
    int e;
    double part = frexp(x, &e);
    return exb_pow2(part == 0.5 ? e - 1 : e);
}

/* False if a column has no unit, or one that is not small enough for its elements. */
static bool set_units(const work *w)
{
    double n = (double)w->n, units = ldexp(w->system.p_high, -w->n_bits);
    for (int64_t i = 0; i < w->n_columns; i++) {
        double known = w->p->known[w->p->first + i], most = w->largest[i];
        known = !(known <= LEAST_KNOWN) ? known : LEAST_KNOWN;
        double least = known / (PART_OF_RANGE * units - n) * (1 + 0x1p-40);
        double fitting = ldexp(most, -digit_bits(&w->system));
        least = least > fitting ? least : fitting;
        if (!(n * least <= 0x1p-21 * (most > 1 ? most : 1) && most < 0x1p200))
            return false;
        w->unit[i] = power_from(least);
        w->range[i] = units * w->unit[i];
        w->one[i] = ldexp(w->unit[i], -w->n_bits);
        w->to_integer[i] = 1 / w->unit[i];
    }
    return true;
}

/* Multiples of the units. From 2^52 of these on all doubles are. */
static void round_columns(const work *w)
{
    const exb_residual_problem *p = w->p;
    for (int64_t k = 0; k < w->n; k++) {
        double *row = p->a + k * w->n + p->first;
        for (int64_t i = exb_most(0, k - p->first); i < w->n_columns; i++) {
            double x = exb_fabs(row[i]), whole = 0x1p52 * w->unit[i];
            x = x < whole ? (x + whole) - whole : x;
            row[i] = copysign(x, row[i]);
        }
    }
    for (int64_t i = 0; i < w->n_columns; i++)
        p->known[p->first + i] += (double)w->n * w->unit[i];
}

static bool enclose_with(work *w, double *sums)
{
    set_largest(w);
    if (!set_units(w))
        return false;
    round_columns(w);
    exb_residual_add_tiles(w, sums);
    return true;
}

bool exb_residual_columns(const exb_residual_problem *p, exb_residual_room room, double *sums)
{
    const exb_method *method = exb_method_current();
    bool fast, permitted = method->filter && (method->engine == EXB_ENGINE_ANY ||
                                              method->engine == EXB_ENGINE_RESIDUE);
    exb_residue_current(&fast);
    int n_moduli = permitted && fast ? choose_moduli(p->n, room) : 0;
    if (!n_moduli || p->n > MOST_TERMS)
        return false;
    work w = {.p = p,
              .kernels = exb_residue_permitted(),
              .n_bits = room.n_bits,
              .n = p->n,
              .n_columns = p->n - p->first};
    double products = (double)p->n * (double)p->n * (double)w.n_columns;
    w.n_threads = exb_partition_count(products / 8, EXB_MOST_RANGES);
    exb_residue_system_init(&w.system, n_moduli);
    exb_residue_system_widen(&w.system, fmax(0, room.n_bits + 1 - w.system.log2_p / 2));
    if (!exb_residual_allocate(&w))
        return false;
    bool done = enclose_with(&w, sums + p->first);
    exb_residual_release(&w);
    return done;
}
