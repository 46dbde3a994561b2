#include "hard_case_internal.h"

#include "oracle.h"

#include <math.h>

/* Unknowns in the order in which they are solved: step 0 first. */
static int64_t unknown(const blas_case *c, int64_t step)
{
    bool forward = (c->uplo == 'l') == (c->transa == 'n');
    return forward ? step : c->n - 1 - step;
}

/* The coefficient of step j's unknown in the equation of step i, j <= i. */
static double *coefficient(hard_case *h, int64_t i, int64_t j)
{
    const blas_case *c = &h->call;
    int64_t row = unknown(c, i), col = unknown(c, j);
    return &h->a[c->transa == 'n' ? col * c->n + row : row * c->n + col];
}

static double *right_side(hard_case *h, int64_t i)
{
    return &h->x[unknown(&h->call, i)];
}

static void fill_triangle(hard_case *h, test_random *r, int low, int high)
{
    number_format f = blas_input_format(&h->call);
    for (int64_t i = 0; i < h->call.n; i++)
        for (int64_t j = 0; j <= i; j++)
            *coefficient(h, i, j) = random_number(r, f, (int)random_between(r, low, high));
}

static void random_right_side(hard_case *h, test_random *r, int low, int high)
{
    number_format f = blas_input_format(&h->call);
    for (int64_t i = 0; i < h->call.n; i++)
        h->x[i] = random_number(r, f, (int)random_between(r, low, high));
}

/* b = RN(T x) for chosen x: every residual is what cancellation leaves. */
static void right_side_of_known_solution(hard_case *h, test_random *r)
{
    number_format f = blas_input_format(&h->call);
    double known[HARD_MAX_SIDE];
    oracle s;
    oracle_init(&s);
    for (int64_t i = 0; i < h->call.n; i++) {
        known[i] = random_number(r, f, (int)random_between(r, -2, 2));
        oracle_reset(&s);
        for (int64_t j = 0; j <= i; j++)
            oracle_add_product(&s, h->call.diag == 'u' && i == j ? 1 : *coefficient(h, i, j),
                               known[j]);
        *right_side(h, i) = oracle_round(&s, f);
    }
    oracle_clear(&s);
}

static void well_conditioned(hard_case *h, test_random *r)
{
    fill_triangle(h, r, -9, -6);
    for (int64_t i = 0; i < h->call.n; i++)
        *coefficient(h, i, i) = random_number(r, blas_input_format(&h->call), 0);
    right_side_of_known_solution(h, r);
}

static void cancelling(hard_case *h, test_random *r)
{
    fill_triangle(h, r, -3, 3);
    right_side_of_known_solution(h, r);
}

/* Small diagonals: solutions grow to overflow, then Inf and NaN. */
static void growing(hard_case *h, test_random *r)
{
    fill_triangle(h, r, 0, 9);
    for (int64_t i = 0; i < h->call.n; i++)
        *coefficient(h, i, i) =
            random_number(r, blas_input_format(&h->call), -(int)random_between(r, 0, 40));
    random_right_side(h, r, -3, 3);
}

static void wide(hard_case *h, test_random *r)
{
    format_limits l = limits_of(blas_input_format(&h->call));
    fill_triangle(h, r, l.min_exp2, l.max_exp2);
    random_right_side(h, r, l.min_exp2, l.max_exp2);
}

static void subnormal_solution(hard_case *h, test_random *r)
{
    format_limits l = limits_of(blas_input_format(&h->call));
    fill_triangle(h, r, -1, 1);
    for (int64_t i = 0; i < h->call.n; i++)
        *coefficient(h, i, i) =
            random_number(r, blas_input_format(&h->call), (int)random_between(r, 0, l.n_bits + 4));
    random_right_side(h, r, l.min_normal - 2, l.min_normal + l.n_bits);
}

static void integers(hard_case *h, test_random *r)
{
    for (int64_t i = 0; i < h->call.n; i++) {
        for (int64_t j = 0; j < i; j++)
            *coefficient(h, i, j) = (double)random_between(r, -2, 2);
        *coefficient(h, i, i) = random_sign(r);
        *coefficient(h, i, i) *= (double)(1 << random_between(r, 0, 3));
        *right_side(h, i) = (double)random_between(r, -9, 9);
    }
}

static double special_or(test_random *r, double x)
{
    static const uint64_t patterns[] = {0, 0x8000000000000000u, 0x7ff0000000000000u,
                                        0xfff0000000000000u, 0xfff8432100000000u};
    return random_chance(r, 4) ? from_bits(patterns[random_between(r, 0, 4)]) : x;
}

/* Zeros, Inf and NaN on the diagonal, elsewhere and on the right. */
static void specials(hard_case *h, test_random *r)
{
    fill_triangle(h, r, -3, 3);
    random_right_side(h, r, -3, 3);
    for (int n_places = 0; n_places < 3; n_places++) {
        int64_t i = random_between(r, 0, h->call.n - 1), j = random_between(r, 0, i);
        double *places[] = {coefficient(h, i, i), coefficient(h, i, j), right_side(h, i)};
        double *place = places[random_between(r, 0, 2)];
        *place = special_or(r, *place);
    }
}

static void zero_residual(hard_case *h, test_random *r)
{
    fill_triangle(h, r, -3, 3);
    for (int64_t i = 0; i < h->call.n; i++)
        *right_side(h, i) = random_chance(r, 2) ? 0.0 : -0.0;
    if (random_chance(r, 2))
        *coefficient(h, h->call.n / 2, h->call.n / 2) = 0.0 * random_sign(r);
}

/* An odd integer of n_bits bits. */
static int64_t odd_integer(test_random *r, int n_bits)
{
    int64_t half = (int64_t)1 << (n_bits - 1);
    return random_between(r, half, 2 * half - 1) | 1;
}

/* Equation i: (middle * divisor) 2^e = divisor 2^g x, where middle * 2^(e-g) lies
 * half way between two numbers. The left side has more bits than a number: its
 * upper part is on the right, the rest is a coefficient of step 0's unknown, which
 * is 1; so is step 1's, whose tiny coefficient breaks the tie or is 0. */
static void tie_equation(hard_case *h, test_random *r, int64_t i, int64_t middle, int e, int g)
{
    number_format f = blas_input_format(&h->call);
    format_limits l = limits_of(f);
    int64_t divisor = h->call.diag == 'u' ? 1 : 2 * random_between(r, 0, 15) + 1;
    int64_t product = middle * divisor; /* below 2^59 */
    double sign = random_sign(r), upper = round_to(f, (double)product);
    double lower = (double)(product - (int64_t)upper);
    *right_side(h, i) = sign * ldexp(upper, e);
    *coefficient(h, i, 0) = -sign * ldexp(lower, e);
    *coefficient(h, i, i) = ldexp((double)divisor, g);
    if (i >= 2)
        *coefficient(h, i, 1) =
            random_chance(r, 2) ? 0
                                : random_number(r, f, (int)random_between(r, l.min_exp2, e - 9));
    for (int64_t j = 2; j < i; j++)
        *coefficient(h, i, j) = 0;
}

static void start_ties(hard_case *h)
{
    for (int64_t i = 0; i < h->call.n && i < 2; i++) {
        *coefficient(h, i, 0) = i == 0;
        *coefficient(h, i, i) = 1;
        *right_side(h, i) = 1;
    }
}

static void quotient_ties(hard_case *h, test_random *r)
{
    format_limits l = limits_of(blas_input_format(&h->call));
    start_ties(h);
    for (int64_t i = 2; i < h->call.n; i++) {
        int g = h->call.diag == 'u' ? 0 : (int)random_between(r, -30, 30);
        tie_equation(h, r, i, odd_integer(r, l.n_bits + 1), (int)random_between(r, -40, 20), g);
    }
}

/* Quotients half way between subnormal numbers: few bits, the last one at half the
 * smallest number. */
static void subnormal_ties(hard_case *h, test_random *r)
{
    format_limits l = limits_of(blas_input_format(&h->call));
    h->call.diag = 'n';
    start_ties(h);
    for (int64_t i = 2; i < h->call.n; i++) {
        int n_bits = (int)random_between(r, 1, l.n_bits), g = (int)random_between(r, 40, 90);
        tie_equation(h, r, i, odd_integer(r, n_bits), l.min_exp2 - 1 + g, g);
    }
}

/* Quotients half way between the largest number and the one after it. */
static void overflow_ties(hard_case *h, test_random *r)
{
    format_limits l = limits_of(blas_input_format(&h->call));
    h->call.diag = 'n';
    start_ties(h);
    for (int64_t i = 2; i < h->call.n; i++) {
        int g = -(int)random_between(r, 20, 60);
        int64_t middle = ((int64_t)1 << (l.n_bits + 1)) - 1;
        tie_equation(h, r, i, middle, l.max_exp2 - l.n_bits + g, g);
    }
}

/* Numbers of three sizes, the upper two cancelling in pairs: while the largest are in
 * a compensated sum, the middle ones go to its correction and push the small ones out
 * of it. The bound is all that knows. */
static void three_levels(test_random *r, number_format f, int64_t n, double *terms)
{
    const int exp2[] = {limits_of(f).n_bits + 12, limits_of(f).n_bits + 12, 8, 8, -30};
    for (int64_t i = 0; i < n; i++) {
        bool is_second_of_pair = i % 5 == 1 || i % 5 == 3;
        terms[i] = is_second_of_pair ? -terms[i - 1] : random_number(r, f, exp2[i % 5]);
    }
    if (n % 5 == 1 || n % 5 == 3)
        terms[n - 1] = 0;
    shuffle(r, n, terms, NULL);
}

static void hostile_terms(test_random *r, number_format f, int64_t n, double *terms)
{
    if (random_chance(r, 3))
        three_levels(r, f, n, terms);
    else
        terms_fill((size_t)random_between(r, 0, (int64_t)terms_kinds() - 1), r, f, n, terms);
}

/* The first half of the unknowns are 1; each later equation has a hostile sum
 * (adversarial.h) as coefficients of those, and so as its residual. */
static void hostile_rows(hard_case *h, test_random *r)
{
    number_format f = blas_input_format(&h->call);
    int64_t n_ones = (h->call.n + 1) / 2;
    double terms[HARD_MAX_SIDE];
    for (int64_t i = 0; i < h->call.n; i++) {
        hostile_terms(r, f, n_ones, terms);
        for (int64_t j = 0; j < i; j++)
            *coefficient(h, i, j) = i >= n_ones && j < n_ones ? terms[j] : 0;
        *coefficient(h, i, i) = i < n_ones ? 1 : random_number(r, f, (int)random_between(r, -2, 2));
        *right_side(h, i) = i < n_ones ? 1 : random_chance(r, 2) ? 0 : random_number(r, f, 10);
    }
}

static const struct {
    const char *name;
    void (*fill)(hard_case *h, test_random *r);
} systems[] = {
    {"well-conditioned", well_conditioned},
    {"cancelling", cancelling},
    {"growing", growing},
    {"wide", wide},
    {"subnormal solution", subnormal_solution},
    {"integers", integers},
    {"specials", specials},
    {"zero residual", zero_residual},
    {"quotient ties", quotient_ties},
    {"subnormal ties", subnormal_ties},
    {"overflow ties", overflow_ties},
    {"hostile rows", hostile_rows},
};

size_t hard_systems(void)
{
    return sizeof systems / sizeof *systems;
}

void hard_system(hard_case *h, test_random *r, char type, size_t kind, int side)
{
    hard_case_start(h, r, OP_TRSV, type, systems[kind].name);
    h->call.n = random_between(r, 1, side);
    systems[kind].fill(h, r);
}
