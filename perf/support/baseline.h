/* Libraries to compare with, loaded when they are first asked for. */
#pragma once

/* Before the first one is loaded: one thread, and OpenBLAS's best kernels. */
void baseline_prepare(void);
