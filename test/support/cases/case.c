#include "case.h"

#include "level1_model.h"

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

static bool find(fuzz_case *c, fuzz_group group, int n_families)
{
    for (int f = 0; f < n_families; f++) {
        const char *name = group == GROUP_LEVEL2 ? level2_name((level2_family)f, c->routine->type)
                                                 : level3_name((level3_family)f, c->routine->type);
        if (name && strcmp(name + 1, c->routine->base) == 0) { /* other names of it, too */
            c->group = group;
            c->family = f;
            return true;
        }
    }
    return false;
}

static void find_level1(fuzz_case *c)
{
    static const struct {
        const char *base;
        int what; /* an operation on elements, or minus a group */
    } known[] = {
        {"axpy", LEVEL1_AXPY},   {"axpby", LEVEL1_AXPBY},         {"scal", LEVEL1_SCAL},
        {"rot", LEVEL1_ROT},     {"rotm", LEVEL1_ROTM},           {"copy", LEVEL1_COPY},
        {"swap", LEVEL1_SWAP},   {"iamax", LEVEL1_IAMAX},         {"rotg", -GROUP_ROTG},
        {"rotmg", -GROUP_ROTMG}, {"scatter_add", -GROUP_SCATTER}, {"segment_sum", -GROUP_SEGMENT}};
    const fuzz_routine *r = c->routine;
    c->group = GROUP_REDUCTION;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(r->base, known[i].base) == 0) {
            c->group = known[i].what < 0 ? (fuzz_group)-known[i].what : GROUP_ELEMENTS;
            c->family = known[i].what;
        }
    /* csscal, zdscal */
    for (int k = 0; k < r->n_arguments; k++)
        if (c->group == GROUP_ELEMENTS && c->family == LEVEL1_SCAL && fuzz_parts(c) == 2 &&
            r->arguments[k].is_real)
            c->family = LEVEL1_REAL_SCAL;
}

fuzz_case fuzz_case_of(const fuzz_routine *r)
{
    fuzz_case c = {.routine = r, .layout = 'c', .side = 'l', .uplo = 'l', .transa = 'n'};
    c.transb = 'n';
    c.diag = 'n';
    c.batch = 1;
    c.incx = c.incy = 1;
    c.set = (fuzz_settings){.method = "auto", .isa = "generic", .threads = 1};
    if (!find(&c, GROUP_LEVEL2, L2_FAMILIES) && !find(&c, GROUP_LEVEL3, L3_FAMILIES))
        find_level1(&c);
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

fuzz_which fuzz_written(const fuzz_case *c)
{
    const level2_traits *t = &level2_family_traits[c->family];
    return c->group == GROUP_LEVEL3 ? OPERAND_C
           : t->updates             ? OPERAND_A
           : t->has_beta            ? OPERAND_Y
                                    : OPERAND_X;
}

bool fuzz_returns_quickly(const fuzz_case *c)
{
    level2_problem two = fuzz_level2(c);
    level3_problem three = fuzz_level3(c, 0);
    return c->group == GROUP_LEVEL2 ? level2_returns_quickly(&two) : level3_returns_quickly(&three);
}

bool fuzz_is_float(const fuzz_case *c)
{
    return c->routine->type == 's' || c->routine->type == 'c';
}

bool fuzz_solves(const fuzz_case *c)
{
    return c->group == GROUP_LEVEL3
               ? c->family == L3_TRSM
               : c->group == GROUP_LEVEL2 && level2_family_traits[c->family].solves;
}

number_format fuzz_format(const fuzz_case *c)
{
    return level2_format(c->routine->type);
}

number_format fuzz_operand_format(const fuzz_case *c, fuzz_which which)
{
    for (int k = 0; k < c->routine->n_arguments; k++)
        if (fuzz_operand_of(c, &c->routine->arguments[k]) == which)
            return level2_format(c->routine->arguments[k].type);
    return fuzz_format(c);
}

number_format fuzz_terms_format(const fuzz_case *c)
{
    return fuzz_operand_format(c, c->group == GROUP_REDUCTION ? OPERAND_X : OPERAND_A);
}

number_format fuzz_result_format(const fuzz_case *c)
{
    char result = c->routine->result;
    return result == 's' || result == 'd' ? level2_format(result) : fuzz_format(c);
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
    const level3_traits *t = &level3_family_traits[c->group == GROUP_LEVEL3 ? c->family : 0];
    if (a->kind != FUZZ_ARRAY)
        return N_OPERANDS;
    if (c->group == GROUP_LEVEL3 && !t->has_beta && strcmp(a->name, "b") == 0)
        return OPERAND_C;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(a->name, names[i].name) == 0)
            return names[i].which;
    return N_OPERANDS;
}

level2_problem fuzz_level2(const fuzz_case *c)
{
    level2_problem p = {.family = (level2_family)c->family, .type = c->routine->type};
    p.trans = c->transa;
    p.uplo = c->uplo;
    p.diag = c->diag;
    p.m = c->m;
    p.n = c->n;
    p.kl = c->kl;
    p.ku = c->ku;
    p.alpha = c->alpha;
    p.beta = c->beta;
    p.a = c->operand[OPERAND_A].v;
    p.x = c->operand[OPERAND_X].v;
    p.y = c->operand[OPERAND_Y].v;
    return p;
}

static const level2_number *copy_of(const fuzz_operand *o, int64_t batch, int64_t copy)
{
    return o->v ? o->v + copy * (o->rows * o->cols / (batch > 0 ? batch : 1)) : NULL;
}

level3_problem fuzz_level3(const fuzz_case *c, int64_t copy)
{
    level3_problem p = {.family = (level3_family)c->family, .type = c->routine->type};
    p.side = c->side;
    p.uplo = c->uplo;
    p.transa = c->transa;
    p.transb = c->transb;
    p.diag = c->diag;
    p.m = c->m;
    p.n = c->n;
    p.k = c->k;
    p.alpha = c->alpha;
    p.beta = c->beta;
    p.a = copy_of(&c->operand[OPERAND_A], c->batch, copy);
    p.b = copy_of(&c->operand[OPERAND_B], c->batch, copy);
    p.c = copy_of(&c->operand[OPERAND_C], c->batch, copy);
    return p;
}

static int64_t at_least_0(int64_t n)
{
    return n > 0 ? n : 0;
}

static int64_t vector_length(const fuzz_case *c, fuzz_which which)
{
    level2_problem p = fuzz_level2(c);
    if (c->group == GROUP_ROTG || c->group == GROUP_ROTMG)
        return 1;
    if (c->group == GROUP_LEVEL2)
        return which == OPERAND_X ? level2_x_length(&p) : level2_y_length(&p);
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
        level3_problem p = fuzz_level3(c, 0);
        level3_matrix m = level3_matrix_of(&p, (level3_which)which);
        *rows = m.rows;
        *cols = m.cols * c->batch;
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
