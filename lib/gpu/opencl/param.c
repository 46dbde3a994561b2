/* Parameters of routines that users may set. */
#include "gpu/opencl/context.h"

#include "gpu/flow/params.h"

#include "exblas/opencl.h"

#include <stdlib.h>
#include <string.h>

static exb_cl_param *find(const exb_cl_context *c, const char *routine, const char *name)
{
    exb_cl_param *p = c->params;
    while (p && (strcmp(p->routine, routine) != 0 || strcmp(p->name, name) != 0))
        p = p->next;
    return p;
}

int exb_gpu_param(const exb_gpu *gpu, const char *routine, const char *name, int standard)
{
    exb_cl_context *c = gpu->context;
    pthread_mutex_lock(&c->lock);
    const exb_cl_param *p = find(c, routine, name);
    int value = p ? p->value : standard;
    pthread_mutex_unlock(&c->lock);
    return value;
}

static void store(exb_gpu *gpu, const char *routine, const char *name, int value)
{
    exb_cl_context *c = gpu->context;
    pthread_mutex_lock(&c->lock);
    exb_cl_param *p = find(c, routine, name);
    if (!p && (p = calloc(1, sizeof *p))) {
        snprintf(p->routine, sizeof p->routine, "%s", routine);
        snprintf(p->name, sizeof p->name, "%s", name);
        p->next = c->params;
        c->params = p;
    }
    if (p)
        p->value = value;
    else
        exb_gpu_fail(gpu, EXBLAS_ENOMEM, "out of memory");
    pthread_mutex_unlock(&c->lock);
}

exblas_status exblas_cl_set_param(cl_command_queue queue, const char *routine, const char *name,
                                  int value)
{
    exb_gpu gpu;
    if (exb_cl_begin(&gpu, queue, 0, NULL) && exb_gpu_param_check(&gpu, routine, name, value))
        store(&gpu, routine, name, value);
    return exb_cl_end(&gpu, NULL);
}
