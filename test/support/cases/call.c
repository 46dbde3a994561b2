#include "call.h"

#include "hostile_env.h"

#include "core/kernels.h"
#include "core/partition.h"

#include <exblas/scatter.h>
#include <stdio.h>
#include <stdlib.h>

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

test_number fuzz_number_in(const fuzz_case *c, const fuzz_memory *m, fuzz_which which, int64_t i,
                           int64_t j)
{
    const double *x = m->image[which].first + m->image[which].parts * fuzz_place(c, which, i, j);
    return (test_number){x[0], m->image[which].parts == 2 ? x[1] : 0};
}

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "the library refuses %s\n", what);
    exit(3);
}

void fuzz_settle(const fuzz_settings *s)
{
    require(exb_isa_select(s->isa) == 0, s->isa);
    require(exblas_set_method(s->method) == EXBLAS_OK, s->method);
    require(exblas_set_workspace(s->workspace) == EXBLAS_OK, "a workspace");
    exblas_set_num_threads(s->threads);
    exb_partition_set_grain(1); /* short operands are split as well */
}

/* The numbers of an operand, behind room for a misaligned beginning. */
static void lay_out(const fuzz_case *c, fuzz_which which, const fuzz_image *m, fuzz_arguments *a)
{
    number_format f = fuzz_operand_format(c, which);
    size_t size = number_size(f);
    int64_t n = m->n + 2 * FUZZ_GUARD;
    a->array[which].block = fuzz_malloc((size_t)(n + c->set.offset) * size);
    a->array[which].first = (char *)a->array[which].block + (size_t)c->set.offset * size;
    for (int64_t i = 0; i < n; i++)
        store_number(f, a->array[which].first, i, m->v[i]);
}

static void scalar_at(double *place, test_number x, number_format f)
{
    store_number(f, place, 0, x.re);
    store_number(f, place, 1, x.im);
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

static void *place_of(const fuzz_case *c, const fuzz_arguments *a, fuzz_which which)
{
    return (char *)a->array[which].first + FUZZ_GUARD * number_size(fuzz_operand_format(c, which));
}

static routine_call call_of(const fuzz_case *c, fuzz_arguments *a)
{
    void *of_a = place_of(c, a, OPERAND_A), *of_b = place_of(c, a, OPERAND_B);
    void *of_c = place_of(c, a, OPERAND_C);
    bool writes_b = c->group == GROUP_LEVEL3 && !c->t.has_beta;
    routine_call q = {.layout = c->layout,
                      .side = c->side,
                      .uplo = c->uplo,
                      .trans = c->transa,
                      .transb = c->transb,
                      .diag = c->diag,
                      .m = c->m,
                      .n = c->n,
                      .k = fuzz_integer(c, "k"),
                      .kl = c->kl,
                      .ku = c->ku,
                      .lda = fuzz_integer(c, "lda"),
                      .ldb = fuzz_integer(c, "ldb"),
                      .ldc = fuzz_integer(c, "ldc"),
                      .incx = c->incx,
                      .incy = c->incy,
                      .stridea = fuzz_integer(c, "stridea"),
                      .strideb = fuzz_integer(c, "strideb"),
                      .stridec = fuzz_integer(c, "stridec"),
                      .batch = c->batch,
                      .alpha = a->alpha,
                      .beta = c->group == GROUP_ROTMG ? a->alpha : a->beta,
                      .a = of_a,
                      .b = writes_b ? of_c : of_b,
                      .c = of_c,
                      .s = place_of(c, a, OPERAND_Y),
                      .x = place_of(c, a, OPERAND_X),
                      .y = place_of(c, a, OPERAND_Y),
                      .param = of_c,
                      .result = a->result};
    if (c->group == GROUP_ROTMG) {
        q.a = q.x;
        q.x = of_a;
        q.y = of_b;
    }
    return q;
}

/* Sums that are not in the list of routines. */
static exblas_status scatter_or_segment(const fuzz_case *c, const routine_call *q, const void *i)
{
    exblas_int n = (exblas_int)c->n, bins = (exblas_int)c->n_bins;
    bool wide = c->set.form % 2 == 1, is_float = fuzz_is_float(c);
    if (c->group == GROUP_SCATTER && is_float)
        return wide ? exblas_sscatter_add_64(n, q->x, i, bins, q->y)
                    : exblas_sscatter_add(n, q->x, i, bins, q->y);
    if (c->group == GROUP_SCATTER)
        return wide ? exblas_dscatter_add_64(n, q->x, i, bins, q->y)
                    : exblas_dscatter_add(n, q->x, i, bins, q->y);
    if (is_float)
        return wide ? exblas_ssegment_sum_64(n, i, q->x, q->y)
                    : exblas_ssegment_sum(n, i, q->x, q->y);
    return wide ? exblas_dsegment_sum_64(n, i, q->x, q->y) : exblas_dsegment_sum(n, i, q->x, q->y);
}

static test_number result_of(const fuzz_case *c, const double *place)
{
    int64_t whole;
    number_format f = fuzz_result_format(c);
    memcpy(&whole, place, sizeof whole);
    switch (c->routine->result) {
    case '-':
        return (test_number){0, 0};
    case 'I':
    case 'E':
        return (test_number){(double)whole, 0};
    default:
        return (test_number){load_number(f, place, 0),
                             c->routine->result == 'T' ? load_number(f, place, 1) : 0};
    }
}

void fuzz_prepare(const fuzz_case *c, const fuzz_memory *m, fuzz_arguments *a)
{
    *a = (fuzz_arguments){.indices = indices_of(c)};
    for (int w = 0; w < N_OPERANDS; w++)
        lay_out(c, (fuzz_which)w, &m->image[w], a);
    scalar_at(a->alpha, c->alpha, fuzz_format(c));
    scalar_at(a->beta, c->beta, fuzz_format(c));
    a->q = call_of(c, a);
}

void fuzz_make(const fuzz_case *c, fuzz_arguments *a)
{
    if (c->group != GROUP_SCATTER && c->group != GROUP_SEGMENT) {
        routine_run(c->routine->name, (call_form)c->set.form, &a->q);
        return;
    }
    int64_t status = scatter_or_segment(c, &a->q, a->indices);
    memcpy(a->result, &status, sizeof status);
}

void fuzz_finish(const fuzz_case *c, fuzz_arguments *a, fuzz_memory *m)
{
    for (int w = 0; w < N_OPERANDS; w++) {
        number_format f = fuzz_operand_format(c, (fuzz_which)w);
        for (int64_t i = 0; i < m->image[w].n + 2 * FUZZ_GUARD; i++)
            m->image[w].v[i] = load_number(f, a->array[w].first, i);
        free(a->array[w].block);
    }
    free(a->indices);
    m->result = result_of(c, a->result);
}

const char *(*fuzz_elsewhere)(const fuzz_case *, const fuzz_memory *, fuzz_arguments *);

fuzz_report fuzz_call(const fuzz_case *c, fuzz_memory *m)
{
    fuzz_arguments a;
    fuzz_report report = {.wrong = NULL};
    fuzz_prepare(c, m, &a);
    hostile_env_enter(c->set.environment);
    if (fuzz_elsewhere)
        report.wrong = fuzz_elsewhere(c, m, &a);
    else
        fuzz_make(c, &a);
    if (!hostile_env_leave())
        report.wrong = "the floating-point environment changed";
    exblas_stats_last(&report.stats);
    fuzz_finish(c, &a, m);
    return report;
}
