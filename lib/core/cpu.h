/* Which instruction sets this processor and its operating system offer. */
#pragma once

#include <stdbool.h>

/* For the names of EXBLAS_ISA: generic, avx2 (with FMA), avxvnni, avx512 (F, DQ, VL, BW),
 * avx512vnni, amx (of bytes, with VNNI), neon; avx512bf16; and what is emulated, which needs the
 * vectors that go with it. False for a name it does not know. */
bool exb_cpu_has(const char *isa);

/* Operations of the same number of vectors in a cycle if half of them are FMAs and half are
 * additions: 4 where additions have units beside those of the FMAs (AMD from Zen 3 on, large cores
 * of Arm), else 2. */
int exb_cpu_operations(void);
