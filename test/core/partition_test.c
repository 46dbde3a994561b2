/* Partitions: every thing once, in order, parts equal but for one, at any size. */
#include "core/partition.h"

#include "testing.h"

#include <exblas/exblas.h>

static void check_cover(int64_t n, int n_parts)
{
    int64_t next = 0, longest = 0, shortest = INT64_MAX;
    for (int i = 0; i < n_parts; i++) {
        exb_range r = exb_partition_range(n, n_parts, i);
        int64_t length = r.end - r.begin;
        assert_true(r.begin == next && length >= 0);
        assert_true(i == 0 || length <= shortest); /* the longer ones come first */
        longest = length > longest ? length : longest;
        shortest = length < shortest ? length : shortest;
        next = r.end;
    }
    assert_true(next == n && longest - shortest <= 1);
}

static void ranges(NO_STATE)
{
    static const int64_t sizes[] = {0,
                                    1,
                                    2,
                                    255,
                                    256,
                                    257,
                                    1000003,
                                    INT32_MAX,
                                    (int64_t)INT32_MAX + 1,
                                    (int64_t)1 << 53,
                                    INT64_MAX - 1,
                                    INT64_MAX};
    for (int parts = 1; parts <= EXB_MOST_RANGES; parts++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check_cover(sizes[i], parts);
        for (int64_t n = 0; n <= 70; n++)
            check_cover(n, parts);
    }
}

static void worked_example_of_the_header(NO_STATE)
{
    exb_range r = exb_partition_range(10, 3, 1);
    assert_int_equal(r.begin, 4);
    assert_int_equal(r.end, 7);
}

static void tasks_and_ranges(NO_STATE)
{
    for (int64_t unit = 1; unit <= 9; unit++)
        for (int64_t n = 0; n <= 40; n++) {
            int64_t up = n;
            while (up % unit)
                up++;
            assert_int_equal(exb_round_up(n, unit), up);
            assert_int_equal(exb_tasks_of(n, unit), up / unit);
        }
    exb_range r = exb_common((exb_range){2, 9}, (exb_range){5, 7});
    assert_true(r.begin == 5 && r.end == 7);
    r = exb_common((exb_range){5, 9}, (exb_range){2, 7});
    assert_true(r.begin == 5 && r.end == 7);
    r = exb_common((exb_range){0, 2}, (exb_range){4, 6});
    assert_true(r.begin >= r.end);
}

/* {work, most, threads, grain} and the parts that come out. */
static void counts(NO_STATE)
{
    static const struct {
        double work;
        int64_t most;
        int threads;
        int64_t grain;
        int parts;
    } cases[] = {
        {0, 100, 8, 10, 1},     {19, 100, 8, 10, 1}, {20, 100, 8, 10, 2},
        {29, 100, 8, 10, 2},    {79, 100, 8, 10, 7}, {80, 100, 8, 10, 8},
        {1e300, 100, 8, 10, 8}, {1e9, 3, 8, 10, 3},  {1e9, 1, 8, 10, 1},
        {1e9, 0, 8, 10, 1},     {1e9, 100, 1, 1, 1}, {1e9, INT64_MAX, 256, 1, 256},
        {3, 100, 8, 1, 3},      {1, 100, 8, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        exblas_set_num_threads(cases[i].threads);
        exb_partition_set_grain(cases[i].grain);
        if (exb_partition_count(cases[i].work, cases[i].most) != cases[i].parts)
            fail_msg("case %zu gave %d", i, exb_partition_count(cases[i].work, cases[i].most));
    }
    exb_partition_set_grain(0);
    assert_int_equal(exb_partition_count(1000, 8), 1); /* the default: threads pay off later */
    exb_partition_set_grain(-5);
    assert_int_equal(exb_partition_count(1000, 8), 1);
    exblas_set_num_threads(0);
}

TESTS(ranges, worked_example_of_the_header, tasks_and_ranges, counts)
