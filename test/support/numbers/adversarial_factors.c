#include "adversarial.h"

#include <math.h>

typedef struct {
    test_random *r;
    number_format f;
    format_limits l;
    int64_t n;
    double *x, *y;
} pair_builder;

/* Every product is exactly a term of the kind, so its ties stay ties. */
static void fill_split_terms(pair_builder *b)
{
    terms_fill((size_t)random_between(b->r, 0, (int64_t)terms_kinds() - 1), b->r, b->f, b->n, b->x);
    for (int64_t i = 0; i < b->n; i++) {
        int shift = (int)random_between(b->r, -20, 20);
        double scaled = scale_if_exact(b->x[i], shift, b->f);
        b->y[i] = same_bits(scaled, b->x[i]) ? 1 : ldexp(1, -shift);
        if (random_chance(b->r, 2)) {
            scaled = -scaled;
            b->y[i] = -b->y[i];
        }
        b->x[i] = scaled;
    }
}

static void fill_same_kind(pair_builder *b)
{
    size_t kind = (size_t)random_between(b->r, 0, (int64_t)terms_kinds() - 1);
    terms_fill(kind, b->r, b->f, b->n, b->x);
    terms_fill(kind, b->r, b->f, b->n, b->y);
}

static void fill_two_kinds(pair_builder *b)
{
    terms_fill((size_t)random_between(b->r, 0, (int64_t)terms_kinds() - 1), b->r, b->f, b->n, b->x);
    terms_fill((size_t)random_between(b->r, 0, (int64_t)terms_kinds() - 1), b->r, b->f, b->n, b->y);
}

static void fill_both(pair_builder *b, int low, int high)
{
    for (int64_t i = 0; i < b->n; i++) {
        b->x[i] = random_number(b->r, b->f, (int)random_between(b->r, low, high));
        b->y[i] = random_number(b->r, b->f, (int)random_between(b->r, low, high));
    }
}

static void fill_both_moderate(pair_builder *b)
{
    fill_both(b, -3, 0);
}

/* Products around and below the smallest subnormal number. */
static void fill_products_underflow(pair_builder *b)
{
    int middle = b->l.min_exp2 / 2;
    fill_both(b, middle - (int)random_between(b->r, 0, 60), middle + 20);
}

/* From i on: products that cancel in pairs, each with the factors' full bits. */
static void cancel_from(pair_builder *b, int64_t i, int low, int high)
{
    for (; i + 1 < b->n; i += 2) {
        b->x[i] = random_number(b->r, b->f, (int)random_between(b->r, low, high));
        b->y[i] = random_number(b->r, b->f, (int)random_between(b->r, low, high));
        b->x[i + 1] = b->x[i];
        b->y[i + 1] = -b->y[i];
    }
    if (i < b->n)
        b->x[i] = b->y[i] = 0;
}

static void fill_products_cancel(pair_builder *b)
{
    cancel_from(b, 0, b->l.min_exp2, b->l.max_exp2);
}

static void fill_products_overflow_cancel(pair_builder *b)
{
    int64_t n_left = b->n < 3 ? 0 : random_between(b->r, 1, 3);
    for (int64_t i = 0; i < n_left; i++) {
        b->x[i] = random_number(b->r, b->f, middle_exponent(b->r, b->f));
        b->y[i] = random_number(b->r, b->f, 0);
    }
    cancel_from(b, n_left, b->l.max_exp2 / 2, b->l.max_exp2);
}

/* One product of exactly n_bits + 1 bits, the last one set: a tie by itself;
 * optionally a far product that decides. */
static void fill_product_tie(pair_builder *b)
{
    int n_low = (b->l.n_bits + 1) / 2, n_high = b->l.n_bits + 1 - n_low;
    if (b->n < 1)
        return;
    double low =
        (double)(random_between(b->r, (int64_t)3 << (n_low - 2), ((int64_t)1 << n_low) - 1) | 1);
    double high =
        (double)(random_between(b->r, (int64_t)3 << (n_high - 2), ((int64_t)1 << n_high) - 1) | 1);
    double signed_low = random_sign(b->r) * low;
    b->x[0] = ldexp(signed_low, (int)random_between(b->r, -40, 40));
    b->y[0] = ldexp(high, (int)random_between(b->r, -40, 40));
    int64_t next = 1;
    if (b->n > 1 && random_chance(b->r, 2)) {
        b->x[next] = random_number(b->r, b->f, (int)random_between(b->r, b->l.min_exp2, -70));
        b->y[next++] = random_number(b->r, b->f, (int)random_between(b->r, b->l.min_exp2, -70));
    }
    cancel_from(b, next, -20, 20);
}

/* a b - hi - lo = 0 for the two parts of each product: condition numbers up to
 * infinite, and what remains is the small product at the end. */
static void fill_products_minus_parts(pair_builder *b)
{
    int64_t i = 0;
    for (; i + 2 < b->n; i += 3) {
        double x = random_number(b->r, b->f, (int)random_between(b->r, -10, 10));
        double y = random_number(b->r, b->f, (int)random_between(b->r, -10, 10));
        double hi = round_to(b->f, x * y);
        b->x[i] = x;
        b->y[i] = y;
        b->x[i + 1] = -hi;
        b->x[i + 2] = -fma(x, y, -hi);
        b->y[i + 1] = b->y[i + 2] = 1;
    }
    for (; i < b->n; i++) {
        b->x[i] = random_number(b->r, b->f, -70);
        b->y[i] = random_number(b->r, b->f, -70);
    }
}

static void fill_factor_specials(pair_builder *b)
{
    fill_two_kinds(b);
    sprinkle_specials(b->r, b->n, random_chance(b->r, 2) ? b->x : b->y);
    if (b->n > 0 && random_chance(b->r, 2)) /* next to a zero: Inf * 0 */
        b->y[random_between(b->r, 0, b->n - 1)] = 0;
}

static const struct {
    const char *name;
    void (*fill)(pair_builder *b);
} factors[] = {
    {"split terms", fill_split_terms},
    {"same kind", fill_same_kind},
    {"two kinds", fill_two_kinds},
    {"both moderate", fill_both_moderate},
    {"products underflow", fill_products_underflow},
    {"products cancel", fill_products_cancel},
    {"products overflow and cancel", fill_products_overflow_cancel},
    {"product tie", fill_product_tie},
    {"products minus their parts", fill_products_minus_parts},
    {"specials", fill_factor_specials},
};

size_t factors_kinds(void)
{
    return sizeof factors / sizeof *factors;
}

const char *factors_kind_name(size_t kind)
{
    return factors[kind].name;
}

void factors_fill(size_t kind, test_random *r, number_format f, int64_t n, double *x, double *y)
{
    pair_builder b = {.r = r, .f = f, .l = limits_of(f), .n = n, .x = x, .y = y};
    factors[kind].fill(&b);
    if (random_chance(r, 2))
        shuffle(r, n, x, y);
}
