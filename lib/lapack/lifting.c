/* Types: d. */
#include "lapack/lifting.h"

#include "core/partition.h"
#include "core/thread.h"
#include "lapack/integer_bounds.h"
#include "level1/reduce.h"

#include <stdlib.h>

typedef struct {
    const exb_elimination *e;
    const double *a;
    exb_product_acc *residual;
    int unit_word;       /* no residual has bits below this word of the window */
    uint64_t unit;       /* 2^exponent of that word's lowest bit mod p */
    uint64_t *remainder; /* of the rows in I */
    double *minus_digit; /* n of them, 0 outside J */
    uint64_t *digit;     /* of this step */
    int n_ranges;
    _Atomic bool fails;
} lifting;

/* Words of the magnitude from the top one that is not 0 to the unit's: their value modulo p, times
 * 1 / unit. With `quotient` they are divided. The 105 bits above each step are below p 2^53. */
static uint64_t divide_words(int64_t *word, int unit_word, uint64_t p, bool quotient)
{
    int top = EXB_PRODUCT_WORDS - 1;
    uint64_t remainder = 0;
    while (top > unit_word && word[top] == 0)
        top--;
    for (int i = top; i >= unit_word; i--) {
        exb_u128 u = (exb_u128)remainder << EXB_WORD_BITS | (uint64_t)word[i];
        uint64_t q = (uint64_t)(u / p);
        remainder = (uint64_t)u - q * p;
        if (quotient)
            word[i] = (int64_t)q;
    }
    return remainder;
}

/* Makes a residual's magnitude; returns whether it was negative. */
static bool take_magnitude(exb_superacc *r)
{
    bool negative = exb_superacc_sign(r) < 0;
    if (negative) {
        exb_superacc_negate(r);
        exb_superacc_normalize(r);
    }
    return negative;
}

static uint64_t remainder_of(const lifting *s, exb_superacc *r)
{
    bool negative = take_magnitude(r);
    uint64_t p = s->e->field.p;
    uint64_t m = divide_words(r->word, s->unit_word, p, false);
    if (negative)
        exb_superacc_negate(r);
    return negative && m ? p - m : m;
}

/* r /= p; false if that leaves a remainder. */
static bool divide_residuals(const lifting *s, exb_superacc *r)
{
    bool negative = take_magnitude(r);
    bool exact = divide_words(r->word, s->unit_word, s->e->field.p, true) == 0;
    if (negative)
        exb_superacc_negate(r);
    exb_superacc_normalize(r);
    return exact;
}

static void remainder_range(void *ctx, int64_t range)
{
    lifting *s = ctx;
    exb_range r = exb_partition_range(s->e->rank, s->n_ranges, (int)range);
    for (int64_t l = r.begin; l < r.end; l++)
        s->remainder[l] = remainder_of(s, &s->residual[s->e->row[l]].acc);
}

/* Sums of up to 2^24 products below 2^104. */
static void digit_range(void *ctx, int64_t range)
{
    lifting *s = ctx;
    const exb_elimination *e = s->e;
    exb_range r = exb_partition_range(e->rank, s->n_ranges, (int)range);
    for (int64_t k = r.begin; k < r.end; k++) {
        const uint64_t *row = e->inverse + k * e->rank;
        exb_u128 sum = 0;
        for (int64_t l = 0; l < e->rank; l++)
            sum += (exb_u128)row[l] * s->remainder[l];
        exb_u128 d = (exb_u128)(uint64_t)(sum % e->field.p) * s->unit;
        s->digit[k] = (uint64_t)(d % e->field.p);
        s->minus_digit[e->column[k]] = -(double)s->digit[k];
    }
}

static void residual_range(void *ctx, int64_t range)
{
    lifting *s = ctx;
    int64_t n = s->e->n;
    const exb_method *method = exb_method_current();
    exb_range r = exb_partition_range(n, s->n_ranges, (int)range);
    for (int64_t i = r.begin; i < r.end; i++) {
        exb_dreduction dot = exb_ddot_of(n, s->a + i * n, 1, s->minus_digit, 1);
        exb_dreduce_exact(&dot, method, &s->residual[i].acc);
        if (!divide_residuals(s, &s->residual[i].acc))
            s->fails = true;
    }
}

static exb_lift_result lift_digits(lifting *s, int64_t n_digits, uint64_t *digit)
{
    double work = 4 * (double)s->e->n * (double)s->e->n;
    s->n_ranges = exb_partition_count(work, s->e->n);
    for (int64_t k = 0; k < n_digits; k++) {
        s->digit = digit + k * s->e->rank;
        exb_parallel_for(s->n_ranges, s->n_ranges, remainder_range, s);
        exb_parallel_for(s->n_ranges, s->n_ranges, digit_range, s);
        exb_parallel_for(s->n_ranges, s->n_ranges, residual_range, s);
        if (s->fails)
            return EXB_NOT_A_SOLUTION;
    }
    return EXB_LIFTED;
}

static int least_exp2(int64_t n, const double *x, int64_t incx)
{
    int least = EXB_NO_BITS;
    for (int64_t i = 0; i < n; i++) {
        int e = exb_lowest_exp2(x[i * incx]);
        least = e < least ? e : least;
    }
    return least;
}

/* A digit is an integer, so the bits of the residuals are those of A and b and above. */
static void start_lifting(lifting *s, const double *b, int64_t incb)
{
    int64_t n = s->e->n;
    int in_a = least_exp2(n * n, s->a, 1), in_b = least_exp2(n, b, incb);
    int least = in_a < in_b ? in_a : in_b;
    least = least < 0 ? least : 0; /* also where all is 0 */
    for (int64_t i = 0; i < n; i++) {
        exb_superacc_add(exb_product_acc_init(&s->residual[i]), b[i * incb]);
        s->minus_digit[i] = 0;
    }
    int first = exb_window_exp2(EXB_PRODUCT_FIRST);
    s->unit_word = exb_word_index(least - first);
    s->unit = exb_field_leave(
        &s->e->field, exb_field_power_of_two(&s->e->field, first + EXB_WORD_BITS * s->unit_word));
}

exb_lift_result exb_lift(const exb_elimination *e, const double *a, const double *b, int64_t incb,
                         int64_t n_digits, uint64_t *digit)
{
    lifting s = {.e = e, .a = a};
    size_t n = (size_t)e->n;
    exb_lift_result result = EXB_LIFT_NO_MEMORY;
    s.residual = malloc(n * sizeof *s.residual);
    s.remainder = malloc(n * sizeof *s.remainder);
    s.minus_digit = malloc(n * sizeof *s.minus_digit);
    if (s.residual && s.remainder && s.minus_digit) {
        start_lifting(&s, b, incb);
        result = lift_digits(&s, n_digits, digit);
    }
    free(s.residual);
    free(s.remainder);
    free(s.minus_digit);
    return result;
}
