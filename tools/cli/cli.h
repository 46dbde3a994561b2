/* The command `exblas`: what its parts share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    CLI_OK = 0,
    CLI_FINDING = 1,   /* the answer is no */
    CLI_BAD_INPUT = 2, /* or usage */
    CLI_RESOURCES = 3
} cli_status;

typedef enum {
    CLI_AUTO,
    CLI_NPY,
    CLI_RAW,
    CLI_TEXT,
    CLI_CSV,
    CLI_MTX,
    CLI_NPZ,
    CLI_PARQUET, /* from here on tables by Python */
    CLI_ARROW,
    CLI_JSONL
} cli_format;
typedef enum { CLI_NO_METHOD = -1, CLI_CG, CLI_BICGSTAB, CLI_GMRES, CLI_LEAST_SQUARES } cli_method;
typedef enum { CLI_TYPE_OF_FILE, CLI_F32, CLI_F64 } cli_type;

/* The command line. */
typedef struct {
    const char *command;
    int n_files;
    char **file;
    cli_format format;
    cli_type type;
    const char *column, *columns, *by; /* NULL if not given */
    const char *axis;
    bool skip_na;
    bool header, no_header;
    char delimiter, decimal; /* 0 if not given */
    const char *alpha, *beta, *c0;
    int64_t ddof;
    cli_method method;
    double tolerance;
    int64_t steps;
    const char *history, *output;
    bool json, quiet, all, solve, jacobi;
} cli_request;

/* What a command is for its options. */
typedef enum {
    CLI_REDUCE = 1,
    CLI_VAR = 2,
    CLI_DOT = 4,
    CLI_VERIFY = 8,
    CLI_VERIFY_SOLVE = 16, /* verify --solve */
    CLI_SOLVE = 32,
    CLI_SOLVE_LEAST_SQUARES = 64, /* solve --least-squares */
    CLI_OTHER = 128
} cli_kind;

extern const char *const cli_format_names[];

/* Prints one line, "exblas: ...", and exits: every error is found before anything is written. */
_Noreturn void cli_fail(cli_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* malloc, or realloc, of n elements (0 too), or exit. */
void *cli_allocate(int64_t n, int64_t n_bytes_each);
void *cli_grow(void *old, int64_t n, int64_t n_bytes_each);

/* Fills in the request; exits on --help and on usage that makes no sense. */
void cli_parse(int argc, char **argv, cli_kind kind, cli_request *q);
void cli_usage(void);

/* The help of commands of their own, as exblas-bench, that are installed. */
void cli_list_others(void);

/* The names of commands, and of options; how many there are. */
enum { CLI_MOST_WORDS = 64 };
int cli_commands(const char *names[CLI_MOST_WORDS]);
int cli_options(const char *names[CLI_MOST_WORDS]);

/* " (did you mean ...?)" with the name, behind dashes, that the word may be a slip of; else "". */
const char *cli_perhaps(const char *word, int n, const char *const *names, const char *dashes);

int cli_reduce(const cli_request *q); /* sum, asum, nrm2, mean, var */
int cli_dot(const cli_request *q);
int cli_verify(const cli_request *q);
int cli_verify_solution(const cli_request *q); /* --solve */
int cli_solve(const cli_request *q);
int cli_least_squares(const cli_request *q); /* solve --least-squares */
int cli_demo(const cli_request *q);
int cli_info(const cli_request *q);
int cli_completions(const cli_request *q);
