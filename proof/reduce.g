# A sum of bytes modulo p, in single precision.
# Proves: lib/level3/residue.h, "v modulo p in two operations".
# Weaken: s/, 1b24\]/, 1b26]/
#
# f = p m + v is a float below 2^24, shift = 1.5 * 2^23 - m. f / p + shift rounded is 1.5 * 2^23 + q,
# an integer, and q p misses v by no more than p / 2 + 1.
@rnd = float<ieee_32, ne>;
f = rnd(xf);
shift = rnd(xs);
inverse = rnd(1 / p);
sum = rnd(f * inverse + shift);
{ f in [1b23, 1b24] -> p in [103, 255] -> shift in [12400000, 12582912] ->
  @FIX(sum, 0) /\ sum - (f * inverse + shift) in [-0.5, 0.5] /\ (f * inverse - f / p) * p in [-1, 1] }
(f * inverse - f / p) * p -> f * ((inverse - 1 / p) / (1 / p));
