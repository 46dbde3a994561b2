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
        "                       or zstd. The last three by the Python package, parquet and\n"
        "                       arrow with pyarrow, parquet also with duckdb\n"
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

enum {
    FORMAT = 256,
    TYPE,
    COLUMN,
    COLUMNS,
    BY,
    AXIS,
    SKIP_NA,
    HEADER,
    NO_HEADER,
    DELIMITER,
    DECIMAL,
    ALPHA,
    BETA,
    C0,
    ALL,
    JSON,
    QUIET,
    SOLVE,
    DDOF,
    METHOD, /* and one for each */
    JACOBI = METHOD + 4,
    TOLERANCE,
    STEPS,
    HISTORY,
    OUTPUT,
    HELP
};

static const struct option long_options[] = {
    {"format", 1, 0, FORMAT},
    {"type", 1, 0, TYPE},
    {"column", 1, 0, COLUMN},
    {"columns", 1, 0, COLUMNS},
    {"by", 1, 0, BY},
    {"axis", 1, 0, AXIS},
    {"skip-na", 0, 0, SKIP_NA},
    {"header", 0, 0, HEADER},
    {"no-header", 0, 0, NO_HEADER},
    {"delimiter", 1, 0, DELIMITER},
    {"decimal", 1, 0, DECIMAL},
    {"alpha", 1, 0, ALPHA},
    {"beta", 1, 0, BETA},
    {"c0", 1, 0, C0},
    {"all", 0, 0, ALL},
    {"json", 0, 0, JSON},
    {"quiet", 0, 0, QUIET},
    {"solve", 0, 0, SOLVE},
    {"ddof", 1, 0, DDOF},
    {"cg", 0, 0, METHOD + CLI_CG},
    {"bicgstab", 0, 0, METHOD + CLI_BICGSTAB},
    {"gmres", 0, 0, METHOD + CLI_GMRES},
    {"least-squares", 0, 0, METHOD + CLI_LEAST_SQUARES},
    {"jacobi", 0, 0, JACOBI},
    {"tolerance", 1, 0, TOLERANCE},
    {"steps", 1, 0, STEPS},
    {"history", 1, 0, HISTORY},
    {"output", 1, 0, OUTPUT},
    {"help", 0, 0, HELP},
    {0, 0, 0, 0},
};

int cli_options(const char *names[CLI_MOST_WORDS])
{
    int n = 0;
    for (; long_options[n].name; n++)
        names[n] = long_options[n].name;
    return n;
}

_Static_assert(sizeof long_options / sizeof *long_options <= CLI_MOST_WORDS, "room for all");
static const char *const type_names[] = {"", "f32", "f64", NULL};

/* The place of text in a list that ends with NULL. */
static int choose(const char *option, const char *text, const char *const *list)
{
    for (int k = 0; list[k]; k++)
        if (*text && strcmp(text, list[k]) == 0)
            return k;
    cli_fail(CLI_BAD_INPUT, "%s %s: no such choice, see exblas --help", option, text);
}

static int64_t take_count(const char *option, const char *text, int64_t least)
{
    char *end;
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

static char take_delimiter(const char *text)
{
    static const char *const names[] = {",", ";", ":", "|", "tab", "\t", "space", " ", NULL};
    return ",;:|\t\t  "[choose("--delimiter", text, names)];
}

/* How text is read; true if it was one of these options. */
static bool take_of_text(cli_request *q, int option, const char *text)
{
    static const char *const points[] = {".", ",", NULL};
    switch (option) {
    case COLUMN:
        q->column = text;
        return true;
    case COLUMNS:
        q->columns = text;
        return true;
    case BY:
        q->by = text;
        return true;
    case HEADER:
        q->header = true;
        return true;
    case NO_HEADER:
        q->no_header = true;
        return true;
    case DELIMITER:
        q->delimiter = take_delimiter(text);
        return true;
    case DECIMAL:
        q->decimal = *points[choose("--decimal", text, points)];
        return true;
    default:
        return false;
    }
}

/* The options of solve; true if it was one. */
static bool take_of_solve(cli_request *q, int option, const char *text)
{
    switch (option) {
    case METHOD + CLI_CG:
    case METHOD + CLI_BICGSTAB:
    case METHOD + CLI_GMRES:
    case METHOD + CLI_LEAST_SQUARES:
        if (q->method != CLI_NO_METHOD)
            cli_fail(CLI_BAD_INPUT, "--cg, --bicgstab, --gmres and --least-squares are one choice");
        q->method = (cli_method)(option - METHOD);
        return true;
    case JACOBI:
        q->jacobi = true;
        return true;
    case TOLERANCE:
        q->tolerance = take_tolerance(text);
        return true;
    case STEPS:
        q->steps = take_count("--steps", text, 1);
        return true;
    case HISTORY:
        q->history = text;
        return true;
    case OUTPUT:
        q->output = text;
        return true;
    default:
        return false;
    }
}

static void take(cli_request *q, int option, const char *text)
{
    switch (option) {
    case FORMAT:
        q->format = (cli_format)choose("--format", text, cli_format_names);
        break;
    case TYPE:
        q->type = (cli_type)choose("--type", text, type_names);
        break;
    case ALPHA:
        q->alpha = text;
        break;
    case BETA:
        q->beta = text;
        break;
    case C0:
        q->c0 = text;
        break;
    case ALL:
        q->all = true;
        break;
    case JSON:
        q->json = true;
        break;
    case DDOF:
        q->ddof = take_count("--ddof", text, 0);
        break;
    case AXIS:
        q->axis = text;
        break;
    case SKIP_NA:
        q->skip_na = true;
        break;
    case QUIET:
        q->quiet = true;
        break;
    case SOLVE:
        q->solve = true;
        break;
    default:
        cli_usage();
        exit(CLI_OK);
    }
}

/* An option of solve that was given, or NULL. */
static const char *option_of_solve(const cli_request *q)
{
    static const char *const methods[] = {"--cg", "--bicgstab", "--gmres", "--least-squares"};
    return q->method != CLI_NO_METHOD ? methods[q->method]
           : q->jacobi                ? "--jacobi"
           : q->tolerance > 0         ? "--tolerance"
           : q->steps                 ? "--steps"
           : q->history               ? "--history"
           : q->output                ? "--output"
                                      : NULL;
}

static const char *option_of_text(const cli_request *q)
{
    return q->column      ? "--column"
           : q->header    ? "--header"
           : q->no_header ? "--no-header"
           : q->delimiter ? "--delimiter"
           : q->decimal   ? "--decimal"
                          : NULL;
}

/* What was not chosen. */
static void complete(cli_request *q)
{
    enum { STEPS_UNLESS_GIVEN = 10000 };
    if (strcmp(q->command, "solve") != 0)
        return;
    if (q->method == CLI_NO_METHOD)
        cli_fail(CLI_BAD_INPUT, "solve: --cg, --bicgstab, --gmres or --least-squares is needed");
    q->tolerance = q->tolerance > 0 ? q->tolerance : 1e-10;
    q->steps = q->steps ? q->steps : STEPS_UNLESS_GIVEN;
}

static const char *const readers[] = {"dot", "sum", "asum", "nrm2", "mean", "var", NULL};

/* Options that mean nothing to the command are errors: none is silently ignored. */
static void check(const cli_request *q)
{
    bool verify = strcmp(q->command, "verify") == 0;
    bool reads = verify, solves = strcmp(q->command, "solve") == 0;
    for (int k = 0; readers[k]; k++)
        reads |= strcmp(q->command, readers[k]) == 0;
    const char *option = NULL;
    if (!verify && (q->solve || q->all))
        option = q->solve ? "--solve" : "--all";
    if ((!verify || q->solve) && (q->alpha || q->beta || q->c0))
        option = q->alpha ? "--alpha" : q->beta ? "--beta" : "--c0";
    if (q->ddof && strcmp(q->command, "var") != 0)
        option = "--ddof";
    if ((!reads || verify) && (q->format || q->type))
        option = q->format ? "--format" : "--type";
    bool is_reduction = reads && !verify && strcmp(q->command, "dot") != 0;
    if (!is_reduction && (q->columns || q->by || q->axis || q->skip_na))
        option = q->columns ? "--columns" : q->by ? "--by" : q->axis ? "--axis" : "--skip-na";
    if ((!reads || verify) && !solves && option_of_text(q))
        option = option_of_text(q);
    if (!solves && option_of_solve(q))
        option = option_of_solve(q);
    if (solves && q->json)
        option = "--json";
    bool exact = q->method == CLI_LEAST_SQUARES;
    if (exact)
        option = q->jacobi           ? "--jacobi"
                 : q->tolerance > 0  ? "--tolerance"
                 : q->steps          ? "--steps"
                 : q->history        ? "--history"
                 : option_of_text(q) ? option_of_text(q)
                                     : option;
    if (option)
        cli_fail(CLI_BAD_INPUT, "%s%s has no option %s", q->command,
                 exact                ? " --least-squares"
                 : verify && q->solve ? " --solve"
                                      : "",
                 option);
    if (q->header && q->no_header)
        cli_fail(CLI_BAD_INPUT, "--header and --no-header are one choice");
    if (q->delimiter == ',' && q->decimal == ',')
        cli_fail(CLI_BAD_INPUT, "--delimiter and --decimal are both ,");
    if (q->column && q->columns)
        cli_fail(CLI_BAD_INPUT, "--column and --columns are one choice");
    if (q->axis && (q->columns || q->by))
        cli_fail(CLI_BAD_INPUT, "--axis is for npy, %s for csv", q->by ? "--by" : "--columns");
    if (!reads && !solves && q->n_files && strcmp(q->command, "completions") != 0)
        cli_fail(CLI_BAD_INPUT, "%s takes no files", q->command);
}

void cli_parse(int argc, char **argv, cli_request *q)
{
    int option;
    const char *names[CLI_MOST_WORDS];
    *q = (cli_request){.command = argv[1], .method = CLI_NO_METHOD};
    argv++;
    argc--;
    while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        const char *word = argv[optind - 1];
        if (option == ':')
            cli_fail(CLI_BAD_INPUT, "%s needs a value, see exblas --help", word);
        if (option == '?')
            cli_fail(CLI_BAD_INPUT, "%s: unknown option%s, see exblas --help", word,
                     cli_perhaps(word, cli_options(names), names, "--"));
        if (!take_of_solve(q, option, optarg) && !take_of_text(q, option, optarg))
            take(q, option, optarg);
    }
    q->file = argv + optind;
    q->n_files = argc - optind;
    check(q);
    complete(q);
}
