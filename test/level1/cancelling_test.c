/* Sums of two to five terms that cancel to the last places of a product: axpy, axpby, rot and rank
 * updates of one and two terms meet the negative, rounded, of what they add, or a neighbour. What
 * is left is of the size of the errors that their certificates bound. Against dot products and the
 * accumulator, on every instruction set. */
#include "core/kernels.h"
#include "isa_from.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <exblas/fortran.h>
#include <math.h>

enum { N = 21, MOST = 2 * N * N, OPERATIONS = 5 };

static const exblas_int one = 1;
static exblas_int n; /* few: of many one is open, and all go another way */

/* The operation on x, w and the target y; the scale of y is that of beta, or of s. */
#define OPERATIONS_OF(t, ger, syr2, ROT)                                                           \
    static void operate_##t(int operation, const void *alpha, const void *beta, void *x,           \
                            const void *w, void *y)                                                \
    {                                                                                              \
        if (operation == 0)                                                                        \
            ex##t##axpy_(&n, alpha, x, &one, y, &one);                                             \
        else if (operation == 1)                                                                   \
            ex##t##axpby_(&n, alpha, x, &one, beta, y, &one);                                      \
        else if (operation == 2)                                                                   \
            ex##t##ger##_(&n, &one, alpha, x, &one, w, &one, y, &n);                               \
        else if (operation == 3)                                                                   \
            ex##t##syr2##_("L", &n, alpha, x, &one, w, &one, y, &n);                               \
        else                                                                                       \
            ROT;                                                                                   \
    }

OPERATIONS_OF(s, ger, syr2, exsrot_(&n, x, &one, y, &one, alpha, beta))
OPERATIONS_OF(d, ger, syr2, exdrot_(&n, x, &one, y, &one, alpha, beta))
OPERATIONS_OF(c, geru, her2, excsrot_(&n, x, &one, y, &one, alpha, beta))
OPERATIONS_OF(z, gerc, her2, exzdrot_(&n, x, &one, y, &one, alpha, beta))

static void operate(char type, int operation, const void *alpha, const void *beta, void *x,
                    const void *w, void *y)
{
    (type == 's'   ? operate_s
     : type == 'd' ? operate_d
     : type == 'c' ? operate_c
                   : operate_z)(operation, alpha, beta, x, w, y);
}

static bool is_float(char type)
{
    return type == 's' || type == 'c';
}

static void put(char type, void *to, int i, double x)
{
    if (is_float(type))
        ((float *)to)[i] = (float)x;
    else
        ((double *)to)[i] = x;
}

static double get(char type, const void *from, int i)
{
    return is_float(type) ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

static void fill(test_random *r, char type, void *to, int count)
{
    for (int i = 0; i < count; i++)
        put(type, to, i,
            random_number(r, is_float(type) ? FORMAT_S : FORMAT_D, (int)random_between(r, -6, 6)));
}

/* y less the sum over the scale, or a neighbour of that. */
static void cancel(test_random *r, char type, const double *sum, const double *scale, double *y)
{
    double step = is_float(type) ? 0x1p-23 : 0x1p-52;
    for (int i = 0; i < MOST; i++)
        put(type, y, i,
            (get(type, y, i) - get(type, sum, i) / get(type, scale, 0)) *
                (1 + step * random_sign(r)));
}

/* Part `part` of alpha x + beta y, or of beta y + alpha x of real factors, as a dot product. */
static void put_dot(char type, const double *alpha, const double *beta, const double *x,
                    const double *y, int i, double *to)
{
    const exblas_int four = 4;
    bool is_complex = type == 'c' || type == 'z';
    double c[4] = {0}, v[4] = {0};
    int even = is_complex ? i - i % 2 : i, parts = is_complex ? 2 : 1;
    for (int k = 0; k < parts; k++) {
        int other = (i % parts + k) % 2; /* re re - im im, or re im + im re */
        double sign = parts == 2 && i % 2 == 0 && k == 1 ? -1 : 1;
        put(type, c, k, sign * get(type, alpha, k));
        put(type, c, 2 + k, sign * get(type, beta, k));
        put(type, v, k, get(type, x, even + (parts == 2 ? other : 0)));
        put(type, v, 2 + k, get(type, y, even + (parts == 2 ? other : 0)));
    }
    put(type, to, i,
        is_float(type) ? (double)exsdot_(&four, (float *)c, &one, (float *)v, &one)
                       : exddot_(&four, c, &one, v, &one));
}

/* What the operation makes of x and y. */
static void compute_right(char type, int operation, const double *alpha, const double *beta,
                          double *x, const double *w, double *y)
{
    double from_x[MOST], from_y[MOST], minus[2] = {0};
    memcpy(from_x, x, sizeof from_x);
    memcpy(from_y, y, sizeof from_y);
    if (operation == 2 || operation == 3) {
        exblas_set_method("superacc");
        operate(type, operation, alpha, beta, x, w, y);
        exblas_set_method(NULL);
        return;
    }
    put(type, minus, 0, -get(type, beta, 0));
    for (int i = 0; i < n * (type == 'c' || type == 'z' ? 2 : 1); i++) {
        put_dot(type, alpha, beta, from_x, from_y, i, operation == 4 ? x : y);
        if (operation == 4)
            put_dot(type, minus, alpha, from_x, from_y, i, y);
    }
}

static void check(test_random *r, char type, int operation)
{
    enum { ROUNDS = 4 }; /* the other part of beta is a part of what cancels, too */
    double alpha[2], beta[2] = {0}, x[MOST] = {0}, w[MOST], y[MOST] = {0};
    double got_x[MOST], got[MOST], right_x[MOST], right[MOST];
    n = random_chance(r, 4) ? N : (exblas_int)random_between(r, 1, 4);
    fill(r, type, alpha, 2);
    put(type, beta, 0, 1);
    if (operation == 1) {
        put(type, beta, 0, ldexp(1, (int)random_between(r, -3, 3)));
        put(type, beta, 1, ldexp(random_number(r, FORMAT_S, 0), (int)random_between(r, -40, -10)));
    } else if (operation == 4) {
        put(type, alpha, 1, 0); /* c and s are real */
    }
    fill(r, type, x, 2 * N);
    fill(r, type, w, 2 * N);
    for (int i = 0; i <= ROUNDS; i++) {
        memcpy(right_x, x, sizeof x);
        memcpy(right, y, sizeof y);
        compute_right(type, operation, alpha, beta, right_x, w, right);
        if (i < ROUNDS)
            cancel(r, type, operation == 4 ? right_x : right, beta, y);
    }
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        memcpy(got_x, x, sizeof x);
        memcpy(got, y, sizeof y);
        operate(type, operation, alpha, beta, got_x, w, got);
        if (memcmp(got, right, sizeof got) != 0 || memcmp(got_x, right_x, sizeof got_x) != 0)
            fail_msg("%s, %c, operation %d", exb_isa_current(), type, operation);
    }
}

static void what_cancels_is_right(NO_STATE)
{
    enum { ROUNDS = 1600 };
    test_random r = test_random_start(test_seed(), "cancelling");
    for (int round = 0; round < ROUNDS; round++)
        for (int operation = 0; operation < OPERATIONS; operation++)
            check(&r, "sdcz"[round % 4], operation);
}

TESTS(what_cancels_is_right)
