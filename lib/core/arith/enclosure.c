#include "core/arith/enclosure.h"

#include "core/arith/enclosed.h"

exb_enclosure exb_enclosure_affine(double alpha, exb_enclosure v, double beta, double c)
{
    return exb_affine_of(alpha, v, beta, c);
}
