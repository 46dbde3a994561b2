#include "integers.h"

#include "core/arith/compiler.h"

#define TO int64_t
#define FROM int8_t
#include "load_tmpl.h"
#define FROM uint8_t
#include "load_tmpl.h"
#define FROM int16_t
#include "load_tmpl.h"
#define FROM uint16_t
#include "load_tmpl.h"
#define FROM int32_t
#include "load_tmpl.h"
#define FROM uint32_t
#include "load_tmpl.h"
#define FROM int64_t
#include "load_tmpl.h"
#define FROM uint64_t
#include "load_tmpl.h"

typedef void load(int64_t *, const char *, int64_t, int64_t);

void line_words(const line *l, int64_t *word)
{
    static load *const table[4][2] = {{load_int8_t, load_uint8_t},
                                      {load_int16_t, load_uint16_t},
                                      {load_int32_t, load_uint32_t},
                                      {load_int64_t, load_uint64_t}};
    int size = l->element.n_bytes == 8 ? 3 : l->element.n_bytes / 2;
    table[size][l->element.kind == UNSIGNED](word, l->at, l->n, l->stride);
}

static uint64_t magnitude(int64_t word, bool is_signed)
{
    return (uint64_t)(is_signed ? word ^ word >> 63 : word);
}

int words_bits(const int64_t *word, int64_t n, bool is_signed)
{
    uint64_t all = 0;
    for (int64_t i = 0; i < n; i++)
        all |= magnitude(word[i], is_signed);
    return all ? 64 - exb_leading_zeros(all) : 0;
}

/* A chunk at most. */
static int128 sum_words(const int64_t *word, int64_t n, bool is_signed)
{
    uint64_t all = 0, sum = 0;
    int128 total = 0;
    for (int64_t i = 0; i < n; i++) {
        all |= magnitude(word[i], is_signed);
        sum += (uint64_t)word[i];
    }
    if (all >> 53 == 0) /* 2^53 CHUNK = 2^62 */
        return (int64_t)sum;
    for (int64_t i = 0; i < n; i++)
        total += word_value(word[i], is_signed);
    return total;
}

int128 line_integer_sum(const line *l)
{
    int64_t word[CHUNK], size = sizeof *word;
    bool are_words = l->stride == size && l->element.n_bytes == size && (uintptr_t)l->at % 8 == 0;
    int128 total = 0;
    line part = *l;
    for (int64_t left = l->n; left > 0; left -= part.n, part.at += part.n * part.stride) {
        part.n = left < CHUNK ? left : CHUNK;
        if (!are_words)
            line_words(&part, word);
        total +=
            sum_words(are_words ? (const void *)part.at : word, part.n, l->element.kind == INTEGER);
    }
    return total;
}

int column_integer_sums(const line *row, int64_t n_rows, int64_t step, int64_t *total)
{
    int64_t word[CHUNK];
    int most = 0;
    line l = *row;
    for (int64_t i = 0; i < n_rows; i++, l.at += step) {
        line_words(&l, word);
        int n_bits = words_bits(word, l.n, l.element.kind == INTEGER);
        most = n_bits > most ? n_bits : most;
        for (int64_t k = 0; k < l.n; k++)
            total[k] = (int64_t)((uint64_t)total[k] + (uint64_t)word[k]);
    }
    return most;
}

static void wide_add(wide *sum, int128 product)
{
    sum->high += product >> 64;
    sum->low += (int128)(uint64_t)product;
}

/* Of unsigned words q = y + 2^64 c with |y| <= 2^63: p y stays in range. */
void wide_add_dot(wide *sum, const words *a, int64_t i, const words *b, int64_t k, int64_t n)
{
    const int64_t *x = a->word + i, *y = b->word + k;
    int n_bits = a->n_bits + b->n_bits;
    int64_t narrow = 0;
    if (n_bits < 62 && n <= (int64_t)1 << (62 - n_bits)) {
        for (int64_t j = 0; j < n; j++)
            narrow += x[j] * y[j];
        wide_add(sum, narrow);
        return;
    }
    for (int64_t j = 0; j < n; j++) {
        int128 p = word_value(x[j], a->is_signed);
        sum->high += word_value(y[j], b->is_signed) == y[j] ? 0 : p;
        wide_add(sum, p * y[j]);
    }
}

bool wide_value(const wide *sum, int128 *value)
{
    int128 high = sum->high + (sum->low >> 64);
    if (high < -1 || high > 0)
        return false;
    *value = high * ((int128)1 << 64) + (int128)(uint64_t)sum->low;
    return true;
}

bool line_integer_dot(const line *x, const line *y, int128 *value)
{
    int64_t word[2][CHUNK];
    wide sum = {0, 0};
    bool is_square = x->at == y->at && x->stride == y->stride;
    words a = {word[0], x->element.kind == INTEGER, 0},
          b = {word[1], y->element.kind == INTEGER, 0};
    line p = *x, q = *y;
    for (int64_t left = x->n; left > 0; left -= p.n) {
        p.n = q.n = left < CHUNK ? left : CHUNK;
        line_words(&p, word[0]);
        a.n_bits = words_bits(word[0], p.n, a.is_signed);
        if (!is_square) {
            line_words(&q, word[1]);
            b.n_bits = words_bits(word[1], p.n, b.is_signed);
        }
        wide_add_dot(&sum, &a, 0, is_square ? &a : &b, 0, p.n);
        p.at += p.n * p.stride;
        q.at += q.n * q.stride;
    }
    return wide_value(&sum, value);
}
