# The error of a product is a double.
# Proves: lib/core/arith/eft.h, exb_two_prod: exact for 2^-968 <= |p| < 2^1023.
# Weaken: s/1b-968, 1b1022/1b-970, 1b1022/
#
# ab has 106 bits and, above 2^-968, none below 2^-1074: so ab - RN(ab) is a multiple of 2^-1074.
# It is at most half an ulp of p: 53 bits hold it.
@rnd = float<ieee_64, ne>;
a = rnd(xa);
b = rnd(xb);
{ |a * b| in [1b-968, 1b1022] -> @FLT(a, 53) -> @FLT(b, 53) ->
  @FIX(rnd(a * b) - a * b, -1074) /\ rnd(a * b) -/ (a * b) in [-1b-53, 1b-53] }
