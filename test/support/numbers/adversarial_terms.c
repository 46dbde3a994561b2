#include "adversarial.h"

#include <math.h>

/* A vector under construction; what does not fit is dropped, so that every
 * kind gives something for every length. */
typedef struct {
    test_random *r;
    number_format f;
    format_limits l;
    int64_t n, n_filled;
    double *x;
} builder;

static void push(builder *b, double x)
{
    if (b->n_filled < b->n)
        b->x[b->n_filled++] = x;
}

static bool is_full(const builder *b)
{
    return b->n_filled >= b->n;
}

static double number_between(builder *b, int low, int high)
{
    return random_number(b->r, b->f, (int)random_between(b->r, low, high));
}

/* An integer of at most n_bits bits, divided by 2^n_bits. */
static double fixed_point(builder *b, int n_bits)
{
    int64_t one = (int64_t)1 << n_bits;
    return ldexp((double)random_between(b->r, -one, one), -n_bits);
}

static void fill_uniform(builder *b)
{
    while (!is_full(b))
        push(b, fixed_point(b, b->l.n_bits));
}

/* Sums of four uniform numbers: a bell. Two bits of room keep them exact. */
static void fill_bell(builder *b)
{
    while (!is_full(b)) {
        double s = 0;
        for (int i = 0; i < 4; i++)
            s += fixed_point(b, b->l.n_bits - 2);
        push(b, s);
    }
}

static void fill_wide(builder *b)
{
    while (!is_full(b))
        push(b, number_between(b, b->l.min_exp2, b->l.max_exp2));
}

static void fill_moderate(builder *b)
{
    while (!is_full(b))
        push(b, number_between(b, -20, 20));
}

/* x and -x: the rest of the vector, up to one left over as 0. */
static void push_pairs(builder *b, int low, int high)
{
    while (b->n - b->n_filled >= 2) {
        double x = number_between(b, low, high);
        push(b, x);
        push(b, -x);
    }
    push(b, 0);
}

static void fill_cancel_all(builder *b)
{
    push_pairs(b, b->l.min_exp2, b->l.max_exp2);
}

/* What is left is far below what was added. */
static void fill_cancel_to_far(builder *b)
{
    push(b, number_between(b, b->l.min_exp2, b->l.min_normal + 100));
    push_pairs(b, -60, 60);
}

/* x_i and -x_i (1 + a few ulp): condition numbers around 2^n_bits. */
static void fill_ill_conditioned(builder *b)
{
    int e = middle_exponent(b->r, b->f);
    while (b->n - b->n_filled >= 2) {
        double x = number_between(b, e - 10, e);
        push(b, x);
        push(b, -round_to(b->f, x + 2 * (double)random_between(b->r, -3, 3) * half_ulp(x, b->f)));
    }
    push(b, 0);
}

/* A number, half its last place in one to three pieces, and optionally
 * something far below that decides; then pairs that cancel. */
static void push_tie(builder *b, int far_sign)
{
    double x = random_number(b->r, b->f, middle_exponent(b->r, b->f));
    double half = half_ulp(x, b->f) * random_sign(b->r);
    push(b, x);
    if (far_sign)
        push(b,
             far_sign *
                 copysign(fabs(number_between(b, b->l.min_exp2 + 1, exponent_of(half) - 3)), half));
    if (random_chance(b->r, 2) && b->n - b->n_filled >= 2) {
        push(b, half / 2);
        push(b, half / 2);
    } else {
        push(b, half);
    }
    push_pairs(b, exponent_of(x) - 40, exponent_of(x) + 40);
}

static void fill_tie(builder *b)
{
    push_tie(b, 0);
}

static void fill_tie_above(builder *b)
{
    push_tie(b, 1);
}

static void fill_tie_below(builder *b)
{
    push_tie(b, -1);
}

/* Below a power of two the last place is half as large: a quarter of the upper
 * one is the midpoint there. */
static void fill_near_power(builder *b)
{
    double sign = random_sign(b->r); /* the order of the draws is part of the data */
    double x = ldexp(sign, middle_exponent(b->r, b->f));
    push(b, x);
    push(b, copysign(half_ulp(x, b->f) / (double)random_between(b->r, 1, 2), -x));
    if (random_chance(b->r, 2))
        push(b, number_between(b, b->l.min_exp2, exponent_of(x) - 2 * b->l.n_bits));
    push_pairs(b, exponent_of(x) - 40, exponent_of(x) + 40);
}

static double largest(const builder *b)
{
    return ldexp(2 - ldexp(1, 1 - b->l.n_bits), b->l.max_exp2);
}

static void fill_overflow_cancels(builder *b)
{
    double top = random_sign(b->r) * largest(b);
    for (int64_t i = 0; i < b->n / 4; i++) {
        push(b, top);
        push(b, -top);
    }
    while (!is_full(b))
        push(b, number_between(b, -3, b->l.max_exp2 - 12));
}

/* Around the largest number plus half its last place, where Inf begins. */
static void fill_overflow_midpoint(builder *b)
{
    double top = random_sign(b->r) * largest(b);
    int decides = (int)random_between(b->r, -1, 1);
    push(b, top);
    push(b, copysign(half_ulp(top, b->f), top));
    if (decides)
        push(b, decides *
                    copysign(number_between(b, b->l.min_exp2 + 1, 900 * (b->l.n_bits == 53)), top));
    push_pairs(b, b->l.max_exp2 - 20, b->l.max_exp2);
}

static void fill_subnormal(builder *b)
{
    while (!is_full(b))
        push(b, number_between(b, b->l.min_exp2, b->l.min_normal));
}

static void fill_signed_zeros(builder *b)
{
    bool all_negative = random_chance(b->r, 4);
    while (!is_full(b))
        push(b, all_negative ? -0.0 : 0.0 * random_sign(b->r));
}

static void fill_specials(builder *b)
{
    fill_moderate(b);
    sprinkle_specials(b->r, b->n, b->x);
}

/* Each term nearly cancels the one before it. */
static void fill_ladder(builder *b)
{
    int e = middle_exponent(b->r, b->f), step = (int)random_between(b->r, 0, 3);
    for (int64_t i = 0; !is_full(b); i++) {
        int64_t exp2 = e - i * step;
        exp2 = exp2 < b->l.min_exp2 ? b->l.min_exp2 : exp2;
        double x = fabs(random_number(b->r, b->f, (int)exp2));
        push(b, i % 2 ? -x : x);
    }
}

static void fill_sparse(builder *b)
{
    while (!is_full(b))
        push(b, random_chance(b->r, 12) ? number_between(b, -120, 100) : 0.0);
}

static void fill_integers(builder *b)
{
    while (!is_full(b))
        push(b, (double)random_between(b->r, -99, 99));
}

static void fill_equal(builder *b)
{
    double x = random_number(b->r, b->f, middle_exponent(b->r, b->f));
    while (!is_full(b))
        push(b, x);
}

/* Largest numbers only: the sum overflows, and so do sums of absolute values
 * and squares. */
static void fill_overflow(builder *b)
{
    while (!is_full(b))
        push(b, number_between(b, b->l.max_exp2 - 4, b->l.max_exp2));
}

/* 3k and 4k whose root 5k is a midpoint: k odd, 3k and 4k fit in n_bits, 5k
 * needs one more. Optionally something tiny that decides. */
static void fill_pythagoras(builder *b)
{
    int64_t unit = (int64_t)1 << b->l.n_bits;
    double k = (double)(random_between(b->r, unit / 5 + 1, unit / 3 - 2) | 1);
    int e = (int)random_between(b->r, -b->l.n_bits, b->f == FORMAT_S ? 90 : 900);
    push(b, ldexp(3 * k, e));
    push(b, ldexp(-4 * k, e));
    if (random_chance(b->r, 2))
        push(b, number_between(b, b->l.min_exp2, e - 10 > b->l.min_exp2 ? e - 10 : b->l.min_exp2));
    while (!is_full(b))
        push(b, 0);
}

static const struct {
    const char *name;
    void (*fill)(builder *b);
} terms[] = {
    {"uniform", fill_uniform},
    {"bell", fill_bell},
    {"wide", fill_wide},
    {"moderate", fill_moderate},
    {"cancel all", fill_cancel_all},
    {"cancel to far", fill_cancel_to_far},
    {"ill-conditioned", fill_ill_conditioned},
    {"tie", fill_tie},
    {"tie broken above", fill_tie_above},
    {"tie broken below", fill_tie_below},
    {"near a power of two", fill_near_power},
    {"overflow cancels", fill_overflow_cancels},
    {"overflow midpoint", fill_overflow_midpoint},
    {"overflow", fill_overflow},
    {"subnormal", fill_subnormal},
    {"signed zeros", fill_signed_zeros},
    {"specials", fill_specials},
    {"ladder", fill_ladder},
    {"sparse", fill_sparse},
    {"integers", fill_integers},
    {"equal", fill_equal},
    {"pythagoras", fill_pythagoras},
};

size_t terms_kinds(void)
{
    return sizeof terms / sizeof *terms;
}

const char *terms_kind_name(size_t kind)
{
    return terms[kind].name;
}

/* Half of the time in the order in which they were made. */
void terms_fill(size_t kind, test_random *r, number_format f, int64_t n, double *x)
{
    builder b = {.r = r, .f = f, .l = limits_of(f), .n = n, .x = x};
    terms[kind].fill(&b);
    if (random_chance(r, 2))
        shuffle(r, n, x, NULL);
}
