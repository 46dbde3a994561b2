/* Accumulators: single terms, merging, scaling. */
#include "acc/acc_view.h"

void exblas_acc_init(exblas_acc *a)
{
    exb_superacc view;
    exb_superacc_init(&view, a->word, EXB_PRODUCT_FIRST, EXB_PRODUCT_WORDS);
    exb_acc_store(a, &view);
}

void exblas_acc_add(exblas_acc *a, double x)
{
    exb_superacc view = exb_acc_view(a);
    exb_superacc_add(&view, x);
    exb_acc_store(a, &view);
}

/* The sign bit alone: no arithmetic in the caller's environment. */
static double negative_of(double x)
{
    return exb_from_bits(exb_bits(x) ^ (uint64_t)1 << 63);
}

void exblas_acc_sub(exblas_acc *a, double x)
{
    exblas_acc_add(a, negative_of(x));
}

void exblas_acc_add_product(exblas_acc *a, double x, double y)
{
    exb_superacc view = exb_acc_view(a);
    exb_superacc_add_product(&view, x, y);
    exb_acc_store(a, &view);
}

void exblas_acc_sub_product(exblas_acc *a, double x, double y)
{
    exblas_acc_add_product(a, negative_of(x), y);
}

/* b is the caller's and const: its carries are moved in a copy. */
void exblas_acc_merge(exblas_acc *a, const exblas_acc *b)
{
    exblas_acc copy = *b;
    exb_superacc view = exb_acc_view(a), other = exb_acc_view(&copy);
    exb_superacc_merge(&view, &other);
    exb_acc_store(a, &view);
}

void exblas_acc_negate(exblas_acc *a)
{
    exb_superacc view = exb_acc_view(a);
    exb_superacc_negate(&view);
    exb_acc_store(a, &view);
}

void exblas_acc_normalize(exblas_acc *a)
{
    exb_superacc view = exb_acc_view(a);
    exb_superacc_normalize(&view);
    exb_acc_store(a, &view);
}

int exblas_acc_sign(const exblas_acc *a)
{
    exblas_acc copy = *a;
    exb_superacc view = exb_acc_view(&copy);
    return exb_superacc_sign(&view);
}

int exblas_acc_compare(const exblas_acc *a, const exblas_acc *b)
{
    exblas_acc copy_a = *a, copy_b = *b;
    exb_superacc view_a = exb_acc_view(&copy_a), view_b = exb_acc_view(&copy_b);
    return exb_superacc_compare(&view_a, &view_b);
}

/* The magnitude's words in `product` (FINISH, normalised, not negative, below 2^2141) as a
 * PRODUCT window; false if bits are below the unit or the value is too large. */
static bool narrow_product(const int64_t *product, int64_t *word)
{
    enum { N_BELOW = EXB_ACC_MIN_EXP2 - (EXB_GRID_EXP2 + EXB_WORD_BITS * EXB_PRODUCT_FIRST) };
    const int64_t *p = product + EXB_PRODUCT_FIRST;
    int64_t lost = p[0] & (((int64_t)1 << N_BELOW) - 1);
    for (int i = 0; i < EXB_PRODUCT_FIRST; i++)
        lost |= product[i];
    /* What lies above the window's 53-bit words belongs to its top word, which has 63. */
    int64_t above = p[EXB_PRODUCT_WORDS];
    if (lost || above >> (63 - EXB_WORD_BITS))
        return false;
    memcpy(word, p, EXB_PRODUCT_WORDS * sizeof *word);
    word[EXB_PRODUCT_WORDS - 1] += above << EXB_WORD_BITS;
    return true;
}

exblas_status exblas_acc_scale(exblas_acc *a, double f)
{
    exblas_acc copy = *a;
    exb_superacc view = exb_acc_view(&copy);
    exb_finish_acc storage;
    exb_superacc *product = exb_finish_acc_init(&storage);
    int exponent;
    if (exb_split(f).is_finite && !a->special && exb_acc_product_exponent(&view, f, &exponent) &&
        exponent >= EXB_ACC_MAX_EXP2)
        return EXBLAS_ERANGE;
    exb_superacc_add_scaled(product, f, &view);
    exblas_acc_init(&copy);
    copy.special = product->special;
    bool negative = exb_superacc_make_positive(product);
    if (!copy.special && !narrow_product(product->word, copy.word))
        return EXBLAS_ERANGE;
    if (negative)
        exblas_acc_negate(&copy);
    exblas_acc_normalize(&copy);
    *a = copy;
    return EXBLAS_OK;
}
