/* Types: s d. */
#include "level3/exact_block.h"

#include "core/memory.h"
#include "element/decide.h"

enum { WORDS = 134, BASE_EXP2 = -2148, NEGATIVE = 1 << 16, PLACE = NEGATIVE - 1 };

/* More terms would need more memory than the rest of a call. */
static const int64_t most_terms = 1 << 16;

void exb_t(exact_block_init)(exb_t(exact_block) *b, const exb_t(product) *p, int64_t i0, int64_t j0)
{
    *b = (exb_t(exact_block)){.p = p, .i0 = i0, .j0 = j0};
}

void exb_t(exact_block_release)(exb_t(exact_block) *b)
{
    exb_memory_put(b->fields);
}

static int64_t n_words(int64_t k)
{
    return k / 64 + 1;
}

static bool has_memory(exb_t(exact_block) *b)
{
    const size_t n = 2 * EXB_SUB_ROWS, k = (size_t)b->p->k;
    size_t bytes = n * (k * sizeof *b->fields + (size_t)n_words(b->p->k) * sizeof *b->filled);
    if (!b->tried && b->p->k <= most_terms && bytes <= exb_memory_limit())
        b->fields = exb_memory_get(bytes);
    if (b->fields)
        b->filled = (uint64_t *)(void *)(b->fields + n * k);
    b->tried = true;
    return b->fields != NULL;
}

static bool take_apart(const exb_t(operand) *o, int64_t v, int64_t k, exb_field *out,
                       uint64_t *filled)
{
    exb_real buffer[EXB_GATHER_TERMS];
    memset(filled, 0, (size_t)n_words(k) * sizeof *filled);
    for (int64_t l = 0; l < k; l += EXB_GATHER_TERMS) {
        int64_t nl = exb_least(k - l, EXB_GATHER_TERMS);
        exb_t(elements) x = exb_t(operand_at)(o, v, 1, l, nl, buffer);
        for (int64_t t = 0; t < nl; t++, out++) {
            uint64_t bits = exb_bits((double)x.p[t * x.ls]);
            uint32_t e = (uint32_t)(bits >> 52) & 0x7ff;
            if (e == 0x7ff)
                return false;
            out->significand = (bits & 0xfffffffffffff) | (uint64_t)(e != 0) << 52;
            out->place = (e ? e - 1 : 0) | (uint32_t)(bits >> 63) * NEGATIVE;
            filled[(l + t) / 64] |= (uint64_t)(out->significand != 0) << (l + t) % 64;
        }
    }
    return true;
}

/* A vector's fields, and which of them are not 0; .field = NULL: it has an Inf or NaN. */
typedef struct {
    const exb_field *field;
    const uint64_t *filled;
} vector;

/* Slot of it in the block. */
static vector vector_of(exb_t(exact_block) *b, const exb_t(operand) *o, int64_t v, int slot)
{
    exb_field *f = b->fields + slot * b->p->k;
    uint64_t *filled = b->filled + slot * n_words(b->p->k);
    if (b->state[slot] == 0)
        b->state[slot] = take_apart(o, v, b->p->k, f, filled) ? 1 : -1;
    return (vector){b->state[slot] > 0 ? f : NULL, filled};
}

/* word[0 ... WORDS) += product * 2^place. */
EXB_INLINE void add_product(uint64_t *word, uint32_t place, exb_u128 product)
{
    const uint64_t digit = 0xffffffff;
    uint64_t *w = word + place / 32;
    unsigned shift = place % 32;
    uint64_t low = (uint64_t)product, high = (uint64_t)(product >> 64);
    uint64_t x0 = low << shift, x1 = high << shift | low >> 1 >> (63 - shift);
    w[0] += x0 & digit;
    w[1] += x0 >> 32;
    w[2] += x1 & digit;
    w[3] += x1 >> 32;
    w[4] += high >> 1 >> (63 - shift);
}

/* The products of terms 64 w + t for the bits t of a word. */
EXB_INLINE void add_products(uint64_t word[2][WORDS], uint64_t bits, const exb_field *a,
                             const exb_field *b)
{
    for (; bits; bits &= bits - 1) {
        int t = __builtin_ctzll(bits);
        uint32_t place = a[t].place + b[t].place; /* bit 16: the sign of the product */
        add_product(word[place / NEGATIVE & 1], place & PLACE,
                    (exb_u128)a[t].significand * b[t].significand);
    }
}

/* acc += positive - negative. Words are below 2^48, two of them below 2^81. */
static void deposit_words(uint64_t word[2][WORDS], exb_superacc *acc)
{
    for (int i = 0; i < WORDS; i += 2) {
        exb_i128 low = (int64_t)(word[0][i] - word[1][i]);
        exb_i128 high = (int64_t)(word[0][i + 1] - word[1][i + 1]);
        exb_i128 sum = low + high * ((exb_i128)1 << 32);
        if (sum != 0)
            exb_superacc_deposit(acc, sum < 0, (exb_u128)(sum < 0 ? -sum : sum),
                                 BASE_EXP2 + 32 * i);
    }
}

static bool is_zero_product(int64_t k, const vector *x, const vector *y)
{
    uint64_t any = 0;
    for (int64_t w = 0; w < n_words(k); w++)
        any |= x->filled[w] & y->filled[w];
    return any == 0;
}

static EXB_NOINLINE void add_vectors(int64_t k, const vector *x, const vector *y, exb_superacc *acc)
{
    uint64_t word[2][WORDS] = {{0}};
    for (int64_t w = 0; w < n_words(k); w++)
        add_products(word, x->filled[w] & y->filled[w], x->field + 64 * w, y->field + 64 * w);
    deposit_words(word, acc);
}

void exb_t(exact_block_element)(exb_t(exact_block) *b, int64_t i, int64_t j, exb_superacc *acc)
{
    vector x = {NULL, NULL}, y = {NULL, NULL};
    if (has_memory(b)) {
        x = vector_of(b, &b->p->a, i, (int)(i - b->i0));
        y = vector_of(b, &b->p->b, j, EXB_SUB_ROWS + (int)(j - b->j0));
    }
    if (!x.field || !y.field) {
        const exb_t(product_element) element = {b->p, i, j};
        const exb_t(terms) terms = exb_t(element_terms)(&element);
        exb_t(add_terms)(&terms, 0, b->p->method, false, acc);
    } else if (!is_zero_product(b->p->k, &x, &y))
        add_vectors(b->p->k, &x, &y, acc);
}
