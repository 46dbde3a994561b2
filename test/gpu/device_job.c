#include "gpu/device_job.h"

#include "fuzz/differential/compare.h"
#include "fuzz/differential/numbers.h"

#include <stdio.h>
#include <stdlib.h>

exblas_status device_set(int group, bool groups_alone,
                         exblas_status (*set)(const char *, const char *, int))
{
    static const struct {
        const char *routine, *name;
        int value; /* 0: the group */
    } all[] = {{"reduce", "group", 0},
               {"scatter", "group", 0},
               {"?gemv", "group", 0},
               {"?trsv", "group", 0},
               {"?gemm", "group", 0},
               {"?gemm", "residue_group", 0},
               {"scatter", "copies", 3},
               {"?gemv", "elements", 10},
               {"?gemm", "elements", 16},
               {"?gemm", "residue_rows", 64},
               {"?gemm", "residue_columns", 64},
               {"?gemm", "residue_terms", 512}};
    exblas_status s = EXBLAS_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const char *type = "sd"; *type && !s && !(groups_alone && all[i].value); type++) {
            char routine[16];
            snprintf(routine, sizeof routine, "%s", all[i].routine);
            if (*routine == '?')
                *routine = *type;
            s = set(routine, all[i].name, all[i].value ? all[i].value : group);
        }
    return s;
}

bool device_has(const fuzz_routine *r)
{
    char name[32];
    snprintf(name, sizeof name, " %s ", r->name);
    return strstr(device_routines, name) || strcmp(r->base, "scatter_add") == 0;
}

double device_work(const fuzz_case *c)
{
    int64_t m = c->t.has_m ? c->m : c->n;
    int64_t k = c->t.has_k ? c->k : fuzz_is_left(c) ? m : c->n;
    return (double)c->n * (double)(c->group < GROUP_LEVEL2 ? 1 : m) *
           (double)(c->group == GROUP_LEVEL3 ? k * c->batch : 1);
}

/* --- operands on the device ------------------------------------------------------------------- */

static fuzz_which written_by(const fuzz_case *c)
{
    return c->group == GROUP_REDUCTION ? N_OPERANDS
           : c->group == GROUP_SCATTER ? OPERAND_Y
                                       : c->t.written;
}

/* Behind what is read alone nothing follows, so that reads beyond it are seen. */
static size_t bytes_of(const fuzz_case *c, const fuzz_memory *m, fuzz_which which)
{
    int guards = which == written_by(c) ? 2 : 1;
    return (size_t)(m->image[which].n + guards * FUZZ_GUARD) *
           number_size(fuzz_operand_format(c, which));
}

enum { MOST_RESULT = 2 * sizeof(double) };

static size_t result_bytes(const fuzz_case *c)
{
    return number_size(fuzz_result_format(c)) << (c->routine->result == 'T');
}

static size_t index_guard(const fuzz_case *c)
{
    return FUZZ_GUARD * (c->set.form % 2 == 1 ? sizeof(int64_t) : sizeof(int32_t));
}

static void upload(const fuzz_case *c, const fuzz_memory *m, const fuzz_arguments *a,
                   device_operands *d)
{
    char around[3 * MOST_RESULT];
    size_t before = index_guard(c), n = (size_t)c->n_indices * (before / FUZZ_GUARD);
    char *indices = memset(fuzz_malloc(before + n), -1, before); /* of which none is one */
    memcpy(indices + before, a->indices, n);
    for (int w = 0; w < N_OPERANDS; w++)
        d->operand[w] = device_upload(bytes_of(c, m, (fuzz_which)w), a->array[w].first);
    d->index = device_upload(before + n, indices);
    free(indices);
    d->result = device_upload(sizeof around, memset(around, -1, sizeof around));
}

static void release(device_operands *d)
{
    for (int w = 0; w < N_OPERANDS; w++)
        device_release(d->operand[w]);
    device_release(d->index);
    device_release(d->result);
}

/* False if something beside a result has changed. */
static bool download(const fuzz_case *c, const fuzz_memory *m, const device_operands *d,
                     fuzz_arguments *a)
{
    unsigned char r[3 * MOST_RESULT];
    size_t bytes = result_bytes(c);
    bool kept = true;
    for (int w = 0; w < N_OPERANDS; w++)
        device_download(d->operand[w], bytes_of(c, m, (fuzz_which)w), a->array[w].first);
    if (c->group != GROUP_REDUCTION)
        return true;
    device_download(d->result, sizeof r, r);
    memcpy(a->result, r + bytes, bytes);
    for (size_t i = 0; i < sizeof r; i++)
        kept = kept && (i / bytes == 1 || r[i] == 0xff);
    return kept;
}

/* What a place on the host is there. */
static void *moved(const fuzz_case *c, const fuzz_arguments *a, const device_operands *d,
                   const void *place)
{
    for (int w = 0; w < N_OPERANDS; w++) {
        size_t guard = FUZZ_GUARD * number_size(fuzz_operand_format(c, (fuzz_which)w));
        if (place == (char *)a->array[w].first + guard)
            return device_place(d->operand[w], guard);
    }
    return NULL;
}

static exblas_status run(const fuzz_case *c, const fuzz_arguments *a, const device_operands *d)
{
    routine_call q = a->q;
    void **place[] = {&q.a, &q.b, &q.c, &q.x, &q.y};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++)
        *place[i] = moved(c, a, d, *place[i]);
    q.result = device_place(d->result, result_bytes(c));
    q.layout = fuzz_by_rows(c) ? 'r' : 'c';
    return device_run(c, &q, device_place(d->index, index_guard(c)),
                      (size_t)(FUZZ_GUARD / fuzz_parts(c)));
}

static exblas_status run_on_host(const fuzz_case *c, const fuzz_arguments *a)
{
    routine_call q = a->q;
    q.layout = fuzz_by_rows(c) ? 'r' : 'c';
    return c->set.threads > 1 ? device_run_host(c, &q) : EXBLAS_EUNSUPPORTED;
}

const char *device_make(const fuzz_case *c, const fuzz_memory *m, fuzz_arguments *a)
{
    device_operands d;
    const char *wrong = NULL;
    exblas_status s = run_on_host(c, a);
    if (s == EXBLAS_EUNSUPPORTED) {
        upload(c, m, a, &d);
        s = run(c, a, &d);
        if (!download(c, m, &d, a))
            wrong = "what lies beside the result changed";
        release(&d);
    }
    return s ? device_last_error() : wrong;
}

/* --- jobs ------------------------------------------------------------------------------------- */

static void free_arguments(fuzz_arguments *a)
{
    for (int w = 0; w < N_OPERANDS; w++)
        free(a->array[w].block);
    free(a->indices);
}

static fuzz_memory found_by(const device_job *j)
{
    fuzz_arguments a;
    fuzz_memory m = fuzz_memory_of(&j->c);
    fuzz_prepare(&j->c, &m, &a);
    if (!download(&j->c, &m, &j->d, &a))
        printf("# what lies beside the result changed\n"), m.result.re = 42;
    fuzz_finish(&j->c, &a, &m);
    return m;
}

void job_reset(device_job *j)
{
    if (j->a.indices) {
        release(&j->d);
        free_arguments(&j->a);
    }
    fuzz_prepare(&j->c, &j->before, &j->a);
    upload(&j->c, &j->before, &j->a, &j->d);
}

device_job *job_of(fuzz_case c)
{
    device_job *j = fuzz_malloc(sizeof *j);
    j->c = c;
    j->before = fuzz_memory_of(&c);
    j->wanted = fuzz_memory_of(&c);
    fuzz_call(&c, &j->wanted);
    job_reset(j);
    fuzz_memory now = found_by(j);
    j->before.result = now.result;
    fuzz_memory_free(&now);
    return j;
}

static void fill(test_random *r, const fuzz_case *c, fuzz_which which, fuzz_style style)
{
    const fuzz_operand *o = &c->operand[which];
    fuzz_source s = {.style = style, .format = fuzz_format(c), .spread = 3};
    for (int64_t i = 0; i < o->rows * o->cols; i++) {
        o->v[i].re = fuzz_number(r, &s, i);
        o->v[i].im = fuzz_parts(c) == 2 ? fuzz_number(r, &s, i) : 0;
    }
}

fuzz_case case_of(const char *routine, int m, int n, int k, fuzz_style style, const char *method)
{
    fuzz_case c = fuzz_case_named(routine);
    test_random r = test_random_start((uint64_t)(m + n + k + (int)style), "device job");
    c.m = c.group == GROUP_LEVEL2 && c.t.shape == SHAPE_TRIANGLE ? n : m;
    c.n = n;
    c.k = k;
    c.batch = fuzz_has(c.routine, "batch") ? 2 : 1;
    c.alpha.re = 0.75;
    c.beta.re = -1.5;
    c.set.method = method;
    if (c.group == GROUP_SCATTER) {
        c.n_bins = m;
        c.n_indices = n;
        c.index = fuzz_malloc((size_t)n * sizeof *c.index);
        for (int i = 0; i < n; i++)
            c.index[i] = random_between(&r, 0, m - 1);
    }
    fuzz_allocate(&c);
    for (int w = 0; w < N_OPERANDS; w++)
        fill(&r, &c, (fuzz_which)w, style);
    return c;
}

void job_free(device_job *j)
{
    release(&j->d);
    free_arguments(&j->a);
    fuzz_memory_free(&j->before);
    fuzz_memory_free(&j->wanted);
    fuzz_case_free(&j->c);
    free(j);
}

exblas_status job_call(device_job *j)
{
    exblas_set_method(j->c.set.method);
    exblas_status s = run(&j->c, &j->a, &j->d);
    exblas_set_method(NULL);
    return s;
}

bool job_is_right(const device_job *j)
{
    fuzz_memory now = found_by(j);
    fuzz_verdict v = fuzz_compare(&j->c, &j->wanted, &now);
    if (v.differs)
        fuzz_print(stdout, &j->c, &v);
    fuzz_memory_free(&now);
    return !v.differs;
}

bool job_is_untouched(const device_job *j)
{
    fuzz_memory now = found_by(j);
    bool differs = fuzz_compare(&j->c, &j->before, &now).differs;
    fuzz_memory_free(&now);
    return !differs;
}

bool job_is_contained(const device_job *j)
{
    fuzz_memory now = found_by(j);
    bool kept = true;
    for (int w = 0; w < N_OPERANDS; w++) {
        const double *before = j->before.image[w].v, *wanted = j->wanted.image[w].v;
        for (int64_t i = 0; i < j->before.image[w].n + 2 * FUZZ_GUARD; i++)
            kept = kept &&
                   (!same_bits(before[i], wanted[i]) || same_bits(before[i], now.image[w].v[i]));
    }
    fuzz_memory_free(&now);
    return kept;
}
