/* The long accumulator as proof/coq/Accumulator.v has it: the same definitions in C, in long
 * integers, without a shift or a mask. The theorems there are about these; the test compares the
 * library with them. */
#pragma once

#include <stdbool.h>

enum { MODEL_WORDS = 8 };

/* Words, the lowest first, and deposits that are left before carries move. */
typedef struct {
    long word[MODEL_WORDS];
    int n_words;
    long n_free;
} model;

/* What a deposit adds to three words from at_word on. */
typedef struct {
    int at_word;
    long by[3];
} model_deposit;

/* Sizes: bits of a word, deposits between carries, bits that are kept of a sum's leading ones. */
typedef struct {
    int word_bits, stored_bits;
    long max_deposits;
} model_sizes;

static inline long model_power(int n)
{
    return n == 0 ? 1 : 2 * model_power(n - 1);
}

/* floor(x / y), y > 0, as Z.div. */
static inline long model_div(long x, long y)
{
    return x >= 0 ? x / y : -((y - 1 - x) / y);
}

static inline long model_mod(long x, long y)
{
    return x - y * model_div(x, y);
}

static inline long model_value(const model_sizes *z, const model *s)
{
    long v = 0;
    for (int i = s->n_words - 1; i >= 0; i--)
        v = s->word[i] + model_power(z->word_bits) * v;
    return v;
}

/* normalize */
static inline void model_normalize(const model_sizes *z, model *s)
{
    long w = model_power(z->word_bits), carry = 0;
    for (int i = 0; i < s->n_words - 1; i++) {
        long x = s->word[i] + carry;
        s->word[i] = model_mod(x, w);
        carry = model_div(x, w);
    }
    s->word[s->n_words - 1] += carry;
}

/* reserve */
static inline void model_reserve(const model_sizes *z, model *s)
{
    if (s->n_free == 0) {
        model_normalize(z, s);
        s->n_free = z->max_deposits;
    }
    s->n_free--;
}

/* deposit_of: (-1)^negative (q 2^w + low) 2^offset, the pieces by pieces_are_the_term. */
static inline model_deposit model_deposit_of(const model_sizes *z, bool negative, long q, long low,
                                             int offset)
{
    long w = model_power(z->word_bits), sign = negative ? -1 : 1;
    int shift = offset % z->word_bits;
    long low_part = low * model_power(shift);
    long above = model_div(low_part, w) + q * model_power(shift);
    return (model_deposit){
        offset / z->word_bits,
        {sign * model_mod(low_part, w), sign * model_mod(above, w), sign * model_div(above, w)}};
}

/* deposit_one; pieces above the window are 0. */
static inline void model_add(const model_sizes *z, model *s, model_deposit d)
{
    model_reserve(z, s);
    for (int j = 0; j < 3 && d.at_word + j < s->n_words; j++)
        s->word[d.at_word + j] += d.by[j];
}

/* kept_exponent */
static inline int model_kept_exponent(const model_sizes *z, int n_bits, int min_exp2, int exp2)
{
    int kept = exp2 + z->stored_bits - n_bits;
    return kept > min_exp2 ? kept : min_exp2;
}

/* rounded */
static inline long model_rounded(const model_sizes *z, int n_bits, int min_exp2, long significand,
                                 int exp2, bool inexact)
{
    int n_dropped = model_kept_exponent(z, n_bits, min_exp2, exp2) - exp2;
    if (n_dropped > z->stored_bits)
        return 0;
    long kept = significand / model_power(n_dropped);
    bool round = significand / model_power(n_dropped - 1) % 2 != 0;
    bool sticky = inexact || significand % model_power(n_dropped - 1) != 0;
    return round && (sticky || kept % 2 != 0) ? kept + 1 : kept;
}
