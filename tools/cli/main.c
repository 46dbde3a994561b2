/* exblas: exact sums, means, norms and dot products of files, and what the library has to show. */
#include "cli.h"

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
    fprintf(stderr, "exblas: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(status);
}

void *cli_allocate(int64_t n, int64_t n_bytes_each)
{
    size_t n_bytes;
    void *p = NULL;
    if (!__builtin_mul_overflow(n, n_bytes_each, &n_bytes))
        p = malloc(n_bytes ? n_bytes : 1);
    if (!p)
        cli_fail(CLI_RESOURCES, "not enough memory for %lld elements", (long long)n);
    return p;
}

enum { PATH_LENGTH = 2 * 4096 };

static bool in_folder(const char *folder, int n_bytes, const char *name, char path[PATH_LENGTH])
{
    int n = snprintf(path, PATH_LENGTH, "%.*s/%s", n_bytes, folder, name);
    return n > 0 && n < PATH_LENGTH && access(path, X_OK) == 0;
}

/* The path of a command of its own, which stands beside this one, at the same place of a build
 * tree, or on PATH. False: there is none. */
static bool find_other(const char *name, char path[PATH_LENGTH])
{
    static const char *const beside[] = {".", "../trace", "../../perf"};
    char self[4096], folder[4096 + 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    for (size_t k = 0; slash && k < sizeof beside / sizeof *beside; k++) {
        int length = snprintf(folder, sizeof folder, "%s/%s", self, beside[k]);
        if (in_folder(folder, length, name, path))
            return true;
    }
    for (const char *at = getenv("PATH"); at && *at;) {
        size_t length = strcspn(at, ":");
        if (in_folder(at, (int)length, name, path))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

bool cli_has(const char *name)
{
    char path[PATH_LENGTH];
    return find_other(name, path);
}

static int run_other(const char *name, char **argv)
{
    char path[PATH_LENGTH];
    if (!find_other(name, path))
        cli_fail(CLI_RESOURCES, "%s is not part of this installation: it takes %s", argv[0], name);
    argv[0] = (char *)name;
    execv(path, argv);
    cli_fail(CLI_RESOURCES, "cannot run %s: %s", path, strerror(errno));
}

/* Output that could not be written is not a success. */
static int finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        cli_fail(CLI_RESOURCES, "cannot write the result: %s", strerror(errno));
    return status;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const cli_request *);
    } commands[] = {
        {"sum", cli_reduce},  {"asum", cli_reduce}, {"nrm2", cli_reduce},   {"dot", cli_dot},
        {"mean", cli_reduce}, {"var", cli_reduce},  {"verify", cli_verify}, {"demo", cli_demo},
        {"info", cli_info},   {"solve", cli_solve},
    };
    cli_request q;
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0) {
        cli_usage();
        return finish(CLI_OK);
    }
    if (strcmp(command, "--version") == 0) {
        printf("exblas %s\n", exblas_version());
        return finish(CLI_OK);
    }
    if (strcmp(command, "bench") == 0)
        return run_other("exblas-bench", argv + 1);
    if (strcmp(command, "trace-diff") == 0)
        return run_other("exblas-trace-diff", argv + 1);
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
        if (strcmp(command, commands[k].name) == 0) {
            cli_parse(argc, argv, &q);
            return finish(commands[k].run(&q));
        }
    cli_fail(CLI_BAD_INPUT, "%s%s, see exblas --help",
             *command ? "no such command: " : "no command", command);
}
