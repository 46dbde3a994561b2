# Reconstruction from residues: the multiple of P that is taken off.
# Proves: lib/level3/residue.h, "so q = rint(sum / P)".
# Weaken: s/in \[-1b-18, 1b-18\]/in [-1b-21, 1b-21]/
#
# In units in which 1 <= P < 2. v = qP + C', |q| <= 16, is known to 2^-20 P by its two highest limbs,
# whose sum is rounded once; 1 / P is rounded from a rounded P. The argument of rint errs by less than
# 2^-18, and |C'| / P <= 1/2 - 0.006 (lib/level3/residue_operands_tmpl.c): the next integer is q.
@rnd = float<ieee_64, ne>;
P_near = rnd(P);
inverse = rnd(1 / P_near);
top = rnd(v + left);
z = v / P;
{ P in [1, 2] -> z in [-16.5, 16.5] -> left / P in [-1b-20, 1b-20] -> |v| <= 33 -> |left| <= 1b-19 ->
  rnd(top * inverse) - z in [-1b-18, 1b-18] }
rnd(top * inverse) - z -> (rnd(top * inverse) - top * inverse) + (top - (v + left)) * inverse + left * inverse + v * (inverse - 1 / P_near) + v * (1 / P_near - 1 / P);
1 / P_near - 1 / P -> (P - P_near) / (P_near * P) { P_near <> 0, P <> 0 };
