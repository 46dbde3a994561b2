#include "generate.h"

#include "expect.h"
#include "oracle.h"
#include "reduce.h"

#include <math.h>
#include <stdlib.h>

/* --- sums of products ----------------------------------------------------- */

/* Term l of one result: number times factor (NULL: 1), of which the real parts count. */
typedef struct {
    level2_number *number, *factor;
} term;

typedef struct {
    fuzz_which out;
    int64_t i, j, n_terms;
} target;

static level2_number *at(const fuzz_operand *o, int64_t i, int64_t j)
{
    return &o->v[j * o->rows + i];
}

static level2_number *turned(const fuzz_operand *o, bool straight, int64_t i, int64_t j)
{
    return straight ? at(o, i, j) : at(o, j, i);
}

static bool is_named(const fuzz_case *c, const char *base)
{
    return strcmp(c->routine->base, base) == 0;
}

static bool level2_term(const fuzz_case *c, const target *t, int64_t l, term *out)
{
    level2_problem p = fuzz_level2(c);
    int64_t row = t->i, col = l;
    bool symmetric = level2_family_traits[p.family].shape == SHAPE_SYMMETRIC;
    if (symmetric ? !level2_is_stored(&p, row, col) : c->transa != 'n') {
        row = l;
        col = t->i;
    }
    if (!level2_is_stored(&p, row, col) || !level2_is_read(&p, row, col))
        return false;
    *out = (term){at(&c->operand[OPERAND_A], row, col), &c->operand[OPERAND_X].v[l]};
    return true;
}

/* Element (i, l) of the structured A of symm and trmm; false if it is not read. */
static bool structured(const fuzz_case *c, int64_t i, int64_t l, level2_number **out)
{
    level3_problem p = fuzz_level3(c, 0);
    bool symmetric = !level3_family_traits[c->family].has_diag;
    bool swap = symmetric ? !level3_is_stored(&p, MATRIX_A, i, l) : c->transa != 'n';
    int64_t row = swap ? l : i, col = swap ? i : l;
    if (!level3_is_stored(&p, MATRIX_A, row, col) || !level3_is_read(&p, MATRIX_A, row, col))
        return false;
    *out = at(&c->operand[OPERAND_A], row, col);
    return true;
}

static bool level3_term(const fuzz_case *c, const target *t, int64_t l, term *out)
{
    const level3_traits *traits = &level3_family_traits[c->family];
    const fuzz_operand *a = &c->operand[OPERAND_A], *b = &c->operand[OPERAND_B];
    const fuzz_operand *other = traits->has_diag ? &c->operand[OPERAND_C] : b;
    if (traits->has_side && c->side == 'l') {
        out->factor = at(other, l, t->j);
        return structured(c, t->i, l, &out->number);
    }
    if (traits->has_side) {
        out->number = at(other, t->i, l);
        return structured(c, l, t->j, &out->factor);
    }
    out->number = turned(a, c->transa == 'n', t->i, l);
    out->factor = traits->has_transb ? turned(b, c->transb == 'n', l, t->j)
                                     : turned(a, c->transa == 'n', t->j, l);
    return true;
}

static bool term_of(const fuzz_case *c, const target *t, int64_t l, term *out)
{
    if (c->group == GROUP_LEVEL2)
        return level2_term(c, t, l, out);
    if (c->group == GROUP_LEVEL3)
        return level3_term(c, t, l, out);
    *out = (term){&c->operand[OPERAND_X].v[l], NULL};
    if (c->operand[OPERAND_Y].rows > 0)
        out->factor = &c->operand[OPERAND_Y].v[l];
    return true;
}

/* A result whose terms can be set; false if the routine has none. */
static bool find_target(test_random *r, const fuzz_case *c, target *t)
{
    *t = (target){.out = OPERAND_X};
    if (c->group == GROUP_REDUCTION) {
        t->n_terms = c->n;
        return c->n > 0 && c->incx != 0 && c->incy != 0 && !is_named(c, "nrm2") &&
               !is_named(c, "asum");
    }
    if (c->group == GROUP_LEVEL2) {
        const level2_traits *traits = &level2_family_traits[c->family];
        level2_problem p = fuzz_level2(c);
        int64_t n_results = traits->has_beta ? level2_y_length(&p) : level2_x_length(&p);
        t->out = traits->has_beta ? OPERAND_Y : OPERAND_X;
        t->n_terms = level2_x_length(&p);
        if (traits->updates || traits->solves || n_results < 1)
            return false;
        t->i = random_between(r, 0, n_results - 1);
        return true;
    }
    if (c->group != GROUP_LEVEL3 || c->m < 1 || c->n < 1 || c->family == L3_TRSM ||
        c->family == L3_SYR2K || c->family == L3_HER2K)
        return false;
    const level3_traits *traits = &level3_family_traits[c->family];
    level3_problem p = fuzz_level3(c, 0);
    t->out = OPERAND_C;
    t->i = random_between(r, 0, c->m - 1);
    t->j = random_between(r, 0, c->n - 1);
    t->n_terms = traits->has_k ? c->k : c->side == 'l' ? c->m : c->n;
    bool rank_k = !traits->has_b && traits->has_k;
    return level3_is_stored(&p, MATRIX_C, t->i, t->j) && !(rank_k && t->i == t->j);
}

static bool is_one_and_zero(const fuzz_case *c)
{
    return c->alpha.re == 1 && c->alpha.im == 0 && level2_number_is_zero(c->beta);
}

/* The sum of the terms, which are all there is. */
static double evaluate_terms(const fuzz_case *c, const target *t)
{
    oracle s;
    oracle_init(&s);
    for (int64_t l = 0; l < t->n_terms; l++) {
        term e;
        if (term_of(c, t, l, &e))
            oracle_add_product(&s, e.number->re, e.factor ? e.factor->re : 1);
    }
    double x = oracle_round(&s, c->routine->result == 'd' ? FORMAT_D : fuzz_format(c));
    oracle_clear(&s);
    return x;
}

/* The real part of the result, exactly rounded. */
static double evaluate(const fuzz_case *c, const target *t)
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

/* The case with the target's row and column only, where others have no part in it. */
static fuzz_case alone(const fuzz_case *c, target *t)
{
    fuzz_case d = fuzz_case_copy(c);
    bool general2 = c->group == GROUP_LEVEL2 &&
                    level2_family_traits[c->family].shape == SHAPE_GENERAL &&
                    level2_family_traits[c->family].storage == STORED_FULL;
    bool general3 = c->group == GROUP_LEVEL3 && level3_family_traits[c->family].has_transb &&
                    level3_family_traits[c->family].has_m;
    if (general2 || general3) {
        char index = general2 && c->transa != 'n' ? 'n' : 'm';
        int64_t n = *fuzz_extent(&d, index);
        fuzz_remove(&d, index, t->i + 1, n - t->i - 1);
        fuzz_remove(&d, index, 0, t->i);
        t->i = 0;
    }
    if (general3) {
        fuzz_remove(&d, 'n', t->j + 1, d.n - t->j - 1);
        fuzz_remove(&d, 'n', 0, t->j);
        t->j = 0;
    }
    return d;
}

enum { N_SLOTS = 9, N_CANCELLING = 6 };

typedef struct {
    int64_t l[N_SLOTS];
    double value[N_SLOTS];
} slots;

static bool set_slot(const fuzz_case *c, const target *t, slots *s, int k, double x)
{
    term e;
    if (!term_of(c, t, s->l[k], &e))
        return false;
    s->value[k] = x;
    *e.number = (level2_number){x, 0};
    if (e.factor)
        *e.factor = (level2_number){1, 0};
    return true;
}

/* Different terms, at the beginning, at the end or anywhere. */
static bool choose_slots(test_random *r, const fuzz_case *c, const target *t, slots *s)
{
    int n = 0;
    bool together = random_chance(r, 2);
    int64_t first = random_between(r, 0, t->n_terms - 1);
    for (int attempt = 0; attempt < 60 && n < N_SLOTS; attempt++) {
        int64_t l =
            together ? (first + attempt) % t->n_terms : random_between(r, 0, t->n_terms - 1);
        bool is_new = true;
        term e;
        for (int k = 0; k < n; k++)
            is_new = is_new && s->l[k] != l;
        if (is_new && term_of(c, t, l, &e) && e.number != e.factor)
            s->l[n++] = l;
    }
    return n == N_SLOTS;
}

static int offset_exponent(test_random *r, number_format f)
{
    int most = f == FORMAT_S ? 60 : 115;
    return random_chance(r, 4) ? (int)random_between(r, 1, f == FORMAT_S ? 140 : 1020)
                               : (int)random_between(r, most / 3, most);
}

/* Makes the sum 0 with the first slots, takes the first one back (or puts a smaller number in its
 * place), and adds half an ulp and something far below it. */
static bool place_at_tie(test_random *r, fuzz_case *c, const target *t, bool keeps_head, slots *s)
{
    number_format f = fuzz_format(c);
    number_format result = c->routine->result == 'd' ? FORMAT_D : f;
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
    double delta = fuzz_power(f, exponent_of(head) - offset_exponent(r, f));
    bool outward = !random_chance(r, 4); /* what the terms lose brings the sum over the middle */
    double side = outward ? copysign(1, head) : random_sign(r);
    set_slot(c, t, s, N_CANCELLING + 1, side * round_to(f, half));
    set_slot(c, t, s, N_CANCELLING + 2, random_chance(r, 5) ? 0 : side * delta);
    return true;
}

static void steer_sum(test_random *r, fuzz_case *c, const target *t, bool keeps_head)
{
    slots s;
    target only = *t;
    if (t->n_terms < 2 * N_SLOTS || !choose_slots(r, c, t, &s))
        return;
    fuzz_case d = alone(c, &only);
    if (place_at_tie(r, &d, &only, keeps_head, &s))
        for (int k = 0; k < N_SLOTS; k++)
            set_slot(c, t, &s, k, s.value[k]);
    fuzz_case_free(&d);
}

/* --- anchored and plain sums at their bounds ------------------------------ */

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

static void lose_row(const fuzz_case *c, const target *t, const losing *s)
{
    bool is_float = fuzz_is_float(c);
    for (int64_t l = 0; l < t->n_terms; l++) {
        term e;
        if (!term_of(c, t, l, &e) || e.number == e.factor)
            continue;
        double x = is_float ? losing_term_s(l / s->n_lanes, s->below)
                            : losing_term(l / s->n_lanes, s->up, s->below);
        *e.number = (level2_number){s->sign * x, 0};
        if (e.factor)
            *e.factor = (level2_number){is_float ? 1 + 0x1p-23 : 1 + 0x1p-50, 0};
    }
}

/* All rows of a matrix, or the target's. */
static void saturate(test_random *r, fuzz_case *c, const target *t)
{
    losing s = choose_losing(r);
    target row = *t;
    bool all = c->group == GROUP_LEVEL2 && !random_chance(r, 4);
    int64_t end = all ? c->operand[t->out].rows : t->i + 1;
    for (row.i = all ? 0 : t->i; row.i < end; row.i++)
        lose_row(c, &row, &s);
}

/* --- updates of elements -------------------------------------------------- */

static int exponent_or(double x, int other)
{
    return x == 0 || !isfinite(x) ? other : exponent_of(x);
}

static int largest_exponent(level2_number x)
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
static level2_number opposite(number_format f, level2_number al, level2_number x, level2_number y)
{
    level2_number p = {al.re * y.re - al.im * y.im, al.re * y.im + al.im * y.re};
    level2_number q = {p.re * x.re - p.im * x.im, p.re * x.im + p.im * x.re};
    q.re = isfinite(q.re) ? -round_to(f, q.re) : 0;
    q.im = isfinite(q.im) ? -round_to(f, q.im) : 0;
    q.re = isfinite(q.re) ? q.re : 0;
    q.im = isfinite(q.im) ? q.im : 0;
    return q;
}

static void steer_element(test_random *r, const fuzz_case *c, level2_number *a, level2_number x,
                          level2_number y)
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

static level2_number layered(test_random *r, const fuzz_case *c, bool is_real)
{
    number_format f = fuzz_format(c);
    return (level2_number){layer(r, f), is_real ? 0 : layer(r, f)};
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
        x->v[i] = (level2_number){random_sign(r) * fuzz_power(fuzz_format(c), -down), 0};
        if (!is_real && random_chance(r, 2))
            x->v[i] = (level2_number){0, x->v[i].re};
        else if (!is_real && random_chance(r, 4))
            x->v[i].im = layer(r, fuzz_format(c));
    }
}

/* Of two products alpha x_i y_j and alpha' y_i x_j one is left. */
static void leave_one_product(test_random *r, fuzz_case *c)
{
    for (int64_t i = 0; i < c->n; i++)
        c->operand[random_chance(r, 2) ? OPERAND_X : OPERAND_Y].v[i] = (level2_number){0, 0};
}

static void steer_update(test_random *r, fuzz_case *c)
{
    if (random_chance(r, 2))
        hide_parts(r, c);
    const level2_traits *t = &level2_family_traits[c->family];
    if (t->shape == SHAPE_SYMMETRIC && t->has_y && random_chance(r, 2))
        leave_one_product(r, c);
    fuzz_operand *a = &c->operand[OPERAND_A];
    const fuzz_operand *x = &c->operand[OPERAND_X],
                       *y = &c->operand[t->has_y ? OPERAND_Y : OPERAND_X];
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++)
            steer_element(r, c, at(a, i, j), x->v[i], y->v[j]);
}

static void steer_vector(test_random *r, fuzz_case *c)
{
    const fuzz_operand *x = &c->operand[OPERAND_X];
    fuzz_operand *y = &c->operand[OPERAND_Y];
    if (y->rows == 0 || c->incx == 0 || c->incy == 0)
        return;
    for (int64_t i = 0; i < y->rows; i++)
        steer_element(r, c, &y->v[i], x->v[i], (level2_number){1, 0});
}

void fuzz_steer(test_random *r, fuzz_case *c)
{
    target t;
    if (c->group == GROUP_LEVEL2 && level2_family_traits[c->family].updates) {
        if (random_chance(r, 2))
            steer_update(r, c);
        return;
    }
    if (c->group == GROUP_ELEMENTS && !fuzz_has(c->routine, "param")) {
        if (random_chance(r, 2))
            steer_vector(r, c);
        return;
    }
    if (!find_target(r, c, &t) || random_chance(r, 2))
        return;
    if (random_chance(r, 2))
        saturate(r, c, &t);
    if (random_chance(r, 2)) { /* nothing but the sum */
        c->alpha = (level2_number){1, 0};
        c->beta = (level2_number){0, 0};
    }
    steer_sum(r, c, &t, false);
}

void fuzz_steer_losing(test_random *r, fuzz_case *c)
{
    target t;
    c->alpha = (level2_number){1, 0};
    c->beta = (level2_number){0, 0};
    if (!find_target(r, c, &t))
        return;
    saturate(r, c, &t);
    steer_sum(r, c, &t, true);
}
