#include "gpu/calls/random_calls.h"

#include "testing.h"

#include <exblas/cblas.h>
#include <math.h>
#include <string.h>

const char *const routine_names[N_ROUTINES] = {
    "sum",  "asum", "nrm2", "dot",  "dotu", "dotc", "gemv", "gemm", "gemm_batch_strided",
    "symm", "hemm", "syrk", "herk", "trsv", "trsm", "trmm"};

/* A number of a kind, in WIDE of magnitudes up to 2^most_exp2. */
static double draw_number(test_random *r, int kind, int most_exp2)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, 0, -0.0};
    double sign = random_between(r, 0, 1) ? 1 : -1;
    double mantissa = 1 + (double)random_between(r, 0, (1 << 23) - 1) * 0x1p-23;
    switch (kind) {
    case INTEGERS:
        return (double)random_between(r, -9, 9);
    case MODERATE:
        return sign * ldexp(mantissa, (int)random_between(r, -3, 3));
    case WIDE:
        return sign * ldexp(mantissa, (int)random_between(r, -most_exp2, most_exp2));
    case TINY:
        return random_between(r, 0, 2)
                   ? sign * ldexp(mantissa, -most_exp2 / 2 - (int)random_between(r, 0, 20))
                   : 0;
    case SPECIAL:
        return random_between(r, 0, 15) ? (double)random_between(r, -3, 3)
                                        : specials[random_between(r, 0, 4)];
    default:
        return sign * ldexp(1, (int)random_between(r, -1, 1));
    }
}

static int either(test_random *r, int a, int b)
{
    return random_between(r, 0, 1) ? a : b;
}

/* Scalars 0 and 1, real ones, and others. */
static void draw_scalar(test_random *r, double to[2])
{
    static const double values[] = {0, 1, -1.5, 0.75};
    to[0] = values[random_between(r, 0, 3)];
    to[1] = random_between(r, 0, 1) ? 0 : values[random_between(r, 0, 3)];
}

static char draw_type(test_random *r, routine which)
{
    bool is_complex = which == DOTU || which == DOTC || which == HEMM || which == HERK;
    return is_complex     ? "cz"[random_between(r, 0, 1)]
           : which == DOT ? "sd"[random_between(r, 0, 1)]
                          : "sdcz"[random_between(r, 0, 3)];
}

random_call random_call_draw(test_random *r, routine which, int most, size_t n_methods,
                             const char *const *methods)
{
    static const int transposes[] = {EXBLAS_NO_TRANS, EXBLAS_TRANS, EXBLAS_CONJ_TRANS};
    random_call c = {.routine = which,
                     .type = draw_type(r, which),
                     .method = methods[random_between(r, 0, (int64_t)n_methods - 1)],
                     .kind = (int)random_between(r, 0, N_KINDS - 1),
                     .layout = either(r, EXBLAS_ROW_MAJOR, EXBLAS_COL_MAJOR),
                     .side = either(r, EXBLAS_LEFT, EXBLAS_RIGHT),
                     .uplo = either(r, EXBLAS_UPPER, EXBLAS_LOWER),
                     .transa = transposes[random_between(r, 0, 2)],
                     .transb = transposes[random_between(r, 0, 2)],
                     .diag = either(r, EXBLAS_UNIT, EXBLAS_NON_UNIT),
                     .m = (int)random_between(r, 0, most),
                     .n = (int)random_between(r, 0, most),
                     .k = (int)random_between(r, 0, most),
                     .ld = most + (int)random_between(r, 0, 2),
                     .offset = (int)random_between(r, 0, 4)};
    do {
        c.incx = (int)random_between(r, -3, 3);
        c.incy = (int)random_between(r, -3, 3);
    } while (which > DOTC && (c.incx == 0 || c.incy == 0));
    draw_scalar(r, c.alpha);
    draw_scalar(r, c.beta);
    return c;
}

/* --- operands ---------------------------------------------------------------------------- */

static bool is_float(const random_call *c)
{
    return c->type == 's' || c->type == 'c';
}

static bool is_complex(const random_call *c)
{
    return c->type == 'c' || c->type == 'z';
}

static size_t element_of(const random_call *c)
{
    return (is_float(c) ? sizeof(float) : sizeof(double)) << is_complex(c);
}

/* Elements of each operand: so many serve every routine. */
static size_t length_of(const random_call *c)
{
    return 2 * (size_t)c->ld * (size_t)c->ld + 3 * (size_t)c->ld + 12;
}

static void *draw_operand(test_random *r, const random_call *c)
{
    size_t n = length_of(c) << is_complex(c);
    char *x = malloc(length_of(c) * element_of(c));
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) {
        double d = draw_number(r, c->kind, is_float(c) ? 120 : 1020);
        float f = (float)d;
        if (is_float(c))
            memcpy(x + i * sizeof f, &f, sizeof f);
        else
            memcpy(x + i * sizeof d, &d, sizeof d);
    }
    return x;
}

/* --- the call ----------------------------------------------------------------------------- */

typedef struct {
    char name[24];
    float alpha[2], beta[2];
} words;

static void set_name(words *w, const random_call *c)
{
    bool has_real_result = is_complex(c) && (c->routine == ASUM || c->routine == NRM2);
    snprintf(w->name, sizeof w->name, "%s%c%s",
             !has_real_result ? ""
             : is_float(c)    ? "s"
                              : "d",
             c->type, routine_names[c->routine]);
}

/* Of a real matrix the conjugate transpose is the transpose; updates know one of both. */
static int trans_of(const random_call *c)
{
    return c->transa == EXBLAS_NO_TRANS ? c->transa
           : c->routine == HERK         ? EXBLAS_CONJ_TRANS
           : c->routine == SYRK         ? EXBLAS_TRANS
                                        : c->transa;
}

static device_call describe(const random_call *c, words *w)
{
    bool batch = c->routine == BATCH; /* the second products' A and B overlap the first ones' */
    set_name(w, c);
    for (int i = 0; i < 2; i++) {
        w->alpha[i] = (float)c->alpha[i];
        w->beta[i] = (float)c->beta[i];
    }
    return (device_call){.name = w->name,
                         .layout = c->layout,
                         .side = c->side,
                         .uplo = c->uplo,
                         .trans = trans_of(c),
                         .transb = c->transb,
                         .diag = c->diag,
                         .m = c->m,
                         .n = c->n,
                         .k = c->k,
                         .lda = c->ld,
                         .ldb = c->ld,
                         .ldc = c->ld,
                         .incx = c->incx,
                         .incy = c->incy,
                         .stridea = batch,
                         .strideb = 2 * batch,
                         .stridec = (int64_t)c->ld * c->ld,
                         .batch = 2,
                         .alpha = is_float(c) ? (const void *)w->alpha : c->alpha,
                         .beta = is_float(c) ? (const void *)w->beta : c->beta};
}

/* Operands a and b, and what is written, `to`. */
static void set_operands(const random_call *c, device_call *d, void *a, void *b, void *to)
{
    d->a = d->x = a;
    d->b = d->y = b;
    d->c = d->r = to;
    if (c->routine == GEMV) {
        d->x = b;
        d->y = to;
    }
    if (c->routine == TRSV)
        d->x = to;
    if (c->routine == TRSM || c->routine == TRMM)
        d->b = to;
}

static void *behind(const random_call *c, void *x)
{
    return (char *)x + (size_t)c->offset * element_of(c);
}

static void compare(const random_call *c, const char *got, const char *wanted, const char *where)
{
    size_t number = element_of(c) >> is_complex(c);
    for (size_t i = 0; i < length_of(c) << is_complex(c); i++)
        if (memcmp(got + i * number, wanted + i * number, number) != 0)
            fail_msg("%c%s on %s by %s, kind %d, m %d n %d k %d, layout %d side %d uplo %d trans "
                     "%d %d diag %d, alpha %g %g beta %g %g: number %zu",
                     c->type, routine_names[c->routine], where, c->method, c->kind, c->m, c->n,
                     c->k, c->layout, c->side, c->uplo, c->transa, c->transb, c->diag, c->alpha[0],
                     c->alpha[1], c->beta[0], c->beta[1], i);
}

static void check_host(const random_call *c, const random_device *d, device_call *call, void **x,
                       char *output, const void *wanted)
{
    set_operands(c, call, behind(c, x[0]), behind(c, x[1]), behind(c, output));
    exblas_status s = d->run_host(call);
    if (s != EXBLAS_EUNSUPPORTED) {
        assert_int_equal(s, EXBLAS_OK);
        compare(c, output, wanted, "host memory");
    }
}

void random_call_check(test_random *r, const random_call *c, const random_device *d)
{
    words w;
    void *x[3], *y[3];
    size_t bytes = length_of(c) * element_of(c);
    bool has_real_result = c->routine == ASUM || c->routine == NRM2;
    device_call call = describe(c, &w);
    for (int i = 0; i < 3; i++) {
        x[i] = draw_operand(r, c);
        y[i] = d->upload(bytes, x[i]);
    }
    char *output = malloc(2 * bytes), *got = output + bytes;
    assert_non_null(output);
    memcpy(output, x[2], bytes);
    call.offset = (size_t)c->offset;
    call.offset_r = call.offset << (has_real_result && is_complex(c)); /* counts numbers */
    set_operands(c, &call, y[0], y[1], y[2]);
    if (d->run(&call) != EXBLAS_OK)
        fail_msg("%s by %s, m %d n %d k %d: %s", call.name, c->method, c->m, c->n, c->k,
                 d->last_error());
    set_operands(c, &call, behind(c, x[0]), behind(c, x[1]), behind(c, x[2]));
    assert_int_equal(device_call_cpu(&call), EXBLAS_OK);
    d->download(y[2], bytes, got);
    compare(c, got, x[2], "the device");
    if (d->run_host)
        check_host(c, d, &call, x, output, x[2]);
    for (int i = 0; i < 3; i++) {
        d->release(y[i]);
        free(x[i]);
    }
    free(output);
}
