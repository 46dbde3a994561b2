#include "blas_run.h"

#include "hostile_env.h"

#include <stdio.h>
#include <stdlib.h>

/* An operand in memory: element (row, col) at row * row_stride + col *
 * col_stride; a vector is one column. `before` is a copy to compare with. */
typedef struct {
    number_format format;
    int64_t n_rows, n_cols, n_elements;
    ptrdiff_t row_stride, col_stride, origin;
    matrix_shape shape;
    void *block; /* what malloc gave */
    char *data, *before;
} buffer;

placement plain_placement(void)
{
    return (placement){.form = FORM_CBLAS, .row_major = true, .incx = 1, .incy = 1};
}

int padding_of(const placement *p, int operand)
{
    return p->padding + (operand + p->padding) % 3;
}

double poison(number_format f)
{
    double x = from_bits(0x7ffdeadbe0000000u); /* the payload fits a float */
    return f == FORMAT_S ? (double)(float)x : x;
}

static size_t element_size(number_format f)
{
    return f == FORMAT_S ? sizeof(float) : sizeof(double);
}

static void store(const buffer *b, ptrdiff_t index, double x)
{
    if (b->format == FORMAT_D) {
        memcpy(b->data + (size_t)index * sizeof x, &x, sizeof x);
        return;
    }
    float narrow = (float)x;
    memcpy(b->data + (size_t)index * sizeof narrow, &narrow, sizeof narrow);
}

static double load(const buffer *b, ptrdiff_t index)
{
    float narrow;
    double x;
    if (b->format == FORMAT_S) {
        memcpy(&narrow, b->data + (size_t)index * sizeof narrow, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&x, b->data + (size_t)index * sizeof x, sizeof x);
    return x;
}

static void *checked_malloc(size_t n_bytes)
{
    void *p = malloc(n_bytes ? n_bytes : 1);
    if (!p) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return p;
}

/* The block ends with the last element, so that the address sanitizer sees a
 * read past it. */
static void allocate(buffer *b, int offset)
{
    size_t size = element_size(b->format);
    size_t n_bytes = (size_t)b->n_elements * size;
    b->block = checked_malloc(n_bytes + (size_t)offset * size);
    b->data = (char *)b->block + (size_t)offset * size;
    b->before = checked_malloc(n_bytes);
    for (int64_t i = 0; i < b->n_elements; i++)
        store(b, i, poison(b->format));
}

static ptrdiff_t index_of(const buffer *b, int64_t row, int64_t col)
{
    return b->origin + row * b->row_stride + col * b->col_stride;
}

/* values: packed, column-major; NULL leaves the poison. */
static void fill(buffer *b, const double *values)
{
    for (int64_t j = 0; values && j < b->n_cols; j++)
        for (int64_t i = 0; i < b->n_rows; i++)
            if (shape_contains(b->shape, i, j))
                store(b, index_of(b, i, j), values[j * b->n_rows + i]);
    memcpy(b->before, b->data, (size_t)b->n_elements * element_size(b->format));
}

static buffer vector_buffer(number_format f, int64_t n, int inc, int offset, const double *values)
{
    buffer b = {.format = f, .n_rows = n, .n_cols = 1, .row_stride = inc};
    b.n_elements = n > 0 ? 1 + (n - 1) * abs(inc) : 0;
    b.origin = inc < 0 && n > 0 ? -(n - 1) * inc : 0;
    allocate(&b, offset);
    fill(&b, values);
    return b;
}

static int64_t leading_dimension(matrix_shape s, const placement *p, int operand)
{
    int64_t n = p->row_major ? s.n_cols : s.n_rows;
    return (n > 1 ? n : 1) + padding_of(p, operand);
}

static buffer matrix_buffer(number_format f, matrix_shape s, const placement *p, int operand,
                            const double *values)
{
    int64_t ld = leading_dimension(s, p, operand);
    int64_t n_long = p->row_major ? s.n_cols : s.n_rows;
    int64_t n_lines = p->row_major ? s.n_rows : s.n_cols;
    buffer b = {.format = f, .n_rows = s.n_rows, .n_cols = s.n_cols, .shape = s};
    b.row_stride = p->row_major ? ld : 1;
    b.col_stride = p->row_major ? 1 : ld;
    b.n_elements = n_long > 0 && n_lines > 0 ? ld * (n_lines - 1) + n_long : 0;
    allocate(&b, p->offset);
    fill(&b, values);
    return b;
}

static bool is_unchanged(const buffer *b)
{
    return memcmp(b->data, b->before, (size_t)b->n_elements * element_size(b->format)) == 0;
}

/* Takes the numbers out and puts the old ones back, after which the buffer
 * must be as before. */
static bool take_result(buffer *b, double *result)
{
    buffer old = *b;
    old.data = b->before;
    for (int64_t j = 0; j < b->n_cols; j++)
        for (int64_t i = 0; i < b->n_rows; i++) {
            ptrdiff_t index = index_of(b, i, j);
            result[j * b->n_rows + i] = load(b, index);
            if (shape_contains(b->shape, i, j))
                store(b, index, load(&old, index));
        }
    return is_unchanged(b);
}

static void release(buffer *b)
{
    free(b->block);
    free(b->before);
}

typedef struct {
    buffer x, y, a, b, c, alpha, beta, result;
} operands;

static operands lay_out(const blas_case *c, const placement *p)
{
    number_format f = blas_input_format(c);
    bool reads = blas_reads_a_b_x(c), accumulates = blas_reads_c_y(c);
    bool y_is_input = c->op != OP_GEMV;
    operands o;
    o.x = vector_buffer(f, blas_x_length(c), p->incx, p->offset, reads ? c->x : NULL);
    o.y = vector_buffer(f, blas_y_length(c), p->incy, p->offset,
                        y_is_input || accumulates ? c->y : NULL);
    o.a = matrix_buffer(f, blas_a_shape(c), p, 0, reads ? c->a : NULL);
    o.b = matrix_buffer(f, blas_b_shape(c), p, 1, reads ? c->b : NULL);
    o.c = matrix_buffer(f, blas_c_shape(c), p, 2, accumulates ? c->c : NULL);
    o.alpha = vector_buffer(f, 1, 1, 0, &c->alpha);
    o.beta = vector_buffer(f, 1, 1, 0, &c->beta);
    o.result = vector_buffer(blas_output_format(c), 1, 1, 0, NULL);
    return o;
}

static routine_call arguments_of(const blas_case *c, const placement *p, const operands *o)
{
    return (routine_call){.layout = p->row_major ? 'r' : 'c',
                          .trans = c->transa,
                          .transb = c->transb,
                          .uplo = c->uplo,
                          .diag = c->diag,
                          .m = c->m,
                          .n = c->n,
                          .k = c->k,
                          .incx = p->incx,
                          .incy = p->incy,
                          .lda = leading_dimension(blas_a_shape(c), p, 0),
                          .ldb = leading_dimension(blas_b_shape(c), p, 1),
                          .ldc = leading_dimension(blas_c_shape(c), p, 2),
                          .alpha = o->alpha.data,
                          .beta = o->beta.data,
                          .a = o->a.data,
                          .b = o->b.data,
                          .x = o->x.data,
                          .y = o->y.data,
                          .c = o->c.data,
                          .result = o->result.data};
}

static bool output_is_intact(const blas_case *c, operands *o, double *result)
{
    if (blas_op_is_level1(c->op)) {
        *result = load(&o->result, 0);
        return true;
    }
    buffer *out = c->op == OP_TRSV ? &o->x : c->op == OP_GEMV ? &o->y : &o->c;
    return take_result(out, result);
}

/* After output_is_intact, which has put the old output back. */
static const char *first_change(const operands *o)
{
    if (!is_unchanged(&o->x))
        return "x or its gaps changed";
    if (!is_unchanged(&o->y))
        return "y or its gaps changed";
    if (!is_unchanged(&o->a) || !is_unchanged(&o->b))
        return "a or b or their padding changed";
    if (!is_unchanged(&o->alpha) || !is_unchanged(&o->beta))
        return "alpha or beta changed";
    return NULL;
}

static void release_all(operands *o)
{
    buffer *all[] = {&o->x, &o->y, &o->a, &o->b, &o->c, &o->alpha, &o->beta, &o->result};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        release(all[i]);
}

const char *blas_run(const blas_case *c, const placement *p, double *result)
{
    placement q = *p;
    if (c->op == OP_ASUM)
        q.incx = abs(q.incx);
    if (q.form == FORM_FORTRAN || q.form == FORM_FORTRAN_64)
        q.row_major = false;
    operands o = lay_out(c, &q);
    routine_call args = arguments_of(c, &q, &o);
    char name[8];
    blas_case_name(c, name);
    hostile_env_enter(q.environment);
    routine_run(name, q.form, &args);
    bool environment_kept = hostile_env_leave();
    const char *wrong = output_is_intact(c, &o, result) ? NULL : "the output's gaps changed";
    if (!wrong)
        wrong = first_change(&o);
    if (!wrong && !environment_kept)
        wrong = "the floating-point environment changed";
    release_all(&o);
    return wrong;
}
