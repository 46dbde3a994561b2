#include "level1_call.h"

#include "hostile_env.h"

#include <exblas/cblas.h>
#include <exblas/fortran.h>
#include <stdlib.h>

typedef struct {
    level1_op op;
    int64_t n, incx, incy;
    const void *alpha, *beta, *param;
    void *x, *y;
    int64_t index;
} level1_arguments;

#define REAL float
#define BY_VALUE(p) (*(p))
#define CALL call_s
#define INTEGER exblas_int
#define EX(r) exs##r##_
#define EXC(r) excblas_s##r
#define EX_REAL(r) exs##r##_
#define EXC_REAL(r) excblas_s##r
#define EX_AMAX exisamax_
#define EXC_AMAX excblas_isamax
#include "level1_call_tmpl.h"
#define CALL call_s64
#define INTEGER exblas_int64
#define EX(r) exs##r##_64_
#define EXC(r) excblas_s##r##_64
#define EX_REAL(r) exs##r##_64_
#define EXC_REAL(r) excblas_s##r##_64
#define EX_AMAX exisamax_64_
#define EXC_AMAX excblas_isamax_64
#include "level1_call_tmpl.h"
#undef REAL
#undef BY_VALUE

#define REAL double
#define BY_VALUE(p) (*(p))
#define CALL call_d
#define INTEGER exblas_int
#define EX(r) exd##r##_
#define EXC(r) excblas_d##r
#define EX_REAL(r) exd##r##_
#define EXC_REAL(r) excblas_d##r
#define EX_AMAX exidamax_
#define EXC_AMAX excblas_idamax
#include "level1_call_tmpl.h"
#define CALL call_d64
#define INTEGER exblas_int64
#define EX(r) exd##r##_64_
#define EXC(r) excblas_d##r##_64
#define EX_REAL(r) exd##r##_64_
#define EXC_REAL(r) excblas_d##r##_64
#define EX_AMAX exidamax_64_
#define EXC_AMAX excblas_idamax_64
#include "level1_call_tmpl.h"
#undef REAL
#undef BY_VALUE

#define REAL float
#define COMPLEX
#define BY_VALUE(p) (p)
#define CALL call_c
#define INTEGER exblas_int
#define EX(r) exc##r##_
#define EXC(r) excblas_c##r
#define EX_REAL(r) excs##r##_
#define EXC_REAL(r) excblas_cs##r
#define EX_AMAX exicamax_
#define EXC_AMAX excblas_icamax
#include "level1_call_tmpl.h"
#define CALL call_c64
#define INTEGER exblas_int64
#define EX(r) exc##r##_64_
#define EXC(r) excblas_c##r##_64
#define EX_REAL(r) excs##r##_64_
#define EXC_REAL(r) excblas_cs##r##_64
#define EX_AMAX exicamax_64_
#define EXC_AMAX excblas_icamax_64
#include "level1_call_tmpl.h"
#undef REAL
#undef BY_VALUE
#undef COMPLEX

#define REAL double
#define COMPLEX
#define BY_VALUE(p) (p)
#define CALL call_z
#define INTEGER exblas_int
#define EX(r) exz##r##_
#define EXC(r) excblas_z##r
#define EX_REAL(r) exzd##r##_
#define EXC_REAL(r) excblas_zd##r
#define EX_AMAX exizamax_
#define EXC_AMAX excblas_izamax
#include "level1_call_tmpl.h"
#define CALL call_z64
#define INTEGER exblas_int64
#define EX(r) exz##r##_64_
#define EXC(r) excblas_z##r##_64
#define EX_REAL(r) exzd##r##_64_
#define EXC_REAL(r) excblas_zd##r##_64
#define EX_AMAX exizamax_64_
#define EXC_AMAX excblas_izamax_64
#include "level1_call_tmpl.h"
#undef REAL
#undef BY_VALUE
#undef COMPLEX

static const struct {
    char type;
    void (*call[2])(bool fortran, level1_arguments *a); /* by integer size */
} types[] = {{'s', {call_s, call_s64}},
             {'d', {call_d, call_d64}},
             {'c', {call_c, call_c64}},
             {'z', {call_z, call_z64}}};

const char *level1_op_name(level1_op op)
{
    static const char *const names[] = {"axpy", "axpby", "scal", "real scal", "rot",
                                        "rotm", "copy",  "swap", "iamax"};
    return names[op];
}

int level1_parts(char type)
{
    return type == 'c' || type == 'z' ? 2 : 1;
}

number_format level1_format(char type)
{
    return type == 's' || type == 'c' ? FORMAT_S : FORMAT_D;
}

static void dispatch(call_form form, char type, level1_arguments *a)
{
    bool fortran = form == FORM_FORTRAN || form == FORM_FORTRAN_64;
    bool wide = form == FORM_CBLAS_64 || form == FORM_FORTRAN_64;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            types[i].call[wide](fortran, a);
}

/* Everything a call takes, as floats. */
typedef struct {
    float alpha[2], beta[2], param[5];
    float x[LEVEL1_MAX_REALS], y[LEVEL1_MAX_REALS];
} floats;

static void narrow(float *to, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

static void widen(double *to, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
}

/* Conversions take place outside the environment. */
bool level1_call(call_form form, int environment, level1_case *c)
{
    static floats f;
    level1_arguments a = {.op = c->op, .n = c->n, .incx = c->incx, .incy = c->incy};
    bool is_float = level1_format(c->type) == FORMAT_S;
    a.alpha = is_float ? (void *)f.alpha : c->alpha;
    a.beta = is_float ? (void *)f.beta : c->beta;
    a.param = is_float ? (void *)f.param : c->param;
    a.x = is_float ? (void *)f.x : c->x;
    a.y = is_float ? (void *)f.y : c->y;
    narrow(f.alpha, c->alpha, 2);
    narrow(f.beta, c->beta, 2);
    narrow(f.param, c->param, 5);
    narrow(f.x, c->x, c->n_x);
    narrow(f.y, c->y, c->n_y);
    hostile_env_enter(environment);
    dispatch(form, c->type, &a);
    bool intact = hostile_env_leave();
    if (is_float) {
        widen(c->x, f.x, c->n_x);
        widen(c->y, f.y, c->n_y);
    }
    c->index = a.index;
    return intact;
}
