/* The golden hash of sparse products (golden.h). */
#ifndef GOLDEN_CSR_H
#define GOLDEN_CSR_H

#include "modes.h"

#include <stdint.h>

uint64_t golden_csr_hash(const call_mode *m);

#endif
