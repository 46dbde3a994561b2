#include "generate.h"

#include "expect.h"
#include "oracle.h"
#include "terms.h"

#include <math.h>

static bool is_one_and_zero(const fuzz_case *c)
{
    return c->alpha.re == 1 && c->alpha.im == 0 && is_zero_number(c->beta);
}

/* The sum of the terms, which are all there is. */
static double evaluate_terms(const fuzz_case *c, const fuzz_target *t)
{
    ORACLE(s);
    for (int64_t l = 0; l < t->n_terms; l++) {
        fuzz_term e;
        if (fuzz_term_of(c, t, l, &e))
            oracle_add_product(&s, e.number->re, e.factor ? e.factor->re : 1);
    }
    return oracle_round(&s, fuzz_result_format(c));
}

/* The real part of the result, exactly rounded. */
static double evaluate(const fuzz_case *c, const fuzz_target *t)
{
    bool terms_only =
        c->group == GROUP_REDUCTION ? !fuzz_has(c->routine, "sb") : is_one_and_zero(c);
    if (terms_only && fuzz_parts(c) == 1 && c->diag == 'n')
        return evaluate_terms(c, t);
    fuzz_memory m = fuzz_memory_of(c);
    fuzz_expect(c, &m);
    double x =
        c->group == GROUP_REDUCTION
            ? m.result.re
            : m.image[t->out].first[m.image[t->out].parts * fuzz_place(c, t->out, t->i, t->j)];
    fuzz_memory_free(&m);
    return x;
}

/* Which of m, n and k runs along rows (along = 0) or columns of an operand of a general matrix. */
static char index_of(const fuzz_case *c, fuzz_which which, int along)
{
    if (c->group == GROUP_LEVEL2 && which >= OPERAND_X) {
        bool x_is_m = c->t.updates || c->transa != 'n';
        return along == 1 ? 0 : (which == OPERAND_X) == x_is_m ? 'm' : 'n';
    }
    if (which == OPERAND_A && c->group == GROUP_LEVEL3)
        return (along == 0) == (c->transa == 'n') ? 'm' : 'k';
    if (which == OPERAND_B)
        return (along == 0) == (c->transb == 'n') ? 'k' : 'n';
    return which > OPERAND_C ? 0 : along == 0 ? 'm' : 'n';
}

/* Of a stack of `copies` matrices one row or column each. */
static void keep_line(fuzz_operand *o, int along, int64_t copies, int64_t line)
{
    int64_t each = o->cols / copies;
    test_number *to = o->v;
    for (int64_t j = 0; j < o->cols; j++)
        for (int64_t i = 0; i < o->rows; i++)
            if ((along == 0 ? i : j % each) == line)
                *to++ = o->v[j * o->rows + i];
    *(along == 0 ? &o->rows : &o->cols) = along == 0 ? 1 : copies;
}

static void keep_index(fuzz_case *c, char index, int64_t line)
{
    for (int w = 0; w < N_OPERANDS; w++)
        for (int along = 0; along < 2; along++)
            if (c->operand[w].rows * c->operand[w].cols > 0 &&
                index_of(c, (fuzz_which)w, along) == index)
                keep_line(&c->operand[w], along, c->group == GROUP_LEVEL3 ? c->batch : 1, line);
    *(index == 'm' ? &c->m : &c->n) = 1;
}

/* The case with the target's row and column only, where others have no part in it. */
static fuzz_case alone(const fuzz_case *c, fuzz_target *t)
{
    fuzz_case d = fuzz_case_copy(c);
    bool general2 = c->group == GROUP_LEVEL2 && c->t.shape == SHAPE_GENERAL && !c->t.is_band;
    bool general3 = c->t.has_transb && c->t.has_m;
    if (general2 || general3) {
        keep_index(&d, general2 && c->transa != 'n' ? 'n' : 'm', t->i);
        t->i = 0;
    }
    if (general3) {
        keep_index(&d, 'n', t->j);
        t->j = 0;
    }
    return d;
}

enum { N_SLOTS = 9, N_CANCELLING = 6 };

typedef struct {
    int64_t l[N_SLOTS];
    double value[N_SLOTS];
} slots;

/* What is too small for a normal number as a product. */
static bool set_slot(const fuzz_case *c, const fuzz_target *t, slots *s, int k, double x)
{
    number_format f = fuzz_terms_format(c);
    double least = ldexp(1, limits_of(f).min_normal), factor = 1;
    fuzz_term e;
    if (!fuzz_term_of(c, t, s->l[k], &e))
        return false;
    s->value[k] = x;
    if (e.factor && fabs(x) < least)
        factor = least;
    *e.number = (test_number){round_to(f, x / factor), 0};
    if (e.factor)
        *e.factor = (test_number){factor, 0};
    return true;
}

/* Different terms, at the beginning, at the end or anywhere. */
static bool choose_slots(test_random *r, const fuzz_case *c, const fuzz_target *t, slots *s)
{
    int n = 0;
    bool together = random_chance(r, 2);
    int64_t first = random_between(r, 0, t->n_terms - 1);
    for (int attempt = 0; attempt < 60 && n < N_SLOTS; attempt++) {
        int64_t l =
            together ? (first + attempt) % t->n_terms : random_between(r, 0, t->n_terms - 1);
        bool is_new = true;
        fuzz_term e;
        for (int k = 0; k < n; k++)
            is_new = is_new && s->l[k] != l;
        if (is_new && fuzz_term_of(c, t, l, &e) && e.number != e.factor)
            s->l[n++] = l;
    }
    return n == N_SLOTS;
}

static int offset_exponent(test_random *r, number_format f)
{
    int most = f == FORMAT_D ? 115 : 60;
    return random_chance(r, 4) ? (int)random_between(r, 1, f == FORMAT_D ? 1020 : 140)
                               : (int)random_between(r, most / 3, most);
}

/* Makes the sum 0 with the first slots, takes the first one back (or puts a smaller number in its
 * place), and adds half an ulp and something far below it. */
static bool place_at_tie(test_random *r, fuzz_case *c, const fuzz_target *t, bool keeps_head,
                         slots *s)
{
    number_format f = fuzz_terms_format(c), result = fuzz_result_format(c);
    double rest = 0, head = 0;
    for (int k = 0; k < N_SLOTS; k++)
        if (!set_slot(c, t, s, k, 0))
            return false;
    for (int k = 0; k < N_CANCELLING; k++) {
        rest = evaluate(c, t);
        if (!isfinite(rest) || rest == 0)
            break;
        set_slot(c, t, s, k, -round_to(f, rest));
        head = k == 0 ? round_to(f, rest) : head;
    }
    if (rest != 0 || head == 0)
        return false;
    if (random_chance(r, keeps_head ? 8 : 3)) { /* the sum cancels */
        head = scale_if_exact(random_number(r, f, exponent_of(head)),
                              -(int)random_between(r, 1, 60), f);
        set_slot(c, t, s, N_CANCELLING, head);
    } else {
        set_slot(c, t, s, 0, 0);
    }
    double half = half_ulp(head, result);
    double delta = fuzz_power(FORMAT_D, exponent_of(head) - offset_exponent(r, f));
    bool outward = !random_chance(r, 4); /* what the terms lose brings the sum over the middle */
    double side = outward ? copysign(1, head) : random_sign(r);
    set_slot(c, t, s, N_CANCELLING + 1, side * half);
    set_slot(c, t, s, N_CANCELLING + 2, random_chance(r, 5) ? 0 : side * delta);
    return true;
}

static void steer_sum(test_random *r, fuzz_case *c, const fuzz_target *t, bool keeps_head)
{
    slots s;
    fuzz_target only = *t;
    if (t->n_terms < 2 * N_SLOTS || !choose_slots(r, c, t, &s))
        return;
    fuzz_case d = alone(c, &only);
    if (place_at_tie(r, &d, &only, keeps_head, &s))
        for (int k = 0; k < N_SLOTS; k++)
            set_slot(c, t, &s, k, s.value[k]);
    fuzz_case_free(&d);
}

/* --- anchored and plain sums at their bounds ------------------------------ */

typedef struct {
    double number, factor;
} fuzz_numbers;

/* Term number i of a lane whose corrections lose almost half an ulp each, always the same way:
 * times 1 + 2^-50 it leaves just under half a unit U = 2^(up - 40) of the anchor, and bits
 * just under half an ulp of the sum of these. */
static double losing_term(int64_t i, int up, int below)
{
    double unit = ldexp(1, up - 40), sum = (double)(i + 1) * unit / 2;
    double half_ulp_of_sum = ldexp(1, ilogb(sum) - 53);
    double head = ldexp(half_ulp_of_sum * (1 - ldexp(1, -below)), 50);
    head = rint(ldexp(head, 40 - up)) * unit; /* leaves the unit's half alone */
    return 1 + head + (unit / 2 - 0x1p-49);
}

/* The same for float: products of 1 + 2^-23 leave the sums' last bits. */
static double losing_term_s(int64_t i, int below)
{
    double sum = (double)(i + 1);
    double half_ulp_of_sum = ldexp(1, ilogb(sum) - 53);
    double low = rint(ldexp(half_ulp_of_sum * (1 - ldexp(1, -below)), 46));
    return 1 + ldexp(low, -23);
}

/* The same for numbers of 16 bits, whose products lose nothing: 2^30, and almost half an ulp of the
 * sum of these, in turn. */
static fuzz_numbers losing_numbers_of_16_bits(int64_t i, int below)
{
    if (i % 2 == 0)
        return (fuzz_numbers){0x1p15, 0x1p15};
    return (fuzz_numbers){ldexp(1 - ldexp(1, -below), ilogb((double)(i / 2 + 1)) - 9), 0x1p-14};
}

/* How terms lose: in one of so many lanes each, against an anchor so far up. */
typedef struct {
    int64_t n_lanes;
    int up, below;
    double sign;
} losing;

static losing choose_losing(test_random *r)
{
    losing s = {.n_lanes = 1, .up = 2, .sign = random_sign(r)};
    if (random_chance(r, 4))
        s.n_lanes = (int64_t)1 << random_between(r, 0, 5);
    if (random_chance(r, 3))
        s.up = (int)random_between(r, 0, 3);
    s.below = (int)random_between(r, 3, 6);
    return s;
}

static void lose_row(const fuzz_case *c, const fuzz_target *t, const losing *s)
{
    number_format f = fuzz_terms_format(c);
    for (int64_t l = 0; l < t->n_terms; l++) {
        fuzz_term e;
        if (!fuzz_term_of(c, t, l, &e) || e.number == e.factor)
            continue;
        int64_t i = l / s->n_lanes;
        fuzz_numbers x = f == FORMAT_D
                             ? (fuzz_numbers){losing_term(i, s->up, s->below), 1 + 0x1p-50}
                         : f == FORMAT_S ? (fuzz_numbers){losing_term_s(i, s->below), 1 + 0x1p-23}
                                         : losing_numbers_of_16_bits(i, s->below);
        *e.number = (test_number){s->sign * x.number, 0};
        if (e.factor)
            *e.factor = (test_number){x.factor, 0};
    }
}

/* All rows of a matrix, or the target's. */
static void saturate(test_random *r, fuzz_case *c, const fuzz_target *t)
{
    losing s = choose_losing(r);
    fuzz_target row = *t;
    bool all = c->group == GROUP_LEVEL2 && !random_chance(r, 4);
    int64_t end = all ? c->operand[t->out].rows : t->i + 1;
    for (row.i = all ? 0 : t->i; row.i < end; row.i++)
        lose_row(c, &row, &s);
}

void fuzz_steer(test_random *r, fuzz_case *c)
{
    fuzz_target t;
    if (c->t.updates) {
        if (random_chance(r, 2))
            fuzz_steer_update(r, c);
        return;
    }
    if (c->group == GROUP_ELEMENTS && !fuzz_has(c->routine, "param")) {
        if (random_chance(r, 2))
            fuzz_steer_vector(r, c);
        return;
    }
    if (!fuzz_find_target(r, c, &t) || random_chance(r, 2))
        return;
    if (random_chance(r, 2))
        saturate(r, c, &t);
    if (random_chance(r, 2)) { /* nothing but the sum */
        c->alpha = (test_number){1, 0};
        c->beta = (test_number){0, 0};
    }
    steer_sum(r, c, &t, false);
}

void fuzz_steer_losing(test_random *r, fuzz_case *c)
{
    fuzz_target t;
    c->alpha = (test_number){1, 0};
    c->beta = (test_number){0, 0};
    if (!fuzz_find_target(r, c, &t))
        return;
    saturate(r, c, &t);
    steer_sum(r, c, &t, true);
}
