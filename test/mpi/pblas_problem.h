/* Random matrices on a BLACS grid: each process has the whole, as the serial routine would, and its
 * part. All processes draw the same numbers. */
#pragma once

#include "mpi_testing.h"

enum { MOST_ORDER = 96, GUARD = 3 };

typedef struct {
    int context, n_rows, n_cols, row, col;
} grid;

void blacs_get_(const int *, const int *, int *);
void blacs_gridinit_(int *, const char *, const int *, const int *);
void blacs_gridinfo_(const int *, int *, int *, int *, int *);
void blacs_gridexit_(const int *);

/* Of the first processes, row by row. */
static inline grid open_row_major(int n_rows, int n_cols)
{
    grid g;
    int any = -1, what = 0;
    blacs_get_(&any, &what, &g.context);
    blacs_gridinit_(&g.context, "Row-major", &n_rows, &n_cols);
    blacs_gridinfo_(&g.context, &g.n_rows, &g.n_cols, &g.row, &g.col);
    return g;
}

/* A matrix of elements of `size` bytes, its descriptor, and where its sub-matrix begins. */
typedef struct {
    size_t size;
    int m, n;      /* of the whole matrix */
    int desc[11];  /* of either type */
    int i, j, inc; /* from 1; inc of a vector */
    char *global;  /* column by column, m apart */
    char *local;
    int first_mb, first_nb, mb, nb, row_source, col_source, ld, local_rows, local_cols;
} matrix;

/* Number i of an array of floats or doubles. */
static inline void set_number(void *x, size_t i, bool is_float, double value)
{
    if (is_float)
        ((float *)x)[i] = (float)value;
    else
        ((double *)x)[i] = value;
}

/* Block sizes are `block` or smaller; sub-matrices of up to `order` rows and columns fit. */
matrix make_matrix(test_random *r, const grid *g, size_t size, int order, int block);
/* Fills all of it; `specials`: also with Inf and NaN. */
void fill_matrix(test_random *r, const grid *g, matrix *a, bool is_float, bool specials);
/* The local part is made anew from the whole. */
void distribute(const grid *g, matrix *a);
void free_matrix(matrix *a);

/* Becomes a row or a column vector. */
void make_vector(test_random *r, matrix *a);

/* The first element of the sub-matrix in the whole, if there is one; along a vector, elements are
 * this far apart. */
void *serial_start(const matrix *a);
int serial_step(const matrix *a);

/* Whether this process's part has the elements of the whole, and nothing around them was written.
 */
bool is_same(const grid *g, const matrix *a);

/* Whether this process is in the scope of the vector of n elements. */
bool is_in_scope(const grid *g, const matrix *a, int n);
