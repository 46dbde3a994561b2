/* axpy, axpyc, axpby, rot, and scal by a real or a complex number: each part of an output element
 * is one rounding of its exact expression. Types: s d c z. */
#include "entry.h"

#include "core/fpenv.h"
#include "core/kernels.h"
#include "core/partition.h"
#include "core/thread.h"
#include "level1/linear.h"

/* Vectors of n elements with increments in reals. The other part of alpha is zero, +0 or -0; if not
 * `crossed` there is none. */
typedef struct {
    int64_t n, incx, incy;
    int n_ranges;
    bool crossed, conjugate;
    exb_real alpha, zero;
    const exb_real *x;
    exb_real *y;
} problem;

/* y = RN(alpha x): a product is rounded once as it is. Of a pair the other part times zero still
 * counts: NaN if it is not finite, else a zero, whose sign matters beside a product of 0, but not
 * beside one that underflows. */
EXB_INLINE void scale(const problem *p, int64_t k, bool in_place, int parts, bool crossed,
                      int64_t incx, int64_t incy)
{
    const exb_real alpha[2] = {p->alpha, p->conjugate ? -p->alpha : p->alpha};
    const exb_real zero[2] = {p->conjugate ? p->zero : -p->zero, p->zero};
    exb_range range = exb_partition_range(p->n, p->n_ranges, (int)k);
    exb_real *y = p->y;
    const exb_real *x = in_place ? y : p->x;
    for (int64_t i = range.begin; i < range.end; i++) {
        exb_real r[2];
        for (int j = 0; j < parts; j++) {
            exb_real xj = x[i * incx + j], q = alpha[j] * xj;
            exb_real t = crossed ? q + zero[j] * x[i * incx + 1 - j] : q;
            r[j] = exb_canonical(t == 0 && xj != 0 ? q : t);
        }
        for (int j = 0; j < parts; j++)
            y[i * incy + j] = r[j];
    }
}

EXB_INLINE void scale_by_stride(const problem *p, int64_t k, bool in_place)
{
    if (p->incx == 1 && p->incy == 1)
        scale(p, k, in_place, 1, false, 1, 1);
    else if (EXB_IS_COMPLEX && p->crossed && p->incx == 2 && p->incy == 2)
        scale(p, k, in_place, 2, true, 2, 2);
    else
        scale(p, k, in_place, EXB_PARTS, EXB_IS_COMPLEX && p->crossed, p->incx, p->incy);
}

static EXB_NOINLINE void scale_range(void *ctx, int64_t k)
{
    const problem *p = ctx;
    if (p->x == p->y) /* known to the compiler, so that it makes vectors */
        scale_by_stride(p, k, true);
    else
        scale_by_stride(p, k, false);
}

static EXB_NOINLINE void axpy_contiguous(void *ctx, int64_t k)
{
    const problem *p = ctx;
    exb_range range = exb_partition_range(p->n, p->n_ranges, (int)k);
    exb_kernels_current()->EXB_PART.axpy(range.end - range.begin, p->alpha, p->x + range.begin,
                                         p->y + range.begin);
}

static void update_vector(problem *p, void (*task)(void *, int64_t))
{
    p->n_ranges = exb_partition_count((double)p->n, p->n);
    exb_parallel_for(p->n_ranges, p->n_ranges, task, p);
}

void exb_entry_mixed(scal)(int64_t n, exb_real alpha, exb_real *x, int64_t incx)
{
    if (n <= 0 || incx <= 0)
        return;
    problem p = {.n = n, .incx = EXB_PARTS * incx, .alpha = alpha, .x = x, .y = x};
    if (incx == 1) {
        p.n *= EXB_PARTS;
        p.incx = 1;
    }
    p.incy = p.incx;
    EXB_GUARDED(update_vector(&p, scale_range));
}

/* The routines proper, not inlined: scalars are looked at inside the guard. */
static EXB_NOINLINE void axpy(int64_t n, exb_scalar alpha, bool conjugate, const exb_real *x,
                              int64_t incx, exb_real *y, int64_t incy)
{
    exb_complex a = exb_scalar_value(alpha);
    if (a.re == 0 && a.im == 0)
        return;
    if (!EXB_IS_COMPLEX && incx == 1 && incy == 1) {
        problem p = {.n = n, .alpha = (exb_real)a.re, .x = x, .y = y};
        update_vector(&p, axpy_contiguous);
        return;
    }
    exb_p(linear) l = exb_t(linear_of)(n);
    int ix = exb_t(linear_operand)(&l, x, incx), iy = exb_t(linear_operand)(&l, y, incy);
    exb_t(linear_output)(&l, iy, y);
    exb_t(linear_real)(&l, iy, 1, iy);
    exb_t(linear_scaled)(&l, iy, a, conjugate, ix);
    exb_p(linear_apply)(&l);
}

void exb_entry(axpy)(int64_t n, exb_scalar alpha, const exb_real *x, int64_t incx, exb_real *y,
                     int64_t incy)
{
    if (n <= 0)
        return;
    EXB_GUARDED(axpy(n, alpha, false, x, incx, y, incy));
}

#if EXB_IS_COMPLEX
void exb_entry(axpyc)(int64_t n, exb_scalar alpha, const exb_real *x, int64_t incx, exb_real *y,
                      int64_t incy)
{
    if (n <= 0)
        return;
    EXB_GUARDED(axpy(n, alpha, true, x, incx, y, incy));
}
#endif

EXB_NOINLINE void exb_t(linear_axpby)(int64_t n, exb_complex a, bool conjugate, const exb_real *x,
                                      int64_t incx, exb_complex b, exb_real *y, int64_t incy)
{
    bool has_x = !(a.re == 0 && a.im == 0), has_y = !(b.re == 0 && b.im == 0);
    if (!has_x && !has_y) {
        exb_entry(copy)(n, (const exb_real[EXB_PARTS]){0}, 0, y, incy);
        return;
    }
    bool suits_kernel =
        EXB_IS_COMPLEX && !EXB_IS_S && incx == 1 && incy == 1; /* doubles in lanes */
    if (!has_y && a.re != 0 && a.im == 0 && incy != 0 && !suits_kernel) {
        int64_t dx = EXB_PARTS * incx, dy = EXB_PARTS * incy;
        problem p = {.n = n, .incx = dx, .incy = dy, .crossed = true, .conjugate = conjugate};
        p.alpha = (exb_real)a.re;
        p.zero = (exb_real)a.im;
        p.x = x + exb_first(n, dx);
        p.y = y + exb_first(n, dy);
        update_vector(&p, scale_range);
        return;
    }
    exb_p(linear) l = exb_t(linear_of)(n);
    int iy = exb_t(linear_operand)(&l, y, incy), ix = iy;
    exb_t(linear_output)(&l, iy, y);
    if (has_x) {
        ix = exb_t(linear_operand)(&l, x, incx);
        exb_t(linear_scaled)(&l, iy, a, conjugate, ix);
    }
    if (has_y)
        exb_t(linear_scaled)(&l, iy, b, false, iy);
    exb_p(linear_apply)(&l);
}

static EXB_NOINLINE void axpby(int64_t n, exb_scalar alpha, const exb_real *x, int64_t incx,
                               exb_scalar beta, exb_real *y, int64_t incy)
{
    exb_complex a = exb_scalar_value(alpha), b = exb_scalar_value(beta);
    exb_t(linear_axpby)(n, a, false, x, incx, b, y, incy);
}

void exb_entry(axpby)(int64_t n, exb_scalar alpha, const exb_real *x, int64_t incx, exb_scalar beta,
                      exb_real *y, int64_t incy)
{
    if (n <= 0)
        return;
    EXB_GUARDED(axpby(n, alpha, x, incx, beta, y, incy));
}

/* x = c x + s y and y = c y - conj(s) x; c and, if so said, s are real. */
static EXB_NOINLINE void rot(int64_t n, exb_real *x, int64_t incx, exb_real *y, int64_t incy,
                             exb_real c, const exb_real *s, bool is_real)
{
    exb_p(linear) l = exb_t(linear_of)(n);
    int ix = exb_t(linear_operand)(&l, x, incx), iy = exb_t(linear_operand)(&l, y, incy);
    exb_complex a = {s[0], is_real ? 0 : s[1]}, b = {-a.re, a.im};
    exb_t(linear_output)(&l, ix, x);
    exb_t(linear_output)(&l, iy, y);
    exb_t(linear_real)(&l, ix, c, ix);
    if (is_real) {
        exb_t(linear_real)(&l, ix, a.re, iy);
        exb_t(linear_real)(&l, iy, b.re, ix);
    } else {
        exb_t(linear_scaled)(&l, ix, a, false, iy);
        exb_t(linear_scaled)(&l, iy, b, false, ix);
    }
    exb_t(linear_real)(&l, iy, c, iy);
    exb_p(linear_apply)(&l);
}

void exb_entry_mixed(rot)(int64_t n, exb_real *x, int64_t incx, exb_real *y, int64_t incy,
                          exb_real c, exb_real s)
{
    if (n <= 0)
        return;
    EXB_GUARDED(rot(n, x, incx, y, incy, c, &s, true));
}

#if EXB_IS_COMPLEX
static EXB_NOINLINE void scale_vector(int64_t n, exb_scalar alpha, exb_real *x, int64_t incx)
{
    exb_p(linear) l = exb_t(linear_of)(n);
    int ix = exb_t(linear_operand)(&l, x, incx);
    exb_t(linear_output)(&l, ix, x);
    exb_t(linear_scaled)(&l, ix, exb_scalar_value(alpha), false, ix);
    exb_p(linear_apply)(&l);
}

void exb_entry(scal)(int64_t n, exb_scalar alpha, exb_real *x, int64_t incx)
{
    if (n <= 0 || incx <= 0)
        return;
    EXB_GUARDED(scale_vector(n, alpha, x, incx));
}

void exb_entry(rot)(int64_t n, exb_real *x, int64_t incx, exb_real *y, int64_t incy, exb_real c,
                    exb_scalar s)
{
    if (n <= 0)
        return;
    EXB_GUARDED(rot(n, x, incx, y, incy, c, s, false));
}
#endif
