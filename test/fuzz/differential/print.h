/* A case as a program in C. */
#ifndef FUZZ_PRINT_H
#define FUZZ_PRINT_H

#include "compare.h"

#include <stdio.h>

/* The program ends with 1 if it sees the number that was found here, 0 if it is the right one. */
void fuzz_print(FILE *f, const fuzz_case *c, const fuzz_verdict *v, uint64_t seed, uint64_t index);
/* One line: routine, options, sizes and settings. */
void fuzz_print_line(FILE *f, const fuzz_case *c);

#endif
