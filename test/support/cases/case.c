#include "case.h"

#include <stdio.h>
#include <stdlib.h>

void *fuzz_malloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (p)
        return p;
    fputs("out of memory\n", stderr);
    exit(3);
}

bool fuzz_has(const fuzz_routine *r, const char *argument)
{
    for (int k = 0; k < r->n_arguments; k++)
        if (strcmp(r->arguments[k].name, argument) == 0)
            return true;
    return false;
}

static bool argument_is_real(const fuzz_routine *r, const char *argument)
{
    for (int k = 0; k < r->n_arguments; k++)
        if (strcmp(r->arguments[k].name, argument) == 0)
            return r->arguments[k].is_real;
    return false;
}

/* Names begin with what A is and how it is stored: trsv, gbmv, hpr2, skewsymm. */
static void find_traits(fuzz_case *c)
{
    const fuzz_routine *r = c->routine;
    const bool is_skew = strncmp(r->base, "skew", 4) == 0;
    const char *base = r->base + (is_skew ? 4 : 0);
    bool is_level3 = fuzz_has(r, "side") || fuzz_has(r, "c"), has_uplo = fuzz_has(r, "uplo");
    fuzz_traits *t = &c->t;
    c->group = is_level3 ? GROUP_LEVEL3 : GROUP_LEVEL2;
    t->has_alpha = fuzz_has(r, "alpha");
    t->has_beta = fuzz_has(r, "beta");
    t->has_side = fuzz_has(r, "side");
    t->has_transb = fuzz_has(r, "transb");
    t->has_diag = fuzz_has(r, "diag");
    t->has_m = fuzz_has(r, "m");
    t->has_k = is_level3 && fuzz_has(r, "k");
    t->has_b = t->has_beta && fuzz_has(r, "b");
    t->has_y = fuzz_has(r, "y");
    t->real_alpha = argument_is_real(r, "alpha");
    t->real_beta = argument_is_real(r, "beta");
    t->is_rank_k = t->has_k && !t->has_transb;
    t->shape = base[0] == 'g' || t->is_rank_k ? SHAPE_GENERAL
               : base[0] == 't'               ? SHAPE_TRIANGLE
                                              : SHAPE_SYMMETRIC;
    t->is_band = base[1] == 'b';
    t->is_packed = base[1] == 'p';
    t->is_hermitian = base[0] == 'h';
    t->is_skew = is_skew;
    t->updates = !is_level3 && base[2] == 'r';
    t->is_rank_2 = t->is_rank_k ? t->has_b : t->updates && has_uplo && t->has_y;
    t->solves = base[2] == 's';
    t->conjugates = t->is_hermitian || strcmp(base, "gerc") == 0;
    t->written = is_level3     ? OPERAND_C
                 : t->updates  ? OPERAND_A
                 : t->has_beta ? OPERAND_Y
                               : OPERAND_X;
    t->triangle = !has_uplo ? N_OPERANDS : is_level3 && !t->has_side ? OPERAND_C : OPERAND_A;
}

static void find_level1(fuzz_case *c)
{
    static const struct {
        const char *base;
        fuzz_group group;
        fuzz_op op;
    } known[] = {{"axpy", GROUP_ELEMENTS, OP_AXPY}, {"axpby", GROUP_ELEMENTS, OP_AXPBY},
                 {"scal", GROUP_ELEMENTS, OP_SCAL}, {"rot", GROUP_ELEMENTS, OP_ROT},
                 {"rotm", GROUP_ELEMENTS, OP_ROTM}, {"copy", GROUP_ELEMENTS, OP_COPY},
                 {"swap", GROUP_ELEMENTS, OP_SWAP}, {"iamax", GROUP_ELEMENTS, OP_IAMAX},
                 {"rotg", GROUP_ROTG, 0},           {"rotmg", GROUP_ROTMG, 0},
                 {"scatter_add", GROUP_SCATTER, 0}, {"segment_sum", GROUP_SEGMENT, 0}};
    const fuzz_routine *r = c->routine;
    c->group = GROUP_REDUCTION;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(r->base, known[i].base) == 0) {
            c->group = known[i].group;
            c->op = known[i].op;
        }
    if (c->group == GROUP_ELEMENTS && c->op == OP_SCAL && fuzz_parts(c) == 2 &&
        argument_is_real(r, "alpha"))
        c->op = OP_REAL_SCAL;
}

fuzz_case fuzz_case_of(const fuzz_routine *r)
{
    fuzz_case c = {.routine = r, .layout = 'c', .side = 'l', .uplo = 'l', .transa = 'n'};
    c.transb = 'n';
    c.diag = 'n';
    c.batch = 1;
    c.incx = c.incy = 1;
    c.set = (fuzz_settings){.method = "auto", .isa = "generic", .threads = 1};
    find_level1(&c);
    if (c.group == GROUP_REDUCTION && (fuzz_has(r, "a") || fuzz_has(r, "ap")))
        find_traits(&c);
    return c;
}

fuzz_case fuzz_case_named(const char *routine)
{
    for (int i = 0; i < n_fuzz_routines; i++)
        if (strcmp(fuzz_routines[i].name, routine) == 0)
            return fuzz_case_of(&fuzz_routines[i]);
    fprintf(stderr, "there is no routine %s\n", routine);
    abort();
}

void fuzz_place_as(fuzz_case *c, const placement *p)
{
    c->layout = p->row_major ? 'r' : 'c';
    c->incx = strcmp(c->routine->base, "asum") == 0 ? abs(p->incx) : p->incx;
    c->incy = p->incy;
    for (int w = 0; w < 3; w++) /* matrices of one shape differ in them */
        c->padding[w] = p->padding + (w + p->padding) % 3;
    c->set.form = p->form;
    c->set.environment = p->environment;
    c->set.offset = p->offset;
}

fuzz_case fuzz_case_copy(const fuzz_case *c)
{
    fuzz_case d = *c;
    for (int w = 0; w < N_OPERANDS; w++) {
        const fuzz_operand *o = &c->operand[w];
        size_t bytes = (size_t)(o->rows * o->cols) * sizeof *o->v;
        d.operand[w].v = fuzz_malloc(bytes);
        if (o->v)
            memcpy(d.operand[w].v, o->v, bytes);
    }
    d.index = fuzz_malloc((size_t)c->n_indices * sizeof *d.index);
    if (c->index)
        memcpy(d.index, c->index, (size_t)c->n_indices * sizeof *d.index);
    return d;
}

void fuzz_case_free(fuzz_case *c)
{
    for (int w = 0; w < N_OPERANDS; w++)
        free(c->operand[w].v);
    free(c->index);
}

bool fuzz_is_without_product(const fuzz_case *c)
{
    return (c->t.has_alpha && is_zero_number(c->alpha)) || (c->t.has_k && c->k == 0);
}

bool fuzz_returns_quickly(const fuzz_case *c)
{
    if (c->n == 0 || (c->t.has_m && c->m == 0))
        return true;
    bool keeps = c->t.updates || (c->t.has_beta && c->beta.re == 1 && c->beta.im == 0);
    return keeps && fuzz_is_without_product(c);
}

bool fuzz_is_left(const fuzz_case *c)
{
    return !c->t.has_side || c->side == 'l';
}

const char *fuzz_transposes(const fuzz_case *c)
{
    return !c->t.is_rank_k || fuzz_parts(c) == 1 ? "ntc" : c->t.is_hermitian ? "nc" : "nt";
}

bool fuzz_is_stored(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j)
{
    int64_t below = i - j, kl = c->kl, ku = c->ku;
    if (which == c->t.triangle) {
        below = c->uplo == 'l' ? below : -below;
        if (below < c->t.is_skew)
            return false;
        kl = ku;
    }
    return which != OPERAND_A || !c->t.is_band || (below <= kl && -below <= ku);
}

bool fuzz_is_real(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j)
{
    return c->t.is_hermitian && which == c->t.triangle && i == j;
}

bool fuzz_is_read(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j)
{
    bool is_matrix = c->group == GROUP_LEVEL2 || c->group == GROUP_LEVEL3;
    if (!is_matrix || fuzz_returns_quickly(c))
        return !is_matrix || which == c->t.written;
    if (which == c->t.written && c->t.has_beta ? is_zero_number(c->beta)
                                               : fuzz_is_without_product(c))
        return false;
    bool is_unit = which == OPERAND_A && c->t.has_diag && c->diag == 'u' && i == j;
    return fuzz_is_stored(c, which, i, j) && !is_unit;
}

bool fuzz_is_float(const fuzz_case *c)
{
    return c->routine->type == 's' || c->routine->type == 'c';
}

number_format fuzz_format(const fuzz_case *c)
{
    return format_of_type(c->routine->type);
}

number_format fuzz_operand_format(const fuzz_case *c, fuzz_which which)
{
    for (int k = 0; k < c->routine->n_arguments; k++)
        if (fuzz_operand_of(c, &c->routine->arguments[k]) == which)
            return format_of_type(c->routine->arguments[k].type);
    return fuzz_format(c);
}

number_format fuzz_terms_format(const fuzz_case *c)
{
    return fuzz_operand_format(c, c->group == GROUP_REDUCTION ? OPERAND_X : OPERAND_A);
}

number_format fuzz_result_format(const fuzz_case *c)
{
    char result = c->routine->result;
    return result == 's' || result == 'd' ? format_of_type(result) : fuzz_format(c);
}

int fuzz_parts(const fuzz_case *c)
{
    return c->routine->type == 'c' || c->routine->type == 'z' ? 2 : 1;
}

/* c of rotg and param are reals. */
int fuzz_operand_parts(const fuzz_case *c, fuzz_which which)
{
    return which == OPERAND_C && c->group != GROUP_LEVEL3 ? 1 : fuzz_parts(c);
}

bool fuzz_by_rows(const fuzz_case *c)
{
    return c->layout == 'r' && c->set.form < 2;
}

fuzz_which fuzz_operand_of(const fuzz_case *c, const fuzz_argument *a)
{
    static const struct {
        const char *name;
        fuzz_which which;
    } names[] = {{"a", OPERAND_A},     {"ap", OPERAND_A}, {"d1", OPERAND_A}, {"b", OPERAND_B},
                 {"d2", OPERAND_B},    {"c", OPERAND_C},  {"x", OPERAND_X},  {"x1", OPERAND_X},
                 {"param", OPERAND_C}, {"y", OPERAND_Y},  {"s", OPERAND_Y},  {"in", OPERAND_X},
                 {"out", OPERAND_Y}};
    if (a->kind != FUZZ_ARRAY)
        return N_OPERANDS;
    if (c->group == GROUP_LEVEL3 && !c->t.has_beta && strcmp(a->name, "b") == 0)
        return OPERAND_C;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(a->name, names[i].name) == 0)
            return names[i].which;
    return N_OPERANDS;
}

static int64_t at_least_0(int64_t n)
{
    return n > 0 ? n : 0;
}

static int64_t vector_length(const fuzz_case *c, fuzz_which which)
{
    if (c->group == GROUP_ROTG || c->group == GROUP_ROTMG)
        return 1;
    if (c->group == GROUP_LEVEL2) {
        bool is_m = c->t.updates ? which == OPERAND_X : (which == OPERAND_X) != (c->transa == 'n');
        return c->t.shape == SHAPE_GENERAL && is_m ? c->m : c->n;
    }
    if (c->group == GROUP_SCATTER && which == OPERAND_Y)
        return c->n_bins;
    if (c->group == GROUP_SEGMENT && which == OPERAND_X)
        return c->index ? c->index[c->n_indices - 1] : 0;
    return at_least_0(c->n);
}

static bool has_operand(const fuzz_case *c, fuzz_which which)
{
    for (int k = 0; k < c->routine->n_arguments; k++)
        if (fuzz_operand_of(c, &c->routine->arguments[k]) == which)
            return true;
    return false;
}

/* Sizes as stored of a matrix of Level 3. */
static void matrix_dimensions(const fuzz_case *c, fuzz_which which, int64_t *rows, int64_t *cols)
{
    int64_t m = c->t.has_m ? c->m : c->n;
    bool turned = (which == OPERAND_B && c->t.has_transb ? c->transb : c->transa) != 'n';
    *rows = m;
    *cols = c->n;
    if (which != OPERAND_C && !c->t.has_side) {
        *rows = which == OPERAND_B && c->t.has_transb ? c->k : m;
        *cols = which == OPERAND_B && c->t.has_transb ? c->n : c->k;
    } else if (which == OPERAND_A) {
        *rows = *cols = fuzz_is_left(c) ? m : c->n;
    }
    if (turned && which != OPERAND_C && !c->t.has_side) {
        int64_t n = *rows;
        *rows = *cols;
        *cols = n;
    }
}

/* Rows and columns from sizes and options. */
static void dimensions(const fuzz_case *c, fuzz_which which, int64_t *rows, int64_t *cols)
{
    *rows = *cols = 0;
    if (!has_operand(c, which))
        return;
    *cols = 1;
    if (which == OPERAND_X || which == OPERAND_Y) {
        *rows = vector_length(c, which);
    } else if (c->group == GROUP_LEVEL2) {
        *rows = c->m;
        *cols = c->n;
    } else if (c->group == GROUP_LEVEL3) {
        matrix_dimensions(c, which, rows, cols);
        *cols *= c->batch;
    } else {
        *rows = which == OPERAND_C && c->group != GROUP_ROTG ? 5 : 1;
    }
}

void fuzz_allocate(fuzz_case *c)
{
    for (int w = 0; w < N_OPERANDS; w++) {
        fuzz_operand *o = &c->operand[w];
        dimensions(c, (fuzz_which)w, &o->rows, &o->cols);
        o->v = fuzz_malloc((size_t)(o->rows * o->cols) * sizeof *o->v);
    }
}
