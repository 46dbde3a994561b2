/* Types: d. */
#include "lapack/lifting.h"

#include "core/partition.h"
#include "core/thread.h"
#include "lapack/exponents.h"
#include "level1/reduce.h"

#include <stdlib.h>

typedef struct {
    const exb_elimination *e;
    const double *a;
    exb_product_acc *residual;
    int unit_word;       /* no residual has bits below this word of the window */
    uint64_t unit;       /* 2^exponent of that word's lowest bit mod p */
    uint64_t *remainder; /* n: at column_l that of row_l, 0 outside J */
    double *minus_digit; /* n of them, 0 outside J */
    uint64_t *digit;     /* of this step, NULL before the first */
    int n_ranges;
    _Atomic bool fails;
} lifting;

/* A normalised accumulator's value modulo p, times 1 / unit; with `quotient` it is divided, and
 * rounded down. Words of nothing but the sign, at the top, stay what they are: floor(-1 / p) = -1.
 * The 105 bits above each step are below p 2^53. */
static uint64_t divide_words(int64_t *word, int unit_word, uint64_t p, bool quotient)
{
    int top = EXB_PRODUCT_WORDS - 1;
    bool negative = word[top--] < 0;
    uint64_t remainder = negative ? p - 1 : 0;
    while (top > unit_word && word[top] == (negative ? (int64_t)EXB_WORD_MASK : 0))
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

/* Sums of up to 2^24 products below 2^104. */
static void digit_range(void *ctx, int64_t range)
{
    lifting *s = ctx;
    const exb_elimination *e = s->e;
    exb_range r = exb_partition_range(e->rank, s->n_ranges, (int)range);
    for (int64_t k = r.begin; k < r.end; k++) {
        const uint64_t *row = e->inverse + e->row[k] * e->n;
        exb_u128 sum = 0;
        for (int64_t j = 0; j < e->n; j++)
            sum += (exb_u128)row[j] * s->remainder[j];
        exb_u128 d = (exb_u128)(uint64_t)(sum % e->field.p) * s->unit;
        s->digit[e->column[k]] = (uint64_t)(d % e->field.p);
        s->minus_digit[e->column[k]] = -(double)s->digit[e->column[k]];
    }
}

/* r -= A d, r /= p, after the first step; and the remainders of the next. */
static void residual_range(void *ctx, int64_t range)
{
    lifting *s = ctx;
    const exb_elimination *e = s->e;
    exb_range r = exb_partition_range(e->n, s->n_ranges, (int)range);
    for (int64_t l = r.begin; l < r.end; l++) {
        exb_superacc *acc = &s->residual[e->row[l]].acc;
        if (s->digit) {
            exb_dreduction dot = exb_ddot_of(e->n, s->a + e->row[l] * e->n, 1, s->minus_digit, 1);
            exb_dreduce_exact(&dot, exb_method_current(), acc);
            exb_superacc_normalize(acc);
            if (divide_words(acc->word, s->unit_word, e->field.p, true) != 0)
                s->fails = true;
        }
        if (l < e->rank)
            s->remainder[e->column[l]] = divide_words(acc->word, s->unit_word, e->field.p, false);
    }
}

static exb_lift_result lift_digits(lifting *s, int64_t n_digits, uint64_t *digit)
{
    double work = 4 * (double)s->e->n * (double)s->e->n;
    s->n_ranges = exb_partition_count(work, s->e->n);
    exb_parallel_for(s->n_ranges, s->n_ranges, residual_range, s);
    for (int64_t k = 0; k < n_digits && !s->fails; k++) {
        s->digit = digit + k * s->e->n;
        exb_parallel_for(s->n_ranges, s->n_ranges, digit_range, s);
        exb_parallel_for(s->n_ranges, s->n_ranges, residual_range, s);
    }
    return s->fails ? EXB_NOT_A_SOLUTION : EXB_LIFTED;
}

/* 0 at most, also where all is 0. */
static int least_exp2(int64_t n, const double *x, int64_t incx)
{
    int least = 0;
    for (int64_t i = 0; i < n; i++)
        least = (int)exb_least(least, exb_lowest_exp2(x[i * incx]));
    return least;
}

/* A digit is an integer, so the bits of the residuals are those of A and b and above. */
static void start_lifting(lifting *s, const double *b, int64_t incb)
{
    int64_t n = s->e->n;
    const exb_field *f = &s->e->field;
    int least = (int)exb_least(least_exp2(n * n, s->a, 1), least_exp2(n, b, incb));
    int above = least - exb_window_exp2(EXB_PRODUCT_FIRST); /* the lowest bit of the window */
    s->unit_word = exb_word_index(above);
    const double first = ldexp(1, least + 1);
    exb_field_reduce(f, 1, &first, &s->unit); /* less 1 + (above % EXB_WORD_BITS) bits, by 2^-64 */
    s->unit = exb_field_multiply(f, s->unit, (uint64_t)1 << (63 - above % EXB_WORD_BITS));
    s->unit = exb_field_leave(f, s->unit);
    for (int64_t i = 0; i < n; i++) {
        exb_product_acc_init(&s->residual[i]);
        exb_superacc_add(&s->residual[i].acc, b[i * incb]);
        exb_superacc_normalize(&s->residual[i].acc);
        s->minus_digit[i] = s->remainder[i] = 0;
    }
}

exb_lift_result exb_lift(const exb_elimination *e, const double *a, const double *b, int64_t incb,
                         int64_t n_digits, uint64_t *digit)
{
    lifting s = {.e = e, .a = a};
    size_t n = (size_t)e->n;
    s.residual = malloc(n * (sizeof *s.residual + sizeof *s.remainder + sizeof *s.minus_digit));
    if (!s.residual)
        return EXB_LIFT_NO_MEMORY;
    s.remainder = (uint64_t *)(s.residual + n);
    s.minus_digit = (double *)(s.remainder + n);
    start_lifting(&s, b, incb);
    exb_lift_result result = lift_digits(&s, n_digits, digit);
    free(s.residual);
    return result;
}
