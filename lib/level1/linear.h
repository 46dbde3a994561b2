/* Linear combinations of vectors, element by element: what scal, axpy, axpby, rot and
 * rotm compute, each output element the exact combination rounded once.
 *
 * A combination is described in real vectors, the operands with their parts side by side: out_i =
 * RN(sum of coef_k in_k,i) with up to four terms. Alpha x is alpha.re (x.re, x.im) + alpha.im
 * (-x.im, x.re), whose second vector is x turned. A routine names its operands and the terms of its
 * outputs,
 *
 *   exb_p(linear) l = exb_t(linear_of)(n);
 *   int ix = exb_t(linear_operand)(&l, x, incx), iy = exb_t(linear_operand)(&l, y, incy);
 *   exb_t(linear_output)(&l, iy, y);
 *   exb_t(linear_scaled)(&l, iy, alpha, false, ix);
 *   exb_t(linear_real)(&l, iy, 1, iy);
 *   exb_p(linear_apply)(&l);
 *
 * and is the same text for real and complex elements. An operand is written after all
 * outputs of its element have been computed. */
#pragma once

#include "core/partition.h"
#include "core/type.h"

enum { EXB_LINEAR_VECTORS = 4, EXB_LINEAR_TERMS = 4 };

/* Element i of the vector is at p[i * inc], as (a, b) sign[0] a, sign[1] b, or turned sign[0] b,
 * sign[1] a. Output k, if it is one, is the sum of coef[j] times vector input[j]. */
typedef struct {
    const exb_real *p;
    exb_real *out; /* NULL, or p */
    int64_t inc;
    bool is_turned;
    exb_real sign[2];
    int n_terms;
    double coef[EXB_LINEAR_TERMS];
    int input[EXB_LINEAR_TERMS];
} exb_p(linear_vector);

typedef struct exb_p(linear)
{
    int64_t n;
    int n_parts, n_vectors;
    exb_p(linear_vector) vector[EXB_LINEAR_VECTORS];
}
exb_p(linear);

/* Computes all outputs, with as many threads as pay off, in the default floating-point
 * environment, in which the combination has been put together as well: under DAZ already
 * the conversion of a subnormal float to double gives 0. Where an output has increment
 * 0 the elements are computed one after the other. n > 0. */
void exb_p(linear_apply)(const exb_p(linear) *l);

/* For the kernel: those of n numbers of out that are NaN, exactly. term[k] holds n numbers of the
 * vector of v's term k. */
void exb_p(linear_resolve)(const exb_p(linear_vector) *v, int64_t n, const exb_real *const *term,
                           exb_real *out);

/* Of n elements, without vectors: to clear these takes as long as some elements. */
EXB_INLINE exb_p(linear) exb_t(linear_of)(int64_t n)
{
    exb_p(linear) l;
    l.n = n;
    l.n_vectors = 0;
    return l;
}

/* Adds a vector of n elements in BLAS's order. Returns its number. */
EXB_INLINE int exb_t(linear_operand)(exb_p(linear) *l, const exb_real *x, int64_t incx)
{
    int64_t inc = EXB_PARTS * incx;
    const exb_real *first = x + exb_first(l->n, inc);
    l->n_parts = EXB_PARTS;
    l->vector[l->n_vectors] = (exb_p(linear_vector)){.p = first, .inc = inc, .sign = {1, 1}};
    return l->n_vectors++;
}

/* Operand `number`, which is x, is written. */
EXB_INLINE void exb_t(linear_output)(exb_p(linear) *l, int number, exb_real *x)
{
    exb_p(linear_vector) *v = &l->vector[number];
    v->out = x + exb_first(l->n, v->inc);
}

/* out += c * in, c real. */
EXB_INLINE void exb_t(linear_real)(exb_p(linear) *l, int out, double c, int in)
{
    exb_p(linear_vector) *v = &l->vector[out];
    v->coef[v->n_terms] = c;
    v->input[v->n_terms++] = in;
}

/* out += alpha * in; complex: the four products, also where a factor is 0, in two terms of which
 * the second is turned. With `conjugate` operand `in` becomes its conjugate. */
EXB_INLINE void exb_t(linear_scaled)(exb_p(linear) *l, int out, exb_complex alpha, bool conjugate,
                                     int in)
{
    exb_p(linear_vector) *v = &l->vector[in];
    exb_t(linear_real)(l, out, alpha.re, in);
    if (!EXB_IS_COMPLEX)
        return;
    v->sign[1] = conjugate ? -1 : 1;
    l->vector[l->n_vectors] = (exb_p(linear_vector)){
        .p = v->p, .inc = v->inc, .is_turned = true, .sign = {-v->sign[1], 1}};
    exb_t(linear_real)(l, out, alpha.im, l->n_vectors++);
}

/* y_i = RN(alpha x_i + beta y_i), or of conj(x_i), as axpby does it: n > 0, in the default
 * floating-point environment. */
void exb_t(linear_axpby)(int64_t n, exb_complex alpha, bool conjugate, const exb_real *x,
                         int64_t incx, exb_complex beta, exb_real *y, int64_t incy);
