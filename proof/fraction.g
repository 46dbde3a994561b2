# Reconstruction from residues: a fraction of P in fixed point times P in two doubles.
# Proves: lib/level3/residue.h, "in all less than 2^-84 P".
# Weaken: s|in \[-1b-100, 1b-100\]|in [-1b-105, 1b-105]|
#
# In units in which 1 <= p_high <= 2. The fraction is H + L + d: H = high 2^-52, L = low 2^-104, both
# exact doubles, |d| < 2^-85 (which adds 2^-85 P). rest = H p_high - h is exact, as an FMA.
@rnd = float<ieee_64, ne>;
H = rnd(xh);
L = rnd(xl);
p_high = rnd(xp);
p_low = rnd(xq);
h = rnd(H * p_high);
rest = H * p_high - h;
more = rnd(L * p_high + rest);
l = rnd(H * p_low + more);
{ |H| <= 0.5 -> L in [0, 1b-52] -> p_high in [1, 2] -> |p_low| <= 1b-53 -> |e| <= 1b-102 ->
  (h + l) - (H + L) * (p_high + p_low + e) in [-1b-100, 1b-100] }
(h + l) - (H + L) * (p_high + p_low + e) -> (l - (H * p_low + more)) + (more - (L * p_high + rest)) - L * p_low - (H + L) * e;
