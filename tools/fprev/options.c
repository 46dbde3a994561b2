#include "options.h"

#include "model.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(void)
{
    printf(
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

/* What the options say. 0: not given, -1 where 0 may be. */
static int64_t routine = -1, type, transposed, abi, m, n = 32, k = -1, lda, incx = 1, align;
static int64_t n_threads, seed = 1, timeout_s = 60, limit_s, json, quiet;
static const char *element, *file;

enum { MOST = (1 << 30) - 1, A_DAY = 86400, FIRST = 256 /* beyond letters */ };
static const char *const types[] = {"d", "s", "h", "b", NULL};
static const char *const transposes[] = {"n", "t", NULL};
static const char *const abis[] = {"auto", "fortran", "cblas", "fortran64", "cblas64", NULL};

/* A word of a list, which is kept as its place there; a number; a text; or nothing follows. */
static const struct {
    const char *name;
    int64_t *value, low, high;
    const char *const *list, **text;
} options[] = {
    {"routine", &routine, .list = fprev_routine_names},
    {"type", &type, .list = types},
    {"trans", &transposed, .list = transposes},
    {"abi", &abi, .list = abis},
    {"m", &m, .low = 1, .high = MOST},
    {"n", &n, .low = 0, .high = MOST},
    {"k", &k, .low = 0, .high = MOST},
    {"lda", &lda, .low = 1, .high = MOST},
    {"incx", &incx, .low = 1, .high = 1 << 20},
    {"align", &align, .low = 0, .high = 63},
    {"threads", &n_threads, .low = 1, .high = 4096},
    {"seed", &seed, .low = 0, .high = INT64_MAX},
    {"timeout", &timeout_s, .low = 1, .high = A_DAY},
    {"limit", &limit_s, .low = 1, .high = A_DAY},
    {"element", .text = &element},
    {"json", .value = &json},
    {"quiet", .value = &quiet},
    {.name = "help"},
};
enum { N_OPTIONS = sizeof options / sizeof *options, HELP = FIRST + N_OPTIONS - 1 };

static bool complain(const char *format, const char *text)
{
    fprintf(stderr, "exblas-fprev: ");
    fprintf(stderr, format, text);
    fprintf(stderr, "\n");
    return false;
}

static bool number(int i, const char *text)
{
    char *end;
    errno = 0;
    long long x = strtoll(text, &end, 10);
    *options[i].value = x;
    if (!errno && end != text && !*end && x >= options[i].low && x <= options[i].high)
        return true;
    fprintf(stderr, "exblas-fprev: --%s %s: not a number from %lld to %lld\n", options[i].name,
            text, (long long)options[i].low, (long long)options[i].high);
    return false;
}

static bool choose(int i, const char *text)
{
    for (int c = 0; options[i].list[c]; c++)
        if (strcmp(text, options[i].list[c]) == 0) {
            *options[i].value = c;
            return true;
        }
    return complain("no such choice: %s (see --help)", text);
}

static bool take(int i, const char *text)
{
    if (options[i].list)
        return choose(i, text);
    if (options[i].high)
        return number(i, text);
    if (options[i].text)
        *options[i].text = text;
    else
        *options[i].value = 1;
    return true;
}

/* I or I,J; results of gemm are numbered by columns. */
static bool set_element(fprev_request *q)
{
    char *end;
    q->all_elements = element && strcmp(element, "all") == 0;
    if (!element || q->all_elements)
        return true;
    long long i = strtoll(element, &end, 10), j = 0;
    if (*end == ',')
        j = strtoll(end + 1, &end, 10);
    bool gemm = q->problem.routine == FPREV_GEMM;
    if (*end || i < 0 || j < 0 || (gemm && (i >= q->problem.m || j >= q->problem.n)))
        return complain("--element %s: no such element", element);
    q->options.element = i + j * (gemm ? q->problem.m : 1);
    return true;
}

static bool complete(fprev_command *c, int n_operands, char **operand)
{
    c->compare = n_operands > 0 && strcmp(operand[0], "compare") == 0;
    if (n_operands != (c->compare ? 3 : 1))
        return complain("%s (see --help)",
                        c->compare ? "compare needs two targets" : "one target is needed");
    c->request = (fprev_request){.target = operand[c->compare],
                                 .options.seed = (uint64_t)seed,
                                 .quiet = quiet,
                                 .n_threads = (int)n_threads,
                                 .timeout_s = (int)timeout_s,
                                 .limit_s = (int)limit_s,
                                 .mask_i = -1,
                                 .mask_j = -1};
    c->other = c->compare ? operand[2] : NULL;
    c->json = json;
    c->file = file;
    if (routine < 0)
        routine = strstr(c->request.target, "model:") ? FPREV_SUM : FPREV_DOT;
    m = m ? m : n;
    k = k >= 0 ? k : n;
    c->request.problem = (fprev_problem){
        (fprev_routine)routine, (fprev_type)type, m, n, k, lda, incx, transposed, align,
        (fprev_abi)abi};
    if (n == 0 || (routine == FPREV_GEMM && k == 0))
        return complain("%s", "no terms: nothing is added, so there is no order");
    return set_element(&c->request);
}

bool fprev_parse(int argc, char **argv, fprev_command *c, int *exit)
{
    struct option known[N_OPTIONS + 1] = {0};
    int option;
    for (int i = 0; i < N_OPTIONS; i++)
        known[i] =
            (struct option){options[i].name, options[i].list || options[i].high || options[i].text,
                            NULL, FIRST + i};
    *exit = FPREV_EXIT_USAGE;
    while ((option = getopt_long(argc, argv, "ho:", known, NULL)) != -1) {
        if (option == HELP || option == 'h') {
            usage();
            *exit = FPREV_EXIT_OK;
            return false;
        }
        if (option == 'o')
            file = optarg;
        else if (option == '?' || !take(option - FIRST, optarg))
            return false;
    }
    return complete(c, argc - optind, argv + optind);
}
