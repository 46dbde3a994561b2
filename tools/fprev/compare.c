#include "options.h"
#include "probe.h"
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

enum { N_INPUTS = 200 };

/* Of both: what was revealed, and then the results for inputs. */
typedef struct {
    fprev_request request[2];
    fprev_reply found[2], tried[2];
} sides;

/* The exit status of the first that fails. */
static int run(sides *s, fprev_reply *reply, int n_inputs)
{
    for (int k = 0; k < 2; k++) {
        s->request[k].n_inputs = n_inputs;
        fprev_session(&s->request[k], &reply[k]);
        if (reply[k].exit) {
            fprintf(stderr, "exblas-fprev: %s\n", reply[k].error);
            return reply[k].exit;
        }
    }
    return FPREV_EXIT_OK;
}

/* Two leaves whose lowest common additions are not of the same size; false if none. A leaf i
 * has such a partner exactly if the sizes of its ancestors or what is below them differ. */
static bool find_pair(const fprev_tree *x, const fprev_tree *y, int64_t *pi, int64_t *pj)
{
    enum { FULL = 512 };
    if (!x->n_nodes || !y->n_nodes || x->n_leaves != y->n_leaves)
        return false;
    int32_t n = x->n_leaves, n_i = n < FULL ? n : FULL;
    for (int32_t i = 0; i < n_i; i++)
        for (int32_t j = i + 1; j < n; j++)
            if (fprev_tree_common(x, i, j) != fprev_tree_common(y, i, j)) {
                *pi = i;
                *pj = j;
                return true;
            }
    return false;
}

static bool same_result(const fprev_result *x, const fprev_result *y)
{
    return x->class_ == y->class_ && x->hash == y->hash && x->fma == y->fma &&
           x->adder.extra_bits == y->adder.extra_bits && x->adder.nearest == y->adder.nearest;
}

/* The first input on which the results differ; -1. */
static int first_difference(const sides *s)
{
    for (int k = 0; k < N_INPUTS; k++)
        if (s->tried[0].value[k] != s->tried[1].value[k])
            return k;
    return -1;
}

static void print_terms(FILE *f, const sides *s, int input, bool json)
{
    const fprev_function *g = &s->found[0].f;
    double *a = malloc(2 * (size_t)g->n_terms * sizeof *a), *b = a ? a + g->n_terms : NULL;
    if (a)
        fprev_input_terms(&s->request[0], g, input, a, b);
    for (int v = 0; a && v < 1 + g->product; v++) {
        const double *x = v ? b : a;
        fprintf(f, json ? ", \"%c\": [" : "  %c =", v ? 'b' : 'a');
        for (int64_t i = 0; i < g->n_terms; i++)
            fprintf(f, json ? "%s\"%a\"" : "%s%a", json ? (i ? ", " : "") : " ", x[i]);
        fprintf(f, json ? "]" : "\n");
    }
    free(a);
}

static void print_input(FILE *f, const sides *s, int input)
{
    const fprev_request *q = &s->request[0];
    fprintf(f, "an input that tells them apart: ");
    if (input == 0 && q->mask_i >= 0)
        fprintf(f,
                "term %" PRId64 " huge, term %" PRId64 " its negative, all others one small unit\n",
                q->mask_i, q->mask_j);
    else
        fprintf(f, "random terms\n");
    if (s->found[0].f.n_terms <= 16)
        print_terms(f, s, input, false);
    for (int k = 0; k < 2; k++)
        fprintf(f, "  %a (%.17g) from %s\n", s->tried[k].value[input], s->tried[k].value[input],
                s->request[k].target);
}

static void print_json(FILE *f, const sides *s, bool same, int input)
{
    fprintf(f, "{\"exblas_fprev_compare\": 1, \"same\": %s, \"targets\": [",
            same ? "true" : "false");
    for (int k = 0; k < 2; k++) {
        fprintf(f, "%s", k ? ", " : "");
        fprev_report_json(f, &s->request[k], &s->found[k], s->found[k].record);
    }
    fprintf(f, "]");
    if (input >= 0) {
        fprintf(f, ", \"input\": {\"results\": [\"%a\", \"%a\"]", s->tried[0].value[input],
                s->tried[1].value[input]);
        print_terms(f, s, input, true);
        fprintf(f, "}");
    }
    fprintf(f, "}\n");
}

static void print_words(FILE *f, const sides *s, bool same, int input)
{
    for (int k = 0; k < 2; k++) {
        const fprev_result *x = &s->found[k].record->result;
        char words[256] = "";
        if (x->tree.n_nodes)
            fprev_describe(&x->tree, words, sizeof words);
        fprintf(f, "%s: %s%s%s%s\n", s->request[k].target, fprev_class_name(x->class_),
                *words ? ": " : "", words,
                x->fma == FPREV_FMA_ALL    ? ", products fused"
                : x->fma == FPREV_FMA_SOME ? ", some products fused"
                                           : "");
    }
    fprintf(f, "%s\n", same ? "the same order" : "different orders");
    if (input >= 0)
        print_input(f, s, input);
    else if (!same)
        fprintf(f, "no input was found on which the results differ\n");
}

/* The input to begin with: two terms whose common additions differ; any two if one side has no
 * tree; none (-1) for absolute values, which do not cancel. */
static void choose_masks(sides *s, const fprev_result *x, const fprev_result *y, bool same)
{
    int64_t i = -1, j = -1;
    bool cancels = !s->found[0].f.absolute;
    if (cancels && !find_pair(&x->tree, &y->tree, &i, &j) && !same && s->found[0].f.n_terms > 2)
        i = 0, j = 1;
    for (int k = 0; k < 2; k++) {
        s->request[k].mask_i = i;
        s->request[k].mask_j = j;
    }
}

/* Both were revealed: looks for a difference in results and writes the answer. */
static int judge(FILE *f, sides *s, bool json)
{
    const fprev_result *x = &s->found[0].record->result, *y = &s->found[1].record->result;
    bool same = same_result(x, y);
    choose_masks(s, x, y, same);
    int exit = run(s, s->tried, N_INPUTS);
    if (exit)
        return exit;
    int input = first_difference(s);
    same &= input < 0;
    (json ? print_json : print_words)(f, s, same, input);
    return same ? FPREV_EXIT_OK : FPREV_EXIT_FOUND_BAD;
}

int fprev_compare(FILE *f, const fprev_command *c)
{
    sides s = {.request = {c->request, c->request}};
    s.request[1].target = c->other;
    s.request[0].all_elements = s.request[1].all_elements = false;
    int exit = run(&s, s.found, 0);
    if (!exit)
        exit = judge(f, &s, c->json);
    for (int k = 0; k < 2; k++) {
        fprev_reply_free(&s.found[k]);
        fprev_reply_free(&s.tried[k]);
    }
    return exit;
}
