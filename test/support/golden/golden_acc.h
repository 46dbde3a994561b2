/* The golden hash of accumulators: their bytes after every verb that adds. */
#pragma once

#include "modes.h"

/* FNV-1a-64 over the exported bytes of sums of fixed numbers, made in mode m. */
uint64_t golden_acc_hash(const call_mode *m);
