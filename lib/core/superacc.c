#include "core/superacc.h"

#include <assert.h>

static const int64_t word_mask = ((int64_t)1 << EXB_WORD_BITS) - 1;

void exb_superacc_init(exb_superacc *a, int64_t *word, int first, int n_words)
{
    memset(word, 0, (size_t)n_words * sizeof *word);
    *a = (exb_superacc){word, first, n_words, EXB_MAX_DEPOSITS, 0};
}

exb_superacc *exb_sum_acc_init(exb_sum_acc *a)
{
    exb_superacc_init(&a->acc, a->word, EXB_SUM_FIRST, EXB_SUM_WORDS);
    return &a->acc;
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

/* In the top word: a sum that leaves the window wraps, as two's complement does. */
EXB_INLINE int64_t wrapping_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

void exb_superacc_normalize(exb_superacc *a)
{
    int64_t carry = 0;
    int top = a->n_words - 1;
    for (int i = 0; i < top; i++) {
        int64_t w = a->word[i] + carry;
        carry =
            w >> EXB_WORD_BITS; /* floor, also of negatives: GCC and Clang shift arithmetically */
        a->word[i] = w & word_mask;
    }
    a->word[top] = wrapping_add(a->word[top], carry);
    a->n_free = EXB_MAX_DEPOSITS;
}

/* Makes room for one deposit. */
EXB_INLINE void reserve(exb_superacc *a)
{
    if (EXB_UNLIKELY(a->n_free == 0))
        exb_superacc_normalize(a);
    a->n_free--;
}

EXB_INLINE void add_signed(int64_t *word, uint64_t magnitude, int64_t sign)
{
    /* sign is 0 or -1 */
    *word = wrapping_add(*word, (int64_t)((magnitude ^ (uint64_t)sign) - (uint64_t)sign));
}

/* What an infinite term or a NaN leaves behind. In integers, so that adding one number raises
 * no flag in any floating-point environment. */
EXB_INLINE void note_special(exb_superacc *a, bool is_nan, bool negative)
{
    a->special |= is_nan ? EXB_HAS_NAN : negative ? EXB_HAS_NEG_INF : EXB_HAS_POS_INF;
}

EXB_INLINE bool parts_are_nan(exb_parts p)
{
    return !p.is_finite && p.significand != (uint64_t)1 << 52;
}

EXB_INLINE bool parts_are_zero(exb_parts p)
{
    return p.is_finite && p.significand == 0;
}

EXB_INLINE void add_one(exb_superacc *a, double x)
{
    exb_parts p = exb_split(x);
    if (EXB_UNLIKELY(!p.is_finite)) {
        note_special(a, parts_are_nan(p), p.negative);
        return;
    }
    int offset = p.exp2 - exb_superacc_exp2(a);
    int i = exb_word_index(offset);
    int shift = offset - EXB_WORD_BITS * i;
    int64_t sign = -(int64_t)p.negative;
    reserve(a);
    add_signed(&a->word[i], (p.significand << shift) & (uint64_t)word_mask, sign);
    add_signed(&a->word[i + 1], p.significand >> (EXB_WORD_BITS - shift), sign);
}

void exb_superacc_add(exb_superacc *a, double x)
{
    add_one(a, x);
}

void exb_superacc_add_vector(exb_superacc *a, int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++)
        add_one(a, x[i]);
}

EXB_INLINE void deposit(exb_superacc *a, bool negative, exb_u128 significand, int exp2)
{
    int offset = exp2 - exb_superacc_exp2(a);
    int i = exb_word_index(offset);
    int shift = offset - EXB_WORD_BITS * i;
    int64_t sign = -(int64_t)negative;
    assert(offset >= 0 && i < a->n_words);
    uint64_t low = ((uint64_t)significand << shift) & (uint64_t)word_mask;
    uint64_t middle = (uint64_t)(significand >> (EXB_WORD_BITS - shift)) & (uint64_t)word_mask;
    uint64_t high = (uint64_t)(significand >> (2 * EXB_WORD_BITS - shift));
    reserve(a);
    add_signed(&a->word[i], low, sign);
    /* A term near the top of the window has no bits above it. */
    if (i + 1 < a->n_words)
        add_signed(&a->word[i + 1], middle, sign);
    if (i + 2 < a->n_words)
        add_signed(&a->word[i + 2], high, sign);
}

void exb_superacc_deposit(exb_superacc *a, bool negative, exb_u128 significand, int exp2)
{
    deposit(a, negative, significand, exp2);
}

static void add_product(exb_superacc *a, double x, double y, bool subtract)
{
    exb_parts p = exb_split(x), q = exb_split(y);
    bool negative = (p.negative != q.negative) != subtract;
    if (EXB_UNLIKELY(!p.is_finite || !q.is_finite)) {
        bool inf_times_zero = parts_are_zero(p) || parts_are_zero(q);
        note_special(a, parts_are_nan(p) || parts_are_nan(q) || inf_times_zero, negative);
        return;
    }
    deposit(a, negative, (exb_u128)p.significand * q.significand, p.exp2 + q.exp2);
}

void exb_superacc_add_product(exb_superacc *a, double x, double y)
{
    add_product(a, x, y, false);
}

void exb_superacc_sub_product(exb_superacc *a, double x, double y)
{
    add_product(a, x, y, true);
}

/* a += b, or a -= b if sign is -1 instead of 0, b normalised: each word below the top grows by
 * at most 2^53, as by one deposit. */
static void add_words(exb_superacc *a, exb_superacc *b, int64_t sign)
{
    exb_superacc_normalize(b);
    reserve(a);
    int64_t *word = a->word + (b->first - a->first);
    for (int i = 0; i < b->n_words; i++)
        add_signed(&word[i], (uint64_t)b->word[i], sign);
}

void exb_superacc_merge(exb_superacc *a, exb_superacc *b)
{
    add_words(a, b, 0);
    a->special |= b->special;
}

/* The flags of -x. */
static unsigned negated(unsigned special)
{
    return (special & EXB_HAS_NAN) | (special & EXB_HAS_POS_INF ? EXB_HAS_NEG_INF : 0) |
           (special & EXB_HAS_NEG_INF ? EXB_HAS_POS_INF : 0);
}

void exb_superacc_subtract(exb_superacc *a, exb_superacc *b)
{
    add_words(a, b, -1);
    a->special |= negated(b->special);
}

void exb_superacc_negate(exb_superacc *a)
{
    for (int i = 0; i < a->n_words; i++)
        a->word[i] = (int64_t)(0 - (uint64_t)a->word[i]);
    a->special = negated(a->special);
}

static int sign_of_words(exb_superacc *a)
{
    exb_superacc_normalize(a);
    if (a->word[a->n_words - 1] < 0)
        return -1;
    for (int i = a->n_words - 1; i >= 0; i--)
        if (a->word[i] != 0)
            return 1;
    return 0;
}

int exb_superacc_sign(exb_superacc *a)
{
    if (exb_superacc_is_nan(a))
        return 2;
    if (a->special)
        return a->special & EXB_HAS_POS_INF ? 1 : -1;
    return sign_of_words(a);
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
    exb_parts p = exb_split(alpha);
    int sign = exb_superacc_sign(src);
    bool inf_times_zero = sign == 0 || parts_are_zero(p);
    note_special(dst, sign == 2 || parts_are_nan(p) || inf_times_zero, (sign < 0) != p.negative);
}

void exb_superacc_add_multiple(exb_superacc *dst, bool negative, uint64_t significand, int exp2,
                               const exb_superacc *src)
{
    int first = exb_superacc_exp2(src) + exp2;
    for (int i = 0; i < src->n_words; i++)
        if (src->word[i] != 0)
            deposit(dst, negative, (exb_u128)(uint64_t)src->word[i] * significand,
                    first + EXB_WORD_BITS * i);
}

void exb_superacc_add_scaled(exb_superacc *dst, double alpha, exb_superacc *src)
{
    assert(src->first >= EXB_PRODUCT_FIRST && dst->n_words == EXB_FINISH_WORDS);
    exb_parts p = exb_split(alpha);
    if (!p.is_finite || src->special) {
        add_scaled_special(dst, alpha, src);
        return;
    }
    bool negative = sign_of_words(src) < 0;
    if (negative) { /* words of the magnitude, each below 2^53 */
        exb_superacc_negate(src);
        exb_superacc_normalize(src);
    }
    exb_superacc_add_multiple(dst, negative != p.negative, p.significand, p.exp2, src);
    if (negative) {
        exb_superacc_negate(src);
        exb_superacc_normalize(src);
    }
}
