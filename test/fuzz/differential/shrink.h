/* Makes a case that differs as small as it will get: plain settings, few rows, columns and terms,
 * simple numbers. */
#ifndef FUZZ_SHRINK_H
#define FUZZ_SHRINK_H

#include "case.h"

/* c still differs afterwards. Stops when nothing helps any more or after that many seconds. */
void fuzz_shrink(fuzz_case *c, double seconds);

#endif
