# One step of an anchored sum, U = 1.
# Proves: lib/core/arith/anchor.h, Lemma A, points (2), (3) and (4) for one term.
# Weaken: s/r in \[-0.5, 0.5\]/r in [-0.49, 0.49]/
#
# s and s + x lie in the anchor's binade [2^52, 2^53], as the lemma asks; s is a multiple of U. q = t - s needs no rounding and is a multiple of
# U; what x has below U is r = x - q, at most U / 2 (exact: the error of an addition is a double; for
# x a multiple of 2^-53 U it is proved here, other x are below U / 2 or have r = x). c is at most
# 2^11 / 2 after 2^11 terms, so an addition to it errs by at most 2^-53 2^10.
@rnd = float<ieee_64, ne>;
s = rnd(xs);
x = rnd(xx);
c = rnd(xc);
t = rnd(s + x);
q = t - s;
r = x - q;
{ s in [1b52, 1b53] -> s + x in [1b52, 1b53] -> |x| <= 1b52 -> |c| <= 1023 ->
  @FIX(s, 0) -> @FIX(x, -53) -> 
  @FIX(t, 0) /\ rnd(t - s) - (t - s) in [0, 0] /\ r in [-0.5, 0.5] /\ rnd(r) - r in [0, 0] /\
  rnd(c + r) - (c + r) in [-1b-44, 1b-44] }
r -> (s + x) - t;
