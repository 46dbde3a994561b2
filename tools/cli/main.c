/* exblas: exact sums, means, norms and dot products of files, and what the library has to show. */
#include "system.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <exblas/exblas.h>

void cli_fail(cli_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *plain = getenv("NO_COLOR");
    bool is_red = isatty(STDERR_FILENO) && !(plain && *plain);
    fprintf(stderr, is_red ? "\033[31mexblas:\033[m " : "exblas: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(status);
}

void *cli_grow(void *old, int64_t n, int64_t n_bytes_each)
{
    size_t n_bytes;
    void *p = NULL;
    if (!__builtin_mul_overflow(n, n_bytes_each, &n_bytes))
        p = realloc(old, n_bytes ? n_bytes : 1);
    if (!p)
        cli_fail(CLI_RESOURCES, "not enough memory for %lld elements", (long long)n);
    return p;
}

void *cli_allocate(int64_t n, int64_t n_bytes_each)
{
    return cli_grow(NULL, n, n_bytes_each);
}

/* Output that could not be written is not a success. */
static int finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        cli_fail(CLI_RESOURCES, "cannot write the result: %s", strerror(errno));
    return status;
}

static const struct {
    const char *name;
    int (*run)(const cli_request *);
    cli_kind kind;
} commands[] = {
    {"sum", cli_reduce, CLI_REDUCE},
    {"asum", cli_reduce, CLI_REDUCE},
    {"nrm2", cli_reduce, CLI_REDUCE},
    {"dot", cli_dot, CLI_DOT},
    {"mean", cli_reduce, CLI_REDUCE},
    {"var", cli_reduce, CLI_VAR},
    {"verify", cli_verify, CLI_VERIFY},
    {"demo", cli_demo, CLI_OTHER},
    {"info", cli_info, CLI_OTHER},
    {"solve", cli_solve, CLI_SOLVE},
    {"completions", cli_completions, CLI_OTHER},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* Commands that are programs of their own. */
static const struct {
    const char *name, *program, *help;
} others[] = {
    {"bench", "exblas-bench",
     "  bench [SUITE...]     measurements (--quick, --plot, --report),\n"
     "                       see exblas bench --help\n"},
    {"grade", "exblas-grade",
     "  grade LIBRARY...     judges the BLAS of a shared library, see exblas grade --help\n"},
    {"trace-diff", "exblas-trace-diff",
     "  trace-diff A B       the first difference between two traces (EXBLAS_TRACE)\n"},
};
enum { N_OTHERS = sizeof others / sizeof *others };
_Static_assert(N_COMMANDS + N_OTHERS < CLI_MOST_WORDS, "room for all and help");

void cli_list_others(void)
{
    char path[CLI_PATH];
    for (int k = 0; k < N_OTHERS; k++)
        if (cli_find_other(others[k].program, path))
            printf("%s", others[k].help);
}

int cli_commands(const char *names[CLI_MOST_WORDS])
{
    char path[CLI_PATH];
    int n = 0;
    while (n < N_COMMANDS)
        names[n] = commands[n].name, n++;
    for (int k = 0; k < N_OTHERS; k++)
        if (cli_find_other(others[k].program, path))
            names[n++] = others[k].name;
    names[n] = "help";
    return n + 1;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int main(int argc, char **argv)
{
    static char help[] = "--help";
    cli_request q;
    cli_system_start(&argc, &argv);
    if (argc > 2 && strcmp(argv[1], "help") == 0) {
        argv[1] = argv[2];
        argv[2] = help;
    }
    const char *names[CLI_MOST_WORDS], *command = argc > 1 ? argv[1] : "";
    if (is_one_of(command, "--help", "-h", "help")) {
        cli_usage();
        return finish(CLI_OK);
    }
    if (is_one_of(command, "--version", "-V", "version")) {
        printf("exblas %s\n", exblas_version());
        return finish(CLI_OK);
    }
    for (int k = 0; k < N_OTHERS; k++)
        if (strcmp(command, others[k].name) == 0)
            return cli_run_other(others[k].program, argv + 1);
    for (int k = 0; k < N_COMMANDS; k++)
        if (strcmp(command, commands[k].name) == 0) {
            cli_parse(argc, argv, commands[k].kind, &q);
            return finish(commands[k].run(&q));
        }
    if (!*command)
        cli_fail(CLI_BAD_INPUT, "no command, see exblas --help");
    cli_fail(CLI_BAD_INPUT, "no such command: %s%s, see exblas --help", command,
             cli_perhaps(command, cli_commands(names), names, ""));
}
