# One step of an anchored chain of FMAs.
# Proves: lib/level3/chain.h, the anchored chain: h exact, |ab - h| <= 2^-52, the FMA's error and L.
# Weaken: s/r in \[-1b-52, 1b-52\]/r in [-1b-53, 1b-53]/
#
# 2 <= S, S + ab <= 4 (by induction over the products: the prefixes stay below 1 - 2^-22, the sum
# of k roundings below k 2^-52); S is a multiple of 2^-51. In a run of 512 products |L| <= 2^-43.
@rnd = float<ieee_64, ne>;
S = rnd(xs);
L = rnd(xl);
t = rnd(S + p);
h = t - S;
r = p - h;
low = rnd(r);
{ S in [2, 4] -> S + p in [2, 4] -> @FIX(S, -51) -> |L| <= 511b-52 ->
  rnd(t - S) - (t - S) in [0, 0] /\ r in [-1b-52, 1b-52] /\ low - r in [-1b-106, 1b-106] /\
  rnd(L + low) - (L + low) in [-1b-96, 1b-96] }
r -> (S + p) - t;
