/* One case against what it must give. */
#pragma once

#include "call.h"

typedef struct {
    bool differs;
    const char *wrong;      /* NULL, or what is wrong besides numbers */
    fuzz_which which;       /* the operand; N_OPERANDS: the result */
    int64_t at;             /* its real in memory, counted from the first */
    double expected, found; /* of it */
    fuzz_report report;
    int64_t n_elements; /* that came out */
} fuzz_verdict;

/* Of the numbers alone. */
fuzz_verdict fuzz_compare(const fuzz_case *c, const fuzz_memory *expected,
                          const fuzz_memory *found);
fuzz_verdict fuzz_try(const fuzz_case *c);
