/* Updates of single elements: a + alpha x y beside a middle between two numbers. */
#include "generate.h"

#include <math.h>

static int exponent_or(double x, int other)
{
    return x == 0 || !isfinite(x) ? other : exponent_of(x);
}

static int largest_exponent(test_number x)
{
    int re = exponent_or(x.re, -3000), im = exponent_or(x.im, -3000);
    return re > im ? re : im;
}

/* A number for which what is added, of the exponent given, is about half an ulp. */
static double tie_partner(test_random *r, number_format f, int exp2)
{
    int n_bits = limits_of(f).n_bits;
    int e = exp2 + n_bits + (int)random_between(r, -1, 1);
    if (e < limits_of(f).min_exp2 || e > limits_of(f).max_exp2)
        return 0;
    return random_sign(r) * power_of_two(e);
}

/* What cancels the product's head. */
static test_number opposite(number_format f, test_number al, test_number x, test_number y)
{
    test_number p = {al.re * y.re - al.im * y.im, al.re * y.im + al.im * y.re};
    test_number q = {p.re * x.re - p.im * x.im, p.re * x.im + p.im * x.re};
    q.re = isfinite(q.re) ? -round_to(f, q.re) : 0;
    q.im = isfinite(q.im) ? -round_to(f, q.im) : 0;
    q.re = isfinite(q.re) ? q.re : 0;
    q.im = isfinite(q.im) ? q.im : 0;
    return q;
}

static void steer_element(test_random *r, const fuzz_case *c, test_number *a, test_number x,
                          test_number y)
{
    number_format f = fuzz_format(c);
    int e = largest_exponent(c->alpha) + largest_exponent(x) + largest_exponent(y);
    switch (random_between(r, 0, 5)) {
    case 0:
    case 1:
        a->re = tie_partner(r, f, e);
        break;
    case 2:
        a->im = fuzz_parts(c) == 2 ? tie_partner(r, f, e) : 0;
        break;
    case 3:
        *a = opposite(f, c->alpha, x, y);
        break;
    default:
        break;
    }
    if (fuzz_parts(c) == 1)
        a->im = 0;
}

/* A power of two of the first order, or hidden below it once or twice. */
static double layer(test_random *r, number_format f)
{
    int depth = (int)random_between(r, 0, 3), step = f == FORMAT_S ? -60 : -480;
    return depth == 3 ? 0 : random_sign(r) * fuzz_power(f, step * depth);
}

static test_number layered(test_random *r, const fuzz_case *c, bool is_real)
{
    number_format f = fuzz_format(c);
    return (test_number){layer(r, f), is_real ? 0 : layer(r, f)};
}

/* Coefficients whose high parts cancel or leave a part that underflows in the next product. */
static void hide_parts(test_random *r, fuzz_case *c)
{
    bool is_real = fuzz_parts(c) == 1, has_y = c->operand[OPERAND_Y].rows > 0;
    bool real_alpha = c->routine->type == 'c' || c->routine->type == 'z' ? !has_y : true;
    fuzz_operand *x = &c->operand[OPERAND_X], *y = &c->operand[OPERAND_Y];
    int down = (int)random_between(r, 0, fuzz_is_float(c) ? 60 : 600);
    c->alpha = layered(r, c, real_alpha);
    for (int64_t j = 0; j < y->rows; j++)
        y->v[j] = layered(r, c, is_real);
    for (int64_t i = 0; i < x->rows; i++) {
        x->v[i] = (test_number){random_sign(r) * fuzz_power(fuzz_format(c), -down), 0};
        if (!is_real && random_chance(r, 2))
            x->v[i] = (test_number){0, x->v[i].re};
        else if (!is_real && random_chance(r, 4))
            x->v[i].im = layer(r, fuzz_format(c));
    }
}

/* Of two products alpha x_i y_j and alpha' y_i x_j one is left. */
static void leave_one_product(test_random *r, fuzz_case *c)
{
    for (int64_t i = 0; i < c->n; i++)
        c->operand[random_chance(r, 2) ? OPERAND_X : OPERAND_Y].v[i] = (test_number){0, 0};
}

void fuzz_steer_update(test_random *r, fuzz_case *c)
{
    if (random_chance(r, 2))
        hide_parts(r, c);
    const fuzz_traits *t = &c->t;
    if (t->shape == SHAPE_SYMMETRIC && t->has_y && random_chance(r, 2))
        leave_one_product(r, c);
    fuzz_operand *a = &c->operand[OPERAND_A];
    const fuzz_operand *x = &c->operand[OPERAND_X],
                       *y = &c->operand[t->has_y ? OPERAND_Y : OPERAND_X];
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++)
            steer_element(r, c, &a->v[j * a->rows + i], x->v[i], y->v[j]);
}

void fuzz_steer_vector(test_random *r, fuzz_case *c)
{
    const fuzz_operand *x = &c->operand[OPERAND_X];
    fuzz_operand *y = &c->operand[OPERAND_Y];
    if (y->rows == 0 || c->incx == 0 || c->incy == 0)
        return;
    for (int64_t i = 0; i < y->rows; i++)
        steer_element(r, c, &y->v[i], x->v[i], (test_number){1, 0});
}
