#include "level1_call.h"

#include "hostile_env.h"

#include <stdio.h>

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

/* Of the routine. */
static void write_name(const level1_case *c, char name[8])
{
    static const char *const bases[] = {"axpy", "axpby", "scal", "scal", "rot",
                                        "rotm", "copy",  "swap", "amax"};
    bool mixed = (c->op == LEVEL1_REAL_SCAL || c->op == LEVEL1_ROT) && level1_parts(c->type) == 2;
    char part[] = {level1_format(c->type) == FORMAT_S ? 's' : 'd', 0};
    snprintf(name, 8, "%s%c%s%s", c->op == LEVEL1_IAMAX ? "i" : "", c->type, mixed ? part : "",
             bases[c->op]);
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
    char name[8];
    bool is_float = level1_format(c->type) == FORMAT_S;
    routine_call q = {.n = c->n,
                      .incx = c->incx,
                      .incy = c->incy,
                      .alpha = is_float ? (void *)f.alpha : c->alpha,
                      .beta = is_float ? (void *)f.beta : c->beta,
                      .param = is_float ? (void *)f.param : c->param,
                      .x = is_float ? (void *)f.x : c->x,
                      .y = is_float ? (void *)f.y : c->y,
                      .result = &c->index};
    write_name(c, name);
    narrow(f.alpha, c->alpha, 2);
    narrow(f.beta, c->beta, 2);
    narrow(f.param, c->param, 5);
    narrow(f.x, c->x, c->n_x);
    narrow(f.y, c->y, c->n_y);
    hostile_env_enter(environment);
    routine_run(name, form, &q);
    bool intact = hostile_env_leave();
    if (is_float) {
        widen(c->x, f.x, c->n_x);
        widen(c->y, f.y, c->n_y);
    }
    return intact;
}
