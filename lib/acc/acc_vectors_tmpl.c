/* Accumulators: vectors of terms, and results that need arithmetic, in the formats s and d.
 * Types: s d. */
#include "acc/acc_names.h"
#include "acc/acc_view.h"
#include "acc/enclosure_of.h"

#include "element/line.h"
#include "core/fpenv.h"
#include "level1/reduce.h"

/* A few terms are added one by one: joining the lanes of expansions would cost more. */
static const exb_method *method_for(int64_t n)
{
    static const exb_method one_by_one = {"superacc", false, 0, false, EXB_ENGINE_GENERAL};
    return n <= EXB_SHORT ? &one_by_one : exb_method_current();
}

static EXB_NOINLINE void add_reduction(exblas_acc *a, const exb_t(reduction) *r)
{
    exb_superacc view = exb_acc_view(a);
    exb_t(reduce_exact_threads)(r, method_for(r->n), &view);
    exb_acc_store(a, &view);
}

static void add_guarded(exblas_acc *a, const exb_t(reduction) *r)
{
    EXB_GUARDED(add_reduction(a, r));
}

void acc_of_vector(add_vector)(exblas_acc *a, int64_t n, const exb_real *x, int64_t incx)
{
    exb_t(reduction) r = {EXB_TERM_X, n, x + exb_first(n, incx), incx, NULL, 0};
    add_guarded(a, &r);
}

void acc_of_vector(add_magnitudes)(exblas_acc *a, int64_t n, const exb_real *x, int64_t incx)
{
    exb_t(reduction) r = {EXB_TERM_ABS_X, n, x + exb_first(n, incx), incx, NULL, 0};
    add_guarded(a, &r);
}

void acc_of_vector(add_dot)(exblas_acc *a, int64_t n, const exb_real *x, int64_t incx,
                            const exb_real *y, int64_t incy)
{
    exb_t(reduction) r =
        exb_t(dot_of)(n, x + exb_first(n, incx), incx, y + exb_first(n, incy), incy);
    add_guarded(a, &r);
}

exb_enclosure exb_t(enclosure_of)(exb_term term, int64_t n, const exb_real *x, int64_t incx,
                                  const exb_real *y, int64_t incy)
{
    exb_t(reduction) r = {term, n, x, incx, y, incy};
    return exb_method_current()->filter ? exb_t(reduce_filter_threads)(&r)
                                        : exb_enclosure_unknown();
}

void exb_t(part_enclosures_of)(int64_t n, const exb_real *x, exb_enclosure v[2])
{
    const exb_t(reduction) r = {EXB_TERM_X, n, x, 1, x, 1};
    v[0] = v[1] = exb_enclosure_unknown();
    if (n >= EXB_PARTS_LENGTH && exb_method_current()->filter)
        exb_t(reduce_filter_by)(&r, (exb_filter){2, EXB_IS_S, false}, v);
}

/* Beyond this exponent alpha a alone decides: |beta y| < 2^2048, and the rest overflows. It is
 * put in place of larger ones, which would not fit into the finishing accumulator. */
enum { DECIDES = 2100 };

static EXB_NOINLINE exb_real affine(exblas_acc *a, double alpha, double beta, double y)
{
    exb_superacc view = exb_acc_view(a);
    int exponent;
    if (!view.special && exb_split(alpha).is_finite &&
        exb_acc_product_exponent(&view, alpha, &exponent) && exponent > DECIDES) {
        bool negative = (exb_superacc_sign(&view) < 0) != (alpha < 0);
        exb_superacc_init(&view, a->word, view.first, view.n_words);
        exb_superacc_deposit(&view, negative, 1, DECIDES);
        alpha = 1;
    }
    exb_superacc *sum = &view;
    const exb_line line = exb_t(line)((exb_complex){alpha, 0}, (exb_complex){beta, 0});
    return exb_t(line_exactly)(&line, 0, &sum, (exb_complex){y, 0});
}

exb_real acc_to(affine_)(const exblas_acc *a, exb_real alpha, exb_real beta, exb_real y)
{
    exblas_acc copy = *a;
    exb_real result;
    EXB_GUARDED(result = affine(&copy, alpha, beta, y));
    return result;
}
