#include "matrix_job.h"

#include "gpu/calls/device_call.h"
#include "gpu/gpu_testing.h"

#include <stdio.h>

static int trans_of(char letter)
{
    return letter == 'n' ? 111 : letter == 't' ? 112 : 113;
}

/* What the call has besides operands: its name, and its scalars in its type. */
typedef struct {
    char name[8];
    float alpha, beta;
} words;

/* Operands a, in and out: in memory, or buffers. */
static device_call describe(const matrix_job *j, words *w, void *a, void *in, void *out)
{
    const blas_case *c = j->call;
    bool is_s = c->type == 's', is_gemv = c->op == OP_GEMV;
    snprintf(w->name, sizeof w->name, "%c%s", c->type, blas_op_name(c->op));
    w->alpha = (float)c->alpha;
    w->beta = (float)c->beta;
    return (device_call){.name = w->name,
                         .layout = j->row_major ? 101 : 102,
                         .trans = trans_of(c->transa),
                         .transb = trans_of(c->transb),
                         .uplo = c->uplo == 'u' ? 121 : 122,
                         .diag = c->diag == 'n' ? 131 : 132,
                         .m = c->m,
                         .n = c->n,
                         .k = c->k,
                         .alpha = is_s ? (const void *)&w->alpha : &c->alpha,
                         .beta = is_s ? (const void *)&w->beta : &c->beta,
                         .a = a,
                         .lda = j->a.step,
                         .b = in,
                         .ldb = j->in.step,
                         .c = out,
                         .ldc = j->out.step,
                         .x = is_gemv ? in : out,
                         .incx = is_gemv ? j->in.step : j->out.step,
                         .y = out,
                         .incy = j->out.step,
                         .offset = j->a.offset};
}

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

static void *first(const job_image *image, const blas_case *c, void *data)
{
    return (char *)data + image->offset * element_size(c);
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
        j.in = image_of(c, 0, (size_t)l->offset, 1);
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
    words w;
    device_call d = describe(j, &w, first(&j->a, j->call, j->a.data),
                             first(&j->in, j->call, j->in.data), first(&j->out, j->call, out));
    assert_int_equal(device_call_cpu(&d), EXBLAS_OK);
    return out;
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
    words w;
    device_call d = describe(j, &w, buffer[0], buffer[1], buffer[2]);
    gpu_ok(device_call_cl(queue, &d));
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
