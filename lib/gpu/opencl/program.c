/* Programs: compiled once per context, device and options. */
#include "gpu/opencl/context.h"
#include "gpu/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const exb_gpu_source *source_of(const char *program)
{
    const exb_gpu_source *s = exb_gpu_sources;
    while (s->program && strcmp(s->program, program) != 0)
        s++;
    return s->program ? s : NULL;
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

static cl_program build(exb_gpu *gpu, const exb_gpu_source *source, const char *options,
                        const char *key)
{
    char all[512];
    cl_int error;
    const char **line = malloc(source->n_lines * sizeof *line); /* clCreate... wants them unconst */
    if (!line) {
        exb_gpu_fail_memory(gpu);
        return NULL;
    }
    for (unsigned i = 0; i < source->n_lines; i++)
        line[i] = source->line[i];
    cl_program p =
        clCreateProgramWithSource(gpu->context->context, source->n_lines, line, NULL, &error);
    free(line);
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

static exb_cl_program *make_program(exb_gpu *gpu, exb_gpu_kernel k, const char *key)
{
    const exb_gpu_source *source = source_of(k.program);
    if (!source) {
        exb_gpu_fail(gpu, EXBLAS_EUNSUPPORTED, "there is no program %s", k.program);
        return NULL;
    }
    exb_cl_program *p = calloc(1, sizeof *p);
    char *copy = strdup(key);
    cl_program program = p && copy ? build(gpu, source, k.options, key) : NULL;
    if (!program) {
        if (!p || !copy)
            exb_gpu_fail_memory(gpu);
        free(copy);
        free(p);
        return NULL;
    }
    *p = (exb_cl_program){.next = gpu->context->programs, .program = program, .key = copy};
    gpu->context->programs = p;
    return p;
}

static exb_cl_program *program_of(exb_gpu *gpu, exb_gpu_kernel k)
{
    char key[512];
    snprintf(key, sizeof key, "%s %s", k.program, k.options);
    exb_cl_program *p = gpu->context->programs;
    while (p && strcmp(p->key, key) != 0)
        p = p->next;
    return p ? p : make_program(gpu, k, key);
}

static exb_cl_kernel *make_kernel(exb_gpu *gpu, exb_cl_program *p, const char *name)
{
    cl_int error;
    exb_cl_kernel *k = calloc(1, sizeof *k);
    if (!k) {
        exb_gpu_fail_memory(gpu);
        return NULL;
    }
    k->kernel = clCreateKernel(p->program, name, &error);
    if (!exb_cl_ok(gpu, error, name)) {
        free(k);
        return NULL;
    }
    snprintf(k->name, sizeof k->name, "%s", name);
    k->next = p->kernels;
    p->kernels = k;
    return k;
}

cl_kernel exb_cl_kernel_of(exb_gpu *gpu, exb_gpu_kernel kernel)
{
    exb_cl_program *p = program_of(gpu, kernel);
    if (!p)
        return NULL;
    exb_cl_kernel *k = p->kernels;
    while (k && strcmp(k->name, kernel.name) != 0)
        k = k->next;
    k = k ? k : make_kernel(gpu, p, kernel.name);
    return k ? k->kernel : NULL;
}

static void kernels_free(exb_cl_kernel *k)
{
    for (exb_cl_kernel *next; k; k = next) {
        next = k->next;
        clReleaseKernel(k->kernel);
        free(k);
    }
}

void exb_cl_programs_free(exb_cl_context *c)
{
    for (exb_cl_program *p = c->programs, *next; p; p = next) {
        next = p->next;
        kernels_free(p->kernels);
        clReleaseProgram(p->program);
        free(p->key);
        free(p);
    }
    c->programs = NULL;
}
