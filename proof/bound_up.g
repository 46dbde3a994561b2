# Bounds are widened by their own rounding.
# Proves: lib/core/arith/enclosure.h, exb_bound_up: up to eight operations with non-negative operands.
# Weaken: s/1b-49/1b-51/
#
# d is the largest relative error of a rounding; the last factor is that of the product here.
up = (1 + 1b-49) * (1 - d) * (1 - d) * (1 - d) * (1 - d) * (1 - d) * (1 - d) * (1 - d) * (1 - d) * (1 - d);
{ d in [-1b-53, 1b-53] -> up >= 1 }
