#include "gpu_reductions.h"

#include <exblas/cblas.h>

enum { OFFSET_X = 3, OFFSET_Y = 2, OFFSET_R = 1 };

const char *reduction_name(reduction_op op)
{
    static const char *const name[N_REDUCTIONS] = {"sum", "asum", "nrm2", "dot"};
    return name[op];
}

/* The elements as an array in host memory, spaced by inc; the caller's to free. */
static void *spaced(char type, int64_t n, const double *x, int64_t inc)
{
    int64_t step = inc < 0 ? -inc : inc, size = n > 0 ? (n - 1) * step + 1 : 1;
    size_t element = type == 's' ? sizeof(float) : sizeof(double);
    char *all = calloc((size_t)size, element);
    assert_non_null(all);
    for (int64_t i = n - 1; i >= 0; i--) { /* downwards: at increment 0 the first one stays */
        int64_t at = inc < 0 ? (n - 1 - i) * step : i * step;
        float f = (float)x[i];
        memcpy(all + (size_t)at * element, type == 's' ? (const void *)&f : &x[i], element);
    }
    return all;
}

static double cpu_s(reduction_op op, int n, const float *x, int incx, const float *y, int incy)
{
    switch (op) {
    case RED_SUM:
        return (double)excblas_ssum(n, x, incx);
    case RED_ASUM:
        return (double)excblas_sasum(n, x, incx);
    case RED_NRM2:
        return (double)excblas_snrm2(n, x, incx);
    default:
        return (double)excblas_sdot(n, x, incx, y, incy);
    }
}

static double cpu_d(reduction_op op, int n, const double *x, int incx, const double *y, int incy)
{
    switch (op) {
    case RED_SUM:
        return excblas_dsum(n, x, incx);
    case RED_ASUM:
        return excblas_dasum(n, x, incx);
    case RED_NRM2:
        return excblas_dnrm2(n, x, incx);
    default:
        return excblas_ddot(n, x, incx, y, incy);
    }
}

static double cpu_with(const reduction *r, int64_t incx, int64_t incy)
{
    void *x = spaced(r->type, r->n, r->x, incx);
    void *y = r->op == RED_DOT ? spaced(r->type, r->n, r->y, incy) : NULL;
    double result = r->type == 's' ? cpu_s(r->op, (int)r->n, x, (int)incx, y, (int)incy)
                                   : cpu_d(r->op, (int)r->n, x, (int)incx, y, (int)incy);
    free(x);
    free(y);
    return result;
}

double reduction_on_cpu(const reduction *r)
{
    return cpu_with(r, 1, 1);
}

typedef exblas_status one_vector(cl_command_queue, size_t, cl_mem, size_t, exblas_int64, cl_mem,
                                 size_t, cl_uint, const cl_event *, cl_event *);

double reduction_on_device(const reduction *r, const reduction_place *p)
{
    static one_vector *const call[3][2] = {{exblas_cl_ssum, exblas_cl_dsum},
                                           {exblas_cl_sasum, exblas_cl_dasum},
                                           {exblas_cl_snrm2, exblas_cl_dnrm2}};
    static const double poison[OFFSET_R + 1] = {42, 42};
    cl_command_queue q = p->queue == 1 && gpu_free_queue() ? gpu_free_queue() : gpu_queue();
    size_t n = (size_t)r->n;
    bool is_d = r->type == 'd', is_dot = r->op == RED_DOT;
    cl_mem x = gpu_vector(r->type, r->n, r->x, OFFSET_X, p->incx);
    cl_mem y = is_dot ? gpu_vector(r->type, r->n, r->y, OFFSET_Y, p->incy) : NULL;
    cl_mem result = gpu_vector(r->type, OFFSET_R + 1, poison, 0, 1);
    cl_event done = NULL;
    if (is_dot)
        gpu_ok((is_d ? exblas_cl_ddot : exblas_cl_sdot)(q, n, x, OFFSET_X, p->incx, y, OFFSET_Y,
                                                        p->incy, result, OFFSET_R, 0, NULL, &done));
    else
        gpu_ok(call[r->op][is_d](q, n, x, OFFSET_X, p->incx, result, OFFSET_R, 0, NULL, &done));
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    double value = gpu_element(result, r->type, OFFSET_R);
    assert_same_bits(gpu_element(result, r->type, 0), 42);
    clReleaseMemObject(x);
    clReleaseMemObject(result);
    if (y)
        clReleaseMemObject(y);
    return value;
}

static double host_s(reduction_op op, size_t n, const float *x, int64_t incx, const float *y,
                     int64_t incy)
{
    float f = 42;
    cl_command_queue q = gpu_queue();
    gpu_ok(op == RED_SUM    ? exblas_cl_host_ssum(q, n, x, incx, &f)
           : op == RED_ASUM ? exblas_cl_host_sasum(q, n, x, incx, &f)
           : op == RED_NRM2 ? exblas_cl_host_snrm2(q, n, x, incx, &f)
                            : exblas_cl_host_sdot(q, n, x, incx, y, incy, &f));
    return (double)f;
}

static double host_d(reduction_op op, size_t n, const double *x, int64_t incx, const double *y,
                     int64_t incy)
{
    double d = 42;
    cl_command_queue q = gpu_queue();
    gpu_ok(op == RED_SUM    ? exblas_cl_host_dsum(q, n, x, incx, &d)
           : op == RED_ASUM ? exblas_cl_host_dasum(q, n, x, incx, &d)
           : op == RED_NRM2 ? exblas_cl_host_dnrm2(q, n, x, incx, &d)
                            : exblas_cl_host_ddot(q, n, x, incx, y, incy, &d));
    return d;
}

static double from_host(const reduction *r, const reduction_place *p)
{
    void *x = spaced(r->type, r->n, r->x, p->incx);
    void *y = r->op == RED_DOT ? spaced(r->type, r->n, r->y, p->incy) : NULL;
    double value = (r->type == 's') ? host_s(r->op, (size_t)r->n, x, p->incx, y, p->incy)
                                    : host_d(r->op, (size_t)r->n, x, p->incx, y, p->incy);
    free(x);
    free(y);
    return value;
}

bool reduction_gives(const reduction *r, const reduction_place *p, double wanted, const char *label)
{
    bool own_answer = p->incx == 0 || p->incy == 0 || (r->op == RED_ASUM && p->incx < 0);
    if (own_answer)
        wanted = cpu_with(r, p->incx, p->incy);
    gpu_ok(exblas_set_method(p->method));
    gpu_ok(exblas_cl_set_param(gpu_queue(), "reduce", "group", p->group));
    double value = p->queue == PLACE_HOST ? from_host(r, p) : reduction_on_device(r, p);
    gpu_ok(exblas_set_method(NULL));
    if (same_bits(value, wanted))
        return true;
    print_error("%c%s %s, %s, groups of %d, increments %d %d: %a, not %a\n", r->type,
                reduction_name(r->op), label, p->method, p->group, (int)p->incx, (int)p->incy,
                value, wanted);
    return false;
}
