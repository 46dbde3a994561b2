#include "expected.h"
#include "gpu/gpu_testing.h"

#include <exblas/opencl_scatter.h>

const char *const expected_backend = "OpenCL";

static void set_groups(int group)
{
    static const char *const routines[] = {"reduce", "scatter", "dgemv", "sgemv",
                                           "dtrsv",  "strsv",   "dgemm", "sgemm"};
    for (size_t i = 0; group > 0 && i < sizeof routines / sizeof *routines; i++)
        exblas_cl_set_param(gpu_queue(), routines[i], "group", group);
    if (group > 0) /* with small groups also frequent carries */
        exblas_cl_set_param(gpu_queue(), "scatter", "round", 6);
}

bool expected_open(int group, const char **why)
{
    *why = "there is no OpenCL device";
    if (!gpu_start())
        return false;
    set_groups(group);
    return true;
}

void expected_close(void)
{
    gpu_end();
}

static cl_mem buffer(size_t bytes, void *data)
{
    return clCreateBuffer(gpu_context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, data,
                          NULL);
}

static void release(cl_mem m)
{
    if (m)
        clReleaseMemObject(m);
}

static exblas_status run_on_device(const expected_call *c, cl_mem a, cl_mem b, cl_mem index,
                                   cl_mem r)
{
    expected_words w;
    device_call d;
    size_t m = (size_t)c->m, n = (size_t)c->n;
    bool is_s = c->type == 's';
    if (c->op == EXPECTED_SCATTER)
        return (is_s ? exblas_cl_sscatter_add : exblas_cl_dscatter_add)(gpu_queue(), n, a, 0, index,
                                                                        0, m, r, 0, 0, NULL, NULL);
    expected_describe(c, &w, &d, a, b, r);
    return device_call_cl(gpu_queue(), &d);
}

exblas_status expected_run(const expected_call *c)
{
    size_t element = expected_bytes(c);
    cl_mem a = buffer(c->a_length * element, c->a);
    cl_mem b = c->b_length ? buffer(c->b_length * element, c->b) : NULL;
    cl_mem index = buffer((size_t)c->n * sizeof *c->index, c->index);
    cl_mem r = buffer(c->c_length * element, c->c);
    exblas_status status = EXBLAS_ENOMEM;
    if (a && index && r && (b || !c->b_length))
        status = run_on_device(c, a, b, index, r);
    if (status == EXBLAS_OK &&
        clEnqueueReadBuffer(gpu_queue(), r, CL_TRUE, 0, c->c_length * element, c->c, 0, NULL,
                            NULL) != CL_SUCCESS)
        status = EXBLAS_EDEVICE;
    release(a);
    release(b);
    release(index);
    release(r);
    return status;
}
