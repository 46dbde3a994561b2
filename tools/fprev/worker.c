#include "session.h"

#include "check.h"
#include "format.h"
#include "model.h"
#include "probe.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const fprev_request *q;
    volatile int64_t *calls;
    fprev_function f;
    bool is_model;
    fprev_reply reply;
} worker;

static void fail(worker *w, int exit, const char *text)
{
    w->reply.exit = exit;
    snprintf(w->reply.error, sizeof w->reply.error, "%s", text);
}

static void set_threads(int n)
{
    static const char *const name[] = {"EXBLAS_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                       "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"};
    char value[16];
    snprintf(value, sizeof value, "%d", n);
    for (size_t k = 0; n > 0 && k < sizeof name / sizeof *name; k++)
        setenv(name[k], value, 1);
}

/* Sets the variables before the target and returns what is left; NULL if out of memory. */
static const char *apply_environment(const char *target)
{
    for (;;) {
        target += strspn(target, " ");
        const char *space = strchr(target, ' '), *equals = strchr(target, '=');
        if (!space || !equals || equals > space ||
            strcspn(target, "/.:") < (size_t)(equals - target))
            return target;
        char *name = strndup(target, (size_t)(equals - target));
        char *value = strndup(equals + 1, (size_t)(space - equals - 1));
        if (!name || !value || setenv(name, value, 1) != 0)
            return NULL;
        free(name);
        free(value);
        target = space;
    }
}

static bool start_model(worker *w, const char *name)
{
    const fprev_problem *p = &w->q->problem;
    const char *error;
    if (p->routine == FPREV_GEMV || p->routine == FPREV_GEMM) {
        fail(w, FPREV_EXIT_USAGE, "models are of the routines sum, dot and asum");
        return false;
    }
    w->f = (fprev_function){.n_terms = p->n, .type = p->type};
    w->f.product = p->routine == FPREV_DOT;
    w->f.absolute = p->routine == FPREV_ASUM;
    w->is_model = true;
    if (fprev_model_start(&w->f, name, &error))
        return true;
    fail(w, FPREV_EXIT_USAGE, error);
    return false;
}

static bool start_library(worker *w, const char *target)
{
    char error[256], *path = strdup(target), *colon = path ? strrchr(path, ':') : NULL;
    if (colon)
        *colon++ = 0;
    if (!path || !fprev_blas_start(&w->f, &w->q->problem, path, colon, w->reply.symbol, error))
        fail(w, FPREV_EXIT_USAGE, path ? error : "out of memory");
    free(path);
    return w->reply.exit == 0;
}

static bool start(worker *w)
{
    set_threads(w->q->n_threads);
    const char *target = apply_environment(w->q->target);
    bool ok = target && (strncmp(target, "model:", 6) == 0 ? start_model(w, target + 6)
                                                           : start_library(w, target));
    if (!target)
        fail(w, FPREV_EXIT_TARGET, "out of memory");
    w->reply.f = w->f;
    return ok;
}

/* Which of the results have the same bits as `element` on random data: all rows and columns
 * being equal, these are the ones with the same order. */
static void find_same(worker *w, int64_t element, bool *done, int64_t *n_same)
{
    fprev_function *f = &w->f;
    fprev_probe p;
    double *a = malloc(2 * (size_t)f->n_terms * sizeof *a), *b = a ? a + f->n_terms : NULL;
    bool *same = malloc((size_t)f->n_results);
    uint64_t state = w->q->options.seed;
    if (a && same && fprev_probe_start(&p, f, element, w->calls)) {
        memset(same, 1, (size_t)f->n_results);
        for (int k = 0; k < 48; k++) {
            fprev_random_terms(f, k, &state, a, b);
            double r = fprev_probe_on(&p, a, b);
            for (int64_t i = 0; i < f->n_results; i++)
                same[i] &= fprev_load(f->result_type, p.results, i) == r;
        }
        for (int64_t i = 0; i < f->n_results; i++) {
            *n_same += same[i] && !done[i];
            done[i] |= same[i];
        }
        fprev_probe_stop(&p);
    }
    done[element] = true;
    free(a);
    free(same);
}

static bool reveal_one(worker *w, int64_t element)
{
    fprev_reply *r = &w->reply;
    fprev_options o = w->q->options;
    fprev_record *grown = realloc(r->record, (size_t)(r->n_records + 1) * sizeof *grown);
    fprev_status status = FPREV_E_NO_MEMORY;
    o.element = element;
    o.call = w->calls;
    if (grown) {
        r->record = grown;
        fprev_record *record = &grown[r->n_records++];
        *record = (fprev_record){.element = element, .n_same = 1};
        status = fprev_reveal(&w->f, &o, &record->result);
    }
    if (status == FPREV_OK)
        return true;
    int exit =
        status == FPREV_E_NAN || status == FPREV_E_CALL ? FPREV_EXIT_TARGET : FPREV_EXIT_USAGE;
    fail(w, exit, fprev_status_text(status));
    return false;
}

static void reveal_all(worker *w)
{
    bool *done = calloc((size_t)w->f.n_results, 1);
    for (int64_t i = 0; done && i < w->f.n_results; i++) {
        if (done[i])
            continue;
        if (!reveal_one(w, i))
            break;
        fprev_record *record = &w->reply.record[w->reply.n_records - 1];
        record->n_same = 0;
        find_same(w, i, done, &record->n_same);
    }
    free(done);
}

void fprev_input_terms(const fprev_request *q, const fprev_function *f, int k, double *a, double *b)
{
    fprev_mask m = fprev_mask_of(f);
    uint64_t state = q->options.seed + (uint64_t)k;
    if (k > 0 || q->mask_i < 0) {
        fprev_random_terms(f, k, &state, a, b);
        return;
    }
    for (int64_t i = 0; i < f->n_terms; i++) {
        bool mask = i == q->mask_i || i == q->mask_j;
        a[i] = mask ? m.mask_a : m.unit_a;
        b[i] = mask ? m.mask_b : m.unit_b;
    }
    a[q->mask_j] = -a[q->mask_j];
}

static void evaluate_inputs(worker *w)
{
    const fprev_request *q = w->q;
    fprev_probe p;
    double *a = malloc(2 * (size_t)w->f.n_terms * sizeof *a), *b = a ? a + w->f.n_terms : NULL;
    w->reply.value = malloc((size_t)q->n_inputs * sizeof(double));
    if (a && w->reply.value && fprev_probe_start(&p, &w->f, q->options.element, w->calls)) {
        for (int k = 0; k < q->n_inputs; k++) {
            fprev_input_terms(q, &w->f, k, a, b);
            w->reply.value[k] = fprev_probe_on(&p, a, b);
        }
        fprev_probe_stop(&p);
    } else {
        fail(w, FPREV_EXIT_TARGET, "out of memory");
    }
    free(a);
}

static bool send_reply(const worker *w, FILE *f)
{
    const fprev_reply *r = &w->reply;
    fwrite(r, sizeof *r, 1, f);
    if (r->exit == 0 && r->value)
        fwrite(r->value, sizeof *r->value, (size_t)w->q->n_inputs, f);
    for (int k = 0; r->exit == 0 && k < r->n_records; k++) {
        const fprev_tree *t = &r->record[k].result.tree;
        fwrite(&r->record[k], sizeof *r->record, 1, f);
        if (!t->n_nodes)
            continue;
        fwrite(t->parent, sizeof *t->parent, (size_t)t->n_nodes, f);
        fwrite(t->mark, 1, (size_t)t->n_nodes, f);
    }
    return fflush(f) == 0 && !ferror(f);
}

bool fprev_work(const fprev_request *q, FILE *f, volatile int64_t *calls)
{
    worker w = {.q = q, .calls = calls};
    if (start(&w)) {
        if (q->options.element >= w.f.n_results)
            fail(&w, FPREV_EXIT_USAGE, "there is no such element");
        else if (q->n_inputs)
            evaluate_inputs(&w);
        else if (q->all_elements)
            reveal_all(&w);
        else
            reveal_one(&w, q->options.element);
    }
    bool ok = send_reply(&w, f);
    fprev_reply_free(&w.reply);
    (w.is_model ? fprev_model_stop : fprev_blas_stop)(&w.f);
    return ok;
}
