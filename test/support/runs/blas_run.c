#include "blas_run.h"

#include "guarded_array.h"
#include "hostile_env.h"
#include "level2_run.h"
#include "test_random.h"

#include <stdlib.h>

placement plain_placement(void)
{
    return (placement){.form = FORM_CBLAS, .row_major = true, .incx = 1, .incy = 1};
}

int padding_of(const placement *p, int operand)
{
    return p->padding + (operand + p->padding) % 3;
}

double poison(number_format f)
{
    double x = from_bits(0x7ffdeadbe0000000u), y; /* the payload fits a float */
    store_number(f, &y, 0, x);
    return load_number(f, &y, 0);
}

static guarded_array vector(char type, int64_t n, int inc, int offset, const double *values)
{
    guarded_array a = guarded_of(type, n > 0 ? 1 + (n - 1) * abs(inc) : 0, offset);
    for (int64_t i = 0; i < n; i++)
        guarded_store(&a, level2_vector_place(n, inc, i), (level2_number){values[i], 0});
    guarded_keep(&a);
    return a;
}

const char *blas_run(const blas_case *c, const placement *p, double *result)
{
    int incx = c->op == OP_ASUM ? abs(p->incx) : p->incx;
    char name[8], type_of_result = blas_output_format(c) == FORMAT_S ? 's' : 'd';
    guarded_array x = vector(c->type, c->n, incx, p->offset, c->x);
    guarded_array y = vector(c->type, blas_op_has_y(c->op) ? c->n : 0, p->incy, p->offset, c->y);
    guarded_array alpha = vector(c->type, 1, 1, 0, &c->alpha);
    guarded_array r = guarded_of(type_of_result, 1, 0);
    guarded_keep(&r);
    routine_call q = {.n = c->n,
                      .incx = incx,
                      .incy = p->incy,
                      .alpha = alpha.data,
                      .x = x.data,
                      .y = y.data,
                      .result = r.data};
    blas_case_name(c, name);
    hostile_env_enter(p->environment);
    routine_run(name, p->form, &q);
    const char *wrong = hostile_env_leave() ? NULL : "the floating-point environment changed";
    *result = guarded_take(&r, 0).re;
    if (!guarded_is_unchanged(&x) || !guarded_is_unchanged(&y) || !guarded_is_unchanged(&alpha))
        wrong = "an operand or a gap changed";
    guarded_array *all[] = {&x, &y, &alpha, &r};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        guarded_release(all[i]);
    return wrong;
}
