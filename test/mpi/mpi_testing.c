#include "mpi_testing.h"

#include <stdio.h>
#include <stdlib.h>

static int n_failures;

int world_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int world_size(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

void check_at(bool ok, const char *what, const char *file, int line)
{
    if (ok)
        return;
    n_failures++;
    if (n_failures <= 5)
        fprintf(stderr, "rank %d of %d: %s:%d: not so: %s\n", world_rank(), world_size(), file,
                line, what);
}

void check_same_bits_at(double a, double b, const char *what, const char *file, int line)
{
    if (same_bits(a, b))
        return;
    check_at(false, what, file, line);
    if (n_failures <= 5)
        fprintf(stderr, "  %a, not %a\n", a, b);
}

/* Failures of all processes since the last call. */
static int total_failures(void)
{
    int total = 0;
    MPI_Allreduce(&n_failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    n_failures = 0;
    return total;
}

int run_named_mpi_tests(size_t n, char *names, mpi_test *const *tests)
{
    int n_failed = 0;
    MPI_Init(NULL, NULL);
    bool reports = world_rank() == 0;
    if (reports)
        printf("1..%zu\n", n);
    for (size_t i = 0; i < n; i++) {
        tests[i]();
        bool failed = total_failures() != 0;
        n_failed += failed;
        if (reports)
            printf("%s %zu - %s\n", failed ? "not ok" : "ok", i + 1,
                   strtok(i ? NULL : names, ", "));
    }
    fflush(stdout);
    MPI_Finalize();
    return n_failed != 0;
}

int test_rounds(int n)
{
    const char *text = getenv("TEST_ROUNDS");
    return text ? atoi(text) : n;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void lay_out(int layout, int n_processes, int64_t n, int64_t begin[MOST_PROCESSES + 1])
{
    test_random r = test_random_start(test_seed() + (uint64_t)layout, "layout");
    begin[0] = 0;
    begin[n_processes] = n;
    for (int i = 1; i < n_processes; i++) {
        int64_t even = n * i / n_processes;
        begin[i] = layout == 0   ? even
                   : layout == 1 ? n                             /* all on the first */
                   : layout == 2 ? 0                             /* all on the last */
                   : layout == 3 ? (i % 2 ? even : begin[i - 1]) /* every other one empty */
                                 : random_between(&r, 0, n);
    }
    qsort(begin + 1, (size_t)n_processes - 1, sizeof *begin, compare);
}
