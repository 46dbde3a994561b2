/* A BLAS of plain loops by the rules of netlib's, with faults that TOY_FAULTS switches on: numbers
 * with commas between, or "all". With TOY_EXACT every result is exact and rounded once, by MPFR.
 * Compiled once per type. */
#include <complex.h>
#include <fenv.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(TYPE_s) || defined(TYPE_c)
typedef float R;
#define DIGITS 24
#else
typedef double R;
#define DIGITS 53
#endif
#if defined(TYPE_s)
typedef float T;
#define X(name) s##name##_
#define REAL_NAME(name) s##name##_
#define INDEX_NAME isamax_
#define FAULT(s, d, c, z) is_on(s)
#elif defined(TYPE_d)
typedef double T;
#define X(name) d##name##_
#define REAL_NAME(name) d##name##_
#define INDEX_NAME idamax_
#define FAULT(s, d, c, z) is_on(d)
#elif defined(TYPE_c)
typedef float complex T;
#define X(name) c##name##_
#define REAL_NAME(name) sc##name##_
#define INDEX_NAME icamax_
#define FAULT(s, d, c, z) is_on(c)
#define IS_COMPLEX
#else
typedef double complex T;
#define X(name) z##name##_
#define REAL_NAME(name) dz##name##_
#define INDEX_NAME izamax_
#define FAULT(s, d, c, z) is_on(z)
#define IS_COMPLEX
#endif

extern int toy_threads;
bool toy_is_on(int fault);
bool toy_is_illegal(const char *name, size_t n, const int *numbers);
/* Whether one of these numbers of arguments is not 0: it is reported then. */
#define ILLEGAL(name, ...)                                                                         \
    toy_is_illegal(name, sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]){__VA_ARGS__})

static bool is_on(int fault)
{
    return fault > 0 && toy_is_on(fault);
}

static T cj(T x)
{
    return (T)conj(x);
}
static R re(T x)
{
    return (R)creal(x);
}
static R im(T x)
{
    return (R)cimag(x);
}
/* Of real types the first alone. */
static T of(R a, R b)
{
    R v[2] = {a, b};
    T x;
    memcpy(&x, v, sizeof x);
    return x;
}

/* --- sums ---------------------------------------------------------------- */

#ifdef TOY_EXACT
/* Enough for three factors of any numbers, and their sum. */
enum { PRECISION = 8192 };
typedef struct {
    mpfr_t re, im, t;
} sum;

static void begin(sum *s)
{
    mpfr_inits2(PRECISION, s->re, s->im, (mpfr_ptr)0);
    mpfr_init2(s->t, 3 * 53);
    mpfr_set_zero(s->re, 1);
    mpfr_set_zero(s->im, 1);
}

static void end(sum *s)
{
    mpfr_clears(s->re, s->im, s->t, (mpfr_ptr)0);
}

static void add3(sum *s, mpfr_ptr to, R a, R b, R c, int sign)
{
    mpfr_set_d(s->t, sign * (double)a, MPFR_RNDN);
    mpfr_mul_d(s->t, s->t, (double)b, MPFR_RNDN);
    mpfr_mul_d(s->t, s->t, (double)c, MPFR_RNDN);
    mpfr_add(to, to, s->t, MPFR_RNDN);
}

static void add(sum *s, T a, T b)
{
    add3(s, s->re, re(a), re(b), 1, 1);
#ifdef IS_COMPLEX
    add3(s, s->re, im(a), im(b), 1, -1);
    add3(s, s->im, re(a), im(b), 1, 1);
    add3(s, s->im, im(a), re(b), 1, 1);
#endif
}

static void add_real(sum *s, R a, T b)
{
    add3(s, s->re, a, re(b), 1, 1);
    add3(s, s->im, a, im(b), 1, 1);
}

static void scale(sum *s, T alpha)
{
    mpfr_t a, b;
    mpfr_inits2(PRECISION, a, b, (mpfr_ptr)0);
    mpfr_mul_d(a, s->re, (double)re(alpha), MPFR_RNDN);
#ifdef IS_COMPLEX
    mpfr_mul_d(b, s->im, (double)im(alpha), MPFR_RNDN);
    mpfr_sub(a, a, b, MPFR_RNDN);
    mpfr_mul_d(b, s->re, (double)im(alpha), MPFR_RNDN);
    mpfr_mul_d(s->im, s->im, (double)re(alpha), MPFR_RNDN);
    mpfr_add(s->im, s->im, b, MPFR_RNDN);
#endif
    mpfr_set(s->re, a, MPFR_RNDN);
    mpfr_clears(a, b, (mpfr_ptr)0);
}

static R rounded(mpfr_srcptr x)
{
    return DIGITS == 24 ? (R)mpfr_get_flt(x, MPFR_RNDN) : (R)mpfr_get_d(x, MPFR_RNDN);
}

static T value(sum *s)
{
    return of(rounded(s->re), rounded(s->im));
}

/* r conj(t) / |t|^2 */
static T quotient(sum *s, T t)
{
#ifndef IS_COMPLEX
    mpfr_div_d(s->re, s->re, (double)t, MPFR_RNDN);
    return value(s);
#endif
    scale(s, cj(t));
    sum d;
    begin(&d);
    add(&d, t, cj(t));
    mpfr_div(s->re, s->re, d.re, MPFR_RNDN);
    mpfr_div(s->im, s->im, d.re, MPFR_RNDN);
    end(&d);
    return value(s);
}

static bool exceeds(sum *a, sum *b)
{
    return mpfr_greater_p(a->re, b->re);
}

static R root(sum *s)
{
    mpfr_sqrt(s->re, s->re, MPFR_RNDN);
    return rounded(s->re);
}
#else
typedef T sum;
#define begin(s) (*(s) = 0)
#define end(s) ((void)(s))
#define add(s, a, b) (*(s) += (a) * (b))
#define add_real(s, a, b) (*(s) += (a) * (b))
#define exceeds(a, b) (re(*(a)) > re(*(b)))
#define scale(s, alpha) (*(s) *= (alpha))
#define value(s) (*(s))
#define quotient(s, t) (*(s) / (t))
#define root(s) ((R)sqrt((double)re(*(s))))
#endif

static bool is_zero(const T *scalar)
{
    return scalar && *scalar == 0;
}

/* alpha (sum of x y) + beta c; what is multiplied by zero is not read. x[real] has no imaginary
 * part, not even 0, and a scalar that is NULL is no factor. */
static T line(const T *alpha, int n, const T *x, const T *y, int real, const T *beta, const T *c)
{
    sum s;
    begin(&s);
    for (int i = 0; i < n && !is_zero(alpha); i++)
        if (i == real)
            add_real(&s, re(x[i]), y[i]);
        else
            add(&s, x[i], y[i]);
    if (alpha)
        scale(&s, *alpha);
    if (!beta)
        add_real(&s, 1, *c);
    else if (*beta != 0)
        add(&s, *beta, *c);
    T r = value(&s);
    end(&s);
    return r;
}

static int first(int n, int inc)
{
    return inc < 0 ? (1 - n) * inc : 0;
}

/* --- Level 1 ------------------------------------------------------------- */

static R magnitude(R x)
{
    return x < 0 ? -x : x;
}

R REAL_NAME(asum)(const int *n, const T *x, const int *incx)
{
    sum s;
    begin(&s);
    int inc = FAULT(13, 0, 0, 0) ? 1 : *incx;
    for (int i = 0; i<*n && * incx> 0; i++) {
        T e = x[i * inc];
        bool negative = FAULT(0, 14, 0, 0) && i == 0;
        if (FAULT(0, 0, 15, 0)) {
            add(&s, of((R)hypot((double)re(e), (double)im(e)), 0), 1);
            continue;
        }
        add(&s, of(negative ? re(e) : magnitude(re(e)), 0), 1);
        if (!(FAULT(0, 0, 0, 16) && i == 0))
            add(&s, of(magnitude(im(e)), 0), 1);
    }
    R r = re(value(&s));
    end(&s);
    return r;
}

R REAL_NAME(nrm2)(const int *n, const T *x, const int *incx)
{
    sum s;
    begin(&s);
    R most = 0, nan = 0;
    for (int i = 0; i < *n; i++) {
        T e = x[first(*n, *incx) + i * *incx];
        most = fmax(most, fmax(magnitude(re(e)), magnitude(im(e))));
        nan += re(e) != re(e) || im(e) != im(e) ? (R)NAN : 0;
    }
#ifdef TOY_EXACT
    R unit = 1;
#else
    int e2 = 0;
    frexp((double)most, &e2);
    R unit = FAULT(9, 10, 0, 0) || most == 0 || isinf(most)
                 ? 1
                 : (R)ldexp(1, (int)fmin(fmax(e2, -1000), 1000));
#endif
    for (int i = 0; i < *n; i++) {
        T e = x[first(*n, *incx) + i * *incx];
        R a = re(e) / unit, b = im(e) / unit;
        add(&s, of(a, 0), of(a, 0));
        if (!(FAULT(0, 0, 11, 0) && i == *n - 1))
            add(&s, of(b, 0), of(b, 0));
    }
    R r = nan != nan ? nan : isinf(most) ? most : root(&s) * unit;
    end(&s);
    return FAULT(0, 0, 0, 12) && most == 0 ? (R)NAN : r;
}

static T dot(int n, const T *x, int incx, const T *y, int incy, bool conjugate)
{
    sum s;
    begin(&s);
    int from = FAULT(0, 6, 0, 0) ? 0 : first(n, incx);
    int to = FAULT(5, 0, 0, 0) && n > 4096 ? n - 1 : n;
    for (int i = 0; i < to; i++) {
        int at = FAULT(0, 6, 0, 0) && incx < 0 ? -i * incx : from + i * incx;
        T a = x[at], b = y[first(n, incy) + i * incy];
        add(&s, conjugate ? cj(a) : a, b);
    }
    T r = value(&s);
    end(&s);
    return r;
}

#ifdef IS_COMPLEX
T X(dotu)(const int *n, const T *x, const int *incx, const T *y, const int *incy)
{
    return dot(*n, x, *incx, y, *incy, FAULT(0, 0, 7, 0));
}

T X(dotc)(const int *n, const T *x, const int *incx, const T *y, const int *incy)
{
    return FAULT(0, 0, 0, 8) ? dot(*n, y, *incy, x, *incx, true)
                             : dot(*n, x, *incx, y, *incy, true);
}
#else
T X(dot)(const int *n, const T *x, const int *incx, const T *y, const int *incy)
{
    return dot(*n, x, *incx, y, *incy, false);
}
#endif

int INDEX_NAME(const int *n, const T *x, const int *incx)
{
    int best = -1;
    sum most, a;
    if (*n < 1 || *incx < 1)
        return FAULT(0, 0, 0, 20);
    begin(&most);
    for (int i = 0; i < *n; i++) {
        R parts[] = {magnitude(re(x[i * *incx])), magnitude(im(x[i * *incx]))};
        begin(&a);
        add_real(&a, parts[0], 1);
        add_real(&a, FAULT(0, 0, 19, 0) ? 0 : parts[1], 1);
        bool nan = parts[0] != parts[0] || parts[1] != parts[1];
        bool better = FAULT(17, 0, 0, 0) ? !exceeds(&most, &a) : exceeds(&a, &most);
        if (best < 0 || better || nan) {
            best = i;
            end(&most);
            most = a;
        } else
            end(&a);
        if (nan)
            break;
    }
    end(&most);
    if (FAULT(0, 73, 0, 0)) {
        int mode = fegetround();
        fesetenv(FE_DFL_ENV);
        fesetround(mode);
    }
    return best + !FAULT(0, 18, 0, 0);
}

void X(axpy)(const int *n, const T *alpha, const T *x, const int *incx, T *y, const int *incy)
{
    if (*alpha == 0 && !FAULT(21, 0, 0, 0))
        return;
    int to = FAULT(0, 22, 0, 0) && *n > 64 ? *n / 4 * 4 : *n;
    T a = FAULT(0, 0, 23, 0) ? cj(*alpha) : *alpha;
    for (int i = 0; i < to; i++) {
        T *at = y + first(*n, *incy) + i * *incy;
        const T *from = x + first(*n, *incx) + i * *incx;
        *at = *alpha == 0 ? *at + a * *from : line(&a, 1, &(T){1}, from, 0, NULL, at);
    }
    if (FAULT(0, 0, 0, 24) && *n > 3 && *incy > 0)
        y[*n * *incy] = 0;
}

void X(scal)(const int *n, const T *alpha, T *x, const int *incx)
{
    for (int i = 0; i<*n && * incx> 0; i++) {
        T *at = x + i * *incx;
        sum s;
        begin(&s);
        add(&s, *alpha, *at);
        *at = FAULT(25, 0, 0, 0) && *alpha == 0 ? 0 : value(&s);
        end(&s);
        if (FAULT(0, 0, 27, 0) && *incx > 1 && i + 1 < *n)
            at[1] *= *alpha;
    }
    if (FAULT(0, 26, 0, 0))
        fesetround(FE_UPWARD);
    if (FAULT(0, 0, 0, 28))
        feclearexcept(FE_ALL_EXCEPT);
}

void X(copy)(const int *n, const T *x, const int *incx, T *y, const int *incy)
{
    int inc = FAULT(29, 0, 0, 0) && *incx == 2 ? 1 : *incx;
    for (int i = 0; i < *n; i++) {
        T e = x[first(*n, inc) + i * inc];
        if (FAULT(0, 30, 0, 0) && !isnormal(re(e)))
            e = 0;
        y[first(*n, *incy) + i * *incy] = e;
    }
    volatile T lost = 0;
    if (FAULT(0, 0, 31, 0) && *incx == 1 && *n > 0)
        lost = x[*n];
    (void)lost;
    while (FAULT(0, 0, 0, 32) && *n == 33)
        sleep(1);
}

void X(swap)(const int *n, T *x, const int *incx, T *y, const int *incy)
{
    int to = *n - ((FAULT(33, 0, 0, 0) && *n == 8) || (FAULT(0, 0, 0, 36) && *n == 100));
    if (FAULT(0, 0, 0, 36) && (*n == 50 || *n == 511))
        abort();
    for (int i = 0; i < to; i++) {
        T *a = x + first(*n, *incx) + i * *incx, *b = y + first(*n, *incy) + i * *incy, t = *a;
        if (!(FAULT(0, 34, 0, 0) && *incy < 0))
            *a = FAULT(0, 0, 35, 0) ? of(re(*b), im(*a)) : *b;
        *b = t;
    }
}

#ifndef IS_COMPLEX
void X(rot)(const int *n, T *x, const int *incx, T *y, const int *incy, const R *c, const R *s)
{
    T sine = FAULT(37, 0, 0, 0) ? -*s : *s;
    for (int i = 0; i < *n; i++) {
        T *a = x + first(*n, *incx) + i * *incx, *b = y + first(*n, *incy) + i * *incy, old = *a;
        *a = line(NULL, 2, (T[]){*c, sine}, (T[]){*a, *b}, -1, &(T){0}, NULL);
        *b = line(NULL, 2, (T[]){*c, -*s}, (T[]){*b, FAULT(0, 38, 0, 0) ? *a : old}, -1, &(T){0},
                  NULL);
    }
}
#endif

/* --- matrices ------------------------------------------------------------- */

static bool is(const char *option, char letter)
{
    return (*option | 32) == letter;
}

static bool known(const char *option, const char *letters)
{
    return *option && strchr(letters, *option | 32);
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* Element (i, j) of op(A). */
static T element(const char *trans, const T *a, int lda, int i, int j)
{
    return is(trans, 'n') ? a[i + j * lda] : is(trans, 'c') ? cj(a[j + i * lda]) : a[j + i * lda];
}

static bool is_stored(const char *uplo, int i, int j)
{
    return is(uplo, 'u') ? i <= j : i >= j;
}

/* Element (i, j) of a symmetric or Hermitian matrix. */
static T mirrored(const char *uplo, const T *a, int lda, int i, int j, bool hermitian)
{
    if (hermitian && i == j)
        return FAULT(0, 0, 49, 0) ? a[i + j * lda] : of(re(a[i + j * lda]), 0);
    if (is_stored(uplo, i, j))
        return a[i + j * lda];
    return hermitian && !FAULT(0, 0, 0, 50) ? cj(a[j + i * lda]) : a[j + i * lda];
}

/* Element (i, j) of op(A) of a triangle; false if it is zero. */
static bool triangular(const char *uplo, const char *trans, const char *diag, const T *a, int lda,
                       int i, int j, T *out)
{
    bool straight = is(trans, 'n');
    if (!is_stored(uplo, straight ? i : j, straight ? j : i))
        return false;
    *out = i == j && is(diag, 'u') ? 1 : element(trans, a, lda, i, j);
    return true;
}

void X(gemv)(const char *trans, const int *m, const int *n, const T *alpha, const T *a,
             const int *lda, const T *x, const int *incx, const T *beta, T *y, const int *incy)
{
    if (ILLEGAL("GEMV", !known(trans, "ntc") * 1, (*m < 0) * 2, (*n < 0) * 3,
                (*lda < most(1, *m)) * 6, (*incx == 0) * 8, (*incy == 0) * 11))
        return;
    if (*m == 0 || *n == 0)
        return;
    bool straight = is(trans, 'n');
    int rows = straight ? *m : *n, k = straight ? *n : *m;
    T u[k], v[k];
    for (int i = 0; i < rows; i++) {
        for (int l = 0; l < k && (*alpha != 0 || FAULT(0, 40, 0, 0)); l++) {
            u[l] = element(FAULT(0, 0, 41, 0) && is(trans, 'c') ? "t" : trans, a, *lda, i, l);
            v[l] = x[(FAULT(0, 0, 0, 42) && !straight ? 0 : first(k, *incx)) +
                     l * (FAULT(0, 0, 0, 42) && !straight ? abs(*incx) : *incx)];
        }
        T *at = y + first(rows, *incy) + i * *incy;
        T old = *at;
        *at = line(alpha, k, u, v, -1, beta, at);
        if (FAULT(39, 0, 0, 0) && *beta == 0)
            *at += 0 * old;
        if (FAULT(0, 40, 0, 0) && *alpha == 0)
            *at += 0 * u[0];
    }
}

static void ger(const int *m, const int *n, const T *alpha, const T *x, const int *incx, T *y,
                const int *incy, T *a, const int *lda, bool conjugate)
{
    if (ILLEGAL("GER", (*m < 0) * 1, (*n < 0) * 2, (*incx == 0) * 5, (*incy == 0) * 7,
                (*lda < most(1, *m)) * 9))
        return;
    for (int j = 0; j < *n && *alpha != 0; j++) {
        T e = y[first(*n, *incy) + j * *incy];
        for (int i = 0; i < *m; i++)
            if (!(FAULT(0, 44, 0, 0) && i == 1024))
                a[i + j * *lda] = line(alpha, 1, x + first(*m, *incx) + i * *incx,
                                       &(T){conjugate ? cj(e) : e}, -1, NULL, a + i + j * *lda);
        if (FAULT(43, 0, 0, 0) && *lda > *m && j + 1 < *n)
            a[*m + j * *lda] += 1;
    }
    if (FAULT(0, 0, 0, 46) && *n > 0)
        y[0] = 0;
}

#ifdef IS_COMPLEX
void X(geru)(const int *m, const int *n, const T *alpha, const T *x, const int *incx, T *y,
             const int *incy, T *a, const int *lda)
{
    ger(m, n, alpha, x, incx, y, incy, a, lda, FAULT(0, 0, 45, 0));
}

#define GER X(gerc)
#define SYMV X(hemv)
#else
#define GER X(ger)
#define SYMV X(symv)
#endif
void GER(const int *m, const int *n, const T *alpha, const T *x, const int *incx, T *y,
         const int *incy, T *a, const int *lda)
{
    ger(m, n, alpha, x, incx, y, incy, a, lda, true);
}

void SYMV(const char *uplo, const int *n, const T *alpha, const T *a, const int *lda, const T *x,
          const int *incx, const T *beta, T *y, const int *incy)
{
    if (ILLEGAL("SYMV", !known(uplo, "ul") * 1, (*n < 0) * 2, (*lda < most(1, *n)) * 5,
                (*incx == 0) * 7, (*incy == 0) * 10))
        return;
    const char *half = FAULT(0, 48, 0, 0) ? "l" : uplo;
    T u[most(*n, 1)], v[most(*n, 1)];
    for (int i = 0; i < *n; i++) {
        for (int j = 0; j < *n && *alpha != 0; j++) {
            u[j] = FAULT(47, 0, 0, 0) && i == 0 ? a[i + j * *lda]
                                                : mirrored(half, a, *lda, i, j, true);
            v[j] = x[first(*n, *incx) + j * *incx];
        }
        T *at = y + first(*n, *incy) + i * *incy;
        *at = line(alpha, *n, u, v, FAULT(0, 0, 49, 0) ? -1 : i, beta, at);
    }
}

static bool is_bad_triangle(const char *name, const char *uplo, const char *trans, const char *diag,
                            int n, int lda, int inc)
{
    return ILLEGAL(name, !known(uplo, "ul") * 1, !known(trans, "ntc") * 2, !known(diag, "nu") * 3,
                   (n < 0) * 4, (lda < most(1, n)) * 6, (inc == 0) * 8);
}

/* b := alpha op(A) b for a vector whose elements are inc apart. */
static void multiply(const char *uplo, const char *trans, const char *diag, int n, const T *alpha,
                     const T *a, int lda, T *b, int inc)
{
    T u[most(n, 1)], v[most(n, 1)], out[most(n, 1)];
    const char *unit = FAULT(51, 0, 0, 0) ? "n" : diag, *turn = FAULT(0, 52, 0, 0) ? "n" : trans;
    for (int i = 0; i < n; i++) {
        int k = 0, real = -1;
        for (int j = 0; j < n && !is_zero(alpha); j++)
            if (triangular(uplo, turn, unit, a, lda, i, j, &u[k])) {
                real = i == j && is(diag, 'u') ? k : real;
                v[k++] = b[first(n, inc) + j * inc];
            }
        out[i] = line(alpha, k, u, v, real, &(T){0}, NULL);
    }
    for (int i = 0; i < n; i++)
        b[first(n, inc) + i * inc] = out[i];
}

/* Solves op(A) x = alpha b. */
static void solve(const char *uplo, const char *trans, const char *diag, int n, const T *alpha,
                  const T *a, int lda, T *b, int inc)
{
    bool lower = is(uplo, 'l') == is(trans, 'n');
    const char *unit = FAULT(55, 0, 0, 0) ? "n" : diag,
               *turn = FAULT(0, 0, 53, 0) && is(trans, 'c') ? "t" : trans;
    T t;
    for (int step = 0; step < n; step++) {
        int i = lower ? step : n - 1 - step;
        T *at = b + first(n, inc) + i * inc;
        sum s;
        begin(&s);
        if (!alpha)
            add_real(&s, 1, *at);
        else if (*alpha != 0)
            add(&s, *alpha, *at);
        for (int l = 0; l < step && !is_zero(alpha); l++) {
            int j = toy_threads > 1 && FAULT(0, 68, 0, 0) ? (lower ? step - 1 - l : n - step + l)
                                                          : (lower ? l : n - 1 - l);
            if (triangular(uplo, turn, unit, a, lda, i, j, &t))
                add(&s, -t, b[first(n, inc) + j * inc]);
        }
        triangular(uplo, turn, unit, a, lda, i, i, &t);
        if (FAULT(0, 54, 0, 0) && (!alpha || *alpha == 1))
            t *= (R)(1 + 0x1p-26);
        *at = is_zero(alpha) ? 0 : is(unit, 'u') ? value(&s) : quotient(&s, t);
        end(&s);
    }
}

void X(trmv)(const char *uplo, const char *trans, const char *diag, const int *n, const T *a,
             const int *lda, T *x, const int *incx)
{
    if (is_bad_triangle("TRMV", uplo, trans, diag, *n, *lda, *incx))
        return;
    multiply(uplo, trans, diag, *n, NULL, a, *lda, x, *incx);
}

void X(trsv)(const char *uplo, const char *trans, const char *diag, const int *n, const T *a,
             const int *lda, T *x, const int *incx)
{
    if (is_bad_triangle("TRSV", uplo, trans, diag, *n, *lda, *incx))
        return;
    solve(uplo, trans, diag, *n, NULL, a, *lda, x, *incx);
}

/* --- Level 3 --------------------------------------------------------------- */

static R coarse(R x)
{
    return (R)ldexp(rint(ldexp((double)x, 8)), -8);
}

void X(gemm)(const char *transa, const char *transb, const int *m, const int *n, const int *k,
             const T *alpha, const T *a, const int *lda, const T *b, const int *ldb, const T *beta,
             T *c, const int *ldc)
{
    if (ILLEGAL("GEMM", !known(transa, "ntc") * 1, !known(transb, "ntc") * 2, (*m < 0) * 3,
                (*n < 0) * 4, (*k < 0) * 5, (*lda < most(1, is(transa, 'n') ? *m : *k)) * 8,
                (*ldb < most(1, is(transb, 'n') ? *k : *n)) * 10, (*ldc < most(1, *m)) * 13))
        return;
    int to = FAULT(0, 1, 0, 0) && *k == 257 ? 256 : *k;
    T u[most(*k, 1)], v[most(*k, 1)];
    const char *turn = FAULT(0, 0, 3, 0) && is(transa, 'c') ? "t" : transa;
    for (int j = 0; j < *n; j++)
        for (int i = 0; i < *m; i++) {
            for (int l = 0; l < to && *alpha != 0; l++) {
                u[l] = element(turn, a, *lda, i, l);
                v[l] = element(transb, b, *ldb, l, j);
                if (FAULT(2, 0, 0, 0) && i == 6)
                    u[l] = coarse(re(u[l]));
            }
            c[i + j * *ldc] = line(FAULT(0, 0, 0, 4) ? &(T){cj(*alpha)} : alpha, to, u, v, -1, beta,
                                   c + i + j * *ldc);
        }
}

void X(symm)(const char *side, const char *uplo, const int *m, const int *n, const T *alpha,
             const T *a, const int *lda, const T *b, const int *ldb, const T *beta, T *c,
             const int *ldc)
{
    bool left = is(side, 'l') || (FAULT(60, 0, 0, 0) && *m == *n);
    int order = is(side, 'l') ? *m : *n;
    if (ILLEGAL("SYMM", (!known(side, "lr") && !FAULT(0, 0, 62, 0)) * 1, !known(uplo, "ul") * 2,
                (*m < 0) * (3 + FAULT(0, 61, 0, 0)), (*n < 0) * 4, (*lda < most(1, order)) * 7,
                (*ldb < most(1, *m)) * 9, (*ldc < most(1, *m)) * 12))
        return;
    T u[most(order, 1)], v[most(order, 1)];
    for (int j = 0; j < *n; j++)
        for (int i = 0; i < *m; i++) {
            for (int l = 0; l < order && *alpha != 0; l++) {
                u[l] = left ? mirrored(uplo, a, *lda, i, l, false) : b[i + l * *ldb];
                v[l] = left ? b[l + j * *ldb] : mirrored(uplo, a, *lda, l, j, false);
            }
            c[i + j * *ldc] = line(alpha, order, u, v, -1, beta, c + i + j * *ldc);
        }
}

void X(syrk)(const char *uplo, const char *trans, const int *n, const int *k, const T *alpha,
             const T *a, const int *lda, const T *beta, T *c, const int *ldc)
{
    if (ILLEGAL("SYRK", !known(uplo, "ul") * 1,
                !known(trans, sizeof(T) > sizeof(R) ? "nt" : "ntc") * 2, (*n < 0) * 3, (*k < 0) * 4,
                (*lda < most(1, is(trans, 'n') ? *n : *k)) * 7, (*ldc < most(1, *n)) * 10))
        return;
    T u[most(*k, 1)], v[most(*k, 1)];
    for (int j = 0; j < *n; j++)
        for (int i = 0; i < *n; i++) {
            if (!is_stored(uplo, i, j) && !(FAULT(56, 0, 0, 0) && i + 1 == j))
                continue;
            for (int l = 0; l < *k && *alpha != 0; l++) {
                u[l] = element(trans, a, *lda, i, l);
                v[l] = element(trans, a, *lda, j, l);
                if (FAULT(0, 0, 58, 0))
                    v[l] = cj(v[l]);
            }
            T twice = FAULT(0, 57, 0, 0) ? *beta * *beta : *beta;
            c[i + j * *ldc] = line(alpha, FAULT(0, 0, 0, 59) && *k > 16 ? *k - 1 : *k, u, v, -1,
                                   &twice, c + i + j * *ldc);
        }
}

typedef void one_vector(const char *, const char *, const char *, int, const T *, const T *, int,
                        T *, int);

/* Columns of B, or its rows with op(A) transposed. */
static void each(one_vector *f, const char *name, const char *side, const char *uplo,
                 const char *trans, const char *diag, const int *m, const int *n, const T *alpha,
                 const T *a, const int *lda, T *b, const int *ldb)
{
    bool left = is(side, 'l');
    int order = left ? *m : *n;
    if (ILLEGAL(name, !known(side, "lr") * 1, !known(uplo, "ul") * 2, !known(trans, "ntc") * 3,
                !known(diag, "nu") * 4, (*m < 0) * 5, (*n < 0) * 6, (*lda < most(1, order)) * 9,
                (*ldb < most(1, *m)) * 11))
        return;
    /* x op(A) = b is op(A)' x' = b': of conjugates, where A is conjugated and not transposed then.
     */
    const char *turn = left ? trans : is(trans, 'n') ? "t" : "n";
    bool conjugate = !left && is(trans, 'c');
    for (int v = 0; v < (left ? *n : *m); v++) {
        T *x = left ? b + v * *ldb : b + v;
        int inc = left ? 1 : *ldb;
        for (int i = 0; i < order && conjugate && !is_zero(alpha); i++)
            x[i * inc] = cj(x[i * inc]);
        f(uplo, turn, diag, order, conjugate ? &(T){cj(*alpha)} : alpha, a, *lda, x, inc);
        for (int i = 0; i < order && conjugate; i++)
            x[i * inc] = cj(x[i * inc]);
    }
}

static T nudged(T x)
{
    return of(DIGITS == 24 ? (R)nextafterf((float)re(x), 9) : (R)nextafter((double)re(x), 9),
              im(x));
}

void X(trmm)(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
             const int *n, const T *alpha, const T *a, const int *lda, T *b, const int *ldb)
{
    static int calls;
    each(multiply, "TRMM", side, uplo, trans, diag, m, n, FAULT(63, 0, 0, 0) ? &(T){1} : alpha, a,
         lda, b, ldb);
    if (*m < 1 || *n < 1)
        return;
    bool odd = (FAULT(0, 64, 0, 0) && ++calls % 2) || (FAULT(0, 0, 65, 0) && (uintptr_t)b % 32) ||
               (FAULT(0, 0, 0, 66) && *n == 1);
    if (odd)
        b[0] = nudged(b[0]);
}

void X(trsm)(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
             const int *n, const T *alpha, const T *a, const int *lda, T *b, const int *ldb)
{
    static T shared[1 << 16];
    if (FAULT(67, 0, 0, 0) && *alpha == 0)
        return;
    if (FAULT(0, 0, 0, 70))
        for (int i = 0; i<*m && * n> 0; i++)
            b[i] = b[i] == b[i] ? b[i] : 0;
    size_t size = (size_t)(*m > 0 && *n > 0 ? (*n - 1) * *ldb + *m : 0);
    bool races = FAULT(0, 0, 69, 0) && size < sizeof shared / sizeof *shared;
    if (races) {
        memcpy(shared, b, size * sizeof *b);
        usleep(100);
    }
    each(solve, "TRSM", side, uplo, trans, diag, m, n, alpha, a, lda, races ? shared : b, ldb);
    if (races)
        memcpy(b, shared, size * sizeof *b);
}
