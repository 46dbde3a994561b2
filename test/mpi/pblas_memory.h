/* What the routines of Level 3 of PBLAS keep in memory besides their operands, type by type. */
#ifndef PBLAS_MEMORY_H
#define PBLAS_MEMORY_H

#include "pblas_problem.h"

enum { ORDER = 384, BLOCK = 16 };

/* Counts what the process has allocated since; bytes, at the worst moment. */
void count_start(void);
double count_end(void);

/* What one routine with operands of `share` bytes kept on the process that kept most. */
void check_memory(const char *routine, double share, size_t element, double kept);

/* All routines of the type on a grid; `local` rows and columns at most on a process. */
void measure_routines_s(const grid *g, int rows, int cols);
void measure_routines_d(const grid *g, int rows, int cols);
void measure_routines_c(const grid *g, int rows, int cols);
void measure_routines_z(const grid *g, int rows, int cols);

#endif
