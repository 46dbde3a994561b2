/* The golden hash of accumulators: their bytes after every verb that adds. */
#ifndef GOLDEN_ACC_H
#define GOLDEN_ACC_H

#include "modes.h"

/* FNV-1a-64 over the exported bytes of sums of fixed numbers, made in mode m. */
uint64_t golden_acc_hash(const call_mode *m);

#endif
