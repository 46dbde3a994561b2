#include "acc/exact_integer.h"

#include "acc/acc_view.h"

/* The words of a normalised accumulator that is not negative, from the lowest bit that is set. */
static void set_of_words(exb_big *r, const exb_superacc *a)
{
    int top = exb_words_top(a->word, a->n_words), i = 0;
    r->n_limbs = 0;
    r->exp2 = 0;
    if (top < 0)
        return;
    while (a->word[i] == 0)
        i++;
    int lowest = EXB_WORD_BITS * i + __builtin_ctzll((unsigned long long)a->word[i]);
    r->exp2 = exb_superacc_exp2(a) + lowest;
    for (int at = lowest; at <= top; at += 64)
        r->limb[r->n_limbs++] = exb_words_bits(a->word, a->n_words, at);
}

exb_integer exb_integer_of_sum(const exblas_acc *a)
{
    exb_integer r;
    exblas_acc sum = *a;
    sum.special = 0;
    r.negative = exblas_acc_sign(&sum) < 0;
    if (r.negative)
        exblas_acc_negate(&sum);
    exblas_acc_normalize(&sum);
    exb_superacc view = exb_acc_view(&sum);
    set_of_words(&r.magnitude, &view);
    return r;
}

exb_integer exb_integer_of(int64_t n)
{
    exb_integer r = {.negative = false};
    exb_big_set(&r.magnitude, (exb_u128)(uint64_t)n, 0);
    return r;
}

exb_integer exb_integer_product(const exb_integer *a, const exb_integer *b)
{
    exb_integer r;
    exb_big_multiply(&r.magnitude, &a->magnitude, &b->magnitude);
    r.negative = a->negative != b->negative;
    return r;
}

exb_integer exb_integer_difference(const exb_integer *a, const exb_integer *b)
{
    exb_integer r;
    if (a->negative != b->negative) {
        exb_big_add(&r.magnitude, &a->magnitude, &b->magnitude);
        r.negative = a->negative;
    } else {
        bool is_less = exb_big_compare(&a->magnitude, &b->magnitude) < 0;
        exb_big_distance(&r.magnitude, &a->magnitude, &b->magnitude);
        r.negative = is_less != a->negative;
    }
    return r;
}
