/* What exblas-fprev asks of a target in a process of its own, so that one that crashes, exits or
 * hangs is a result too.
 *
 * worker FD TARGET WHAT NUMBER... NAME...: FD is a file in which calls are counted as they are
 * made, the target is model:NAME or a library, WHAT it lacks if it has none of the names, the
 * numbers are those of main(). Prints a line, the exit status and what is wrong, or 0 and the
 * symbol that was found, and then JSON. */
#include "worker.h"

#include "check.h"
#include "format.h"
#include "model.h"
#include "probe.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

typedef struct {
    fprev_options options;
    bool all_elements;
    /* Instead of orders results for these inputs: number 0 is the one of mask_i, mask_j (-1: none),
     * all else are random. */
    int64_t first_input, n_inputs, mask_i, mask_j;
} request;

/* Standard output as it was; what a library prints there is no answer. */
static int answer;

static void send(const char *text, size_t n)
{
    for (ssize_t sent; n > 0 && (sent = write(answer, text, n)) > 0; n -= (size_t)sent)
        text += sent;
}

void fprev_fail(int status, const char *format, ...)
{
    char text[512];
    int n = sprintf(text, "%d ", status);
    va_list list;
    va_start(list, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, list);
    va_end(list);
    send(text, strlen(text) + 1);
    _exit(0);
}

void *fprev_allocate(int64_t n, size_t size)
{
    void *p = calloc((size_t)n, size);
    if (!p)
        fprev_fail(FPREV_BAD_TARGET, "out of memory");
    return p;
}

static void start_model(fprev_function *f, const fprev_problem *p, const char *name)
{
    if (p->routine == FPREV_GEMV || p->routine == FPREV_GEMM)
        fprev_fail(FPREV_BAD_USAGE, "models are of the routines sum, dot and asum");
    *f = (fprev_function){.n_terms = p->n, .n_results = 1, .type = p->type};
    f->product = p->routine == FPREV_DOT;
    f->absolute = p->routine == FPREV_ASUM;
    fprev_model_start(f, name);
}

/* How many more of the results have the same bits as `element` on random data: all rows and columns
 * being equal, these are the ones with the same order. */
static int64_t find_same(const fprev_function *f, const fprev_options *o, bool *done)
{
    fprev_probe p;
    double *a = fprev_allocate(2 * f->n_terms, sizeof *a), *b = a + f->n_terms;
    bool *same = memset(fprev_allocate(f->n_results, 1), 1, (size_t)f->n_results);
    uint64_t state = o->seed;
    int64_t n_same = 0;
    if (!fprev_probe_start(&p, f, o->element, o->call))
        fprev_fail(FPREV_BAD_TARGET, "out of memory");
    for (int k = 0; k < 48; k++) {
        fprev_random_terms(f, k, &state, a, b);
        double r = fprev_probe_on(&p, a, b);
        for (int64_t i = 0; i < f->n_results; i++)
            same[i] &= fprev_load(f->result_type, p.results, i) == r;
    }
    for (int64_t i = 0; i < f->n_results; i++) {
        n_same += same[i] && !done[i];
        done[i] |= same[i];
    }
    fprev_probe_stop(&p);
    done[o->element] = true;
    free(a);
    free(same);
    return n_same;
}

static fprev_result reveal(const fprev_function *f, const fprev_options *o)
{
    fprev_result x;
    fprev_status status = fprev_reveal(f, o, &x);
    if (status != FPREV_OK)
        fprev_fail(status == FPREV_E_NAN || status == FPREV_E_CALL ? FPREV_BAD_TARGET
                                                                   : FPREV_BAD_USAGE,
                   "%s", fprev_status_text(status));
    return x;
}

static void print_order(FILE *out, int64_t element, int64_t n_same, const fprev_result *x)
{
    char *text = x->tree.n_nodes ? fprev_tree_text(&x->tree) : NULL;
    fprintf(out,
            "{\"element\": %" PRId64 ", \"alike\": %" PRId64 ", \"kind\": \"%s\", "
            "\"exact_bits\": %d, \"fma\": %d, \"wide\": %d, \"extra_bits\": %d, \"nearest\": %d, "
            "\"note\": \"%s\", \"calls\": %" PRId64 ", \"runs\": %d, \"mismatches\": %d, "
            "\"hash\": \"%016" PRIx64 "\", \"tree\": \"%s\"}",
            element, n_same, fprev_class_name(x->class_), x->exact_bits, x->fma, x->n_wide,
            x->adder.extra_bits, x->adder.nearest, x->note, x->calls, x->replay_runs,
            x->replay_mismatches, x->hash, text ? text : "");
    free(text);
}

static void print_orders(FILE *out, const request *q, const fprev_function *f)
{
    fprev_options o = q->options;
    bool *done = fprev_allocate(f->n_results, 1);
    fprintf(out, ", \"orders\": [");
    int64_t begin = q->all_elements ? 0 : o.element,
            end = q->all_elements ? f->n_results : begin + 1;
    for (o.element = begin; o.element < end; o.element++) {
        if (done[o.element])
            continue;
        fputs(o.element > begin ? ", " : "", out);
        fprev_result x = reveal(f, &o);
        print_order(out, o.element, q->all_elements ? find_same(f, &o, done) : 1, &x);
        fprev_result_free(&x);
    }
    fprintf(out, "]");
    free(done);
}

static void make_input(const request *q, const fprev_function *f, int64_t k, double *a, double *b)
{
    fprev_mask m = fprev_mask_of(f);
    uint64_t state = q->options.seed + (uint64_t)k;
    if (k > 0 || q->mask_i < 0) {
        fprev_random_terms(f, (int)k, &state, a, b);
        return;
    }
    for (int64_t i = 0; i < f->n_terms; i++) {
        bool mask = i == q->mask_i || i == q->mask_j;
        a[i] = mask ? m.mask_a : m.unit_a;
        b[i] = mask ? m.mask_b : m.unit_b;
    }
    a[q->mask_j] = -a[q->mask_j];
}

static void print_numbers(FILE *out, const char *name, int64_t n, const double *x)
{
    fprintf(out, ", \"%s\": [", name);
    for (int64_t i = 0; i < n; i++)
        fprintf(out, "%s\"%a\"", i ? ", " : "", x[i]);
    fprintf(out, "]");
}

/* The results, and the terms of the last input. */
static void print_results(FILE *out, const request *q, const fprev_function *f)
{
    fprev_probe p;
    double *a = fprev_allocate(2 * f->n_terms, sizeof *a), *b = a + f->n_terms;
    double *result = fprev_allocate(q->n_inputs, sizeof *result);
    if (!fprev_probe_start(&p, f, q->options.element, q->options.call))
        fprev_fail(FPREV_BAD_TARGET, "out of memory");
    for (int64_t k = 0; k < q->n_inputs; k++) {
        make_input(q, f, q->first_input + k, a, b);
        result[k] = fprev_probe_on(&p, a, b);
    }
    print_numbers(out, "results", q->n_inputs, result);
    print_numbers(out, "a", f->n_terms, a);
    print_numbers(out, "b", f->product ? f->n_terms : 0, b);
    fprev_probe_stop(&p);
    free(a);
    free(result);
}

int main(int argc, char **argv)
{
    enum { FIRST = 4, N_NUMBERS = 16 };
    int64_t v[N_NUMBERS];
    answer = fcntl(1, F_DUPFD_CLOEXEC, 3); /* not of what a library starts */
    prctl(PR_SET_PDEATHSIG, SIGKILL);      /* nobody waits for the answer any more */
    dup2(2, 1);
    if (argc < FIRST + N_NUMBERS)
        fprev_fail(FPREV_BAD_USAGE, "exblas-fprev runs this");
    for (int k = 0; k < N_NUMBERS; k++)
        v[k] = strtoll(argv[FIRST + k], NULL, 10);
    void *calls = mmap(NULL, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(argv[1]), 0);
    fprev_problem p = {
        (fprev_routine)v[0], (fprev_type)v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]};
    request q = {{(uint64_t)v[9], v[10], calls}, v[11], v[12], v[13], v[14], v[15]};
    fprev_function f;
    const char *target = argv[2], *symbol = "";
    char *text = NULL;
    size_t n_text;
    FILE *out = open_memstream(&text, &n_text);
    if (calls == MAP_FAILED || !out)
        fprev_fail(FPREV_BAD_TARGET, "out of memory");
    if (strncmp(target, "model:", 6) == 0)
        start_model(&f, &p, target + 6);
    else
        symbol = fprev_blas_start(&f, &p, target, argv[3], argc - FIRST - N_NUMBERS,
                                  argv + FIRST + N_NUMBERS);
    if (q.options.element >= f.n_results)
        fprev_fail(FPREV_BAD_USAGE, "there is no such element");
    fprintf(out, "0 %s\n{\"terms\": %" PRId64 ", \"elements\": %" PRId64, symbol, f.n_terms,
            f.n_results);
    fprintf(out, ", \"absolute\": %d, \"result_type\": \"%c\"", f.absolute,
            fprev_formats[f.result_type].letter);
    (q.n_inputs ? print_results : print_orders)(out, &q, &f);
    fprintf(out, "}\n");
    if (fclose(out) != 0)
        fprev_fail(FPREV_BAD_TARGET, "out of memory");
    send(text, n_text + 1);
    _exit(0);
}
