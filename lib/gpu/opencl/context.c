#include "gpu/opencl/context.h"

#include "exblas/opencl.h"
#include "core/partition.h"
#include "gpu/flow/params.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static exb_cl_context *contexts; /* guarded by lock */

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
    exb_gpu_params *params = exb_gpu_params_new();
    if (!c || !params) {
        free(c);
        free(params);
        return NULL;
    }
    c->params = params;
    clRetainContext(context); /* so that no other context gets its address */
    c->context = context;
    c->device = device;
    c->limits = limits_of(device);
    const char *lacks = missing(device);
    if (lacks) {
        c->unfit = EXBLAS_EUNSUPPORTED;
        snprintf(c->why, sizeof c->why, "the device does not have %s", lacks);
    }
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

exb_cl_context *exb_cl_context_of(exb_gpu *gpu, cl_context context, cl_device_id device)
{
    pthread_mutex_lock(&lock);
    exb_cl_context *c = contexts;
    while (c && (c->context != context || c->device != device))
        c = c->next;
    if (!c && (c = make(context, device))) {
        c->next = contexts;
        contexts = c;
    }
    pthread_mutex_unlock(&lock);
    if (!c)
        exb_gpu_fail_memory(gpu);
    else if (c->unfit)
        exb_gpu_fail(gpu, c->unfit, "%s", c->why);
    return c;
}

static void destroy(exb_cl_context *c)
{
    exb_cl_programs_free(c);
    free(c->params);
    pthread_mutex_destroy(&c->lock);
    clReleaseContext(c->context);
    free(c);
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
        destroy(c);
    }
    pthread_mutex_unlock(&lock);
}
