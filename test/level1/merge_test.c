/* Parts of a reduction are merged one at a time. This program is linked with
 * --wrap=exb_superacc_merge: a merge takes so long that others would come in. */
#include "core/arith/superacc.h"
#include "core/partition.h"

#include "testing.h"

#include <exblas/exblas.h>
#include <stdatomic.h>
#include <unistd.h>

enum { N_PARTS = 4, LENGTH = 64 };

static atomic_int n_inside, n_together, n_merges;

void __real_exb_superacc_merge(exb_superacc *a, exb_superacc *b);
void __wrap_exb_superacc_merge(exb_superacc *a, exb_superacc *b);

void __wrap_exb_superacc_merge(exb_superacc *a, exb_superacc *b)
{
    if (atomic_fetch_add(&n_inside, 1) > 0)
        atomic_fetch_add(&n_together, 1);
    atomic_fetch_add(&n_merges, 1);
    usleep(5000);
    __real_exb_superacc_merge(a, b);
    atomic_fetch_sub(&n_inside, 1);
}

static void merges_are_alone(NO_STATE)
{
    double x[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        x[i] = i;
    exblas_set_method("superacc");
    exblas_set_num_threads(N_PARTS);
    exb_partition_set_grain(1);
    for (int i = 0; i < 20; i++)
        assert_same_bits(excblas_dsum(LENGTH, x, 1), LENGTH * (LENGTH - 1) / 2);
    assert_true(atomic_load(&n_merges) >= 20 * N_PARTS);
    assert_int_equal(atomic_load(&n_together), 0);
}

TESTS(merges_are_alone)
