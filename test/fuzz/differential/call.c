#include "call.h"

#include "hostile_env.h"

#include "core/kernels.h"
#include "core/partition.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DEFAULT_WORKSPACE = 64 << 20 };

fuzz_memory fuzz_memory_of(const fuzz_case *c)
{
    fuzz_memory m = {.result = {0, 0}};
    for (int w = 0; w < N_OPERANDS; w++)
        m.image[w] = fuzz_lay_out(c, (fuzz_which)w);
    return m;
}

void fuzz_memory_free(fuzz_memory *m)
{
    for (int w = 0; w < N_OPERANDS; w++)
        fuzz_image_free(&m->image[w]);
}

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "the library refuses %s\n", what);
    exit(3);
}

static void settle(const fuzz_settings *s)
{
    require(exb_isa_select(s->isa) == 0, s->isa);
    require(exblas_set_method(s->method) == EXBLAS_OK, s->method);
    require(exblas_set_workspace(s->workspace ? s->workspace : DEFAULT_WORKSPACE) == EXBLAS_OK,
            "a workspace");
    exblas_set_num_threads(s->threads);
    exb_partition_set_grain(1); /* short operands are split as well */
}

void fuzz_settings_restore(void)
{
    exblas_set_method(NULL);
    exblas_set_workspace(DEFAULT_WORKSPACE);
    exblas_set_num_threads(1);
}

/* Numbers of the routine's type, and room for a misaligned beginning. */
typedef struct {
    void *block, *first;
} typed;

static typed typed_of(const fuzz_image *m, bool is_float, int offset)
{
    size_t size = is_float ? sizeof(float) : sizeof(double);
    int64_t n = m->n + 2 * FUZZ_GUARD;
    typed t = {.block = fuzz_malloc((size_t)(n + offset) * size)};
    char *p = (char *)t.block + (size_t)offset * size;
    for (int64_t i = 0; i < n; i++)
        if (is_float)
            ((float *)p)[i] = (float)m->v[i];
        else
            ((double *)p)[i] = m->v[i];
    t.first = p;
    return t;
}

static void take_back(fuzz_image *m, const typed *t, bool is_float)
{
    for (int64_t i = 0; i < m->n + 2 * FUZZ_GUARD; i++)
        m->v[i] = is_float ? (double)((const float *)t->first)[i] : ((const double *)t->first)[i];
}

static int64_t option(const fuzz_case *c, const char *name, char *letter)
{
    static const char letters[] = "ntculnlrrc";
    static const int numbers[] = {111, 112, 113, 121, 122, 131, 141, 142, 101, 102};
    int from = 0;
    *letter = c->transa;
    if (name[0] == 'l') {
        *letter = c->layout;
        from = 8;
    } else if (name[0] == 's') {
        *letter = c->side;
        from = 6;
    } else if (name[0] == 'u') {
        *letter = c->uplo;
        from = 3;
    } else if (name[0] == 'd') {
        *letter = c->diag;
        return *letter == 'u' ? 132 : 131;
    } else if (strcmp(name, "transb") == 0) {
        *letter = c->transb;
    }
    return numbers[from + (int)(strchr(letters + from, *letter) - (letters + from))];
}

typedef struct {
    fuzz_value value[FUZZ_MOST_ARGUMENTS];
    char letter[FUZZ_MOST_ARGUMENTS];
    double scalar[FUZZ_MOST_ARGUMENTS][2];
    typed array[N_OPERANDS];
    void *indices;
} arguments;

static level2_number scalar_of(const fuzz_case *c, const char *name)
{
    bool second = strcmp(name, "beta") == 0 || strcmp(name, "s") == 0;
    return second ? c->beta : c->alpha; /* alpha, sb, c, y1 */
}

static void *scalar_at(double *place, level2_number x, bool is_float)
{
    if (!is_float) {
        place[0] = x.re;
        place[1] = x.im;
        return place;
    }
    float narrow[2] = {(float)x.re, (float)x.im};
    memcpy(place, narrow, sizeof narrow);
    return place;
}

static void *indices_of(const fuzz_case *c)
{
    bool wide = c->set.form % 2 == 1;
    void *p = fuzz_malloc((size_t)c->n_indices * sizeof(int64_t));
    for (int64_t i = 0; i < c->n_indices; i++)
        if (wide)
            ((int64_t *)p)[i] = c->index[i];
        else
            ((int32_t *)p)[i] = (int32_t)c->index[i];
    return p;
}

static void fill(const fuzz_case *c, const fuzz_memory *m, arguments *a)
{
    bool is_float = fuzz_is_float(c);
    for (int w = 0; w < N_OPERANDS; w++)
        a->array[w] = typed_of(&m->image[w], is_float, c->set.offset);
    a->indices = indices_of(c);
    for (int k = 0; k < c->routine->n_arguments; k++) {
        const fuzz_argument *g = &c->routine->arguments[k];
        fuzz_value *v = &a->value[k];
        if (g->kind == FUZZ_OPTION) {
            v->i = option(c, g->name, &a->letter[k]);
            v->p = &a->letter[k];
        } else if (g->kind == FUZZ_INTEGER) {
            v->i = fuzz_integer(c, g->name);
        } else if (g->kind == FUZZ_SCALAR) {
            v->p = scalar_at(a->scalar[k], scalar_of(c, g->name), is_float);
        } else if (g->kind == FUZZ_INDICES) {
            v->p = a->indices;
        } else {
            size_t size = is_float ? sizeof(float) : sizeof(double);
            v->p = (char *)a->array[fuzz_operand_of(c, g)].first + FUZZ_GUARD * size;
        }
    }
}

static level2_number result_of(const fuzz_case *c, const double *place)
{
    int64_t whole;
    float narrow[2];
    memcpy(&whole, place, sizeof whole);
    memcpy(narrow, place, sizeof narrow);
    bool is_float = c->routine->result == 's' || (c->routine->result == 'T' && fuzz_is_float(c));
    switch (c->routine->result) {
    case '-':
        return (level2_number){0, 0};
    case 'I':
    case 'E':
        return (level2_number){(double)whole, 0};
    default: {
        bool both = c->routine->result == 'T';
        return is_float ? (level2_number){narrow[0], both ? narrow[1] : 0}
                        : (level2_number){place[0], both ? place[1] : 0};
    }
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

fuzz_report fuzz_call(const fuzz_case *c, fuzz_memory *m)
{
    arguments a = {.indices = NULL};
    double result[2] = {0, 0};
    fuzz_report report = {.wrong = NULL};
    fill(c, m, &a);
    settle(&c->set);
    double begin = now();
    hostile_env_enter(c->set.environment);
    c->routine->call[c->set.form](a.value, result);
    if (!hostile_env_leave())
        report.wrong = "the floating-point environment changed";
    report.seconds = now() - begin;
    exblas_stats_last(&report.stats);
    for (int w = 0; w < N_OPERANDS; w++) {
        take_back(&m->image[w], &a.array[w], fuzz_is_float(c));
        free(a.array[w].block);
    }
    free(a.indices);
    m->result = result_of(c, result);
    return report;
}
