# A sum of bytes modulo p, in single precision.
# Proves: lib/level3/kernels/residue_vnni.c, reduce: |v - q p| <= p / 2 + 2^-3.
# Weaken: s/, 1b20\]/, 1b24]/
#
# v is an integer below 2^20, M = 1.5 * 2^23. M + v inv rounded is an integer, q = that - M.
@rnd = float<ieee_32, ne>;
v = rnd(xv);
inverse = rnd(1 / p);
M = 12582912;
sum = rnd(v * inverse + M);
q = sum - M;
{ |v| in [0, 1b20] -> p in [103, 255] ->
  @FIX(sum, 0) /\ q - v * inverse in [-0.5, 0.5] /\ q - v / p in [-0.501, 0.501] }
q - v * inverse -> sum - (v * inverse + M);
q - v / p -> (q - v * inverse) + (v * inverse - v / p);
v * inverse - v / p -> v * (inverse - 1 / p);
