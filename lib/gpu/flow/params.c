/* The parameters of routines that users may set, in all libraries for devices: several threads may
 * use them at once. */
#include "core/partition.h"
#include "gpu/backend.h"

typedef struct {
    const char *routine, *name;
    int least, most;
} known_param;

/* Of routines for doubles and for floats. */
#define OF_BOTH(routine, name, least, most)                                                        \
    {"d" routine, name, least, most},                                                              \
    {                                                                                              \
        "s" routine, name, least, most                                                             \
    }

static const known_param known[] = {
    {"reduce", "group", 1, 256},
    {"reduce", "groups", 1, 512},
    OF_BOTH("gemm", "group", 1, 256),
    OF_BOTH("gemm", "rows", 1, 256),
    OF_BOTH("gemm", "elements", 1, 1 << 21),   /* of C at once, where they are listed */
    OF_BOTH("gemm", "residue_group", 1, 256),  /* work-items of a group */
    OF_BOTH("gemm", "moduli", 5, 32),          /* of residues; else foretold */
    OF_BOTH("gemm", "residue_rows", 1, 32768), /* of C at once */
    OF_BOTH("gemm", "residue_columns", 1, 32768),
    OF_BOTH("gemm", "residue_terms", 1, 131072),  /* multiplied at once */
    OF_BOTH("gemm", "plane_tiles", 1, 1 << 20),   /* products of fewer go together */
    OF_BOTH("gemm", "workspace_mib", 1, 1 << 20), /* for residues and sums */
    OF_BOTH("gemv", "group", 1, 256),
    OF_BOTH("gemv", "rows", 1, 256),
    OF_BOTH("gemv", "elements", 1, 1 << 21),
    OF_BOTH("trsv", "block", 1, 4096),
    OF_BOTH("trsv", "group", 1, 256),
    {"scatter", "group", 1, 256},
    {"scatter", "megabytes", 1, 1 << 14},
    {"scatter", "copies", 1, 256},
    {"scatter", "round", 1, 26},
};

_Static_assert(sizeof known / sizeof *known == EXB_GPU_PARAMS, "each has a place");

/* EXB_GPU_PARAMS if there is none. */
static int index_of(const char *routine, const char *name)
{
    int i = 0;
    while (i < EXB_GPU_PARAMS &&
           (strcmp(known[i].routine, routine) != 0 || strcmp(known[i].name, name) != 0))
        i++;
    return i;
}

/* The size of a group is also limited by the device. */
static int most_of(const exb_gpu *gpu, const known_param *p)
{
    int group = exb_gpu_get_limits(gpu).max_group;
    return strcmp(p->name, "group") == 0 ? (int)exb_least(group, p->most) : p->most;
}

void exb_gpu_set_param(exb_gpu *gpu, const char *routine, const char *name, int value)
{
    int i = index_of(routine, name);
    const known_param *p = &known[i];
    if (i == EXB_GPU_PARAMS)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "there is no parameter %s of %s", name, routine);
    else if (value < p->least || value > most_of(gpu, p))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s of %s is from %d to %d", name, routine, p->least,
                     most_of(gpu, p));
    else
        atomic_store(&exb_gpu_head_of(gpu)->params[i], value);
}

int exb_gpu_param(const exb_gpu *gpu, const char *routine, const char *name, int standard)
{
    int i = index_of(routine, name);
    int value = i < EXB_GPU_PARAMS ? atomic_load(&exb_gpu_head_of(gpu)->params[i]) : 0;
    return value ? value : standard;
}
