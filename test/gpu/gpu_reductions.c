#include "gpu_reductions.h"

#include "gpu/calls/device_call.h"

#include <stdio.h>

enum { OFFSET = 3, OFFSET_R = 1 };

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

/* Of operands x and y and the result at r; its name goes to `name`. */
static device_call call_of(const reduction *r, char name[8], int64_t incx, int64_t incy, void *x,
                           void *y, void *result)
{
    snprintf(name, 8, "%c%s", r->type, reduction_name(r->op));
    return (device_call){
        .name = name, .n = r->n, .incx = incx, .incy = incy, .x = x, .y = y, .r = result};
}

/* The same on host memory, by the processor or by the device. */
static double on_host(const reduction *r, int64_t incx, int64_t incy, bool by_device)
{
    char name[8];
    float f = 42;
    double d = 42;
    void *x = spaced(r->type, r->n, r->x, incx);
    void *y = r->op == RED_DOT ? spaced(r->type, r->n, r->y, incy) : NULL;
    device_call c = call_of(r, name, incx, incy, x, y, r->type == 's' ? (void *)&f : &d);
    gpu_ok(by_device ? device_call_host(gpu_queue(), &c) : device_call_cpu(&c));
    free(x);
    free(y);
    return r->type == 's' ? (double)f : d;
}

double reduction_on_cpu(const reduction *r)
{
    return on_host(r, 1, 1, false);
}

double reduction_on_device(const reduction *r, const reduction_place *p)
{
    char name[8];
    static const double poison[OFFSET_R + 1] = {42, 42};
    cl_command_queue q = p->queue == 1 && gpu_free_queue() ? gpu_free_queue() : gpu_queue();
    cl_mem x = gpu_vector(r->type, r->n, r->x, OFFSET, p->incx);
    cl_mem y = r->op == RED_DOT ? gpu_vector(r->type, r->n, r->y, OFFSET, p->incy) : NULL;
    cl_mem result = gpu_vector(r->type, OFFSET_R + 1, poison, 0, 1);
    cl_event done = NULL;
    device_call c = call_of(r, name, p->incx, p->incy, x, y, result);
    c.offset = OFFSET;
    c.offset_r = OFFSET_R;
    c.done = &done;
    gpu_ok(device_call_cl(q, &c));
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

bool reduction_gives(const reduction *r, const reduction_place *p, double wanted, const char *label)
{
    bool own_answer = p->incx == 0 || p->incy == 0 || (r->op == RED_ASUM && p->incx < 0);
    if (own_answer)
        wanted = on_host(r, p->incx, p->incy, false);
    gpu_ok(exblas_set_method(p->method));
    gpu_ok(exblas_cl_set_param(gpu_queue(), "reduce", "group", p->group));
    double value =
        p->queue == PLACE_HOST ? on_host(r, p->incx, p->incy, true) : reduction_on_device(r, p);
    gpu_ok(exblas_set_method(NULL));
    if (same_bits(value, wanted))
        return true;
    print_error("%c%s %s, %s, groups of %d, increments %d %d: %a, not %a\n", r->type,
                reduction_name(r->op), label, p->method, p->group, (int)p->incx, (int)p->incy,
                value, wanted);
    return false;
}
