/* rotm and rotmg: the modified Givens rotation.
 * Types: s d. */
#include "entry.h"

#include "core/fpenv.h"
#include "level1/linear.h"

/* param = flag, h11, h21, h12, h22. x and y of the output; entries that the flag
 * implies are not read. */
static EXB_NOINLINE void rotate_vectors(int64_t n, exb_real *x, int64_t incx, exb_real *y,
                                        int64_t incy, const exb_real *param)
{
    exb_real flag = param[0];
    if (flag == -2)
        return;
    bool full = flag < 0, unit_diagonal = flag == 0;
    exb_p(linear) l = exb_t(linear_of)(n);
    int ix = exb_t(linear_operand)(&l, x, incx), iy = exb_t(linear_operand)(&l, y, incy);
    exb_t(linear_output)(&l, ix, x);
    exb_t(linear_output)(&l, iy, y);
    exb_t(linear_real)(&l, ix, unit_diagonal ? 1 : param[1], ix);
    exb_t(linear_real)(&l, ix, full || unit_diagonal ? param[3] : 1, iy);
    exb_t(linear_real)(&l, iy, full || unit_diagonal ? param[2] : -1, ix);
    exb_t(linear_real)(&l, iy, unit_diagonal ? 1 : param[4], iy);
    exb_p(linear_apply)(&l);
}

void exb_entry(rotm)(int64_t n, exb_real *x, int64_t incx, exb_real *y, int64_t incy,
                     const exb_real *param)
{
    if (n <= 0)
        return;
    EXB_GUARDED(rotate_vectors(n, x, incx, y, incy, param));
}

/* rotmg follows the reference implementation operation by operation, each rounded to the
 * type; its bounds gamma^2 and 1 / gamma^2, gamma = 4096, are the decimal numbers of its
 * DATA statements. H keeps what was scaled before: the reference BLAS 3.11 sets two entries of
 * it anew in every pass after the first, and such an H does not annihilate. Source: Lawson,
 * Hanson, Kincaid, Krogh, ACM TOMS 5 (1979). */
static const exb_real gamma_ = 4096;
static const exb_real upper = EXB_IS_S ? 1.67772e7f : 16777216;
static const exb_real lower = EXB_IS_S ? (exb_real)5.96046e-8f : (exb_real)5.9604645e-8;

typedef struct {
    exb_real d1, d2, x1;
    exb_real flag, h11, h21, h12, h22;
} modified;

static modified annihilated(void)
{
    return (modified){.flag = -1};
}

/* |d1 x1^2| > |d2 y1^2|: the first component stays. */
static modified keep(modified m, exb_real y1, exb_real p1, exb_real p2)
{
    m.h21 = -y1 / m.x1;
    m.h12 = p2 / p1;
    exb_real product = m.h12 * m.h21;
    exb_real u = 1 - product;
    if (!(u > 0))
        return annihilated();
    m.flag = 0;
    m.d1 /= u;
    m.d2 /= u;
    m.x1 *= u;
    return m;
}

static modified exchange(modified m, exb_real y1, exb_real p1, exb_real p2)
{
    m.flag = 1;
    m.h11 = p1 / p2;
    m.h22 = m.x1 / y1;
    exb_real product = m.h11 * m.h22;
    exb_real u = 1 + product, d1 = m.d1;
    m.d1 = m.d2 / u;
    m.d2 = d1 / u;
    m.x1 = y1 * u;
    return m;
}

/* H with all entries: those that the flag implied so far are stored. */
static void make_full(modified *m)
{
    if (m->flag == 0) {
        m->h11 = 1;
        m->h22 = 1;
    } else if (m->flag == 1) {
        m->h21 = -1;
        m->h12 = 1;
    }
    m->flag = -1;
}

/* d is out of bounds, and scaling can help: Inf stays Inf (the reference's loop does not
 * end there). */
static bool out_of_bounds(exb_real d)
{
    double size = fabs((double)d);
    return d != 0 && (size <= lower || size >= upper) && d - d == 0;
}

/* |d| between the bounds, with the numbers of its component, the last of which may be NULL. */
static void scale(modified *m, exb_real *d, exb_real *const number[3])
{
    while (out_of_bounds(*d)) {
        bool small = fabs((double)*d) <= lower;
        exb_real square = gamma_ * gamma_;
        make_full(m);
        *d = small ? *d * square : *d / square;
        for (int k = 0; k < 3 && number[k]; k++)
            *number[k] = small ? *number[k] / gamma_ : *number[k] * gamma_;
    }
}

static modified modify_pair(modified m, exb_real y1)
{
    if (m.d1 < 0)
        return annihilated();
    exb_real p2 = m.d2 * y1;
    if (p2 == 0) {
        m.flag = -2;
        return m;
    }
    exb_real p1 = m.d1 * m.x1, q2 = p2 * y1, q1 = p1 * m.x1;
    if (fabs((double)q1) > fabs((double)q2))
        m = keep(m, y1, p1, p2);
    else if (q2 < 0 || (q2 == 0 && m.d2 < 0)) /* it may have underflowed */
        m = annihilated();
    else
        m = exchange(m, y1, p1, p2);
    scale(&m, &m.d1, (exb_real *const[]){&m.h11, &m.h12, &m.x1});
    scale(&m, &m.d2, (exb_real *const[]){&m.h21, &m.h22, NULL});
    return m;
}

static EXB_NOINLINE void make_modified(exb_real *d1, exb_real *d2, exb_real *x1, exb_real y1,
                                       exb_real *param)
{
    modified m = modify_pair((modified){.d1 = *d1, .d2 = *d2, .x1 = *x1}, y1);
    param[0] = m.flag;
    if (m.flag == -2)
        return;
    *d1 = exb_canonical(m.d1);
    *d2 = exb_canonical(m.d2);
    *x1 = exb_canonical(m.x1);
    if (m.flag != 0) {
        param[1] = exb_canonical(m.h11);
        param[4] = exb_canonical(m.h22);
    }
    if (m.flag <= 0) {
        param[2] = exb_canonical(m.h21);
        param[3] = exb_canonical(m.h12);
    }
}

void exb_entry(rotmg)(exb_real *d1, exb_real *d2, exb_real *x1, exb_real y1, exb_real *param)
{
    EXB_GUARDED(make_modified(d1, d2, x1, y1, param));
}
