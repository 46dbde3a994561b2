#include "matrix_job.h"

#include "gpu/gpu_testing.h"

#include <exblas/cblas.h>

static int layout_of(const matrix_job *j)
{
    return j->row_major ? 101 : 102;
}

static int trans_of(char letter)
{
    return letter == 'n' ? 111 : letter == 't' ? 112 : 113;
}

static int uplo_of(const blas_case *c)
{
    return c->uplo == 'u' ? 121 : 122;
}

static int diag_of(const blas_case *c)
{
    return c->diag == 'n' ? 131 : 132;
}

#define REAL float
#define CPU(name) excblas_s##name
#define GPU(name) exblas_cl_s##name
#include "matrix_call_tmpl.h"

#define REAL double
#define CPU(name) excblas_d##name
#define GPU(name) exblas_cl_d##name
#include "matrix_call_tmpl.h"

static size_t element_size(const blas_case *c)
{
    return c->type == 's' ? sizeof(float) : sizeof(double);
}

static void put(const blas_case *c, job_image *image, size_t at, double x)
{
    if (c->type == 's')
        ((float *)image->data)[at] = (float)x;
    else
        ((double *)image->data)[at] = x;
}

static double get(const blas_case *c, const void *data, size_t at)
{
    return c->type == 's' ? (double)((const float *)data)[at] : ((const double *)data)[at];
}

/* An image of n elements, all NaN. */
static job_image image_of(const blas_case *c, size_t n, size_t offset, int64_t step)
{
    job_image image = {.bytes = (n + offset + 1) * element_size(c), .offset = offset, .step = step};
    image.data = malloc(image.bytes);
    assert_non_null(image.data);
    for (size_t i = 0; i < n + offset + 1; i++)
        put(c, &image, i, from_bits(0x7ffdeadbe0000000u)); /* the payload fits a float */
    return image;
}

static size_t vector_index(const job_image *image, int64_t n, int64_t i)
{
    int64_t at = image->step < 0 ? (i - (n - 1)) * image->step : i * image->step;
    return image->offset + (size_t)at;
}

static job_image vector_image(const blas_case *c, const job_layout *l, int64_t n, int inc,
                              const double *x)
{
    int64_t step = inc < 0 ? -inc : inc;
    job_image image = image_of(c, n > 0 ? (size_t)((n - 1) * step + 1) : 0, (size_t)l->offset, inc);
    for (int64_t i = 0; x && i < n; i++)
        put(c, &image, vector_index(&image, n, i), x[i]);
    return image;
}

static size_t matrix_index(const job_image *image, bool row_major, int64_t i, int64_t j)
{
    return image->offset + (size_t)(row_major ? i * image->step + j : j * image->step + i);
}

/* A, B and C, operands 0, 1 and 2, each have a padding of their own. */
static job_image matrix_image(const blas_case *c, const job_layout *l, int operand, matrix_shape s,
                              const double *values)
{
    int64_t inner = l->row_major ? s.n_cols : s.n_rows, outer = l->row_major ? s.n_rows : s.n_cols;
    int64_t ld = (inner > 1 ? inner : 1) + l->padding + (operand + l->padding) % 3;
    bool is_empty = inner == 0 || outer == 0;
    job_image image =
        image_of(c, is_empty ? 0 : (size_t)((outer - 1) * ld + inner), (size_t)l->offset, ld);
    for (int64_t j = 0; values && j < s.n_cols; j++)
        for (int64_t i = 0; i < s.n_rows; i++)
            if (shape_contains(s, i, j))
                put(c, &image, matrix_index(&image, l->row_major, i, j), values[j * s.n_rows + i]);
    return image;
}

matrix_job matrix_job_make(const blas_case *c, const job_layout *l)
{
    matrix_job j = {.call = c, .row_major = l->row_major};
    j.a = matrix_image(c, l, 0, blas_a_shape(c), c->a);
    if (c->op == OP_GEMV) {
        j.in = vector_image(c, l, blas_x_length(c), l->incx, c->x);
        j.out = vector_image(c, l, blas_y_length(c), l->incy, c->beta == 0 ? NULL : c->y);
    } else if (c->op == OP_TRSV) {
        j.in = image_of(c, 0, 0, 1);
        j.out = vector_image(c, l, blas_x_length(c), l->incx, c->x);
    } else {
        j.in = matrix_image(c, l, 1, blas_b_shape(c), c->b);
        j.out = matrix_image(c, l, 2, blas_c_shape(c), c->beta == 0 ? NULL : c->c);
    }
    return j;
}

void matrix_job_free(matrix_job *j)
{
    free(j->a.data);
    free(j->in.data);
    free(j->out.data);
}

void *matrix_job_expected(const matrix_job *j)
{
    void *out = malloc(j->out.bytes);
    assert_non_null(out);
    memcpy(out, j->out.data, j->out.bytes);
    if (j->call->type == 's')
        excblas_srun(j, out);
    else
        excblas_drun(j, out);
    return out;
}

exblas_status matrix_job_enqueue(const matrix_job *j, cl_command_queue queue, const cl_mem *buffer,
                                 cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    return j->call->type == 's' ? exblas_cl_srun(j, queue, buffer, n_wait, wait, done)
                                : exblas_cl_drun(j, queue, buffer, n_wait, wait, done);
}

/* Enqueued: there when the queue has finished. */
static void *read_later(cl_command_queue queue, cl_mem buffer, size_t bytes)
{
    void *data = malloc(bytes);
    assert_non_null(data);
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, bytes, data, 0, NULL, NULL),
                     CL_SUCCESS);
    return data;
}

void *matrix_job_computed(const matrix_job *j, cl_command_queue queue)
{
    const job_image *image[3] = {&j->a, &j->in, &j->out};
    cl_mem buffer[3];
    void *after[3];
    for (int i = 0; i < 3; i++) {
        cl_int error;
        buffer[i] = clCreateBuffer(gpu_context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   image[i]->bytes, image[i]->data, &error);
        assert_int_equal(error, CL_SUCCESS);
    }
    gpu_ok(matrix_job_enqueue(j, queue, buffer, 0, NULL, NULL));
    for (int i = 0; i < 3; i++)
        after[i] = read_later(queue, buffer[i], image[i]->bytes);
    clFinish(queue);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffer[i]);
    assert_memory_equal(after[0], j->a.data, j->a.bytes);
    assert_memory_equal(after[1], j->in.data, j->in.bytes);
    free(after[0]);
    free(after[1]);
    return after[2];
}

double matrix_job_result(const matrix_job *j, const void *image, int64_t row, int64_t col)
{
    const blas_case *c = j->call;
    size_t at = c->op == OP_GEMM   ? matrix_index(&j->out, j->row_major, row, col)
                : c->op == OP_GEMV ? vector_index(&j->out, blas_y_length(c), row)
                                   : vector_index(&j->out, blas_x_length(c), row);
    return get(c, image, at);
}
