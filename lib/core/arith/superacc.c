#include "core/arith/superacc.h"

#include <assert.h>

void exb_superacc_init(exb_superacc *a, int64_t *word, int first, int n_words)
{
    memset(word, 0, (size_t)n_words * sizeof *word);
    *a = (exb_superacc){word, first, n_words, EXB_MAX_DEPOSITS, 0};
}

exb_superacc *exb_product_acc_init(exb_product_acc *a)
{
    exb_superacc_init(&a->acc, a->word, EXB_PRODUCT_FIRST, EXB_PRODUCT_WORDS);
    return &a->acc;
}

exb_superacc *exb_finish_acc_init(exb_finish_acc *a)
{
    exb_superacc_init(&a->acc, a->word, EXB_FINISH_FIRST, EXB_FINISH_WORDS);
    return &a->acc;
}

void exb_superacc_normalize(exb_superacc *a)
{
    exb_words_normalize(a->word, a->n_words);
    a->n_free = EXB_MAX_DEPOSITS;
}

/* Makes room for one deposit. */
EXB_INLINE void reserve_deposit(exb_superacc *a)
{
    if (EXB_UNLIKELY(a->n_free == 0))
        exb_superacc_normalize(a);
    a->n_free--;
}

EXB_INLINE void add_signed(int64_t *word, uint64_t magnitude, int64_t sign)
{
    *word = exb_wrapping_add(*word, exb_with_sign(magnitude, sign));
}

void exb_superacc_add(exb_superacc *a, double x)
{
    exb_decomposed p = exb_split(x);
    if (EXB_UNLIKELY(!p.is_finite)) {
        a->special |= exb_special_flag(exb_parts_are_nan(p), p.negative);
        return;
    }
    int offset = p.exp2 - exb_superacc_exp2(a);
    int i = exb_word_index(offset);
    int shift = offset - EXB_WORD_BITS * i;
    int64_t sign = -(int64_t)p.negative;
    reserve_deposit(a);
    add_signed(&a->word[i], (p.significand << shift) & EXB_WORD_MASK, sign);
    add_signed(&a->word[i + 1], p.significand >> (EXB_WORD_BITS - shift), sign);
}

EXB_INLINE void deposit_bits(exb_superacc *a, bool negative, exb_u128 significand, int exp2)
{
    int offset = exp2 - exb_superacc_exp2(a);
    exb_pieces p = exb_pieces_of_product((uint64_t)(significand >> EXB_STORED_BITS),
                                         (uint64_t)significand, offset);
    int64_t sign = -(int64_t)negative;
    assert(offset >= 0 && p.index < a->n_words);
    reserve_deposit(a);
    add_signed(&a->word[p.index], p.word[0], sign);
    /* A term near the top of the window has no bits above it. */
    if (p.index + 1 < a->n_words)
        add_signed(&a->word[p.index + 1], p.word[1], sign);
    if (p.index + 2 < a->n_words)
        add_signed(&a->word[p.index + 2], p.word[2], sign);
}

void exb_superacc_deposit(exb_superacc *a, bool negative, exb_u128 significand, int exp2)
{
    deposit_bits(a, negative, significand, exp2);
}

void exb_superacc_add_product(exb_superacc *a, double x, double y)
{
    exb_decomposed p = exb_split(x), q = exb_split(y);
    bool negative = p.negative != q.negative;
    if (EXB_UNLIKELY(!p.is_finite || !q.is_finite)) {
        a->special |= exb_special_of_product(p, q, negative);
        return;
    }
    deposit_bits(a, negative, (exb_u128)p.significand * q.significand, p.exp2 + q.exp2);
}

/* Each word below the top grows by at most 2^53, as by one deposit. */
void exb_superacc_merge(exb_superacc *a, exb_superacc *b)
{
    exb_superacc_normalize(b);
    reserve_deposit(a);
    int64_t *word = a->word + (b->first - a->first);
    for (int i = 0; i < b->n_words; i++)
        word[i] = exb_wrapping_add(word[i], b->word[i]);
    a->special |= b->special;
}

void exb_superacc_negate(exb_superacc *a)
{
    unsigned special = a->special;
    exb_words_negate(a->word, a->n_words);
    a->special = (special & EXB_HAS_NAN) | (special & EXB_HAS_POS_INF ? EXB_HAS_NEG_INF : 0) |
                 (special & EXB_HAS_NEG_INF ? EXB_HAS_POS_INF : 0);
}

void exb_superacc_negate_if(exb_superacc *a, bool negative)
{
    if (!negative)
        return;
    exb_superacc_negate(a);
    exb_superacc_normalize(a);
}

bool exb_superacc_make_positive(exb_superacc *a)
{
    exb_superacc_normalize(a);
    bool negative = a->word[a->n_words - 1] < 0;
    exb_superacc_negate_if(a, negative);
    return negative;
}

int exb_superacc_sign(exb_superacc *a)
{
    if (exb_superacc_is_nan(a))
        return 2;
    if (a->special)
        return a->special & EXB_HAS_POS_INF ? 1 : -1;
    exb_superacc_normalize(a);
    int i = a->n_words - 1;
    while (i > 0 && a->word[i] == 0)
        i--;
    return (a->word[i] > 0) - (a->word[i] < 0);
}

int exb_superacc_compare(exb_superacc *a, exb_superacc *b)
{
    assert(a->first == b->first && a->n_words == b->n_words);
    if (exb_superacc_is_nan(a) || exb_superacc_is_nan(b))
        return 2;
    if (a->special || b->special) {
        int ia = a->special ? exb_superacc_sign(a) : 0;
        int ib = b->special ? exb_superacc_sign(b) : 0;
        return (ia > ib) - (ia < ib);
    }
    exb_superacc_normalize(a);
    exb_superacc_normalize(b);
    int i = a->n_words - 1;
    while (i > 0 && a->word[i] == b->word[i])
        i--;
    return (a->word[i] > b->word[i]) - (a->word[i] < b->word[i]);
}

/* dst += alpha * src for alpha or src infinite or NaN. */
static void add_scaled_special(exb_superacc *dst, double alpha, exb_superacc *src)
{
    exb_decomposed p = exb_split(alpha);
    int sign = exb_superacc_sign(src);
    bool inf_times_zero = sign == 0 || exb_parts_are_zero(p);
    dst->special |= exb_special_flag(sign == 2 || exb_parts_are_nan(p) || inf_times_zero,
                                     (sign < 0) != p.negative);
}

void exb_superacc_add_multiple(exb_superacc *dst, bool negative, uint64_t significand, int exp2,
                               const exb_superacc *src)
{
    int first = exb_superacc_exp2(src) + exp2;
    for (int i = 0; i < src->n_words; i++)
        if (src->word[i] != 0)
            deposit_bits(dst, negative, (exb_u128)(uint64_t)src->word[i] * significand,
                         first + EXB_WORD_BITS * i);
}

void exb_superacc_add_scaled(exb_superacc *dst, double alpha, exb_superacc *src)
{
    assert(src->first >= EXB_PRODUCT_FIRST && dst->n_words == EXB_FINISH_WORDS);
    exb_decomposed p = exb_split(alpha);
    if (!p.is_finite || src->special) {
        add_scaled_special(dst, alpha, src);
        return;
    }
    bool negative = exb_superacc_make_positive(src); /* each word is below 2^53 */
    exb_superacc_add_multiple(dst, negative != p.negative, p.significand, p.exp2, src);
    exb_superacc_negate_if(src, negative);
}
