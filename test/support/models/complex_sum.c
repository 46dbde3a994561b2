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
    if (!is_complex_type(s->type))
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
    if (!is_complex_type(s->type))
        return;
    oracle_add_scaled(&s->im, a.v.re, &t->im);
    if (!a.is_real) {
        oracle_add_scaled(&s->re, -a.v.im, &t->im);
        oracle_add_scaled(&s->im, a.v.im, &t->re);
    }
}

test_number complex_sum_round(const complex_sum *s)
{
    number_format f = format_of_type(s->type);
    return (test_number){oracle_round(&s->re, f),
                         is_complex_type(s->type) ? oracle_round(&s->im, f) : 0};
}

test_number complex_sum_round_signed(const complex_sum *s)
{
    number_format f = format_of_type(s->type);
    return (test_number){oracle_round_signed(&s->re, f),
                         is_complex_type(s->type) ? oracle_round_signed(&s->im, f) : 0};
}

test_number complex_sum_quotient(const complex_sum *s, test_number d)
{
    number_format f = format_of_type(s->type);
    if (!is_complex_type(s->type))
        return (test_number){oracle_quotient(&s->re, d.re, f), 0};
    COMPLEX_SUM(n, s->type);
    ORACLE(square);
    complex_sum_add_scaled(&n, (complex_factor){{d.re, -d.im}, false}, s);
    oracle_add_product(&square, d.re, d.re);
    oracle_add_product(&square, d.im, d.im);
    test_number q = {oracle_ratio(&n.re, &square, f), oracle_ratio(&n.im, &square, f)};
    return q;
}

test_number conjugate_if(bool c, test_number a)
{
    if (c)
        a.im = -a.im;
    return a;
}
