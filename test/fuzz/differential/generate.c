#include "generate.h"

#include "core/kernels.h"
#include "hostile_env.h"
#include "modes.h"

#include <math.h>
#include <stdlib.h>

/* Of BLAS; 0 of others. */
static int level_of(const fuzz_routine *r)
{
    fuzz_group group = fuzz_case_of(r).group;
    return group < GROUP_LEVEL2 ? 1 : group == GROUP_LEVEL2 ? 2 : group == GROUP_LEVEL3 ? 3 : 0;
}

bool fuzz_is_chosen(const fuzz_choice *choice, const fuzz_routine *r)
{
    const char level[] = {'l', 'e', 'v', 'e', 'l', (char)('0' + level_of(r)), 0};
    return !choice->routine || strcmp(choice->routine, r->name) == 0 ||
           strcmp(choice->routine, r->base) == 0 || strcmp(choice->routine, level) == 0;
}

int fuzz_isas(const fuzz_choice *choice, const char *names[FUZZ_MOST_ISAS])
{
    int n = 0;
    for (int i = 0; i < exb_isa_count(); i++) {
        const char *name = exb_isa_name(i);
        if (n == FUZZ_MOST_ISAS)
            abort();
        if ((!choice->isa || strcmp(choice->isa, name) == 0) && exb_isa_select(name) == 0)
            names[n++] = name;
    }
    return n;
}

/* Doubles have the finer bounds, sums of products more ways than the loops over elements. */
static int weight_of(const fuzz_choice *choice, const fuzz_routine *r)
{
    if (!fuzz_is_chosen(choice, r) || (choice->takes && !choice->takes(r)))
        return 0;
    bool is_double = r->type == 'd' || r->type == 'z';
    return (is_double ? 2 : 1) * (fuzz_case_of(r).group == GROUP_LEVEL2 ? 2 : 1);
}

static const fuzz_routine *choose_routine(test_random *r, const fuzz_choice *choice)
{
    enum { MOST = 256 };
    static int64_t up_to[MOST + 1]; /* sums of weights; the choice is one for all calls */
    for (int i = 0; up_to[n_fuzz_routines] == 0 && i < n_fuzz_routines && i < MOST; i++)
        up_to[i + 1] = up_to[i] + weight_of(choice, &fuzz_routines[i]);
    if (up_to[n_fuzz_routines] == 0)
        return NULL;
    int64_t which = random_between(r, 0, up_to[n_fuzz_routines] - 1);
    int i = 0;
    while (which >= up_to[i + 1])
        i++;
    return &fuzz_routines[i];
}

static void choose_options(test_random *r, fuzz_case *c)
{
    c->layout = random_letter(r, "cr");
    c->side = random_letter(r, "lr");
    c->uplo = random_letter(r, "lu");
    c->transa = random_letter(r, fuzz_transposes(c));
    c->transb = random_letter(r, "ntc");
    c->diag = random_chance(r, 4) ? 'u' : 'n';
}

static void choose_settings(test_random *r, const fuzz_choice *choice, fuzz_settings *s)
{
    static const int threads[] = {1, 1, 1, 1, 2, 3, 7};
    const char *isas[FUZZ_MOST_ISAS];
    int n_isas = fuzz_isas(choice, isas);
    bool plain = random_chance(r, 3);
    s->method =
        random_chance(r, 3) ? "auto" : mode_methods[random_between(r, 0, N_MODE_METHODS - 1)];
    if (choice->method)
        s->method = choice->method;
    s->isa = isas[random_between(r, 0, n_isas - 1)];
    s->threads = threads[random_between(r, 0, 6)];
    s->form = (int)random_between(r, 0, N_FORMS - 1);
    s->environment = random_chance(r, 4) ? (int)random_between(r, 0, hostile_env_count() - 1) : 0;
    s->offset = random_chance(r, 3) ? (int)random_between(r, 0, 3) : 0;
    if (!plain && random_chance(r, 3))
        s->workspace = 1;
    else if (!plain && random_chance(r, 2))
        s->workspace = (size_t)1 << random_between(r, 0, 21);
}

static int64_t increment(test_random *r)
{
    static const int8_t increments[] = {1, 1, 1, 2, 3, -1, -2};
    return increments[random_between(r, 0, 6)];
}

/* A stride of 0 where the routine takes it. */
static void choose_strides(test_random *r, fuzz_case *c)
{
    c->incx = increment(r);
    c->incy = increment(r);
    if (c->group <= GROUP_ELEMENTS && random_chance(r, 12)) {
        c->incx *= random_chance(r, 3);
        c->incy *= random_chance(r, 3);
    }
    for (int w = 0; w < 3; w++) /* each its own: operands do not share a leading dimension */
        c->padding[w] = random_chance(r, 2) ? 0 : random_between(r, 1, 5);
}

static void choose_indices(test_random *r, fuzz_case *c)
{
    bool segments = c->group == GROUP_SEGMENT;
    if (!segments && c->group != GROUP_SCATTER)
        return;
    c->n_indices = segments ? c->n + 1 : c->n;
    c->index = fuzz_malloc((size_t)c->n_indices * sizeof *c->index);
    int64_t at = segments ? random_between(r, 0, 2) : 0;
    for (int64_t i = 0; i < c->n_indices; i++) {
        c->index[i] = segments ? at : random_between(r, 0, c->n_bins - 1);
        at += random_chance(r, 8) ? random_between(r, 100, 1100) : random_between(r, 0, 9);
    }
}

/* --- numbers -------------------------------------------------------------- */

static int far_exponent(test_random *r, number_format f)
{
    static const int far[] = {-24, -53, -106, -200, -480, -960, 480};
    int e = far[random_between(r, 0, 6)];
    return f == FORMAT_S ? e / 8 : e;
}

/* Parts of the same kind, or of very different exponents, or one of them 0. */
static test_number element(test_random *r, const fuzz_source *s, int64_t i, bool is_complex,
                           int im_exp2)
{
    test_number x = {fuzz_number(r, s, i), 0};
    if (!is_complex)
        return x;
    x.im = fuzz_number(r, s, i + 1);
    if (im_exp2 != 0 && random_chance(r, 2))
        x.im = scale_if_exact(x.im, im_exp2, s->format);
    else if (im_exp2 != 0 && random_chance(r, 2))
        x.re = scale_if_exact(x.re, im_exp2, s->format);
    if (random_chance(r, 8))
        *(random_chance(r, 2) ? &x.re : &x.im) = 0;
    return x;
}

static void fill(test_random *r, const fuzz_case *c, fuzz_which which, const fuzz_source *s)
{
    const fuzz_operand *o = &c->operand[which];
    bool is_complex = fuzz_operand_parts(c, which) == 2;
    int im_exp2 = random_chance(r, 3) ? far_exponent(r, s->format) : 0;
    for (int64_t i = 0; i < o->rows * o->cols; i++)
        o->v[i] = element(r, s, i, is_complex, im_exp2);
}

/* The product of a rank-2k update is one sum of 2k terms or two, which differ where Inf meets 0. */
static bool is_rank_2k(const fuzz_case *c)
{
    return c->t.is_rank_k && c->t.is_rank_2;
}

static void sprinkle(test_random *r, const fuzz_case *c)
{
    fuzz_which which = (fuzz_which)random_between(r, 0, N_OPERANDS - 1);
    for (int k = 0; k < N_OPERANDS && c->operand[which].rows * c->operand[which].cols == 0; k++)
        which = (which + 1) % N_OPERANDS;
    const fuzz_operand *o = &c->operand[which];
    number_format f = fuzz_operand_format(c, which);
    /* Also NaNs with a payload that floats keep; a signalling one, which is quiet as a float. */
    double specials[] = {(double)NAN, from_bits(0xfff8123400000000),
                         from_bits(fuzz_is_float(c) ? 0x7ff8543200000000 : 0x7ff0000000012345),
                         (double)INFINITY, -(double)INFINITY};
    for (int64_t k = random_between(r, 1, 3); k > 0 && o->rows * o->cols > 0; k--) {
        test_number *x = &o->v[random_between(r, 0, o->rows * o->cols - 1)];
        double special = specials[random_between(r, 0, 4)];
        special = f > FORMAT_D ? round_to(f, special) : special;
        if (random_chance(r, 2) || fuzz_parts(c) == 1)
            x->re = special;
        else
            x->im = special;
    }
}

/* Zeros where the others have none, or imaginary parts of 0: sums of nothing but zeros. */
static void thin_out(test_random *r, const fuzz_case *c)
{
    bool parts = random_chance(r, 2);
    for (int w = 0; w < N_OPERANDS; w++)
        for (int64_t i = 0; i < c->operand[w].rows * c->operand[w].cols; i++) {
            const fuzz_operand *o = &c->operand[w];
            bool is_off = (2 * (i % o->rows) < o->rows) != (2 * (i / o->rows) < o->cols);
            if (parts)
                o->v[i].im = 0;
            else if (is_off && !random_chance(r, 64))
                o->v[i] = (test_number){0, 0};
        }
}

static void fill_all(test_random *r, fuzz_case *c)
{
    fuzz_source shared = fuzz_source_of(r, fuzz_format(c));
    bool is_shared = random_chance(r, 3);
    for (int w = 0; w < N_OPERANDS; w++) {
        number_format f = fuzz_operand_format(c, (fuzz_which)w);
        fuzz_source s = is_shared && f == shared.format ? shared : fuzz_source_of(r, f);
        fill(r, c, (fuzz_which)w, &s);
    }
}

static test_number scalar(test_random *r, const fuzz_case *c, bool is_real)
{
    number_format f = fuzz_format(c);
    bool may_be_special = random_chance(r, 8) && !is_rank_2k(c);
    test_number x = {fuzz_scalar(r, f, may_be_special), 0};
    if (!is_real)
        x.im = fuzz_scalar(r, f, may_be_special);
    if (!is_real && random_chance(r, 3))
        *(random_chance(r, 2) ? &x.re : &x.im) = 0;
    return x;
}

static bool is_real_scalar(const fuzz_case *c, const char *name)
{
    for (int k = 0; k < c->routine->n_arguments; k++)
        if (strcmp(c->routine->arguments[k].name, name) == 0)
            return c->routine->arguments[k].is_real || fuzz_parts(c) == 1;
    return true;
}

static void choose_scalars(test_random *r, fuzz_case *c)
{
    bool has_c_s = c->group == GROUP_ELEMENTS && c->op == OP_ROT;
    bool plain = random_chance(r, 3);
    c->alpha = scalar(r, c, has_c_s || is_real_scalar(c, "alpha"));
    c->beta = scalar(r, c, has_c_s || is_real_scalar(c, "beta"));
    if (plain) {
        c->alpha = (test_number){random_sign(r), 0};
        c->beta = (test_number){(double)random_between(r, -1, 1), 0};
    }
    if (c->group == GROUP_ELEMENTS && c->op == OP_ROTM)
        c->operand[OPERAND_C].v[0].re = (double)random_between(r, -2, 1);
}

/* Rotations are defined for finite numbers; their zeros and Infs have a test of their own. */
static void choose_rotation(test_random *r, fuzz_case *c)
{
    number_format f = fuzz_format(c);
    int reach = c->group == GROUP_ROTMG ? (f == FORMAT_S ? 20 : 200) : f == FORMAT_S ? 120 : 1000;
    for (int w = 0; w < N_OPERANDS; w++) {
        fuzz_operand *o = &c->operand[w];
        for (int64_t i = 0; i < o->rows * o->cols; i++) {
            int e = random_chance(r, 2) ? 0 : (int)random_between(r, -reach, reach);
            o->v[i].re = random_chance(r, 3)
                             ? (double)random_between(r, 1, 60)
                             : random_number(r, f, e + (int)random_between(r, -2, 2));
            if (fuzz_operand_parts(c, (fuzz_which)w) == 2)
                o->v[i].im = random_number(r, f, e + (int)random_between(r, -2, 2));
        }
    }
    c->alpha.re = random_number(r, f, (int)random_between(r, -4, 4));
}

/* Diagonals, and numbers beside them, that keep unknowns at a moderate size. */
static void strengthen(test_random *r, const fuzz_case *c)
{
    const fuzz_operand *a = &c->operand[OPERAND_A];
    number_format f = fuzz_format(c);
    for (int64_t i = 0; i < a->rows * a->cols; i++) {
        test_number *x = &a->v[i];
        if (i % a->rows == i / a->rows && !random_chance(r, 40))
            *x = (test_number){random_number(r, f, 2),
                               fuzz_parts(c) == 2 ? random_number(r, f, -1) : 0};
        else if (isfinite(x->re) && fabs(x->re) > 1)
            x->re = round_to(f, x->re * 0x1p-12);
    }
}

static void fill_operands(test_random *r, fuzz_case *c)
{
    bool is_matrix = c->group == GROUP_LEVEL2 || c->group == GROUP_LEVEL3;
    fill_all(r, c);
    if (random_chance(r, 4))
        fuzz_fill_hard(r, c);
    if (is_matrix && !is_rank_2k(c) && random_chance(r, 8))
        fuzz_put_zeros(r, c);
    if (c->t.solves && random_chance(r, 2))
        strengthen(r, c);
}

static void steer(test_random *r, fuzz_case *c)
{
    bool is_matrix = c->group == GROUP_LEVEL2 || c->group == GROUP_LEVEL3;
    if (is_matrix && random_chance(r, 3) && fuzz_steer_old(r, c))
        return;
    if (c->group == GROUP_LEVEL2 && c->t.solves && c->n > 0 && random_chance(r, 2))
        fuzz_steer_solve(r, c);
    else
        fuzz_steer(r, c);
    if (random_chance(r, 12))
        thin_out(r, c);
    if (random_chance(r, 16) && !is_rank_2k(c))
        sprinkle(r, c);
}

bool fuzz_generate(uint64_t seed, uint64_t index, const fuzz_choice *choice, fuzz_case *c)
{
    test_random r = test_random_start(seed * 0x9e3779b97f4a7c15u + index, "differential");
    const fuzz_routine *routine = choose_routine(&r, choice);
    const char *isas[FUZZ_MOST_ISAS];
    if (!routine || fuzz_isas(choice, isas) == 0)
        return false;
    *c = fuzz_case_of(routine);
    choose_options(&r, c);
    choose_settings(&r, choice, &c->set);
    if (c->group == GROUP_ROTG || c->group == GROUP_ROTMG) {
        fuzz_allocate(c);
        choose_rotation(&r, c);
        return true;
    }
    choose_strides(&r, c);
    bool losing =
        random_chance(&r, c->group == GROUP_LEVEL2 ? 2 : 3) && fuzz_choose_long_sums(&r, c);
    if (!losing)
        fuzz_choose_sizes(&r, c);
    choose_indices(&r, c);
    fuzz_allocate(c);
    fill_operands(&r, c);
    choose_scalars(&r, c);
    if (losing)
        fuzz_steer_losing(&r, c);
    else
        steer(&r, c);
    return true;
}
