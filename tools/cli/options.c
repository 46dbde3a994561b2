#include "cli.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_usage(void)
{
    printf(
        "usage: exblas COMMAND [OPTION...] [FILE...]\n\n"
        "  info                 the library: version, kernels, threads, method\n"
        "  sum FILE...          the sum of a file's numbers, of each and of all files\n"
        "  asum FILE...         the sum of their magnitudes\n"
        "  nrm2 FILE...         the square root of the sum of their squares\n"
        "  mean FILE...         the mean of their numbers\n"
        "  var FILE...          the variance; --ddof 1: of a sample\n"
        "  dot FILE FILE        the sum of the products of their numbers\n"
        "  verify A B C         is C (npy) = alpha A B + beta C0, each element correctly rounded?\n"
        "  verify --solve A B X is X (npy) the solution of A X = B, or of least squares?\n"
        "  solve --cg A B       the solution of A x = B, A a Matrix Market file of coordinates;\n"
        "                       also --bicgstab, --gmres\n"
        "  solve --least-squares A B   the X with the least |B - A X|, or the least |X| (npy)\n"
        "  demo                 one sum in many orders, with plain loops and with ExBLAS\n"
        "  completions SHELL    what bash, zsh or fish shall know:\n"
        "                       eval \"$(exblas completions bash)\"\n");
    cli_list_others();
    printf(
        "\nResults are exact, rounded once. A FILE - is standard input.\n\n"
        "  --format auto|npy|npz|raw|text|csv|mtx|parquet|arrow|jsonl\n"
        "                       what the files are (default auto); also compressed by gzip\n"
        "                       or zstd. npz and the last three by the Python package,\n"
        "                       parquet and arrow with pyarrow, parquet also with duckdb\n"
        "  --type f32|f64       numbers in raw and decimal files, and the result\n"
        "                       (default: that of an npy file, otherwise f64)\n"
        "  --column N|NAME      the column of csv files, by number from 1 or by its header;\n"
        "                       the array of npz files\n"
        "  --columns A,B,...|all   several columns, a result for each\n"
        "  --by COLUMN          a result for each value in this column of a csv file\n"
        "  --axis N             a result for each line along axis N of an npy file\n"
        "  --skip-na            leave out NaN, empty fields, and NA, n/a, null and the like\n"
        "  --header, --no-header   the first record of csv files has names, or numbers\n"
        "  --delimiter C        what separates in csv and text files: , ; : | tab space\n"
        "  --decimal .|,        what stands before decimals in csv and text files (default .)\n"
        "  --ddof N             var: the divisor is n - N (default 0)\n"
        "  --alpha X --beta X --c0 FILE   of verify (default 1, 0)\n"
        "  --jacobi             solve: with the inverse of the diagonal as preconditioner\n"
        "  --tolerance X        solve: the end is ||r|| <= X ||B|| (default 1e-10)\n"
        "  --steps N            solve: at most N steps (default 10000)\n"
        "  --history FILE       solve: ||r|| before the first step and after each\n"
        "  --output FILE        solve: the solution, a Matrix Market file (default standard "
        "output)\n"
        "  --all                verify: list all wrong elements, not just the first 20\n"
        "  --json               numbers as {\"value\": decimal, \"hex\": hexadecimal}\n"
        "  --quiet              no progress\n\n"
        "Exit status: 0 done, or yes; 1 no; 2 bad input or usage; 3 out of memory or the like.\n");
}

/* Which commands options are for. */
enum {
    VAR = CLI_VAR,
    VERIFY = CLI_VERIFY,
    SOLVE = CLI_SOLVE,
    REDUCTIONS = CLI_REDUCE | CLI_VAR,
    READERS = REDUCTIONS | CLI_DOT,
    OF_TEXT = READERS | SOLVE, /* of how text is read */
    VERIFIERS = VERIFY | CLI_VERIFY_SOLVE,
    SOLVERS = SOLVE | CLI_SOLVE_LEAST_SQUARES,
    ANY = READERS | VERIFIERS | SOLVERS | CLI_OTHER
};

static cli_request request;
static const char *format, *type, *delimiter, *decimal, *ddof, *tolerance, *steps;
static bool methods[CLI_LEAST_SQUARES + 1];

/* What is set by the value, or by the option alone. */
static const struct {
    const char *name;
    int commands;
    const char **text;
    bool *flag;
} options[] = {
    {"format", READERS, .text = &format},
    {"type", READERS, .text = &type},
    {"column", OF_TEXT, .text = &request.column},
    {"columns", REDUCTIONS, .text = &request.columns},
    {"by", REDUCTIONS, .text = &request.by},
    {"axis", REDUCTIONS, .text = &request.axis},
    {"skip-na", REDUCTIONS, .flag = &request.skip_na},
    {"header", OF_TEXT, .flag = &request.header},
    {"no-header", OF_TEXT, .flag = &request.no_header},
    {"delimiter", OF_TEXT, .text = &delimiter},
    {"decimal", OF_TEXT, .text = &decimal},
    {"ddof", VAR, .text = &ddof},
    {"alpha", VERIFY, .text = &request.alpha},
    {"beta", VERIFY, .text = &request.beta},
    {"c0", VERIFY, .text = &request.c0},
    {"all", VERIFIERS, .flag = &request.all},
    {"solve", VERIFIERS, .flag = &request.solve},
    {"json", ANY & ~SOLVERS, .flag = &request.json},
    {"quiet", ANY, .flag = &request.quiet},
    {"cg", SOLVERS, .flag = &methods[CLI_CG]},
    {"bicgstab", SOLVERS, .flag = &methods[CLI_BICGSTAB]},
    {"gmres", SOLVERS, .flag = &methods[CLI_GMRES]},
    {"least-squares", SOLVERS, .flag = &methods[CLI_LEAST_SQUARES]},
    {"jacobi", SOLVE, .flag = &request.jacobi},
    {"tolerance", SOLVE, .text = &tolerance},
    {"steps", SOLVE, .text = &steps},
    {"history", SOLVE, .text = &request.history},
    {"output", SOLVERS, .text = &request.output},
    {"help", ANY, NULL, NULL},
};
enum { N_OPTIONS = sizeof options / sizeof *options, FIRST = 256 /* beyond letters */ };
_Static_assert(sizeof options / sizeof *options <= CLI_MOST_WORDS, "room for all");

int cli_options(const char *names[CLI_MOST_WORDS])
{
    for (int i = 0; i < N_OPTIONS; i++)
        names[i] = options[i].name;
    return N_OPTIONS;
}

/* The place of text in a list that ends with NULL; 0 where the option was not given. */
static int choose(const char *option, const char *text, const char *const *list)
{
    for (int k = 0; list[k]; k++)
        if (!text || (*text && strcmp(text, list[k]) == 0))
            return k;
    cli_fail(CLI_BAD_INPUT, "%s %s: no such choice, see exblas --help", option, text);
}

static int64_t take_count(const char *option, const char *text, int64_t least, int64_t otherwise)
{
    char *end;
    if (!text)
        return otherwise;
    long long n = strtoll(text, &end, 10);
    if (end == text || *end || n < least || n >= INT32_MAX)
        cli_fail(CLI_BAD_INPUT, "%s %s: a number from %lld up is needed", option, text,
                 (long long)least);
    return n;
}

static double take_tolerance(const char *text)
{
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end || !(x > 0 && x < 1))
        cli_fail(CLI_BAD_INPUT, "--tolerance %s: a number between 0 and 1 is needed", text);
    return x;
}

static cli_method take_method(void)
{
    cli_method method = CLI_NO_METHOD;
    for (int k = CLI_CG; k <= CLI_LEAST_SQUARES; k++) {
        if (methods[k] && method != CLI_NO_METHOD)
            cli_fail(CLI_BAD_INPUT, "--cg, --bicgstab, --gmres and --least-squares are one choice");
        if (methods[k])
            method = (cli_method)k;
    }
    return method;
}

/* What options say in words and numbers. */
static void take_values(cli_request *q)
{
    static const char *const types[] = {"", "f32", "f64", NULL};
    static const char *const delimiters[] = {"",    ",",  ";",     ":", "|",
                                             "tab", "\t", "space", " ", NULL};
    static const char *const points[] = {"", ".", ",", NULL};
    q->format = (cli_format)choose("--format", format, cli_format_names);
    q->type = (cli_type)choose("--type", type, types);
    q->delimiter = "\0,;:|\t\t  "[choose("--delimiter", delimiter, delimiters)];
    q->decimal = "\0.,"[choose("--decimal", decimal, points)];
    q->ddof = take_count("--ddof", ddof, 0, 0);
    q->steps = take_count("--steps", steps, 1, 10000);
    q->tolerance = tolerance ? take_tolerance(tolerance) : 1e-10;
    q->method = take_method();
}

/* Options that mean nothing to the command are errors: none is silently ignored. */
static void check(const cli_request *q, cli_kind kind)
{
    if (kind == CLI_VERIFY && q->solve)
        kind = CLI_VERIFY_SOLVE;
    if (kind == CLI_SOLVE && q->method == CLI_LEAST_SQUARES)
        kind = CLI_SOLVE_LEAST_SQUARES;
    for (int i = 0; i < N_OPTIONS; i++)
        if (!(options[i].commands & kind) &&
            (options[i].text ? *options[i].text != NULL : *options[i].flag))
            cli_fail(CLI_BAD_INPUT, "%s%s has no option --%s", q->command,
                     kind == CLI_SOLVE_LEAST_SQUARES ? " --least-squares"
                     : kind == CLI_VERIFY_SOLVE      ? " --solve"
                                                     : "",
                     options[i].name);
    if (kind == CLI_SOLVE && q->method == CLI_NO_METHOD)
        cli_fail(CLI_BAD_INPUT, "solve: --cg, --bicgstab, --gmres or --least-squares is needed");
    if (q->header && q->no_header)
        cli_fail(CLI_BAD_INPUT, "--header and --no-header are one choice");
    if (q->delimiter == ',' && q->decimal == ',')
        cli_fail(CLI_BAD_INPUT, "--delimiter and --decimal are both ,");
    if (q->column && q->columns)
        cli_fail(CLI_BAD_INPUT, "--column and --columns are one choice");
    if (q->axis && (q->columns || q->by))
        cli_fail(CLI_BAD_INPUT, "--axis is for npy, %s for csv", q->by ? "--by" : "--columns");
    if (kind == CLI_OTHER && q->n_files && strcmp(q->command, "completions") != 0)
        cli_fail(CLI_BAD_INPUT, "%s takes no files", q->command);
}

static void take(int i, const char *text)
{
    if (options[i].text) {
        *options[i].text = text;
    } else if (options[i].flag) {
        *options[i].flag = true;
    } else {
        cli_usage();
        exit(CLI_OK);
    }
}

void cli_parse(int argc, char **argv, cli_kind kind, cli_request *q)
{
    int option;
    const char *names[CLI_MOST_WORDS];
    struct option known[N_OPTIONS + 1] = {0};
    for (int i = 0; i < N_OPTIONS; i++)
        known[i] = (struct option){options[i].name, options[i].text != NULL, NULL, FIRST + i};
    argv++;
    argc--;
    while ((option = getopt_long(argc, argv, ":h", known, NULL)) != -1) {
        const char *word = argv[optind - 1];
        if (option == ':')
            cli_fail(CLI_BAD_INPUT, "%s needs a value, see exblas --help", word);
        if (option == '?')
            cli_fail(CLI_BAD_INPUT, "%s: unknown option%s, see exblas --help", word,
                     cli_perhaps(word, cli_options(names), names, "--"));
        take(option == 'h' ? N_OPTIONS - 1 : option - FIRST, optarg);
    }
    *q = request;
    q->command = argv[0];
    q->file = argv + optind;
    q->n_files = argc - optind;
    take_values(q);
    check(q, kind);
}
