#include "core/enclosure.h"

#include "core/enclosed.h"

exb_enclosure exb_enclosure_affine(double alpha, exb_enclosure v, double beta, double c)
{
    return exb_affine_of(alpha, v, beta, c);
}
