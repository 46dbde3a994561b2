/* level1/reduce.h for doubles, for tests. */
#ifndef LEVEL1_REDUCE_D_H
#define LEVEL1_REDUCE_D_H

#define EXB_TYPE_d
#include "level1/reduce.h"

#endif
