/* Types: s d. */
#include "level3/exact_block.h"

#include "core/memory.h"

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

static bool has_memory(exb_t(exact_block) *b)
{
    size_t bytes = 2 * EXB_SMALL_BLOCK * (size_t)b->p->k * sizeof *b->fields;
    if (!b->tried && b->p->k <= most_terms && bytes <= exb_memory_limit())
        b->fields = exb_memory_get(bytes);
    b->tried = true;
    return b->fields != NULL;
}

static bool take_apart(const exb_t(operand) *o, int64_t v, int64_t k, exb_field *out)
{
    exb_real buffer[EXB_GATHER_TERMS];
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
        }
    }
    return true;
}

/* The fields of a vector, slot of it in the block; NULL if it has an Inf or NaN. */
static const exb_field *fields_of(exb_t(exact_block) *b, const exb_t(operand) *o, int64_t v,
                                  int slot)
{
    exb_field *f = b->fields + slot * b->p->k;
    if (b->state[slot] == 0)
        b->state[slot] = take_apart(o, v, b->p->k, f) ? 1 : -1;
    return b->state[slot] > 0 ? f : NULL;
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

static EXB_NOINLINE void add_products(uint64_t word[2][WORDS], int64_t k, const exb_field *a,
                                      const exb_field *b)
{
    for (int64_t l = 0; l < k; l++) {
        uint32_t place = a[l].place + b[l].place; /* bit 16: the sign of the product */
        add_product(word[place / NEGATIVE & 1], place & PLACE,
                    (exb_u128)a[l].significand * b[l].significand);
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

void exb_t(exact_block_element)(exb_t(exact_block) *b, int64_t i, int64_t j, exb_superacc *acc)
{
    const exb_field *x = NULL, *y = NULL;
    if (has_memory(b)) {
        x = fields_of(b, &b->p->a, i, (int)(i - b->i0));
        y = fields_of(b, &b->p->b, j, EXB_SMALL_BLOCK + (int)(j - b->j0));
    }
    if (!x || !y) {
        exb_t(element_exact)(b->p, i, j, acc);
        return;
    }
    uint64_t word[2][WORDS] = {{0}};
    add_products(word, b->p->k, x, y);
    deposit_words(word, acc);
}
