#include "fuzz_input.h"

#include "core/kernels.h"
#include "core/method.h"
#include "core/partition.h"

#include <exblas/exblas.h>

void fuzz_choose_mode(fuzz_input *b)
{
    int n_methods = 0;
    while (exb_method_at(n_methods))
        n_methods++;
    exblas_set_method(exb_method_at((int)fuzz_next(b) % n_methods)->name);
    exb_isa_select(exb_isa_name((int)fuzz_next(b) % exb_isa_count()));
    unsigned threads = fuzz_next(b);
    exblas_set_num_threads(threads < 240 ? 1 : 3); /* threads cost most of a run's time */
    exb_partition_set_grain(1);
}
