#include "options.h"

#include "model.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *f)
{
    fprintf(
        f,
        "usage: exblas-fprev TARGET [OPTION...]\n"
        "       exblas-fprev compare TARGET TARGET [OPTION...]\n\n"
        "Finds in which order a function adds, from its results alone, and checks the\n"
        "order bit for bit on random data. compare tells whether two add alike, and if not,\n"
        "an input on which they differ.\n\n"
        "TARGET is [NAME=VALUE ...] LIBRARY[:SYMBOL], where the variables are set before the\n"
        "library is loaded (one argument: \"OPENBLAS_CORETYPE=Haswell libopenblas.so.0\"),\n"
        "or model:NAME, NAME one of\n%s\n"
        "  --routine sum|dot|asum|gemv|gemm   (default dot; sum for models)\n"
        "  --type d|s|h|b       double, float, half, bfloat16 (default d)\n"
        "  --n N                terms of sum, dot, asum; columns of the matrix (default 32)\n"
        "  --m M, --k K         rows of the result or of gemv's matrix; terms of gemm (default: "
        "N)\n"
        "  --trans n|t          gemv, gemm: with the transposed matrices\n"
        "  --lda N, --incx N    leading dimension; increment of vectors\n"
        "  --align B            arrays begin B bytes after a multiple of 64\n"
        "  --threads T          sets the variables that BLAS libraries read\n"
        "  --element I[,J]|all  the result that is looked at (default 0,0)\n"
        "  --abi auto|fortran|cblas|fortran64|cblas64\n"
        "  --seed S             of random choices (default 1)\n"
        "  --json, -o FILE\n"
        "  --timeout SECONDS    for one call (default 60)\n"
        "  --limit SECONDS      for all calls together (default: none)\n"
        "  --quiet              no progress\n\n"
        "Exit status: 0 found and replayed, or alike; 1 different, inconsistent, or the replay\n"
        "failed; 2 usage, or the target cannot be loaded; 3 the target crashed or returned NaN.\n",
        fprev_model_help);
}

typedef struct {
    fprev_command *command;
    bool has_routine, has_m, has_k;
    const char *element;
} parser;

static bool complain(const char *format, const char *text)
{
    fprintf(stderr, "exblas-fprev: ");
    fprintf(stderr, format, text);
    fprintf(stderr, "\n");
    return false;
}

static bool number(const char *text, const char *name, int64_t low, int64_t high, int64_t *value)
{
    char *end;
    errno = 0;
    long long x = strtoll(text, &end, 10);
    if (errno || end == text || *end || x < low || x > high) {
        fprintf(stderr, "exblas-fprev: --%s %s: not a number from %lld to %lld\n", name, text,
                (long long)low, (long long)high);
        return false;
    }
    *value = x;
    return true;
}

/* The place of text in a list that ends with NULL. */
static bool choose(const char *text, const char *const *list, int *value)
{
    for (int k = 0; list[k]; k++)
        if (strcmp(text, list[k]) == 0) {
            *value = k;
            return true;
        }
    return complain("no such choice: %s (see --help)", text);
}

enum {
    ROUTINE = 256,
    TYPE,
    M,
    N,
    K,
    TRANS,
    LDA,
    INCX,
    ALIGN,
    THREADS,
    ELEMENT,
    ABI,
    SEED,
    JSON,
    TIMEOUT,
    LIMIT,
    QUIET,
    HELP
};

static const struct option long_options[] = {
    {"routine", 1, 0, ROUTINE},
    {"type", 1, 0, TYPE},
    {"m", 1, 0, M},
    {"n", 1, 0, N},
    {"k", 1, 0, K},
    {"trans", 1, 0, TRANS},
    {"lda", 1, 0, LDA},
    {"incx", 1, 0, INCX},
    {"align", 1, 0, ALIGN},
    {"threads", 1, 0, THREADS},
    {"element", 1, 0, ELEMENT},
    {"abi", 1, 0, ABI},
    {"seed", 1, 0, SEED},
    {"json", 0, 0, JSON},
    {"timeout", 1, 0, TIMEOUT},
    {"limit", 1, 0, LIMIT},
    {"quiet", 0, 0, QUIET},
    {"help", 0, 0, HELP},
    {0, 0, 0, 0},
};

static bool take_choice(parser *s, int option, const char *text)
{
    static const char *const routines[] = {"sum", "dot", "asum", "gemv", "gemm", NULL};
    static const char *const types[] = {"d", "s", "h", "b", NULL};
    static const char *const transposes[] = {"n", "t", NULL};
    static const char *const abis[] = {"auto", "fortran", "cblas", "fortran64", "cblas64", NULL};
    fprev_request *q = &s->command->request;
    int x = 0;
    const char *const *list = option == ROUTINE ? routines
                              : option == TYPE  ? types
                              : option == TRANS ? transposes
                                                : abis;
    if (!choose(text, list, &x))
        return false;
    switch (option) {
    case ROUTINE:
        q->problem.routine = (fprev_routine)x;
        s->has_routine = true;
        break;
    case TYPE:
        q->problem.type = (fprev_type)x;
        break;
    case TRANS:
        q->problem.transposed = x;
        break;
    default:
        q->problem.abi = (fprev_abi)x;
    }
    return true;
}

static bool take_number(parser *s, int option, const char *text)
{
    fprev_request *q = &s->command->request;
    fprev_problem *p = &q->problem;
    const int64_t most = (1 << 30) - 1;
    int64_t x = 0;
    bool ok = true;
    switch (option) {
    case M:
        s->has_m = true;
        return number(text, "m", 1, most, &p->m);
    case N:
        return number(text, "n", 0, most, &p->n);
    case K:
        s->has_k = true;
        return number(text, "k", 0, most, &p->k);
    case LDA:
        return number(text, "lda", 1, most, &p->lda);
    case INCX:
        return number(text, "incx", 1, 1 << 20, &p->incx);
    case ALIGN:
        return number(text, "align", 0, 63, &p->align);
    case THREADS:
        ok = number(text, "threads", 1, 4096, &x);
        q->n_threads = (int)x;
        return ok;
    case TIMEOUT:
        ok = number(text, "timeout", 1, 86400, &x);
        q->timeout_s = (int)x;
        return ok;
    case LIMIT:
        ok = number(text, "limit", 1, 86400, &x);
        q->limit_s = (int)x;
        return ok;
    default:
        ok = number(text, "seed", 0, INT64_MAX, &x);
        q->options.seed = (uint64_t)x;
        return ok;
    }
}

static bool take(parser *s, int option, const char *text)
{
    fprev_command *c = s->command;
    switch (option) {
    case JSON:
        c->json = true;
        return true;
    case QUIET:
        c->request.quiet = true;
        return true;
    case ELEMENT:
        s->element = text;
        return true;
    case 'o':
        c->file = text;
        return true;
    case ROUTINE:
    case TYPE:
    case TRANS:
    case ABI:
        return take_choice(s, option, text);
    default:
        return take_number(s, option, text);
    }
}

/* I or I,J; results of gemm are numbered by columns. */
static bool set_element(parser *s)
{
    fprev_request *q = &s->command->request;
    char *end;
    if (!s->element)
        return true;
    q->all_elements = strcmp(s->element, "all") == 0;
    if (q->all_elements)
        return true;
    long long i = strtoll(s->element, &end, 10), j = 0;
    if (*end == ',')
        j = strtoll(end + 1, &end, 10);
    bool gemm = q->problem.routine == FPREV_GEMM;
    if (*end || i < 0 || j < 0 || (gemm && (i >= q->problem.m || j >= q->problem.n)))
        return complain("--element %s: no such element", s->element);
    q->options.element = i + j * (gemm ? q->problem.m : 1);
    return true;
}

static bool complete(parser *s, int n_operands, char **operand)
{
    fprev_command *c = s->command;
    fprev_problem *p = &c->request.problem;
    c->compare = n_operands > 0 && strcmp(operand[0], "compare") == 0;
    if (n_operands != (c->compare ? 3 : 1))
        return complain("%s (see --help)",
                        c->compare ? "compare needs two targets" : "one target is needed");
    c->request.target = operand[c->compare];
    c->other = c->compare ? operand[2] : NULL;
    if (!s->has_routine && strstr(c->request.target, "model:"))
        p->routine = FPREV_SUM;
    if (!s->has_m)
        p->m = p->n;
    if (!s->has_k)
        p->k = p->n;
    if (p->n == 0 || (p->routine == FPREV_GEMM && p->k == 0))
        return complain("%s", "no terms: nothing is added, so there is no order");
    return set_element(s);
}

bool fprev_parse(int argc, char **argv, fprev_command *c, int *exit)
{
    parser s = {.command = c};
    int option;
    *c = (fprev_command){.request = {.timeout_s = 60, .mask_i = -1, .mask_j = -1}};
    c->request.problem = (fprev_problem){.routine = FPREV_DOT, .n = 32, .incx = 1};
    c->request.options.seed = 1;
    *exit = FPREV_EXIT_USAGE;
    while ((option = getopt_long(argc, argv, "ho:", long_options, NULL)) != -1) {
        if (option == HELP || option == 'h') {
            usage(stdout);
            *exit = FPREV_EXIT_OK;
            return false;
        }
        if (option == '?' || !take(&s, option, optarg))
            return false;
    }
    return complete(&s, argc - optind, argv + optind);
}
