/* What an accumulator should export, from the oracle's exact sum: nothing of the library's. */
#pragma once

#include "oracle.h"

#include <exblas/accumulator.h>

/* The documented bytes of a sum. */
void expected_bytes(const oracle *o, unsigned char bytes[EXBLAS_ACC_BYTES]);

/* The CRC-32 of the format, bit by bit. */
uint32_t crc32_bitwise(const unsigned char *bytes, size_t n_bytes);

/* a exports what it should, and rounds as it should to both formats. */
#define assert_sum(a, o) assert_sum_at((a), (o), __FILE__, __LINE__)
void assert_sum_at(const exblas_acc *a, const oracle *o, const char *file, int line);

#define assert_same_sum(a, b) assert_same_sum_at((a), (b), __FILE__, __LINE__)
void assert_same_sum_at(const exblas_acc *a, const exblas_acc *b, const char *file, int line);
