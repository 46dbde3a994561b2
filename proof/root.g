# The root's remainder and correction.
# Proves: lib/core/arith/enclosure.h, exb_root_of: |rem| <= 2u h (1 + 2u), and w within 4u.
# Weaken: s/3073b-63/2047b-63/g
#
# r = sqrt(h)(1 + e), |e| <= u, so h - r^2 = -h (2e + e^2). w = (rem + l) (1 / 2r) with a sum, a reciprocal
# and a product, each rounded once.
@rnd = float<ieee_64, ne>;
r = rnd(xr);
rem = rnd(xm);
l = rnd(xl);
inverse = rnd(0.5 / r);
sum = rnd(rem + l);
w = rnd(sum * inverse);
E = (rem + l) * (0.5 / r);
F = sum * inverse;
{ e in [-1b-53, 1b-53] -> r in [1b-451, 1b501] -> |rem + l| in [1b-1000, 1b1000] -> |sum * inverse| in [1b-1020, 1b1000] ->
  2 * e + e * e in [-2049b-63, 2049b-63] /\ (w - E) / E in [-3073b-63, 3073b-63] }
(w - E) / E -> (w - F) / F + (F - E) / E + (w - F) / F * ((F - E) / E) { E <> 0, F <> 0 };
(F - E) / E -> (sum - (rem + l)) / (rem + l) + (inverse - 0.5 / r) / (0.5 / r) + (sum - (rem + l)) / (rem + l) * ((inverse - 0.5 / r) / (0.5 / r)) { rem + l <> 0, r <> 0 };
