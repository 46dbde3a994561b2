/* Lines of integers: their sums and products, exactly. */
#ifndef EXBLAS_PYTHON_INTEGERS_H
#define EXBLAS_PYTHON_INTEGERS_H

#include "array.h"

/* A line as words of 64 bits, of unsigned numbers the same bits. */
void line_words(const line *l, int64_t *word);

static inline int128 word_value(int64_t word, bool is_signed)
{
    return is_signed ? (int128)word : (int128)(uint64_t)word;
}

/* Bits of the largest magnitude of n words; a negative number x counts as -1 - x. */
int words_bits(const int64_t *word, int64_t n, bool is_signed);

/* The sum of integers, fewer than 2^63 of them. */
int128 line_integer_sum(const line *l);

/* Adds n_rows rows of at most CHUNK integers, the first and the step to the next in bytes given, to
 * total modulo 2^64. Returns words_bits of all of them. */
int column_integer_sums(const line *row, int64_t n_rows, int64_t step, int64_t *total);

/* Lines of integers, one after the other. */
typedef struct {
    int64_t *word;
    bool is_signed;
    int n_bits;
} words;

/* The integer sum of fewer than 2^62 products, below 2^190 in magnitude, in two parts that do not
 * overflow: high 2^64 + low. */
typedef struct {
    int128 high, low;
} wide;

/* Adds the dot of n words, which begin at word i of a and k of b. */
void wide_add_dot(wide *sum, const words *a, int64_t i, const words *b, int64_t k, int64_t n);

/* False if it is not in -2^64 ... 2^64 - 1. */
bool wide_value(const wide *sum, int128 *value);

/* The dot of two lines of integers; false if it is too large. */
bool line_integer_dot(const line *x, const line *y, int128 *value);

#endif
