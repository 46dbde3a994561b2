/* Programs: compiled once per context, device and options. */
#include "gpu/opencl/context.h"
#include "gpu/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const char *program)
{
    const exb_gpu_source *s = exb_gpu_sources;
    while (s->program && strcmp(s->program, program) != 0)
        s++;
    return s->text;
}

/* The first line of the compiler's log that speaks of an error, into the call's text. */
static void fail_with_log(exb_gpu *gpu, cl_program program, const char *key)
{
    cl_device_id device = gpu->context->device;
    size_t bytes = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = calloc(bytes + 1, 1);
    if (log)
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    const char *at = log ? strstr(log, "error") : NULL;
    at = at ? at : log ? log : "";
    exb_gpu_fail(gpu, EXBLAS_EDEVICE, "%s does not compile: %.*s", key, (int)strcspn(at, "\n"), at);
    free(log);
}

static cl_program build(exb_gpu *gpu, const char *text, const char *options, const char *key)
{
    char all[512];
    cl_int error;
    cl_program p = clCreateProgramWithSource(gpu->context->context, 1, &text, NULL, &error);
    if (!exb_cl_ok(gpu, error, "clCreateProgramWithSource"))
        return NULL;
    snprintf(all, sizeof all, "-cl-std=CL1.2 %s", options);
    error = clBuildProgram(p, 1, &gpu->context->device, all, NULL, NULL);
    if (error == CL_SUCCESS)
        return p;
    fail_with_log(gpu, p, key);
    clReleaseProgram(p);
    return NULL;
}

/* Compiled, unless a kernel has it already; NULL after a failure. */
static cl_program program_of(exb_gpu *gpu, exb_gpu_kernel k, const char *key)
{
    for (exb_cl_kernel *other = gpu->context->kernels; other; other = other->next)
        if (strcmp(other->key, key) == 0 && clRetainProgram(other->program) == CL_SUCCESS)
            return other->program;
    const char *text = text_of(k.program);
    if (!text)
        exb_gpu_fail(gpu, EXBLAS_EUNSUPPORTED, "there is no program %s", k.program);
    return text ? build(gpu, text, k.options, key) : NULL;
}

static void kernel_free(exb_cl_kernel *k)
{
    if (k->kernel)
        clReleaseKernel(k->kernel);
    if (k->program)
        clReleaseProgram(k->program);
    free(k->key);
    free(k);
}

static exb_cl_kernel *make_kernel(exb_gpu *gpu, exb_gpu_kernel wanted, const char *key)
{
    cl_int error;
    exb_cl_kernel *k = calloc(1, sizeof *k);
    if (!k || !(k->key = strdup(key)))
        exb_gpu_fail_memory(gpu);
    else if ((k->program = program_of(gpu, wanted, key))) {
        snprintf(k->name, sizeof k->name, "%s", wanted.name);
        k->kernel = clCreateKernel(k->program, wanted.name, &error);
        exb_cl_ok(gpu, error, wanted.name);
    }
    if (!exb_gpu_status(gpu)) {
        k->next = gpu->context->kernels;
        gpu->context->kernels = k;
        return k;
    }
    if (k)
        kernel_free(k);
    return NULL;
}

cl_kernel exb_cl_kernel_of(exb_gpu *gpu, exb_gpu_kernel wanted)
{
    char key[512];
    snprintf(key, sizeof key, "%s %s", wanted.program, wanted.options);
    exb_cl_kernel *k = gpu->context->kernels;
    while (k && (strcmp(k->key, key) != 0 || strcmp(k->name, wanted.name) != 0))
        k = k->next;
    k = k ? k : make_kernel(gpu, wanted, key);
    return k ? k->kernel : NULL;
}

void exb_cl_kernels_free(exb_cl_context *c)
{
    for (exb_cl_kernel *k = c->kernels, *next; k; k = next) {
        next = k->next;
        kernel_free(k);
    }
    c->kernels = NULL;
}
