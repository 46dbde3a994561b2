/* One case against what it must give. */
#pragma once

#include "call.h"

#include <stdio.h>

typedef struct {
    bool differs;
    const char *wrong;      /* NULL, or what is wrong besides numbers */
    fuzz_which which;       /* the operand; N_OPERANDS: the result */
    int64_t at;             /* its real in memory, counted from the first */
    double expected, found; /* of it */
    fuzz_report report;
    int64_t n_elements; /* that came out */
} fuzz_verdict;

/* What a routine of matrices leaves in the operand that it writes, by the library as it is set; to
 * be freed. */
test_number *fuzz_computed(const fuzz_case *c);

/* Of the numbers alone. */
fuzz_verdict fuzz_compare(const fuzz_case *c, const fuzz_memory *expected,
                          const fuzz_memory *found);
/* Of the library's result as it is set, and in the settings of the case; `result`: what must come
 * out of a reduction or a routine of matrices, NULL: what the models say. */
fuzz_verdict fuzz_check(const fuzz_case *c, const test_number *result);
fuzz_verdict fuzz_try(const fuzz_case *c, const test_number *result);

void fuzz_print_case(FILE *f, const fuzz_case *c);
/* The case, and in what it differs. */
void fuzz_print(FILE *f, const fuzz_case *c, const fuzz_verdict *v);
