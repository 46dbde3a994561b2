/* The fixed-point header as OpenCL C 1.2: the words that work-items add up at once in global
 * memory are those that the host gets, one after another; statuses included.
 * fixed_opencl_test INCLUDE-DIR */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <exblas/fixed.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3, K = 2, N_TERMS = 4096 };

static const char text[] =
    "#include \"exblas/fixed.h\"\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "__kernel void add(__global const double *x, __global ulong *sum, __global int *status,\n"
    "                  __global ulong *each, __global double *back)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    ulong w[3], twice[3];\n"
    "    status[i] = exblas_hp_from_double(w, 3, 2, x[i]);\n"
    "    if (status[i] == EXBLAS_ERANGE)\n"
    "        return;\n"
    "    for (int k = 0; k < 3; k++)\n"
    "        twice[k] = w[k];\n"
    "    status[i] |= exblas_hp_atomic_add(sum, w, 3) << 8;\n"
    "    status[i] |= exblas_hp_add(twice, w, 3) << 16;\n"
    "    status[i] |= (exblas_hp_compare(twice, w, 3) + 1) << 24;\n"
    "    double x2 = 0;\n"
    "    exblas_hp_to_double(twice, 3, 2, &x2);\n"
    "    back[i] = x2;\n"
    "    for (int k = 0; k < 3; k++)\n"
    "        each[3 * i + k] = twice[k];\n"
    "}\n";

static double x[N_TERMS], back[N_TERMS], back_host[N_TERMS];
static int status[N_TERMS], status_host[N_TERMS];
static uint64_t each[N * N_TERMS], each_host[N * N_TERMS];

static void fill(void)
{
    uint64_t s = 1;
    for (int i = 0; i < N_TERMS; i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        /* From below the last word up to 2^50, now and then too large. */
        int e = i % 64 ? (int)(s >> 40) % 190 - 140 : 63 + i / 64;
        uint64_t b = (s >> 63) << 63 | (uint64_t)(e + 1023) << 52 | (s >> 5 & 0xfffffffffffff);
        x[i] = exblas_hp_from_bits(b);
    }
}

/* As the kernel, with the same functions compiled as C. */
static void add_on_host(uint64_t *sum)
{
    for (int i = 0; i < N_TERMS; i++) {
        uint64_t w[N], *twice = each_host + N * i;
        status_host[i] = exblas_hp_from_double(w, N, K, x[i]);
        if (status_host[i] == EXBLAS_ERANGE)
            continue;
        memcpy(twice, w, sizeof w);
        status_host[i] |= exblas_hp_atomic_add(sum, w, N) << 8;
        status_host[i] |= exblas_hp_add(twice, w, N) << 16;
        status_host[i] |= (exblas_hp_compare(twice, w, N) + 1) << 24;
        exblas_hp_to_double(twice, N, K, &back_host[i]);
    }
}

static int skip(const char *why)
{
    printf("1..0 # SKIP %s\n", why);
    return 0;
}

static void require(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    printf("Bail out! %s: OpenCL error %d\n", what, error);
    exit(1);
}

static cl_mem buffer(cl_context c, size_t n_bytes, void *data)
{
    cl_int e;
    cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n_bytes, data, &e);
    require(e, "clCreateBuffer");
    return m;
}

static cl_kernel built(cl_context c, cl_device_id device, const char *include, cl_program *program)
{
    const char *source = text;
    char options[1000], log[8000] = "";
    cl_int e;
    *program = clCreateProgramWithSource(c, 1, &source, NULL, &e);
    require(e, "clCreateProgramWithSource");
    snprintf(options, sizeof options, "-cl-std=CL1.2 -Werror -I%s", include);
    e = clBuildProgram(*program, 1, &device, options, NULL, NULL);
    if (e != CL_SUCCESS) {
        clGetProgramBuildInfo(*program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    require(e, "clBuildProgram");
    cl_kernel kernel = clCreateKernel(*program, "add", &e);
    require(e, "clCreateKernel");
    return kernel;
}

static void run(cl_device_id device, const char *include, uint64_t *sum)
{
    cl_int e;
    cl_program program;
    size_t n = N_TERMS;
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    require(e, "clCreateContext");
    cl_command_queue q = clCreateCommandQueue(c, device, 0, &e);
    require(e, "clCreateCommandQueue");
    cl_kernel kernel = built(c, device, include, &program);
    struct {
        void *data;
        size_t n_bytes;
        cl_mem m;
    } b[] = {{x, sizeof x, NULL},
             {sum, N * sizeof *sum, NULL},
             {status, sizeof status, NULL},
             {each, sizeof each, NULL},
             {back, sizeof back, NULL}};
    for (cl_uint i = 0; i < 5; i++) {
        b[i].m = buffer(c, b[i].n_bytes, b[i].data);
        require(clSetKernelArg(kernel, i, sizeof b[i].m, &b[i].m), "clSetKernelArg");
    }
    require(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &n, NULL, 0, NULL, NULL), "launch");
    for (int i = 1; i < 5; i++)
        require(clEnqueueReadBuffer(q, b[i].m, CL_TRUE, 0, b[i].n_bytes, b[i].data, 0, NULL, NULL),
                "read");
    for (int i = 0; i < 5; i++)
        clReleaseMemObject(b[i].m);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
}

static int n_failed;

static void check(int number, const char *what, const void *a, const void *b, size_t n_bytes)
{
    int same = memcmp(a, b, n_bytes) == 0;
    printf("%s %d - %s\n", same ? "ok" : "not ok", number, what);
    n_failed += !same;
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    char extensions[4000] = "";
    uint64_t sum[N] = {0}, sum_host[N] = {0};
    int n_too_large = 0, n_cut = 0;
    if (argc != 2 || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return skip("no OpenCL device");
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL);
    if (!strstr(extensions, "cl_khr_fp64") || !strstr(extensions, "cl_khr_int64_base_atomics"))
        return skip("the device has no doubles or no 64-bit atomics");
    fill();
    add_on_host(sum_host);
    run(device, argv[1], sum);
    for (int i = 0; i < N_TERMS; i++) {
        n_too_large += status_host[i] == EXBLAS_ERANGE;
        n_cut += (status_host[i] & 0xff) == EXBLAS_EUNDERFLOW;
    }
    printf("1..5\n# %d too large, %d with bits cut off\n", n_too_large, n_cut);
    check(1, "the sum of all work-items", sum, sum_host, sizeof sum);
    check(2, "every status", status, status_host, sizeof status);
    check(3, "words", each, each_host, sizeof each);
    check(4, "doubles", back, back_host, sizeof back);
    int enough = n_too_large > 0 && n_cut > 100;
    check(5, "all statuses occur", &enough, &(int){1}, sizeof enough);
    return n_failed != 0;
}
