/* What a call must leave in memory: by the models of the tests, which share nothing with the
 * library, on exact sums. */
#pragma once

#include "call.h"

/* m: the memory before the call, changed as the call must change it. */
void fuzz_expect(const fuzz_case *c, fuzz_memory *m);

/* What comes out of a routine of matrices, as the operand that it writes is, to be freed; NULL if
 * it returns at once (expect_matrices.c). */
test_number *fuzz_model(const fuzz_case *c);
/* Element (i, j) of that, of a routine that solves nothing and has one product; as it was if the
 * call returns at once. */
test_number fuzz_element(const fuzz_case *c, int64_t i, int64_t j);
/* Puts that where it belongs; or the number of a reduction. */
void fuzz_put_result(const fuzz_case *c, fuzz_memory *m, const test_number *r);

/* Groups of their own files. */
void fuzz_expect_rotg(const fuzz_case *c, fuzz_memory *m);
void fuzz_expect_rotmg(const fuzz_case *c, fuzz_memory *m);

/* Puts a number, rounded to the operand's format, where element (i, j) stands. */
void fuzz_put(const fuzz_case *c, fuzz_memory *m, fuzz_which which, int64_t i, int64_t j,
              test_number x);
