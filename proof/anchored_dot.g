# One step of an anchored dot product, U = 1.
# Proves: lib/core/arith/anchor.h, Lemma B for one term.
# Weaken: s/r in \[-0.5, 0.5\]/r in [-0.49, 0.49]/
#
# p = ab exactly, inside the FMA. As in anchored_sum.g, but p has up to 106 bits, so that r = p - q is
# rounded: by at most half an ulp below U / 2, that is 2^-53 U / 4, or 2^-1075 where it underflows.
@rnd = float<ieee_64, ne>;
s = rnd(xs);
t = rnd(s + p);
q = t - s;
r = p - q;
{ s in [1b52, 1b53] -> s + p in [1b52, 1b53] -> @FIX(s, 0) ->
  rnd(t - s) - (t - s) in [0, 0] /\ r in [-0.5, 0.5] /\ rnd(r) - r in [-1b-55, 1b-55] }
r -> (s + p) - t;
