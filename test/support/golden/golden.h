/* One hash per routine over fixed inputs: the bits that every machine, instruction set,
 * thread count and method must give, for ever. Neither CMocka nor MPFR: cross-built
 * programs use it too. */
#pragma once

#include "modes.h"

#include <stdint.h>

int golden_count(void);
const char *golden_name(int i); /* "dgemm" */

/* FNV-1a-64 over the result bits of routine i's calls, each made in mode m. */
uint64_t golden_hash(int i, const call_mode *m);
