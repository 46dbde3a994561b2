/* How fast a processor multiplies bytes at most. */
#ifndef BENCH_UNIT_RATE_H
#define BENCH_UNIT_RATE_H

/* Products a nanosecond of one thread with the instruction that the kernels of this name use
 * (exblas_info), operands in registers; 0 for one that has none, or is emulated. */
double bench_unit_rate(const char *isa);

#endif
