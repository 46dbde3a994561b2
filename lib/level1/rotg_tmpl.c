/* rotg of real numbers: with the exact root R = sqrt(a^2 + b^2) and its sign
 *
 *   r = RN(+-R)   c = RN(+-a / R)   s = RN(+-b / R)
 *
 * each the root of a ratio of a^2, b^2 and a^2 + b^2. Formulas and special cases: reference
 * BLAS 3.10; Anderson, "Algorithm 978: Safe scaling in the level 1 BLAS" (2017).
 * Types: s d. */
#include "entry.h"

#include "core/fpenv.h"
#include "core/type.h"

typedef struct {
    exb_real r, c, s;
} rotation;

static exb_real with_sign(exb_real magnitude, bool negative)
{
    return negative ? -magnitude : magnitude;
}

static rotation finite_rotation(double a, double b, bool negative)
{
    exb_big a2 = exb_big_of_product(a, a), b2 = exb_big_of_product(b, b), one = exb_big_of(1);
    exb_big sum = exb_big_add(&a2, &b2);
    return (rotation){
        with_sign(exb_round_root_of_ratio(&sum, &one), negative),
        with_sign(exb_round_root_of_ratio(&a2, &sum), !signbit(a) == negative),
        with_sign(exb_round_root_of_ratio(&b2, &sum), !signbit(b) == negative),
    };
}

/* The formulas in the extended reals, R = Inf or NaN: Inf / Inf = NaN, else 0. */
static rotation infinite_rotation(double a, double b, bool negative)
{
    exb_real root = with_sign((exb_real)(fabs(a) + fabs(b)), negative);
    if (isnan(root))
        return (rotation){exb_canonical(NAN), exb_canonical(NAN), exb_canonical(NAN)};
    return (rotation){root, exb_canonical((exb_real)a / root), exb_canonical((exb_real)b / root)};
}

static exb_real encoded(double a, double b, rotation q)
{
    if (fabs(a) > fabs(b))
        return q.s;
    return q.c != 0 ? exb_canonical(1 / q.c) : 1;
}

static EXB_NOINLINE void make_rotation(exb_real *a, exb_real *b, exb_real *c, exb_real *s)
{
    double x = *a, y = *b;
    bool negative = signbit(fabs(x) > fabs(y) ? x : y);
    rotation q;
    exb_real z;
    if (y == 0) {
        q = (rotation){exb_canonical(*a), 1, 0};
        z = 0;
    } else if (x == 0) {
        q = (rotation){exb_canonical(*b), 0, 1};
        z = 1;
    } else {
        bool is_finite = isfinite(x) && isfinite(y);
        q = is_finite ? finite_rotation(x, y, negative) : infinite_rotation(x, y, negative);
        z = encoded(x, y, q);
    }
    *a = q.r;
    *b = z;
    *c = q.c;
    *s = q.s;
}

void exb_entry(rotg)(exb_real *a, exb_real *b, exb_real *c, exb_real *s)
{
    EXB_GUARDED(make_rotation(a, b, c, s));
}
