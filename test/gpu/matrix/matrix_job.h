/* One call of gemv, trsv or gemm in memory: images of its operands with offsets, gaps and leading
 * dimensions, which the CPU's routine and the device's read alike. What comes out is
 * compared as an image, byte for byte, gaps included. */
#ifndef MATRIX_JOB_H
#define MATRIX_JOB_H

#include "blas_case.h"

#include <CL/cl.h>
#include <exblas/types.h>

/* How the case lies in memory. */
typedef struct {
    bool row_major;
    int incx, incy, padding, offset;
} job_layout;

typedef struct {
    void *data; /* from element 0 of the buffer */
    size_t bytes;
    size_t offset; /* of the operand, in elements */
    int64_t step;  /* leading dimension or increment */
} job_image;

/* A; x or B; y or C. trsv has its vector in `out` and nothing in `in`. */
typedef struct {
    const blas_case *call;
    bool row_major;
    job_image a, in, out;
} matrix_job;

/* Gaps, elements of A that BLAS does not read, and an output with beta = 0 are NaN with a payload.
 */
matrix_job matrix_job_make(const blas_case *c, const job_layout *l);
void matrix_job_free(matrix_job *j);

/* The output's image after the CPU's routine; the caller's to free. */
void *matrix_job_expected(const matrix_job *j);

/* The same from the device; fails the test if an input's image has changed. */
void *matrix_job_computed(const matrix_job *j, cl_command_queue queue);

/* The number of element (i, j) of the output in an image. */
double matrix_job_result(const matrix_job *j, const void *image, int64_t row, int64_t col);

#endif
