/* Libraries to compare with, loaded when they are first asked for. */
#ifndef EXB_PERF_BASELINE_H
#define EXB_PERF_BASELINE_H

/* Before the first one is loaded: one thread, and OpenBLAS's best kernels. */
void baseline_prepare(void);

#endif
