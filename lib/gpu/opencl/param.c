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
    {"reduce", "group", 1, 256},
    {"reduce", "groups", 1, 512},
    {"dgemm", "residue_group", 1, 256},  /* work-items of a group */
    {"dgemm", "residue_rows", 1, 32768}, /* of C at once */
    {"dgemm", "residue_columns", 1, 32768},
    {"dgemm", "residue_terms", 1, 131072},  /* multiplied at once */
    {"dgemm", "workspace_mib", 1, 1 << 20}, /* for residues and sums */
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
