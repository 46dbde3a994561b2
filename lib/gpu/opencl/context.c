/* What the library keeps for a context and a device; programs are compiled once for it and options.
 */
#include "gpu/opencl/context.h"

#include "core/partition.h"
#include "exblas/opencl.h"
#include "gpu/sources.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static exb_cl_context *contexts; /* guarded by lock, and what they have */

static bool has_extension(cl_device_id device, const char *name)
{
    size_t bytes = 0;
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes);
    char *all = calloc(bytes + 1, 1);
    if (!all)
        return false;
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, all, NULL);
    bool found = strstr(all, name) != NULL;
    free(all);
    return found;
}

/* What kernels take for granted. Subnormal floats: data of type float may be subnormal. */
static const char *missing(cl_device_id device)
{
    const cl_device_fp_config wanted = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST;
    cl_device_fp_config single = 0, twice = 0;
    clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof single, &single, NULL);
    clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof twice, &twice, NULL);
    if ((twice & (wanted | CL_FP_FMA)) != (wanted | CL_FP_FMA))
        return "doubles";
    if ((single & wanted) != wanted)
        return "subnormal floats";
    return has_extension(device, "cl_khr_int64_base_atomics") ? NULL : "64-bit atomics";
}

static exb_gpu_limits limits_of(cl_device_id device)
{
    cl_uint units = 1;
    size_t group = 1;
    cl_ulong local = 0;
    cl_device_type type = 0;
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return (exb_gpu_limits){.n_units = (int)units,
                            .max_group = (int)exb_least((exb_i64)group, 256),
                            .local_bytes = (size_t)local,
                            .is_cpu = type & CL_DEVICE_TYPE_CPU};
}

static exb_cl_context *make(cl_context context, cl_device_id device)
{
    exb_cl_context *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    clRetainContext(context); /* so that no other context gets its address */
    *c = (exb_cl_context){contexts, context, device, .limits = limits_of(device),
                          .lacks = missing(device)};
    return contexts = c;
}

exb_cl_context *exb_cl_context_of(exb_gpu *gpu, cl_context context, cl_device_id device)
{
    pthread_mutex_lock(&lock);
    exb_cl_context *c = contexts;
    while (c && (c->context != context || c->device != device))
        c = c->next;
    c = c ? c : make(context, device);
    pthread_mutex_unlock(&lock);
    if (!c)
        exb_gpu_fail_memory(gpu);
    else if (c->lacks)
        exb_gpu_fail(gpu, EXBLAS_EUNSUPPORTED, "the device does not have %s", c->lacks);
    return c;
}

void exblas_cl_release(cl_context context)
{
    pthread_mutex_lock(&lock);
    for (exb_cl_context **at = &contexts; *at;) {
        exb_cl_context *c = *at;
        if (context && c->context != context) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        for (exb_cl_program *p = c->programs, *next; p; p = next) {
            next = p->next;
            clReleaseProgram(p->program);
            free(p);
        }
        clReleaseContext(c->context);
        free(c);
    }
    pthread_mutex_unlock(&lock);
}

/* --- programs ------------------------------------------------------------------ */

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
    pthread_mutex_lock(&lock);
    exb_cl_program *p = gpu->context->programs;
    while (p && strcmp(p->key, key) != 0)
        p = p->next;
    p = p ? p : make_program(gpu, k, key);
    pthread_mutex_unlock(&lock);
    return p ? p->program : NULL;
}
