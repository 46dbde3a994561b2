/* Sums against an anchor (core/arith/anchor.h): guess how large the terms are, sweep, and sweep
 * again if a term was beyond the guess. */
#pragma once

#include "core/arith/anchor.h"

enum {
    EXB_ANCHOR_ROOM = 4,    /* bits above a guess, for terms that it misses */
    EXB_ANCHOR_TRIES = 3,   /* see below */
    EXB_ANCHOR_COARSE = 10, /* bits by which an anchor that others left may be too large */
    EXB_ANCHOR_ANY = 0      /* for `coarse`: a guess from these terms is not too large */
};

/* The exponent of an anchor for terms of which some were seen, or all. */
EXB_INLINE int exb_anchor_guess(double largest)
{
    return exb_anchor_exponent(largest) + EXB_ANCHOR_ROOM;
}

/* Sums against 2^*g; where that does not fit, or is more than `coarse` bits too large, against what
 * does, *g then. sweep(of, g) adds up and returns the largest upper part of a term, NaN or Inf if
 * no anchor fits. False: the sums mean nothing.
 *
 * What an anchor that does not fit says of a term x, fl(x + sigma) - sigma, is x to a few bits if x
 * is beyond it, for which there is room: so the second try fits, or the third, if the first found
 * nothing but zeros. */
EXB_INLINE bool exb_anchor_fit(int *g, int coarse, double (*sweep)(void *of, int g), void *of)
{
    for (int i = 1; i <= EXB_ANCHOR_TRIES && *g <= EXB_ANCHOR_MAX_G; i++) {
        double largest = sweep(of, *g);
        int fitting = exb_anchor_guess(largest);
        bool is_near = coarse == EXB_ANCHOR_ANY || fitting >= *g - coarse;
        if (largest <= exb_pow2(*g) && (is_near || i == EXB_ANCHOR_TRIES))
            return true;
        if (fitting > EXB_ANCHOR_MAX_G)
            return false;
        *g = fitting;
    }
    return false;
}
