/* libFuzzer: exblas-fprev. Its command line: options with their values, in any order, must come
 * out as they were put in, and any words at all end in a request within its limits or a message.
 * And its library: functions that add by a tree which is made here from the input; exactly that
 * tree must be found. */
#include "fuzz_input.h"

#include "tools/fprev/format.h"
#include "tools/fprev/options.h"
#include "tools/fprev/tree.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 24, MOST_TERMS = 24 };

/* --- the command line ------------------------------------------------------ */

typedef struct {
    char *word[MOST_WORDS + 1];
    char text[MOST_WORDS][64];
    int n;
} words;

static char *add_word(words *w)
{
    w->word[w->n] = w->text[w->n];
    w->word[w->n + 1] = NULL;
    return w->text[w->n++];
}

static bool parse(words *w, fprev_command *c, int *exit)
{
    optind = 0; /* starts anew */
    return fprev_parse(w->n, w->word, c, exit);
}

static bool is_within_limits(const fprev_command *c)
{
    const fprev_request *q = &c->request;
    const fprev_problem *p = &q->problem;
    return p->m > 0 && p->n > 0 && p->k >= 0 && p->incx > 0 && p->align >= 0 && p->align < 64 &&
           q->timeout_s > 0 && q->n_threads >= 0 && q->n_threads <= 4096 && q->target &&
           (!c->compare || c->other) && q->options.element >= 0;
}

static void parse_anything(fuzz_input *in)
{
    static const char *const usual[] = {
        "--routine",  "--type",    "--m",       "--n",       "--k",   "--trans", "--lda",
        "--incx",     "--align",   "--threads", "--element", "--abi", "--seed",  "--json",
        "-o",         "--timeout", "--quiet",   "compare",   "gemm",  "1,2",     "all",
        "model:pair", "--",        "12",        "--n=5"};
    words w = {.n = 0};
    fprev_command c;
    int exit = -1;
    strcpy(add_word(&w), "exblas-fprev");
    while (in->n && w.n < MOST_WORDS) {
        unsigned which = fuzz_next(in);
        char *word = add_word(&w);
        if (which < 200) {
            strcpy(word, usual[which % (sizeof usual / sizeof *usual)]);
            continue;
        }
        for (unsigned i = 0; i < which - 200 && i < 40; i++)
            word[i] = (char)fuzz_next(in);
    }
    if (parse(&w, &c, &exit))
        fuzz_require(is_within_limits(&c), "a request beyond its limits");
    else
        fuzz_require(exit == FPREV_EXIT_USAGE || exit == FPREV_EXIT_OK, "no exit status");
}

static void put_number(words *w, bool joined, const char *name, long long x)
{
    if (joined) {
        snprintf(add_word(w), 64, "--%s=%lld", name, x);
        return;
    }
    snprintf(add_word(w), 64, "--%s", name);
    snprintf(add_word(w), 64, "%lld", x);
}

static void put_choice(words *w, const char *name, const char *value)
{
    snprintf(add_word(w), 64, "--%s", name);
    snprintf(add_word(w), 64, "%s", value);
}

static void parse_what_was_written(fuzz_input *in)
{
    static const char *const routines[] = {"sum", "dot", "asum", "gemv", "gemm"};
    unsigned order = fuzz_next(in), routine = fuzz_next(in) % 5;
    long long n = 1 + fuzz_next(in), m = 1 + fuzz_next(in), k = 1 + fuzz_next(in),
              seed = fuzz_next(in), i = fuzz_next(in) % m, j = fuzz_next(in) % n;
    words w = {.n = 0};
    fprev_command c;
    int exit;
    strcpy(add_word(&w), "exblas-fprev");
    if (order & 1)
        strcpy(add_word(&w), "libfoo.so:ddot");
    for (unsigned turn = 0; turn < 6; turn++)
        switch ((turn + order / 2) % 6) {
        case 0:
            put_number(&w, order & 16, "n", n);
            break;
        case 1:
            put_number(&w, order & 32, "m", m);
            break;
        case 2:
            put_number(&w, order & 64, "k", k);
            break;
        case 3:
            put_choice(&w, "routine", routines[routine]);
            break;
        case 4:
            put_number(&w, order & 128, "seed", seed);
            break;
        default:
            snprintf(add_word(&w), 64, "--element");
            snprintf(add_word(&w), 64, routine == FPREV_GEMM ? "%lld,%lld" : "%lld", i, j);
        }
    if (!(order & 1))
        strcpy(add_word(&w), "libfoo.so:ddot");
    fuzz_require(parse(&w, &c, &exit), "a right command line was refused");
    const fprev_request *q = &c.request;
    fuzz_require(q->problem.n == n && q->problem.m == m && q->problem.k == k, "other sizes");
    fuzz_require(q->problem.routine == (fprev_routine)routine, "another choice");
    fuzz_require(q->options.seed == (uint64_t)seed && strcmp(q->target, "libfoo.so:ddot") == 0,
                 "another seed or target");
    fuzz_require(q->options.element == (routine == FPREV_GEMM ? i + j * m : i), "another element");
}

/* --- trees ----------------------------------------------------------------- */

/* Sums in pairs: node k adds nodes left and right, which come before it. */
typedef struct {
    int n_terms;
    int left[MOST_TERMS], right[MOST_TERMS]; /* of inner node n_terms + k */
} order;

static double value_of(const order *o, const double *x, int node)
{
    double v[2 * MOST_TERMS];
    memcpy(v, x, (size_t)o->n_terms * sizeof *v);
    for (int k = 0; k < o->n_terms - 1; k++)
        v[o->n_terms + k] = v[o->left[k]] + v[o->right[k]];
    return v[node];
}

static int call(void *ctx, const void *a, const void *b, void *results)
{
    const order *o = ctx;
    double sum = value_of(o, a, 2 * o->n_terms - 2);
    (void)b;
    memcpy(results, &sum, sizeof sum);
    return 0;
}

/* Leaves below node: its text with the smaller leaf first, as fprev writes it. */
static int write_node(const order *o, int node, char *text)
{
    char side[2][4096];
    int least[2];
    if (node < o->n_terms) {
        sprintf(text, "%d", node);
        return node;
    }
    least[0] = write_node(o, o->left[node - o->n_terms], side[0]);
    least[1] = write_node(o, o->right[node - o->n_terms], side[1]);
    int first = least[1] < least[0];
    sprintf(text, "(%s,%s)", side[first], side[!first]);
    return least[first];
}

static void take_order(fuzz_input *in, order *o)
{
    int open[2 * MOST_TERMS];
    o->n_terms = 2 + (int)fuzz_next(in) % (MOST_TERMS - 1);
    for (int i = 0; i < o->n_terms; i++)
        open[i] = i;
    for (int k = 0, n = o->n_terms; n > 1; k++) {
        int i = (int)fuzz_next(in) % n, j = (int)fuzz_next(in) % (n - 1);
        j += j >= i;
        o->left[k] = open[i];
        o->right[k] = open[j];
        open[i < j ? i : j] = o->n_terms + k;
        open[i < j ? j : i] = open[--n];
    }
}

static void find_order(fuzz_input *in)
{
    order o;
    char expected[4096];
    take_order(in, &o);
    write_node(&o, 2 * o.n_terms - 2, expected);
    fprev_function f = {.n_terms = o.n_terms, .n_results = 1, .ctx = &o, .call = call};
    fprev_options options = {.seed = fuzz_next(in)};
    fprev_result r;
    fuzz_require(fprev_reveal(&f, &options, &r) == FPREV_OK, "the search failed");
    char *text = fprev_tree_text(&r.tree);
    fuzz_require(r.class_ == FPREV_TREE && text && strcmp(text, expected) == 0, "another tree");
    fuzz_require(r.replay_mismatches == 0 && r.hash == fprev_hash(expected), "no replay");
    free(text);
    fprev_result_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    unsigned what = fuzz_next(&in) % 3;
    if (what == 0)
        parse_anything(&in);
    else if (what == 1)
        parse_what_was_written(&in);
    else
        find_order(&in);
    return 0;
}
