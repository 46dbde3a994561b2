/* RN(ab + c) by operations that every processor has. */
#ifndef EXB_FMA_H
#define EXB_FMA_H

double exb_fma_emulated(double a, double b, double c);

#endif
