/* The golden hash of sparse products (golden.h). */
#pragma once

#include "modes.h"

#include <stdint.h>

uint64_t golden_csr_hash(const call_mode *m);
