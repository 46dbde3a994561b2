# One step of a compensated sum, and the sum of n of them.
# Proves: lib/core/arith/compensated.h: fl(q + r), fl(c + t), and (n + 1)(1 + 2.1 n u) <= n + 2.
# Weaken: s/n in \[1, 33554432\]/n in [1, 134217728]/
#
# Additions have no underflow error. The steps add up by induction over n (compensated.h).
@rnd = float<ieee_64, ne>;
q = rnd(xq);
r = rnd(xr);
t = rnd(q + r);
nu = n * 1b-53;
{ |q + r| in [1b-1022, 1b1000] -> n in [1, 33554432] ->
  t -/ (q + r) in [-1b-53, 1b-53] /\ (n + 1) * 2.1 * nu <= 1 }
