/* Parameters of routines that users may set. */
#include "gpu/opencl/context.h"

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

/* What may be set, and its range. */
static const struct {
    const char *routine, *name;
    int least, most;
} known[] = {
    {"reduce", "group", 1, 256},   {"reduce", "groups", 1, 512},
    {"dgemm", "ml", 1, 1024},      {"dgemm", "nl", 1, 1024},
    {"dgemm", "kl", 1, 256},       {"dgemm", "ms", 1, 16},
    {"dgemm", "ns", 1, 16},        {"dgemm", "group", 1, 256},
    {"dgemm", "rows", 1, 256},     {"dgemv", "group", 1, 256},
    {"dgemv", "rows", 1, 256},     {"dtrsv", "block", 1, 4096},
    {"dtrsv", "group", 1, 256},    {"sgemm", "ml", 1, 1024},
    {"sgemm", "nl", 1, 1024},      {"sgemm", "kl", 1, 256},
    {"sgemm", "ms", 1, 16},        {"sgemm", "ns", 1, 16},
    {"sgemm", "group", 1, 256},    {"sgemm", "rows", 1, 256},
    {"sgemv", "group", 1, 256},    {"sgemv", "rows", 1, 256},
    {"strsv", "block", 1, 4096},   {"strsv", "group", 1, 256},
    {"scatter", "group", 1, 256},  {"scatter", "megabytes", 1, 1 << 14},
    {"scatter", "copies", 1, 256}, {"scatter", "round", 1, 26},
};

exblas_status exblas_cl_set_param(cl_command_queue queue, const char *routine, const char *name,
                                  int value)
{
    exb_gpu gpu;
    size_t i = 0, n = sizeof known / sizeof *known;
    if (exb_cl_begin(&gpu, queue, 0, NULL)) {
        while (i < n &&
               (strcmp(known[i].routine, routine) != 0 || strcmp(known[i].name, name) != 0))
            i++;
        if (i == n)
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "there is no parameter %s of %s", name, routine);
        else if (value < known[i].least || value > known[i].most)
            exb_gpu_fail(&gpu, EXBLAS_EINVAL, "%s of %s is from %d to %d", name, routine,
                         known[i].least, known[i].most);
        else
            store(&gpu, routine, name, value);
    }
    return exb_cl_end(&gpu, NULL);
}
