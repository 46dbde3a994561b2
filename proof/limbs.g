# Reconstruction from residues: limbs and their carries, in units of a limb.
# Proves: lib/level3/residue.h, "How residues become a number".
# Weaken: s/stay. <= 2147483648/stay| <= 2147483647/
#
# A limb is the sum of at most 16 products of |R| < 2^16 and 32 bits, and of a carry: an integer
# below 2^52 + 2^21, each partial sum exact. Adding 1.5 * 2^52 units of the next limb (2^32) rounds
# it to them: the carry is exact, and what stays is at most half of that unit: less than any
# multiple of it but 0, which is what fast_two_sum of a limb and the sum of those below asks for.
@rnd = float<ieee_64, ne>;
limb = rnd(xl);
magic = 6755399441055744 * 4294967296;
moved = rnd(limb + magic);
carry = moved - magic;
stay = limb - carry;
R = rnd(xr);
word = rnd(xw);
{ |limb| <= 4503599629467648 -> @FIX(limb, 0) -> |R| <= 65535 -> @FIX(R, 0) -> |word| <= 4294967295 ->
  @FIX(word, 0) ->
  rnd(R * word) - R * word in [0, 0] /\ @FIX(carry, 32) /\ rnd(carry) - carry in [0, 0] /\
  rnd(stay) - stay in [0, 0] /\ |stay| <= 2147483648 }
stay -> (limb + magic) - moved;
