/* Matrices of files, and what is said of a given one beside the right one. */
#pragma once

#include "cli.h"

#include <stdio.h>

typedef struct {
    const char *name;
    int64_t rows, columns;
    bool is_float;
    double *x; /* C order; floats if is_float */
} cli_matrix;

/* An npy file of floats with two dimensions or, if `vector`, also one: a column. x is to be freed.
 */
cli_matrix cli_load_matrix(const cli_request *q, const char *path, bool vector);

/* Exit with a message unless C has that shape (of `what`), or B the type of A. */
void cli_expect_shape(const cli_matrix *c, int64_t rows, int64_t columns, const char *what);
void cli_expect_type(const cli_matrix *a, const cli_matrix *b);

/* Element k in C order. */
double cli_matrix_element(const cli_matrix *a, int64_t k);

/* A file to write, standard output for NULL; a matrix' transpose, a Matrix Market file, to it,
 * which is closed. Exit with a message if that cannot be. */
FILE *cli_open_output(const char *path);
void cli_close_output(FILE *f, const char *path);
void cli_write_transpose(FILE *f, const char *path, const cli_matrix *a);

/* Prints which elements are not the right ones; CLI_OK or CLI_FINDING. */
int cli_show_findings(const cli_request *q, const cli_matrix *given, const cli_matrix *right);
