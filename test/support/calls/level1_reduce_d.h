/* level1/reduce.h for doubles, for tests. */
#pragma once

#define EXB_TYPE_d
#include "level1/reduce.h"
