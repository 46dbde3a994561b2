# alpha v + beta c: what the product of alpha and the correction loses.
# Proves: lib/core/arith/enclosure.h, exb_affine_of: |t - alpha l| <= u |t| + 2^-1075, up to bound_up.
# Weaken: s/-1b-53, 1b-53/-1b-54, 1b-54/
#
# The other errors are returned by two_sum and enter as they are. For a normal t the error is u of
# alpha l, that is u (1 + 2^-52) |t|; else at most 2^-1075, which the 2^-1020 added to e covers.
@rnd = float<ieee_64, ne>;
alpha = rnd(xa);
l = rnd(xl);
t = rnd(alpha * l);
y = rnd(xy);
z = rnd(xz);
{ |alpha * l| in [1b-1020, 1b1000] -> |y * z| <= 1b-1022 ->
  t -/ (alpha * l) in [-1b-53, 1b-53] /\ rnd(y * z) - y * z in [-1b-1075, 1b-1075] }
