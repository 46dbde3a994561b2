#include "complex_sum.h"

void complex_sum_init(complex_sum *s, char type)
{
    s->type = type;
    oracle_init(&s->re);
    oracle_init(&s->im);
}

void complex_sum_clear(complex_sum *s)
{
    oracle_clear(&s->re);
    oracle_clear(&s->im);
}

void complex_sum_add_product(complex_sum *s, complex_factor a, complex_factor b)
{
    oracle_add_product(&s->re, a.v.re, b.v.re);
    if (!level2_is_complex(s->type))
        return;
    if (!a.is_real && !b.is_real)
        oracle_add_product(&s->re, -a.v.im, b.v.im);
    if (!b.is_real)
        oracle_add_product(&s->im, a.v.re, b.v.im);
    if (!a.is_real)
        oracle_add_product(&s->im, a.v.im, b.v.re);
}

void complex_sum_add_scaled(complex_sum *s, complex_factor a, const complex_sum *t)
{
    oracle_add_scaled(&s->re, a.v.re, &t->re);
    if (!level2_is_complex(s->type))
        return;
    oracle_add_scaled(&s->im, a.v.re, &t->im);
    if (!a.is_real) {
        oracle_add_scaled(&s->re, -a.v.im, &t->im);
        oracle_add_scaled(&s->im, a.v.im, &t->re);
    }
}

level2_number complex_sum_round(const complex_sum *s)
{
    number_format f = level2_format(s->type);
    return (level2_number){oracle_round(&s->re, f),
                           level2_is_complex(s->type) ? oracle_round(&s->im, f) : 0};
}

level2_number complex_sum_quotient(const complex_sum *s, level2_number d)
{
    number_format f = level2_format(s->type);
    if (!level2_is_complex(s->type))
        return (level2_number){oracle_quotient(&s->re, d.re, f), 0};
    complex_sum n;
    oracle square;
    complex_sum_init(&n, s->type);
    oracle_init(&square);
    complex_sum_add_scaled(&n, (complex_factor){{d.re, -d.im}, false}, s);
    oracle_add_product(&square, d.re, d.re);
    oracle_add_product(&square, d.im, d.im);
    level2_number q = {oracle_ratio(&n.re, &square, f), oracle_ratio(&n.im, &square, f)};
    complex_sum_clear(&n);
    oracle_clear(&square);
    return q;
}

level2_number conjugate_if(bool c, level2_number a)
{
    if (c)
        a.im = -a.im;
    return a;
}
