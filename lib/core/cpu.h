/* Which instruction sets this processor and its operating system offer. */
#ifndef EXB_CPU_H
#define EXB_CPU_H

#include <stdbool.h>

/* For the names of EXBLAS_ISA: generic, avx2 (with FMA), avx512 (F, DQ, VL, BW),
 * avx512vnni, avx512ifma (with VNNI), amx (of bytes, with IFMA), amx-emulated (with IFMA), neon.
 * False for a name it does not know. */
bool exb_cpu_has(const char *isa);

#endif
