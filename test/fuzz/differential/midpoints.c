/* Old values and right-hand sides that bring every result next to a midpoint. */
#include "generate.h"

#include "expect.h"

#include <math.h>
#include <stdlib.h>

/* h - rest, where h is half a last place of the value and rest what the model leaves of a sum whose
 * value it has been given the negative of. */
static double part_at_midpoint(double value, double rest, number_format f)
{
    double x = half_ulp(value, f) - rest;
    return isfinite(x) ? round_to(f, x) : 1;
}

static test_number at_midpoint(const fuzz_case *c, test_number value, test_number rest)
{
    number_format f = fuzz_format(c);
    double im = fuzz_parts(c) == 2 ? part_at_midpoint(value.im, rest.im, f) : 0;
    return (test_number){part_at_midpoint(value.re, rest.re, f), im};
}

/* A part of alpha y that cancels but for its last bits. */
static void cancel_coefficients(const fuzz_case *c)
{
    const fuzz_operand *x = &c->operand[OPERAND_X], *y = &c->operand[OPERAND_Y];
    for (int64_t j = 0; c->alpha.im != 0 && x->rows > 0 && j < y->rows; j++) {
        double im = c->alpha.re * y->v[j].re / c->alpha.im;
        if (isfinite(im))
            y->v[j].im = round_to(fuzz_format(c), j % 2 ? im : -im);
        x->v[x->rows * j / y->rows].im = 0; /* so that it is the only one */
    }
}

bool fuzz_steer_old(test_random *r, fuzz_case *c)
{
    if (!c->t.updates && !c->t.has_beta)
        return false;
    fuzz_operand *old = &c->operand[c->t.written];
    int64_t n = old->rows * old->cols;
    c->beta = (test_number){1, 0};
    if (c->t.updates && random_chance(r, 2))
        cancel_coefficients(c);
    memset(old->v, 0, (size_t)n * sizeof *old->v);
    test_number *sum = fuzz_model(c);
    for (int64_t i = 0; sum && i < n; i++)
        old->v[i] = (test_number){-sum[i].re, -sum[i].im};
    test_number *rest = fuzz_model(c);
    for (int64_t i = 0; sum && i < n; i++)
        old->v[i] = at_midpoint(c, sum[i], rest[i]);
    free(sum);
    free(rest);
    return true;
}

void fuzz_steer_solve(test_random *r, fuzz_case *c)
{
    int64_t last = (c->uplo == 'l') == (c->transa == 'n') ? c->n - 1 : 0;
    test_number *diagonal = &c->operand[OPERAND_A].v[last * c->m + last];
    test_number *x = &c->operand[OPERAND_X].v[last];
    *diagonal = (test_number){1, 0};
    *x = (test_number){0, 0};
    test_number *sum = fuzz_model(c);
    *x = (test_number){-sum[last].re, -sum[last].im};
    test_number *rest = fuzz_model(c);
    *x = at_midpoint(c, sum[last], rest[last]);
    diagonal->re = power_of_two((int)random_between(r, -4, 4));
    free(sum);
    free(rest);
}
