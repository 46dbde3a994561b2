/* RN(ab + c) by operations that every processor has. */
#pragma once

double exb_fma_emulated(double a, double b, double c);
