# The rounding test widens e enough.
# Proves: lib/core/arith/certify.h, "Claim: e2 >= e + u (|l| + e2)".
# Weaken: s/-4b-53, 4b-53/-2b-53, 2b-53/
#
# al = |l|; X is what e2 computes, exactly. Three roundings keep e2 within 4u of X. The products
# are normal here; below that range they lose at most 2^-1075 each, which is far less than u
# of the term 2^-1020. With e2 >= X (1 - 4u), and (1 - u)(1 - 4u) >= 1 - 5u,
#
#   e2 - u e2 - e - u al >= e (ce - 1) + al (cl - u) + 2^-1020 (1 - 5u):
#
# no coefficient is negative.
@rnd = float<ieee_64, ne>;
al = rnd(xl);
e = rnd(xe);
e2 rnd = (1b-51 * al + e * (1 + 1b-50)) + 1b-1020;
X = (1b-51 * al + e * (1 + 1b-50)) + 1b-1020;
ce = (1 + 1b-50) * (1 - 5b-53);
cl = 1b-51 * (1 - 5b-53);
{ al in [1b-950, 1b1000] -> e in [1b-1000, 1b1000] ->
  e2 -/ X in [-4b-53, 4b-53] /\ ce - 1 >= 0 /\ cl - 1b-53 >= 0 /\ (1 - 1b-53) * (1 - 4b-53) - (1 - 5b-53) >= 0 }
