/* Sums of numbers as they are read, and what comes of them. */
#pragma once

#include "cli.h"

#include <exblas/accumulator.h>

typedef struct {
    const char *name, *format;
    int64_t n;
    bool is_float;   /* rounded to */
    bool is_complex; /* then im, too */
    double result, im;
    const char *of[2]; /* the key and the column, or NULL */
} cli_outcome;

/* Of the parts, and of squares; what the command does not need stays 0. */
typedef struct {
    exblas_acc part[2], squares;
    bool is_complex;
    int64_t n;
} cli_sums;

void cli_clear(cli_sums *s);

/* n <= CLI_BLOCK numbers, step doubles from one to the next: real, or complex ones as two doubles.
 */
void cli_add(const cli_request *q, cli_sums *s, int64_t n, const double *x, int64_t step);

void cli_finish(const cli_request *q, const cli_sums *s, cli_outcome *o);
bool cli_result_is_float(const cli_request *q, bool data_are_float);

void cli_json_outcome(const cli_request *q, const cli_outcome *o, const char *indent);

/* The number, or the two parts with a blank between. */
void cli_text_outcome(const cli_outcome *o, const char *name);

/* A result for each column, key or line of a file. */
int cli_reduce_each(const cli_request *q);
