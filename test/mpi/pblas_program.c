/* A program for ScaLAPACK that knows nothing of this library: factors one matrix of order 150 on
 * the grid that its arguments give, and prints a hash of the factors and of the solution. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 150, BLOCK = 16 };

void blacs_get_(const int *, const int *, int *);
void blacs_gridinit_(int *, const char *, const int *, const int *);
void blacs_gridinfo_(const int *, int *, int *, int *, int *);
int numroc_(const int *, const int *, const int *, const int *, const int *);
void pdgesv_(const int *, const int *, double *, const int *, const int *, const int *, int *,
             double *, const int *, const int *, const int *, int *);
void pdpotrf_(const char *, const int *, double *, const int *, const int *, const int *, int *);

static int context, n_rows, n_cols, row, col;

static int owner(int i, int n)
{
    return i / BLOCK % n;
}

static int place(int i, int n)
{
    return i / BLOCK / n * BLOCK + i % BLOCK;
}

/* Between -1 and 1, and heavy on the diagonal if it has to be positive definite. */
static double element(int i, int j, int is_symmetric)
{
    uint64_t a = is_symmetric && i < j ? (uint64_t)j : (uint64_t)i;
    uint64_t b = is_symmetric && i < j ? (uint64_t)i : (uint64_t)j;
    uint64_t x = (a * N + b + 1) * 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return (double)(int64_t)x * 0x1p-63 + (is_symmetric && i == j ? 30 : 0);
}

static void fill(double *a, int ld, int n, int is_symmetric)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < N; i++)
            if (owner(i, n_rows) == row && owner(j, n_cols) == col)
                a[place(i, n_rows) + place(j, n_cols) * ld] = element(i, j, is_symmetric);
}

/* A sum that does not depend on who has what: of element bits times odd numbers that stand for
 * their places. Of a symmetric matrix, the lower triangle. */
static uint64_t hash_of(const double *a, int ld, int n, int is_symmetric)
{
    uint64_t own = 0, all = 0, bits;
    for (int j = 0; j < n; j++)
        for (int i = is_symmetric ? j : 0; i < N; i++)
            if (owner(i, n_rows) == row && owner(j, n_cols) == col) {
                memcpy(&bits, a + place(i, n_rows) + place(j, n_cols) * ld, sizeof bits);
                own += (bits ^ bits >> 31) * (2 * (uint64_t)(i + j * N) + 1);
            }
    MPI_Allreduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    int any = -1, what = 0, zero = 0, one = 1, n = N, block = BLOCK, info;
    if (argc != 3)
        return 2;
    MPI_Init(&argc, &argv);
    n_rows = atoi(argv[1]);
    n_cols = atoi(argv[2]);
    blacs_get_(&any, &what, &context);
    blacs_gridinit_(&context, "R", &n_rows, &n_cols);
    blacs_gridinfo_(&context, &n_rows, &n_cols, &row, &col);
    int ld = numroc_(&n, &block, &row, &zero, &n_rows) + 1;
    int desc[9] = {1, context, N, N, BLOCK, BLOCK, 0, 0, ld};
    double *a = calloc((size_t)ld * N, sizeof *a), *b = calloc((size_t)ld * N, sizeof *b);
    int *pivots = calloc(N + BLOCK, sizeof *pivots);
    uint64_t hash[3];
    fill(a, ld, N, 0);
    fill(b, ld, 1, 0);
    pdgesv_(&n, &one, a, &one, &one, desc, pivots, b, &one, &one, desc, &info);
    hash[0] = hash_of(a, ld, N, 0);
    hash[1] = hash_of(b, ld, 1, 0);
    fill(a, ld, N, 1);
    pdpotrf_("L", &n, a, &one, &one, desc, &info);
    hash[2] = hash_of(a, ld, N, 1);
    if (row == 0 && col == 0)
        printf("hashes %016llx %016llx %016llx\n", (unsigned long long)hash[0],
               (unsigned long long)hash[1], (unsigned long long)hash[2]);
    free(a);
    free(b);
    free(pivots);
    MPI_Finalize();
    return 0;
}
