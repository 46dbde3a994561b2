/* The CUDA library has compiled instances of kernels for everything the flows ask for: calls of
 * every routine by every method on an OpenCL device, whose books of compiled programs are compared
 * with the list of instances. */
#include "core/method.h"
#include "exblas/exblas.h"
#include "exblas/opencl.h"
#include "exblas/opencl_scatter.h"
#include "gpu/opencl/context.h"
#include "testing.h"

#include <string.h>

static const char *const keys[] = {
#include "cuda_keys.h"
};

/* One of each kind: with many programs the test would take long. */
static const char *const methods[] = {"auto", "superacc", "residue"};

enum { N = 5 };

static void call_all(cl_command_queue q, cl_mem x, cl_mem y, cl_mem z, cl_mem index)
{
    exblas_cl_ddot(q, N, x, 0, 1, y, 0, 1, z, 0, 0, NULL, NULL);
    exblas_cl_sdot(q, N, x, 0, 1, y, 0, 1, z, 0, 0, NULL, NULL);
    exblas_cl_dgemv(q, 102, 111, N, N, 1, x, 0, N, y, 0, 1, 0, z, 0, 1, 0, NULL, NULL);
    exblas_cl_sgemv(q, 102, 111, N, N, 1, x, 0, N, y, 0, 1, 0, z, 0, 1, 0, NULL, NULL);
    exblas_cl_dtrsv(q, 102, 122, 111, 132, N, x, 0, N, z, 0, 1, 0, NULL, NULL);
    exblas_cl_strsv(q, 102, 122, 111, 132, N, x, 0, N, z, 0, 1, 0, NULL, NULL);
    exblas_cl_dgemm(q, 102, 111, 111, N, N, N, 1, x, 0, N, y, 0, N, 0, z, 0, N, 0, NULL, NULL);
    exblas_cl_sgemm(q, 102, 111, 111, N, N, N, 1, x, 0, N, y, 0, N, 0, z, 0, N, 0, NULL, NULL);
    exblas_cl_dsyrk(q, 102, 122, 111, N, N, 1, x, 0, N, 0, z, 0, N, 0, NULL, NULL);
    exblas_cl_ssyrk(q, 102, 122, 111, N, N, 1, x, 0, N, 0, z, 0, N, 0, NULL, NULL);
    exblas_cl_dtrmm(q, 102, 141, 122, 111, 132, N, N, 1, x, 0, N, z, 0, N, 0, NULL, NULL);
    exblas_cl_strmm(q, 102, 141, 122, 111, 132, N, N, 1, x, 0, N, z, 0, N, 0, NULL, NULL);
    exblas_cl_dscatter_add(q, N, x, 0, index, 0, N, z, 0, 0, NULL, NULL);
    exblas_cl_sscatter_add(q, N, x, 0, index, 0, N, z, 0, 0, NULL, NULL);
}

static void call_complex(cl_command_queue q, cl_mem x, cl_mem y, cl_mem z)
{
    const double one[2] = {1, 0};
    const float one_s[2] = {1, 0};
    exblas_cl_zdotc(q, N, x, 0, 1, y, 0, 1, z, 0, 0, NULL, NULL);
    exblas_cl_cdotu(q, N, x, 0, 1, y, 0, 1, z, 0, 0, NULL, NULL);
    exblas_cl_ztrsv(q, 102, 122, 111, 132, 2, x, 0, N, z, 0, 1, 0, NULL, NULL);
    exblas_cl_ctrsv(q, 102, 122, 111, 132, 2, x, 0, N, z, 0, 1, 0, NULL, NULL);
    exblas_cl_zsyrk(q, 102, 122, 111, 2, 2, one, x, 0, N, one, z, 0, N, 0, NULL, NULL);
    exblas_cl_csyrk(q, 102, 122, 111, 2, 2, one_s, x, 0, N, one_s, z, 0, N, 0, NULL, NULL);
    exblas_cl_ztrmm(q, 102, 141, 122, 111, 132, 2, 2, one, x, 0, N, z, 0, N, 0, NULL, NULL);
    exblas_cl_ctrmm(q, 102, 141, 122, 111, 132, 2, 2, one_s, x, 0, N, z, 0, N, 0, NULL, NULL);
    exblas_cl_zgemv(q, 102, 111, 2, 2, one, x, 0, N, y, 0, 1, one, z, 0, 1, 0, NULL, NULL);
    exblas_cl_cgemv(q, 102, 111, 2, 2, one_s, x, 0, N, y, 0, 1, one_s, z, 0, 1, 0, NULL, NULL);
}

static bool is_listed(const char *key)
{
    size_t i = 0, n = sizeof keys / sizeof *keys;
    while (i < n && strcmp(keys[i], key) != 0)
        i++;
    return i < n;
}

static bool open_device(cl_context *context, cl_command_queue *queue)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_uint n = 0;
    if (clGetPlatformIDs(1, &platform, &n) || n == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &n) || n == 0)
        return false;
    *context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    *queue = clCreateCommandQueue(*context, device, 0, NULL);
    return *context && *queue;
}

static void test_listed(void **state)
{
    (void)state;
    cl_context context = NULL;
    cl_command_queue q = NULL;
    if (!open_device(&context, &q))
        leave_test("no OpenCL device");
    cl_mem m[4];
    static const int zero[2 * N * N];
    for (int i = 0; i < 4; i++)
        m[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero,
                              (void *)(uintptr_t)zero, NULL);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        exblas_set_method(methods[i]);
        call_all(q, m[0], m[1], m[2], m[3]);
        call_complex(q, m[0], m[1], m[2]);
    }
    exblas_set_method(NULL);
    clFinish(q);
    exb_gpu gpu;
    assert_true(exb_cl_begin(&gpu, q, 0, NULL));
    int n = 0;
    for (const exb_cl_program *p = gpu.context->programs; p; p = p->next, n++)
        if (!is_listed(p->key))
            fail_msg("%s is not in lib/gpu/cuda/instances.txt", p->key);
    assert_in_range(n, 20, 1000);
    exb_cl_end(&gpu, NULL);
    for (int i = 0; i < 4; i++)
        clReleaseMemObject(m[i]);
    exblas_cl_release(context);
    clReleaseCommandQueue(q);
    clReleaseContext(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_listed)};
    return cmocka_run_group_tests_name("gpu_instances", tests, NULL, NULL);
}
