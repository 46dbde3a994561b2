#include "case.h"

#include "level1_call.h"

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

static bool is_base(const fuzz_routine *r, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(r->base, *names) == 0)
            return true;
    return false;
}

static bool find_level2(fuzz_case *c)
{
    for (int f = 0; f < L2_FAMILIES; f++) {
        const char *name = level2_name((level2_family)f, c->routine->type);
        if (name && strcmp(name, c->routine->name) == 0) {
            c->group = GROUP_LEVEL2;
            c->family = f;
            return true;
        }
    }
    return false;
}

static bool find_level3(fuzz_case *c)
{
    for (int f = 0; f < L3_FAMILIES; f++) {
        const char *name = level3_name((level3_family)f, c->routine->type);
        if (name && strcmp(name, c->routine->name) == 0) {
            c->group = GROUP_LEVEL3;
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
        level1_op op;
    } elements[] = {{"axpy", LEVEL1_AXPY}, {"axpby", LEVEL1_AXPBY}, {"scal", LEVEL1_SCAL},
                    {"rot", LEVEL1_ROT},   {"rotm", LEVEL1_ROTM},   {"copy", LEVEL1_COPY},
                    {"swap", LEVEL1_SWAP}, {"iamax", LEVEL1_IAMAX}};
    const char *const rotg[] = {"rotg", NULL}, *const rotmg[] = {"rotmg", NULL};
    const char *const scatter[] = {"scatter_add", NULL}, *const segment[] = {"segment_sum", NULL};
    const fuzz_routine *r = c->routine;
    c->group = is_base(r, rotg)      ? GROUP_ROTG
               : is_base(r, rotmg)   ? GROUP_ROTMG
               : is_base(r, scatter) ? GROUP_SCATTER
               : is_base(r, segment) ? GROUP_SEGMENT
                                     : GROUP_REDUCTION;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strcmp(r->base, elements[i].base) == 0) {
            c->group = GROUP_ELEMENTS;
            c->family = elements[i].op;
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
    if (!find_level2(&c) && !find_level3(&c))
        find_level1(&c);
    return c;
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

bool fuzz_is_float(const fuzz_case *c)
{
    return c->routine->type == 's' || c->routine->type == 'c';
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
                 {"param", OPERAND_C}, {"y", OPERAND_Y},  {"s", OPERAND_Y}};
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

void fuzz_dimensions(const fuzz_case *c, fuzz_which which, int64_t *rows, int64_t *cols)
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
        fuzz_dimensions(c, (fuzz_which)w, &o->rows, &o->cols);
        o->v = fuzz_malloc((size_t)(o->rows * o->cols) * sizeof *o->v);
    }
}

/* --- in memory ------------------------------------------------------------ */

enum { BATCH_GAP = 5 /* elements between the matrices of a batch */ };

static int64_t leading_dimension(const fuzz_case *c, fuzz_which which)
{
    const fuzz_operand *o = &c->operand[which];
    int64_t padding = c->padding[which];
    if (c->group == GROUP_LEVEL2) {
        level2_problem p = fuzz_level2(c);
        return level2_least_lda(&p, fuzz_by_rows(c)) + padding;
    }
    int64_t span = fuzz_by_rows(c) ? o->cols / c->batch : o->rows;
    return (span > 1 ? span : 1) + padding;
}

static int64_t batch_stride(const fuzz_case *c, fuzz_which which)
{
    const fuzz_operand *o = &c->operand[which];
    int64_t lines = fuzz_by_rows(c) ? o->rows : o->cols / c->batch;
    return leading_dimension(c, which) * lines + BATCH_GAP;
}

int64_t fuzz_integer(const fuzz_case *c, const char *name)
{
    bool level2 = c->group == GROUP_LEVEL2;
    switch (name[0]) {
    case 'm':
        return c->m;
    case 'n':
        return strcmp(name, "n_bins") == 0 ? c->n_bins : c->n;
    case 'k':
        if (name[1] == 'l')
            return c->kl;
        return name[1] == 'u' || level2 ? c->ku : c->k;
    case 'i':
        return name[3] == 'x' ? c->incx : c->incy;
    case 'b':
        return c->batch;
    default: {
        char last = name[strlen(name) - 1]; /* ld and stride of a, b or c */
        fuzz_which which = last == 'a' ? OPERAND_A : last == 'b' ? OPERAND_B : OPERAND_C;
        bool in_c =
            c->group == GROUP_LEVEL3 && last == 'b' && !level3_family_traits[c->family].has_beta;
        which = in_c ? OPERAND_C : which;
        return name[0] == 's' ? batch_stride(c, which) : leading_dimension(c, which);
    }
    }
}

int64_t fuzz_place(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j)
{
    bool by_rows = fuzz_by_rows(c);
    if (c->group == GROUP_LEVEL2 && which == OPERAND_A) {
        level2_problem p = fuzz_level2(c);
        return level2_place(&p, by_rows, leading_dimension(c, which), i, j);
    }
    if (c->group == GROUP_LEVEL3) {
        int64_t each = c->operand[which].cols / c->batch, copy = j / each,
                ld = leading_dimension(c, which);
        j %= each;
        int64_t stride = c->batch > 1 ? batch_stride(c, which) : 0;
        return copy * stride + (by_rows ? i * ld + j : j * ld + i);
    }
    bool has_inc = c->group <= GROUP_ELEMENTS || c->group == GROUP_LEVEL2;
    if (!has_inc || which < OPERAND_X)
        return i;
    return level2_vector_place(c->operand[which].rows, which == OPERAND_X ? c->incx : c->incy, i);
}

bool fuzz_is_read(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j)
{
    if (c->group == GROUP_LEVEL3) {
        level3_problem p = fuzz_level3(c, 0);
        int64_t each = c->operand[which].cols / c->batch;
        return level3_is_read(&p, (level3_which)which, i, j % each);
    }
    if (c->group != GROUP_LEVEL2)
        return true;
    level2_problem p = fuzz_level2(c);
    const level2_traits *t = &level2_family_traits[p.family];
    if (which == OPERAND_A)
        return level2_is_read(&p, i, j);
    bool returns = level2_returns_quickly(&p);
    if (which == OPERAND_Y)
        return !t->has_beta || returns || !level2_number_is_zero(p.beta);
    return !(t->has_beta && level2_number_is_zero(p.alpha));
}

/* An imaginary part that does not exist. */
static bool is_real_element(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j)
{
    if (c->group == GROUP_LEVEL2 && which == OPERAND_A) {
        level2_problem p = fuzz_level2(c);
        return level2_is_diagonal_of_hermitian(&p, i, j);
    }
    if (c->group != GROUP_LEVEL3)
        return false;
    level3_problem p = fuzz_level3(c, 0);
    return level3_is_real(&p, (level3_which)which, i, j);
}

/* A band or a packed triangle has elements only where they are stored. */
static bool has_place(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j)
{
    if (c->group != GROUP_LEVEL2 || which != OPERAND_A)
        return true;
    level2_problem p = fuzz_level2(c);
    return level2_family_traits[p.family].storage == STORED_FULL || level2_is_stored(&p, i, j);
}

static int64_t extent(const fuzz_case *c, fuzz_which which)
{
    const fuzz_operand *o = &c->operand[which];
    int64_t n = 0;
    for (int64_t j = 0; j < o->cols; j++)
        for (int64_t i = 0; i < o->rows; i++)
            if (has_place(c, which, i, j)) {
                int64_t at = fuzz_place(c, which, i, j);
                n = at + 1 > n ? at + 1 : n;
            }
    return n;
}

fuzz_image fuzz_lay_out(const fuzz_case *c, fuzz_which which)
{
    const fuzz_operand *o = &c->operand[which];
    fuzz_image m = {.parts = fuzz_operand_parts(c, which)};
    double nan = poison(fuzz_is_float(c) ? FORMAT_S : FORMAT_D);
    m.n = extent(c, which) * m.parts;
    m.v = fuzz_malloc((size_t)(m.n + 2 * FUZZ_GUARD) * sizeof *m.v);
    m.first = m.v + FUZZ_GUARD;
    for (int64_t i = 0; i < m.n + 2 * FUZZ_GUARD; i++)
        m.v[i] = nan;
    for (int64_t j = 0; j < o->cols; j++)
        for (int64_t i = 0; i < o->rows; i++) {
            bool repeated = which >= OPERAND_X && i > 0 && fuzz_place(c, which, i, j) == 0 &&
                            fuzz_place(c, which, 0, j) == 0;
            if (!has_place(c, which, i, j) || !fuzz_is_read(c, which, i, j) || repeated)
                continue;
            level2_number x = o->v[j * o->rows + i];
            double *at = m.first + m.parts * fuzz_place(c, which, i, j);
            at[0] = x.re;
            if (m.parts == 2)
                at[1] = is_real_element(c, which, i, j) ? nan : x.im;
        }
    return m;
}

void fuzz_image_free(fuzz_image *m)
{
    free(m->v);
}
