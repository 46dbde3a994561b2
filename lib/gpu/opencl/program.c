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

/* Added to the context's; NULL after a failure. */
static exb_cl_program *make_program(exb_gpu *gpu, exb_gpu_kernel k, const char *key)
{
    const char *text = text_of(k.program);
    exb_cl_program *p = text ? calloc(1, sizeof *p) : NULL;
    if (!text)
        exb_gpu_fail(gpu, EXBLAS_EUNSUPPORTED, "there is no program %s", k.program);
    else if (!p)
        exb_gpu_fail_memory(gpu);
    if (!p || !(p->program = build(gpu, text, k.options, key))) {
        free(p);
        return NULL;
    }
    snprintf(p->key, sizeof p->key, "%s", key);
    p->next = gpu->context->programs;
    return gpu->context->programs = p;
}

cl_program exb_cl_program_of(exb_gpu *gpu, exb_gpu_kernel k)
{
    char key[sizeof((exb_cl_program *)0)->key];
    snprintf(key, sizeof key, "%s %s", k.program, k.options);
    pthread_mutex_lock(&gpu->context->lock);
    exb_cl_program *p = gpu->context->programs;
    while (p && strcmp(p->key, key) != 0)
        p = p->next;
    p = p ? p : make_program(gpu, k, key);
    pthread_mutex_unlock(&gpu->context->lock);
    return p ? p->program : NULL;
}

void exb_cl_programs_free(exb_cl_context *c)
{
    for (exb_cl_program *p = c->programs, *next; p; p = next) {
        next = p->next;
        clReleaseProgram(p->program);
        free(p);
    }
}
