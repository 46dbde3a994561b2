/* libFuzzer's bytes as choices and numbers, and the comparison of results. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What is left of an input; zeros come after its end. */
typedef struct {
    const uint8_t *p;
    size_t n;
} fuzz_input;

unsigned fuzz_next(fuzz_input *b);

/* Any double. */
double fuzz_raw(fuzz_input *b);

/* A few bits at an exponent near a base, or the negative of one of the i numbers before: ties,
 * cancellation and neighbours of powers of two come up. */
double fuzz_structured(fuzz_input *b, const double *x, int i);

/* n numbers, raw or structured. */
void fuzz_numbers(fuzz_input *b, int raw, double *x, int n);

/* Aborts, naming the routine, if the bits are others. A NaN must be the canonical one; a float's
 * NaN becomes the double one, which is canonical if it was. */
void fuzz_compare(const char *routine, double got, double expected);

/* Aborts with the message if the condition does not hold. */
void fuzz_require(int condition, const char *message);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
