# The quotient's remainder and correction.
# Proves: lib/core/arith/eft.h, exb_remainder ("within a factor two"), and lib/core/arith/enclosure.h, w.
# Weaken: s/2049b-63/1025b-63/g
#
# p = RN(qd) is h but for 2u and a little: h - p is exact (Sterbenz). w errs by 2u and a little,
# which 4u |w| covers.
@rnd = float<ieee_64, ne>;
h = rnd(xh);
d = rnd(xd);
r = rnd(xr);
l = rnd(xl);
q = rnd(h / d);
p = rnd(q * d);
s = rnd(r + l);
w = rnd(s / d);
{ |h| in [1b-900, 1b1000] -> |d| in [1b-900, 1b1000] -> |h / d| in [1b-900, 1b1000] ->
  |q * d| in [1b-901, 1b1001] -> |r + l| in [1b-1020, 1b1000] -> |s / d| in [1b-1020, 1b1000] ->
  (p - h) / h in [-2049b-63, 2049b-63] /\ (w - (r + l) / d) / ((r + l) / d) in [-2049b-63, 2049b-63] }
(p - h) / h -> (p - q * d) / (q * d) + (q - h / d) / (h / d) + (p - q * d) / (q * d) * ((q - h / d) / (h / d)) { q * d <> 0, h <> 0, d <> 0 };
(w - (r + l) / d) / ((r + l) / d) -> (w - s / d) / (s / d) + (s - (r + l)) / (r + l) + (w - s / d) / (s / d) * ((s - (r + l)) / (r + l)) { s / d <> 0, r + l <> 0, d <> 0 };
