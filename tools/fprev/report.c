#include "report.h"

#include "format.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_DRAWN = 64 }; /* leaves of a tree that is drawn among the words */

static const char *const fma_words[] = {"rounded, then added", "fused into the additions",
                                        "fused into some of the additions"};
static bool is_matrix(const fprev_request *q)
{
    return q->problem.routine == FPREV_GEMV || q->problem.routine == FPREV_GEMM;
}

/* Row and column of a result. */
static void position(const fprev_request *q, int64_t element, int64_t *i, int64_t *j)
{
    bool gemm = q->problem.routine == FPREV_GEMM;
    *i = gemm ? element % q->problem.m : element;
    *j = gemm ? element / q->problem.m : 0;
}

static void print_target(FILE *f, const fprev_request *q, const fprev_reply *r,
                         const fprev_record *record)
{
    int64_t i, j;
    position(q, record->element, &i, &j);
    fprintf(f, "%s%s%s: %s of %s, %" PRId64 " terms", q->target, *r->symbol ? ", " : "", r->symbol,
            fprev_routine_names[q->problem.routine], fprev_formats[q->problem.type].name,
            r->f.n_terms);
    if (q->problem.routine == FPREV_GEMV)
        fprintf(f, ", element %" PRId64, i);
    if (q->problem.routine == FPREV_GEMM)
        fprintf(f, ", element %" PRId64 ",%" PRId64, i, j);
    if (q->all_elements)
        fprintf(f, " and %" PRId64 " others of %" PRId64, record->n_same - 1, r->f.n_results);
    fputc('\n', f);
}

static void print_class(FILE *f, const fprev_reply *r, const fprev_result *x)
{
    char words[256];
    if (x->class_ == FPREV_EXACT)
        fprintf(f, "  exact: the order does not matter; certified over %d bits of exponent\n",
                x->exact_bits);
    else
        fprintf(f, "  %s%s%s\n", fprev_class_name(x->class_), *x->note ? ": " : "", x->note);
    if (x->tree.n_nodes) {
        fprev_describe(&x->tree, words, sizeof words);
        fprintf(f, "  order: %s\n", words);
    }
    if (x->class_ == FPREV_COMPENSATED && x->exact_bits)
        fprintf(f, "  exact over %d bits of exponent\n", x->exact_bits);
    if (x->fma != FPREV_FMA_NA)
        fprintf(f, "  products: %s\n", fma_words[x->fma]);
    if (x->n_wide)
        fprintf(f, "  %d of %d partial sums are kept in more than %s precision\n", x->n_wide,
                x->tree.n_nodes - x->tree.n_leaves, fprev_formats[r->f.result_type].name);
    if (x->adder.extra_bits == FPREV_UNCUT)
        fprintf(f, "  fused additions: exact, %s\n", x->adder.nearest ? "rounded" : "cut");
    else if (x->adder.extra_bits != FPREV_UNKNOWN)
        fprintf(f, "  fused additions: terms cut %d bits below the precision, sum %s\n",
                x->adder.extra_bits, x->adder.nearest ? "rounded" : "cut");
}

void fprev_report_text(FILE *f, const fprev_request *q, const fprev_reply *r,
                       const fprev_record *record)
{
    const fprev_result *x = &record->result;
    print_target(f, q, r, record);
    print_class(f, r, x);
    fprintf(f, "  %" PRId64 " calls", x->calls);
    if (x->replay_runs)
        fprintf(f, "; replayed on %d random inputs, %d differ", x->replay_runs,
                x->replay_mismatches);
    if (x->tree.n_nodes)
        fprintf(f, "; hash %016" PRIx64, x->hash);
    fputc('\n', f);
    if (x->tree.n_nodes > 1 && x->tree.n_leaves <= MAX_DRAWN)
        fprev_draw_ascii(f, &x->tree);
}

static void json_string(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else if ((unsigned char)*s < 32)
            fprintf(f, "\\u%04x", (unsigned)*s);
        else
            fputc(*s, f);
    }
    fputc('"', f);
}

/* The text's numbers, with brackets for additions; marks have lists of their own. */
static void json_tree(FILE *f, const fprev_tree *t)
{
    char *text = t->n_nodes ? fprev_tree_text(t) : NULL;
    fputs(text ? "" : "null", f);
    for (char *s = text; s && *s; s++)
        if (*s != '*' && *s != '~')
            fputc(*s == '(' ? '[' : *s == ')' ? ']' : *s, f);
    free(text);
}

static void json_fused_leaves(FILE *f, const fprev_tree *t)
{
    bool first = true;
    fputc('[', f);
    for (int32_t i = 0; t->n_nodes && i < t->n_leaves; i++)
        if (t->mark[i] & FPREV_FUSED) {
            fprintf(f, "%s%" PRId32, first ? "" : ",", i);
            first = false;
        }
    fputc(']', f);
}

static void json_problem(FILE *f, const fprev_request *q, const fprev_reply *r, int64_t element)
{
    const fprev_problem *p = &q->problem;
    bool gemm = p->routine == FPREV_GEMM;
    int64_t i, j;
    position(q, element, &i, &j);
    fprintf(f, "{\"exblas_fprev\": 1, \"target\": ");
    json_string(f, q->target);
    fprintf(f, ", \"symbol\": ");
    json_string(f, r->symbol);
    fprintf(f,
            ", \"routine\": \"%s\", \"type\": \"%c\", \"m\": %" PRId64 ", \"n\": %" PRId64
            ", \"k\": %" PRId64 ", \"terms\": %" PRId64 ", \"element\": [%" PRId64 ", %" PRId64 "]",
            fprev_routine_names[p->routine], fprev_formats[p->type].letter, is_matrix(q) ? p->m : 1,
            p->n, gemm ? p->k : 1, r->f.n_terms, i, j);
}

static void json_adder(FILE *f, const fprev_adder *adder)
{
    if (adder->extra_bits != FPREV_UNKNOWN)
        fprintf(f, ", \"adder\": {\"extra_bits\": %d, \"rounding\": \"%s\"}", adder->extra_bits,
                adder->nearest ? "nearest" : "zero");
}

void fprev_report_json(FILE *f, const fprev_request *q, const fprev_reply *r,
                       const fprev_record *record)
{
    static const char *const fma_names[] = {"false", "true", "\"some\"", "null"};
    const fprev_result *x = &record->result;
    char words[256] = "";
    if (x->tree.n_nodes)
        fprev_describe(&x->tree, words, sizeof words);
    json_problem(f, q, r, record->element);
    fprintf(f, ", \"elements_alike\": %" PRId64 ", \"class\": \"%s\", \"exact_bits\": %d",
            record->n_same, fprev_class_name(x->class_), x->exact_bits);
    fprintf(f, ", \"fma\": %s, \"wide\": %d", fma_names[x->fma], x->n_wide);
    json_adder(f, &x->adder);
    fprintf(f, ", \"note\": ");
    json_string(f, x->note);
    fprintf(f, ", \"summary\": ");
    json_string(f, words);
    fprintf(f, ", \"tree\": ");
    json_tree(f, &x->tree);
    fprintf(f, ", \"fused_leaves\": ");
    json_fused_leaves(f, &x->tree);
    if (x->tree.n_nodes)
        fprintf(f, ", \"hash\": \"%016" PRIx64 "\"", x->hash);
    else
        fprintf(f, ", \"hash\": null");
    fprintf(f, ", \"calls\": %" PRId64 ", \"replay\": {\"runs\": %d, \"mismatches\": %d}}",
            x->calls, x->replay_runs, x->replay_mismatches);
}
