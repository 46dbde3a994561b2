/* What a run has done. */
#ifndef FUZZ_STATISTICS_H
#define FUZZ_STATISTICS_H

#include "compare.h"

#include <stdio.h>

typedef struct {
    uint64_t calls, elements, fallbacks; /* fallbacks: calls that took a slower path */
    double seconds;                      /* in the library */
} fuzz_count;

void fuzz_count_call(const fuzz_case *c, const fuzz_verdict *v);
fuzz_count fuzz_count_total(void);
/* Tables by routine, instruction set and method. */
void fuzz_print_statistics(FILE *f);

#endif
