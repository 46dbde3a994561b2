#include "gpu/calls/device_job.h"

#include <exblas/cblas.h>
#include <exblas/exblas.h>
#include <exblas/scatter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- calls ---------------------------------------------------------------------------------- */

typedef struct {
    char name[24];
    float alpha[2], beta[2];
} words;

/* Of a real matrix the conjugate transpose is the transpose; updates know one of both. */
static int trans_of(const device_case *c)
{
    return c->transa == EXBLAS_NO_TRANS ? c->transa
           : c->routine == HERK         ? EXBLAS_CONJ_TRANS
           : c->routine == SYRK         ? EXBLAS_TRANS
                                        : c->transa;
}

/* Operands a and b, and what is written, `to`. */
static device_call describe(const device_case *c, words *w, void *a, void *b, void *to,
                            const void *index)
{
    bool batch = c->routine == BATCH, is_s = case_format(c) == FORMAT_S;
    device_case_name(c, w->name);
    for (int i = 0; i < 2; i++) {
        w->alpha[i] = (float)c->alpha[i];
        w->beta[i] = (float)c->beta[i];
    }
    return (device_call){.name = w->name,
                         .layout = c->layout,
                         .side = c->side,
                         .uplo = c->uplo,
                         .trans = trans_of(c),
                         .transb = c->transb,
                         .diag = c->diag,
                         .m = c->m,
                         .n = c->n,
                         .k = c->k,
                         .lda = c->ld,
                         .ldb = c->ld,
                         .ldc = c->ld,
                         .incx = c->incx,
                         .incy = c->incy,
                         .stridea = batch,
                         .strideb = 2 * batch,
                         .stridec = (int64_t)c->ld * c->ld,
                         .batch = 2,
                         .alpha = is_s ? (const void *)w->alpha : c->alpha,
                         .beta = is_s ? (const void *)w->beta : c->beta,
                         .a = a,
                         .x = c->routine == GEMV   ? b
                              : c->routine == TRSV ? to
                                                   : a,
                         .b = c->routine == TRSM || c->routine == TRMM ? to : b,
                         .y = c->routine == GEMV || c->routine == SCATTER ? to : b,
                         .c = to,
                         .r = to,
                         .index = c->routine == SCATTER ? index : NULL,
                         .wide = c->wide};
}

/* On the processor. */
static void run_here(const device_job *j)
{
    words w;
    const device_case *c = &j->c;
    device_call d = describe(c, &w, case_place(c, j->x[0]), case_place(c, j->x[1]),
                             case_place(c, j->wanted), j->index);
    exblas_status s = c->routine != SCATTER ? device_call_cpu(&d)
                      : c->type == 's'      ? exblas_sscatter_add(c->n, d.x, j->index, c->m, d.y)
                                            : exblas_dscatter_add(c->n, d.x, j->index, c->m, d.y);
    if (s) {
        printf("Bail out! %s on the processor: %s\n", w.name, exblas_status_text(s));
        exit(1);
    }
}

static exblas_status run_by(const char *method, exblas_status (*run)(const device_call *),
                            const device_call *d)
{
    if (method)
        exblas_set_method(method);
    exblas_status s = run(d);
    if (method)
        exblas_set_method(NULL);
    return s;
}

static size_t index_bytes(const device_case *c)
{
    return c->wide ? sizeof(int64_t) : sizeof(int32_t);
}

exblas_status job_call(device_job *j)
{
    words w;
    const device_case *c = &j->c;
    size_t skipped = (size_t)c->offset * case_element(c);
    device_call d = describe(c, &w, device_place(j->y[0], skipped), device_place(j->y[1], skipped),
                             device_place(j->y[2], skipped),
                             device_place(j->y_index, (size_t)c->offset * index_bytes(c)));
    d.offset = (size_t)c->offset;
    d.offset_r = d.offset << (case_parts(c) == 2 && (c->routine == ASUM || c->routine == NRM2));
    return run_by(c->method, device_run, &d);
}

/* --- jobs ----------------------------------------------------------------------------------- */

static char *new_memory(size_t bytes)
{
    char *m = malloc(bytes + 1);
    if (!m)
        abort();
    return m;
}

void job_upload_index(device_job *j)
{
    int at = j->c.offset, n = at + j->c.n;
    size_t bytes = (size_t)(n + 1) * sizeof(int64_t);
    int64_t *wide = memset(new_memory(bytes), 0xff, bytes); /* indices that are none */
    for (int i = at; i < n; i++)
        if (j->c.wide)
            wide[i] = j->index[i - at];
        else
            ((int32_t *)wide)[i] = j->index[i - at];
    device_release(j->y_index);
    j->y_index = device_upload((size_t)(n + 1) * index_bytes(&j->c), wide);
    free(wide);
}

device_job job_make(test_random *r, const device_case *c)
{
    device_job j = {.c = *c};
    device_case_sizes(c, j.bytes);
    for (int i = 0; i < 3; i++)
        j.x[i] = new_memory(j.bytes[i]);
    j.index = (int32_t *)(void *)new_memory((size_t)c->n * sizeof *j.index);
    device_case_fill(r, c, j.bytes, j.x, j.index);
    j.wanted = new_memory(j.bytes[2]);
    memcpy(j.wanted, j.x[2], j.bytes[2]);
    run_here(&j);
    for (int i = 0; i < 3; i++)
        j.y[i] = device_upload(j.bytes[i], j.x[i]);
    job_upload_index(&j);
    return j;
}

device_job job_of(const device_size *s, char type, int kind, const char *method)
{
    test_random r = test_random_start((uint64_t)s->m + (uint64_t)kind, "device job");
    device_case c = device_case_draw(&r, s->which, 0);
    c.type = type;
    c.kind = kind;
    c.method = method;
    c.incx = c.incy = 1;
    c.alpha[0] = 0.75;
    device_case_resize(&c, s->m, s->n, s->k);
    return job_make(&r, &c);
}

void job_free(device_job *j)
{
    for (int i = 0; i < 3; i++) {
        device_release(j->y[i]);
        free(j->x[i]);
    }
    device_release(j->y_index);
    free(j->wanted);
    free(j->index);
}

void job_reset(device_job *j)
{
    device_release(j->y[2]);
    j->y[2] = device_upload(j->bytes[2], j->x[2]);
}

static bool compare(const device_job *j, const char *got, const char *where)
{
    char name[24];
    const device_case *c = &j->c;
    size_t number = number_size(case_format(c)), i = 0;
    while (i < j->bytes[2] && memcmp(got + i, j->wanted + i, number) == 0)
        i += number;
    device_case_name(c, name);
    if (i < j->bytes[2])
        printf("# %s on %s by %s, kind %d, m %d n %d k %d ld %d, layout %d side %d uplo %d trans "
               "%d %d diag %d, incx %d incy %d, alpha %g %g beta %g %g: number %zu\n",
               name, where, c->method ? c->method : "EXBLAS_METHOD", c->kind, c->m, c->n, c->k,
               c->ld, c->layout, c->side, c->uplo, c->transa, c->transb, c->diag, c->incx, c->incy,
               c->alpha[0], c->alpha[1], c->beta[0], c->beta[1], i / number);
    return i == j->bytes[2];
}

static char *output_of(const device_job *j)
{
    char *got = new_memory(j->bytes[2]);
    device_download(j->y[2], j->bytes[2], got);
    return got;
}

bool job_is_untouched(const device_job *j)
{
    char *got = output_of(j);
    bool same = memcmp(got, j->x[2], j->bytes[2]) == 0;
    free(got);
    return same;
}

bool job_is_contained(const device_job *j)
{
    char *got = output_of(j);
    size_t front = (size_t)j->c.offset * case_element(&j->c),
           back = CASE_GUARDS * case_element(&j->c), at = j->bytes[2] - back;
    bool same = memcmp(got, j->x[2], front) == 0 && memcmp(got + at, j->x[2] + at, back) == 0;
    free(got);
    return same;
}

bool job_is_right(const device_job *j)
{
    char *got = output_of(j);
    bool same = compare(j, got, "the device");
    free(got);
    return same;
}

bool job_is_right_on_host(const device_job *j)
{
    words w;
    const device_case *c = &j->c;
    char *got = new_memory(j->bytes[2]);
    memcpy(got, j->x[2], j->bytes[2]);
    device_call d = describe(c, &w, case_place(c, j->x[0]), case_place(c, j->x[1]),
                             case_place(c, got), j->index);
    exblas_status s = run_by(c->method, device_run_host, &d);
    bool same = s == EXBLAS_EUNSUPPORTED || (!s && compare(j, got, "host memory"));
    free(got);
    return same;
}
