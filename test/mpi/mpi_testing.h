/* Tests in MPI programs: every process checks, rank 0 reports in TAP. */
#pragma once

#include "test_random.h"

#include <exblas/accumulator.h>
#include <mpi.h>
#include <string.h>

/* Counts and names a failure on this process. */
#define check(condition) check_at((condition), #condition, __FILE__, __LINE__)
void check_at(bool ok, const char *what, const char *file, int line);
#define check_same_bits(a, b) check_same_bits_at((a), (b), #a, __FILE__, __LINE__)
void check_same_bits_at(double a, double b, const char *what, const char *file, int line);

static inline bool equal(const exblas_acc *a, const exblas_acc *b)
{
    unsigned char bytes_a[EXBLAS_ACC_BYTES], bytes_b[EXBLAS_ACC_BYTES];
    exblas_acc_export(a, bytes_a);
    exblas_acc_export(b, bytes_b);
    return memcmp(bytes_a, bytes_b, sizeof bytes_a) == 0;
}

/* Runs tests on all processes of MPI_COMM_WORLD; the exit status. */
#define run_mpi_tests(...)                                                                         \
    run_named_mpi_tests(sizeof((mpi_test *[]){__VA_ARGS__}) / sizeof(mpi_test *),                  \
                        (char[]){#__VA_ARGS__}, (mpi_test *const[]){__VA_ARGS__})
typedef void mpi_test(void);
/* names: of the functions, with commas between, written over. */
int run_named_mpi_tests(size_t n, char *names, mpi_test *const *tests);

/* A program of these tests. */
#define MPI_TESTS(...)                                                                             \
    int main(void)                                                                                 \
    {                                                                                              \
        return run_mpi_tests(__VA_ARGS__);                                                         \
    }

int world_rank(void);
int world_size(void);

/* Rounds of random tests: TEST_ROUNDS if set (where messages are slow), else n. */
int test_rounds(int n);

/* How n things lie on the processes, as the first one of each rank and n at the end
 * (n_processes + 1 numbers): in N_LAYOUTS ways, evenly, all on one, with empty shares, at
 * random. The same on every process. */
enum { N_LAYOUTS = 5, MOST_PROCESSES = 64 };
void lay_out(int layout, int n_processes, int64_t n, int64_t begin[MOST_PROCESSES + 1]);
