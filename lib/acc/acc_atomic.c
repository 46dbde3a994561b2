/* Adding to one accumulator from many threads, without locks.
 *
 * A double touches two words. Each changes by compare-and-swap from v to v + d, |d| < 2^53;
 * when the new word leaves +-2^62, the same swap takes out the multiple of 2^53 that is then
 * added to the next word, in the same way. So at any moment the words and the carries that
 * threads have in hand sum to the terms added so far, and no word leaves
 * +-(2^62 + 2^53), whatever the number of threads; words that other functions left
 * (below 1001 * 2^53) take one more deposit before their first carry: 1002 * 2^53 < 2^63. The
 * top word has nowhere to carry to and wraps, as it does elsewhere.
 *
 * fetch_add with a later carry, the usual scheme, bounds the words only for a bounded number
 * of threads between the two steps. A failed swap means that another thread's succeeded,
 * so some thread always advances.
 *
 * The deposits left before a carry are set to 0: the next function that is not
 * atomic moves all carries first. */
#include "acc/acc_view.h"

#include <stdatomic.h>

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2, "atomics without locks");
_Static_assert(sizeof(_Atomic int64_t) == sizeof(int64_t), "a word is an atomic word");
_Static_assert(sizeof(_Atomic int32_t) == sizeof(int32_t), "a counter is an atomic counter");

static const int64_t word_limit = (int64_t)1 << 62;

/* Adds d, |d| < 2^53; returns what has to be added to the next word. */
static int64_t add_to_word(int64_t *word, int64_t d)
{
    _Atomic int64_t *w = (_Atomic int64_t *)word;
    int64_t seen = atomic_load_explicit(w, memory_order_relaxed), sum, carry;
    do {
        sum = seen + d;
        carry = sum >= word_limit || sum < -word_limit ? sum >> EXB_WORD_BITS : 0;
    } while (!atomic_compare_exchange_weak_explicit(w, &seen,
                                                    sum - carry * ((int64_t)1 << EXB_WORD_BITS),
                                                    memory_order_relaxed, memory_order_relaxed));
    return carry;
}

/* Adds d to word i and moves what comes of it up. */
static void add_from_word(exblas_acc *a, int i, int64_t d)
{
    for (; d != 0 && i < EXBLAS_ACC_WORDS - 1; i++)
        d = add_to_word(&a->word[i], d);
    if (d != 0)
        atomic_fetch_add_explicit((_Atomic int64_t *)&a->word[i], d, memory_order_relaxed);
}

static void note_deposits(exblas_acc *a)
{
    _Atomic int32_t *n_free = (_Atomic int32_t *)&a->n_free;
    if (atomic_load_explicit(n_free, memory_order_relaxed) != 0)
        atomic_store_explicit(n_free, 0, memory_order_relaxed);
}

void exblas_acc_add_atomic(exblas_acc *a, double x)
{
    /* What the term adds, in two words of its own. */
    int64_t word[EXB_PRODUCT_WORDS];
    exb_superacc term = {word, EXB_PRODUCT_FIRST, EXB_PRODUCT_WORDS, 1, 0};
    exb_decomposed p = exb_split(x);
    int i = exb_word_index(p.exp2 - exb_superacc_exp2(&term));
    word[i] = word[i + 1] = 0;
    exb_superacc_add(&term, x);
    if (term.special) {
        atomic_fetch_or_explicit((_Atomic uint32_t *)&a->special, term.special,
                                 memory_order_relaxed);
        return;
    }
    note_deposits(a);
    add_from_word(a, i, word[i]);
    add_from_word(a, i + 1, word[i + 1]);
}
