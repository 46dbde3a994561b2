#include "bench_device.h"

#include "gpu/sources.h"

#include <exblas/exblas.h>
#include <exblas/opencl.h>
#include <exblas/opencl_scatter.h>
#if HAVE_CLBLAST
#include <clblast_c.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

static void require_ours(exblas_status status)
{
    if (status == EXBLAS_OK)
        return;
    fprintf(stderr, "%s: %s\n", exblas_status_text(status), exblas_cl_last_error());
    exit(1);
}

static bool first_device(void)
{
    cl_platform_id platform[8];
    cl_uint n = 0;
    if (clGetPlatformIDs(8, platform, &n) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < n && i < 8; i++)
        if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
            return true;
    return false;
}

bool device_open(void)
{
    if (!first_device())
        return false;
    const exb_gpu_source *s = &exb_gpu_sources[0];
    const char **line = malloc(s->n_lines * sizeof *line);
    require(line != NULL, "malloc");
    for (unsigned i = 0; i < s->n_lines; i++)
        line[i] = s->line[i];
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    program = clCreateProgramWithSource(context, s->n_lines, line, NULL, NULL);
    free(line);
    require(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL) == CL_SUCCESS,
            "compiling baseline.cl");
    return true;
}

void device_close(void)
{
    exblas_cl_release(context);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

const char *device_name(void)
{
    static char name[256];
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    return name;
}

int device_units(void)
{
    cl_uint n = 1;
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof n, &n, NULL);
    return (int)n;
}

size_t device_largest(void)
{
    cl_ulong bytes = 0;
    clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof bytes, &bytes, NULL);
    return bytes;
}

device_memory device_new(size_t bytes)
{
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
    require(m != NULL, "clCreateBuffer");
    return m;
}

void device_free(device_memory m)
{
    clReleaseMemObject(m);
}

void device_write_at(device_memory to, size_t offset, size_t bytes, const void *from)
{
    require(!clEnqueueWriteBuffer(queue, to, CL_TRUE, offset, bytes, from, 0, NULL, NULL), "write");
}

void device_write(device_memory to, size_t bytes, const void *from)
{
    device_write_at(to, 0, bytes, from);
}

void device_read(device_memory from, size_t bytes, void *to)
{
    require(!clEnqueueReadBuffer(queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL), "read");
}

void device_clear(device_memory m, size_t bytes)
{
    cl_uint zero = 0;
    require(!clEnqueueFillBuffer(queue, m, &zero, sizeof zero, 0, bytes, 0, NULL, NULL), "clear");
}

void device_copy(device_memory to, device_memory from, size_t bytes)
{
    require(!clEnqueueCopyBuffer(queue, from, to, 0, 0, bytes, 0, NULL, NULL), "copy");
}

void device_finish(void)
{
    clFinish(queue);
}

/* Memory is a place: a buffer and bytes from its start. */
static void set_argument(cl_kernel k, cl_uint *at, const device_arg *a)
{
    cl_mem m = a->memory;
    cl_int narrow = (cl_int)a->number;
    cl_long wide = a->kind == DEVICE_MEMORY ? 0 : a->number;
    if (a->kind == DEVICE_MEMORY)
        clSetKernelArg(k, (*at)++, sizeof m, &m);
    if (a->kind == DEVICE_I32)
        clSetKernelArg(k, (*at)++, sizeof narrow, &narrow);
    else
        clSetKernelArg(k, (*at)++, sizeof wide, &wide);
}

void device_launch(const char *kernel, int groups, int local, int n_args, const device_arg *args)
{
    size_t size = (size_t)local, all = size * (size_t)groups;
    cl_uint at = 0;
    cl_kernel k = clCreateKernel(program, kernel, NULL);
    require(k != NULL, kernel);
    for (int i = 0; i < n_args; i++)
        set_argument(k, &at, &args[i]);
    require(!clEnqueueNDRangeKernel(queue, k, 1, NULL, &all, &size, 0, NULL, NULL), kernel);
    clReleaseKernel(k);
}

static void our_sum(int64_t n, device_memory x, device_memory r)
{
    require_ours(exblas_cl_dsum(queue, (size_t)n, x, 0, 1, r, 0, 0, NULL, NULL));
}

static void our_dot(int64_t n, device_memory x, device_memory y, device_memory r)
{
    require_ours(exblas_cl_ddot(queue, (size_t)n, x, 0, 1, y, 0, 1, r, 0, 0, NULL, NULL));
}

static void our_gemv(bool trans, int64_t m, int64_t n, device_memory a, device_memory x,
                     device_memory y)
{
    require_ours(exblas_cl_dgemv(queue, EXBLAS_COL_MAJOR, trans ? EXBLAS_TRANS : EXBLAS_NO_TRANS,
                                 (size_t)m, (size_t)n, 1, a, 0, (size_t)m, x, 0, 1, 0, y, 0, 1, 0,
                                 NULL, NULL));
}

static void our_gemm(int64_t n, device_memory a, device_memory b, device_memory c)
{
    size_t s = (size_t)n;
    require_ours(exblas_cl_dgemm(queue, EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, s, s, s,
                                 1, a, 0, s, b, 0, s, 0, c, 0, s, 0, NULL, NULL));
}

static void our_scatter(int64_t n, device_memory x, device_memory index, int64_t n_bins,
                        device_memory y)
{
    require_ours(exblas_cl_dscatter_add(queue, (size_t)n, x, 0, index, 0, (size_t)n_bins, y, 0, 0,
                                        NULL, NULL));
}

const device_routines device_ours = {.name = "exblas",
                                     .sum = our_sum,
                                     .dot = our_dot,
                                     .gemv = our_gemv,
                                     .gemm = our_gemm,
                                     .scatter = our_scatter};

#if HAVE_CLBLAST
static void clblast_dot(int64_t n, device_memory x, device_memory y, device_memory r)
{
    require(!CLBlastDdot((size_t)n, r, 0, x, 0, 1, y, 0, 1, &queue, NULL), "CLBlastDdot");
}

static void clblast_gemv(bool trans, int64_t m, int64_t n, device_memory a, device_memory x,
                         device_memory y)
{
    require(!CLBlastDgemv(CLBlastLayoutColMajor, trans ? CLBlastTransposeYes : CLBlastTransposeNo,
                          (size_t)m, (size_t)n, 1, a, 0, (size_t)m, x, 0, 1, 0, y, 0, 1, &queue,
                          NULL),
            "CLBlastDgemv");
}

static void clblast_gemm(int64_t n, device_memory a, device_memory b, device_memory c)
{
    size_t s = (size_t)n;
    require(!CLBlastDgemm(CLBlastLayoutColMajor, CLBlastTransposeNo, CLBlastTransposeNo, s, s, s, 1,
                          a, 0, s, b, 0, s, 0, c, 0, s, &queue, NULL),
            "CLBlastDgemm");
}

const device_routines device_vendor = {
    .name = "CLBlast", .dot = clblast_dot, .gemv = clblast_gemv, .gemm = clblast_gemm};
#else
const device_routines device_vendor = {.name = "none"};
#endif
