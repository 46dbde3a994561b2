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

/* Of the bytes of accumulators after every verb that adds (golden_acc.c), and of sparse products
 * (golden_csr.c). */
uint64_t golden_acc_hash(const call_mode *m);
uint64_t golden_csr_hash(const call_mode *m);

/* The hash of nothing, and that of n more bytes, the least significant first on every machine. */
#define GOLDEN_EMPTY 0xcbf29ce484222325u
uint64_t golden_add(uint64_t hash, uint64_t bytes, int n);
/* Leaves the environment, ends the program if the call changed it or anything else is wrong. */
void golden_leave(const char *wrong);
