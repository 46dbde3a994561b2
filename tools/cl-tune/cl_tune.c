/* exblas-cl-tune [ROUTINE [N]]: times a routine of the OpenCL library with other sizes of blocks
 * and groups and prints the calls that set the fastest. ROUTINE: dgemm (the default), sgemm, dgemv,
 * sgemv, dtrsv, strsv; N: the order of the matrices, 512. EXBLAS_METHOD chooses the method. Results
 * do not depend on the parameters; the program checks it. Exit: 0; 1 results differ; 2 usage, no
 * device. */
#include <exblas/opencl.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_VALUES = 5, MOST_PARAMS = 5, RUNS = 3 };

typedef struct {
    const char *name;
    int value[MOST_VALUES]; /* up to the first 0 */
} parameter;

typedef struct {
    const char *routine; /* without its type */
    parameter param[MOST_PARAMS];
} space;

static const space spaces[] = {
    {"gemm",
     {{"ms", {1, 2, 4, 8}},
      {"ns", {1, 2, 4, 8}},
      {"ml", {8, 16, 32, 64, 128}},
      {"nl", {8, 16, 32, 64, 128}},
      {"kl", {4, 8, 16, 32}}}},
    {"gemv", {{"group", {8, 16, 64, 128, 256}}, {"rows", {1, 4, 8, 32, 64}}}},
    {"trsv", {{"group", {8, 16, 64, 128, 256}}, {"block", {16, 32, 64, 128, 256}}}},
};

typedef struct {
    cl_context context;
    cl_command_queue queue;
    const char *routine;
    const space *space;
    size_t n, element;
    cl_mem a, x, y;
    uint64_t hash; /* of the first result, 0: none yet */
} bench;

static cl_int fill(cl_command_queue queue, cl_mem buffer, size_t n, size_t element)
{
    uint64_t state = 88172645463325252u;
    void *p = malloc(n * element);
    if (!p)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double v = (double)(int64_t)state * 0x1p-63;
        if (element == sizeof v)
            ((double *)p)[i] = v;
        else
            ((float *)p)[i] = (float)v;
    }
    cl_int error = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, n * element, p, 0, NULL, NULL);
    free(p);
    return error;
}

static exblas_status run(const bench *b)
{
    size_t n = b->n;
    cl_command_queue q = b->queue;
    bool s = b->routine[0] == 's';
    if (strcmp(b->space->routine, "gemm") == 0)
        return s ? exblas_cl_sgemm(q, 102, 111, 111, n, n, n, 1, b->a, 0, n, b->x, 0, n, 0, b->y, 0,
                                   n, 0, NULL, NULL)
                 : exblas_cl_dgemm(q, 102, 111, 111, n, n, n, 1, b->a, 0, n, b->x, 0, n, 0, b->y, 0,
                                   n, 0, NULL, NULL);
    if (strcmp(b->space->routine, "gemv") == 0)
        return s ? exblas_cl_sgemv(q, 102, 111, n, n, 1, b->a, 0, n, b->x, 0, 1, 0, b->y, 0, 1, 0,
                                   NULL, NULL)
                 : exblas_cl_dgemv(q, 102, 111, n, n, 1, b->a, 0, n, b->x, 0, 1, 0, b->y, 0, 1, 0,
                                   NULL, NULL);
    clEnqueueCopyBuffer(q, b->x, b->y, 0, 0, n * b->element, 0, NULL, NULL);
    return s ? exblas_cl_strsv(q, 102, 122, 111, 132, n, b->a, 0, n, b->y, 0, 1, 0, NULL, NULL)
             : exblas_cl_dtrsv(q, 102, 122, 111, 132, n, b->a, 0, n, b->y, 0, 1, 0, NULL, NULL);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* FNV-1a over the result. */
static uint64_t hash_of(const bench *b)
{
    size_t bytes = b->element * (strcmp(b->space->routine, "gemm") == 0 ? b->n * b->n : b->n);
    unsigned char *p = malloc(bytes);
    uint64_t h = 14695981039346656037u;
    if (!p || clEnqueueReadBuffer(b->queue, b->y, CL_TRUE, 0, bytes, p, 0, NULL, NULL))
        exit(2);
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 1099511628211u;
    free(p);
    return h;
}

/* Least seconds of some runs after one that compiles; negative: these values do not fit. */
static double seconds(bench *b)
{
    double best = 1e30;
    if (run(b) != EXBLAS_OK)
        return -1;
    clFinish(b->queue);
    for (int i = 0; i < RUNS; i++) {
        double start = now();
        run(b);
        clFinish(b->queue);
        double t = now() - start;
        best = t < best ? t : best;
    }
    uint64_t h = hash_of(b);
    if (b->hash && h != b->hash) {
        fputs("exblas-cl-tune: results differ\n", stderr);
        exit(1);
    }
    b->hash = h;
    return best;
}

static void set(const bench *b, const int *choice)
{
    for (int i = 0; i < MOST_PARAMS && b->space->param[i].name; i++)
        exblas_cl_set_param(b->queue, b->routine, b->space->param[i].name,
                            b->space->param[i].value[choice[i]]);
}

static void print(const bench *b, const int *choice, double t)
{
    printf("%10.3f ms ", 1e3 * t);
    for (int i = 0; i < MOST_PARAMS && b->space->param[i].name; i++)
        printf(" %s=%d", b->space->param[i].name, b->space->param[i].value[choice[i]]);
    putchar('\n');
    fflush(stdout);
}

/* Tries all values of one parameter; true if one of them is faster. */
static bool tune_one(bench *b, int i, int *best, double *least)
{
    bool found = false;
    int choice[MOST_PARAMS];
    memcpy(choice, best, sizeof choice);
    for (int v = 0; v < MOST_VALUES && b->space->param[i].value[v]; v++) {
        choice[i] = v;
        set(b, choice);
        double t = seconds(b);
        if (t < 0 || t >= *least)
            continue;
        *least = t;
        memcpy(best, choice, sizeof choice);
        print(b, best, t);
        found = true;
    }
    return found;
}

/* One parameter after the other until none helps. */
static void tune(bench *b)
{
    int best[MOST_PARAMS] = {2, 2, 2, 2, 1};
    double least = 1e30;
    bool found = true;
    while (found) {
        found = false;
        for (int i = 0; i < MOST_PARAMS && b->space->param[i].name; i++)
            found = tune_one(b, i, best, &least) || found;
    }
    for (int i = 0; i < MOST_PARAMS && b->space->param[i].name; i++)
        printf("exblas_cl_set_param(queue, \"%s\", \"%s\", %d);\n", b->routine,
               b->space->param[i].name, b->space->param[i].value[best[i]]);
}

static bool open_device(bench *b)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return false;
    b->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    b->queue = b->context ? clCreateCommandQueue(b->context, device, 0, &error) : NULL;
    return b->queue != NULL;
}

static cl_mem matrix(bench *b)
{
    cl_int error;
    cl_mem m =
        clCreateBuffer(b->context, CL_MEM_READ_WRITE, b->n * b->n * b->element, NULL, &error);
    if (!m || fill(b->queue, m, b->n * b->n, b->element)) {
        fputs("exblas-cl-tune: not enough memory\n", stderr);
        exit(2);
    }
    return m;
}

static void usage(FILE *f)
{
    fputs("usage: exblas-cl-tune [dgemm|sgemm|dgemv|sgemv|dtrsv|strsv [N]]\n", f);
}

int main(int argc, char **argv)
{
    bench b = {.routine = argc > 1 ? argv[1] : "dgemm",
               .n = argc > 2 ? strtoul(argv[2], NULL, 10) : 512};
    if (strcmp(b.routine, "--help") == 0) {
        usage(stdout);
        return 0;
    }
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strchr("sd", b.routine[0]) && b.routine[0] &&
            strcmp(spaces[i].routine, b.routine + 1) == 0)
            b.space = &spaces[i];
    if (!b.space || b.n == 0 || argc > 3) {
        usage(stderr);
        return 2;
    }
    b.element = b.routine[0] == 's' ? sizeof(float) : sizeof(double);
    if (!open_device(&b)) {
        fputs("exblas-cl-tune: there is no OpenCL device\n", stderr);
        return 2;
    }
    b.a = matrix(&b);
    b.x = matrix(&b);
    b.y = matrix(&b);
    tune(&b);
    clReleaseMemObject(b.a);
    clReleaseMemObject(b.x);
    clReleaseMemObject(b.y);
    clReleaseCommandQueue(b.queue);
    exblas_cl_release(b.context);
    clReleaseContext(b.context);
    return 0;
}
