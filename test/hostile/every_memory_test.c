/* Every routine in memory without a byte to spare: arrays that end where a page without access
 * begins, and arrays that begin where one ends, in all options, increments and paddings, and away
 * from the alignment of vectors. The bits do not depend on where operands lie. */
#include "core/kernels.h"
#include "core/partition.h"

#include "every_case.h"
#include "testing.h"

#include <exblas/exblas.h>

/* The number of placements whose bits differ from the first one's. An access that is not allowed
 * ends the test. */
static int compare_placements(int routine, every_layout q)
{
    const int offsets[] = {0, 1 + (q.options + q.increment) % 7};
    uint64_t expected = 0;
    int n_wrong = 0;
    for (int i = 0; i < 4; i++) {
        q.at_start = i & 1;
        q.offset = offsets[i / 2];
        uint64_t hash = every_hash(every_name_of(routine), &q);
        if (i == 0)
            expected = hash;
        n_wrong += hash != expected;
    }
    if (n_wrong)
        print_error("%s, size %d, options %d, increment %d, data %d, %s\n",
                    exb_routines[routine]->name, q.size, q.options, q.increment, q.data,
                    exblas_info("isa"));
    return n_wrong;
}

/* Options that a routine does not have repeat a call: so few routines do not matter. */
static void every_placement(NO_STATE)
{
    int n_wrong = 0, turn = 0;
    exblas_set_num_threads(1);
    for (int r = 0; exb_routines[r]; r++)
        for (int options = 0; options < EVERY_OPTIONS; options++)
            for (int increment = 0; increment < EVERY_INCREMENTS; increment++) {
                exb_isa_select(exb_isa_name(turn % exb_isa_count())); /* if the CPU has it */
                every_layout q = {.size = turn / 3 % 4,
                                  .options = options,
                                  .increment = increment,
                                  .data = turn / 2 % 2};
                n_wrong += compare_placements(r, q);
                turn++;
            }
    for (int i = 0; i < exb_isa_count(); i++)
        exb_isa_select(exb_isa_name(i)); /* the best there is comes last */
    assert_int_equal(n_wrong, 0);
}

static void split_over_threads(NO_STATE)
{
    int n_wrong = 0;
    exblas_set_num_threads(3);
    exb_partition_set_grain(1);
    for (int r = 0; exb_routines[r]; r++)
        for (int size = 0; size <= EVERY_LARGE; size++) {
            every_layout q = {.size = size, .options = r + size, .increment = size % 2};
            q.options %= EVERY_OPTIONS;
            n_wrong += compare_placements(r, q);
        }
    exb_partition_set_grain(0);
    assert_int_equal(n_wrong, 0);
}

TESTS(every_placement, split_over_threads)
