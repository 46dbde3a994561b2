/* Calls the library with a case. */
#pragma once

#include "case.h"

#include <exblas/exblas.h>

/* The operands in memory, and the result: one number, an index (from 1) or a status. */
typedef struct {
    fuzz_image image[N_OPERANDS];
    test_number result;
} fuzz_memory;

fuzz_memory fuzz_memory_of(const fuzz_case *c);
void fuzz_memory_free(fuzz_memory *m);

/* Element (i, j) of an operand in memory. */
test_number fuzz_number_in(const fuzz_case *c, const fuzz_memory *m, fuzz_which which, int64_t i,
                           int64_t j);

typedef struct {
    const char *wrong; /* besides the numbers; NULL if nothing */
    exblas_stats stats;
} fuzz_report;

/* Sets the library to what a case says. */
void fuzz_settle(const fuzz_settings *s);
/* The operands as the call leaves them. */
fuzz_report fuzz_call(const fuzz_case *c, fuzz_memory *m);

/* The same in steps: where the numbers lie, in their types, the call alone, as often as one likes,
 * and what it has left. Stays where it is, for its pointers. */
typedef struct {
    double alpha[2], beta[2], result[2];
    struct {
        void *block, *first;
    } array[N_OPERANDS];
    void *indices;
    routine_call q;
} fuzz_arguments;

void fuzz_prepare(const fuzz_case *c, const fuzz_memory *m, fuzz_arguments *a);
void fuzz_make(const fuzz_case *c, fuzz_arguments *a);
/* What makes calls instead, or NULL: what is wrong besides the numbers, if anything. */
extern const char *(*fuzz_elsewhere)(const fuzz_case *c, const fuzz_memory *m, fuzz_arguments *a);
void fuzz_finish(const fuzz_case *c, fuzz_arguments *a, fuzz_memory *m);
