#include "gpu/flow/params.h"

static const struct {
    const char *routine, *name;
    int least, most;
} known[] = {
    {"reduce", "group", 1, 256},
    {"reduce", "groups", 1, 512},
    {"dgemm", "ml", 1, 1024},
    {"dgemm", "nl", 1, 1024},
    {"dgemm", "kl", 1, 256},
    {"dgemm", "ms", 1, 16},
    {"dgemm", "ns", 1, 16},
    {"dgemm", "group", 1, 256},
    {"dgemm", "rows", 1, 256},
    {"dgemm", "residue_group", 1, 256},  /* work-items of a group */
    {"dgemm", "residue_rows", 1, 32768}, /* of C at once */
    {"dgemm", "residue_columns", 1, 32768},
    {"dgemm", "residue_terms", 1, 131072},  /* multiplied at once */
    {"dgemm", "workspace_mib", 1, 1 << 20}, /* for residues and sums */
    {"dgemv", "group", 1, 256},
    {"dgemv", "rows", 1, 256},
    {"dtrsv", "block", 1, 4096},
    {"dtrsv", "group", 1, 256},
    {"scatter", "group", 1, 256},
    {"scatter", "megabytes", 1, 1 << 14},
    {"scatter", "copies", 1, 256},
    {"scatter", "round", 1, 26},
    {"sgemm", "ml", 1, 1024},
    {"sgemm", "nl", 1, 1024},
    {"sgemm", "kl", 1, 256},
    {"sgemm", "ms", 1, 16},
    {"sgemm", "ns", 1, 16},
    {"sgemm", "group", 1, 256},
    {"sgemm", "rows", 1, 256},
    {"sgemv", "group", 1, 256},
    {"sgemv", "rows", 1, 256},
    {"strsv", "block", 1, 4096},
    {"strsv", "group", 1, 256},
};

/* The size of a group is also limited by the device. */
static int most(const exb_gpu *gpu, size_t i)
{
    int group = exb_gpu_get_limits(gpu).max_group;
    return strcmp(known[i].name, "group") == 0 && group < known[i].most ? group : known[i].most;
}

bool exb_gpu_param_check(exb_gpu *gpu, const char *routine, const char *name, int value)
{
    size_t i = 0, n = sizeof known / sizeof *known;
    while (i < n && (strcmp(known[i].routine, routine) != 0 || strcmp(known[i].name, name) != 0))
        i++;
    if (i == n)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "there is no parameter %s of %s", name, routine);
    else if (value < known[i].least || value > most(gpu, i))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "%s of %s is from %d to %d", name, routine, known[i].least,
                     most(gpu, i));
    return !exb_gpu_status(gpu);
}
