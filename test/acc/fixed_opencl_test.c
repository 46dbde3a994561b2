/* The fixed-point header as OpenCL C 1.2: the words that work-items add up at once in global
 * memory are those that the host gets, one after another; statuses included.
 * fixed_opencl_test INCLUDE-DIR */
#include "gpu/gpu_testing.h"

#include <exblas/fixed.h>

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

static const char *include_folder;

static cl_kernel built(void)
{
    const char *source = text;
    char options[1000];
    cl_int e;
    cl_program program = clCreateProgramWithSource(gpu_context(), 1, &source, NULL, &e);
    assert_int_equal(e, CL_SUCCESS);
    snprintf(options, sizeof options, "-cl-std=CL1.2 -Werror -I%s", include_folder);
    assert_int_equal(clBuildProgram(program, 0, NULL, options, NULL, NULL), CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "add", &e);
    assert_int_equal(e, CL_SUCCESS);
    clReleaseProgram(program);
    return kernel;
}

static void run(uint64_t *sum)
{
    size_t n = N_TERMS;
    cl_kernel kernel = built();
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
        b[i].m = gpu_buffer(gpu_context(), b[i].n_bytes, b[i].data);
        assert_int_equal(clSetKernelArg(kernel, i, sizeof b[i].m, &b[i].m), CL_SUCCESS);
    }
    assert_int_equal(clEnqueueNDRangeKernel(gpu_queue(), kernel, 1, NULL, &n, NULL, 0, NULL, NULL),
                     CL_SUCCESS);
    for (int i = 0; i < 5; i++) {
        gpu_read(gpu_queue(), b[i].m, 0, b[i].n_bytes, b[i].data);
        clReleaseMemObject(b[i].m);
    }
    clReleaseKernel(kernel);
}

static void same_words(NO_STATE)
{
    uint64_t sum[N] = {0}, sum_host[N] = {0};
    int n_too_large = 0, n_cut = 0;
    fill();
    add_on_host(sum_host);
    run(sum);
    for (int i = 0; i < N_TERMS; i++) {
        n_too_large += status_host[i] == EXBLAS_ERANGE;
        n_cut += (status_host[i] & 0xff) == EXBLAS_EUNDERFLOW;
    }
    assert_true(n_too_large > 0 && n_cut > 100); /* all statuses occur */
    assert_memory_equal(sum, sum_host, sizeof sum);
    assert_memory_equal(status, status_host, sizeof status);
    assert_memory_equal(each, each_host, sizeof each);
    assert_memory_equal(back, back_host, sizeof back);
}

int main(int argc, char **argv)
{
    include_folder = argc > 1 ? argv[1] : ".";
    return gpu_run(run_each(same_words));
}
