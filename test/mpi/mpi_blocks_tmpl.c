/* Matrices in blocks of rows, and vectors: the bits of the serial routine, in what belongs
 * to this process and nowhere else. */
#include "mpi_blocks.h"

#include "adversarial.h"
#include "mpi_testing.h"
#include "type_names.h"

#include <exblas/exblas.h>
#include <exblas/mpi.h>
#include <math.h>

#define OVER_PROCESSES(name) PASTE(exblas_mpi_, TYPE, name, )
#define TEST_NAME(name) PASTE(TYPE, _, name, )

enum { MOST = 40, PAD = 3, SIDE = MOST + PAD, MOST_VECTOR = 3 * MOST, N_NUMBERS = SIDE * SIDE };

typedef real matrix[PARTS * N_NUMBERS];
typedef real vector[PARTS * MOST_VECTOR];

static matrix a, b, c, wanted, got;
static vector x, y, wanted_y, got_y;

static void fill_with(size_t kind, test_random *r, int n, real *out)
{
    double numbers[2][PARTS * N_NUMBERS];
    factors_fill(kind % factors_kinds(), r, IS_FLOAT || kind % 2 ? FORMAT_S : FORMAT_D, n,
                 numbers[0], numbers[1]);
    for (int i = 0; i < n; i++)
        out[i] = (real)numbers[i % 3 == 0][i];
}

static void fill(int round, test_random *r)
{
    size_t kind = (size_t)round;
    fill_with(kind, r, PARTS * N_NUMBERS, a);
    fill_with(kind + 1, r, PARTS * N_NUMBERS, b);
    fill_with(kind + 2, r, PARTS * N_NUMBERS, c);
    fill_with(kind + 3, r, PARTS * MOST_VECTOR, x);
    fill_with(kind, r, PARTS * MOST_VECTOR, y);
    if (round % 8 == 5) {
        a[7] = (real)NAN;
        b[PARTS * (SIDE + 2)] = (real)HUGE_VAL;
    }
}

static int random_option(test_random *r, int first, int n)
{
    return first + (int)random_between(r, 0, n - 1);
}

static void random_scalars(test_random *r, real *scalar)
{
    static const real values[] = {1, 0, (real)-0.75, IS_FLOAT ? (real)0x1p-149 : (real)0x1p-1074,
                                  IS_FLOAT ? (real)0x1p100 : (real)0x1p900};
    for (int k = 0; k < PARTS; k++)
        scalar[k] = k > 0 && random_chance(r, 2) ? 0 : values[random_between(r, 0, 4)];
}

/* Working memory for few rows at once, and for all. */
static void set_workspace(int round)
{
    exblas_set_workspace(round % 3 == 0 ? 0 : round % 3 == 1 ? 1 : 60000);
}

/* --- vectors ------------------------------------------------------------------ */

#if IS_COMPLEX
#define NORM_OVER_PROCESSES(name) PASTE(exblas_mpi_, PART, TYPE, name)
#define SERIAL_NORM(name) PASTE(excblas_, PART, TYPE, name)

static void check_pair(const real *is, const real *should_be)
{
    for (int k = 0; k < PARTS; k++)
        check_same_bits((double)is[k], (double)should_be[k]);
}

/* m elements of n. */
static void check_sums(int n, int m, int inc, const real *px, const real *py)
{
    MPI_Comm w = MPI_COMM_WORLD;
    real is[PARTS], should_be[PARTS];
    check(OVER_PROCESSES(sum)(m, px, inc, is, w) == MPI_SUCCESS);
    SERIAL(sum_sub)(n, x, inc, should_be);
    check_pair(is, should_be);
    check(OVER_PROCESSES(dotu)(m, px, inc, py, inc, is, w) == MPI_SUCCESS);
    SERIAL(dotu_sub)(n, x, inc, y, inc, should_be);
    check_pair(is, should_be);
    check(OVER_PROCESSES(dotc_64)(m, px, inc, py, inc, is, w) == MPI_SUCCESS);
    SERIAL(dotc_sub)(n, x, inc, y, inc, should_be);
    check_pair(is, should_be);
}
#else
#define NORM_OVER_PROCESSES(name) OVER_PROCESSES(name)
#define SERIAL_NORM(name) SERIAL(name)

static void check_sums(int n, int m, int inc, const real *px, const real *py)
{
    MPI_Comm w = MPI_COMM_WORLD;
    double dot = (double)SERIAL(dot)(n, x, inc, y, inc);
    check_same_bits((double)OVER_PROCESSES(sum)(m, px, inc, w), (double)SERIAL(sum)(n, x, inc));
    check_same_bits((double)OVER_PROCESSES(dot)(m, px, inc, py, inc, w), dot);
    check_same_bits((double)OVER_PROCESSES(dot_64)(m, px, inc, py, inc, w), dot);
}
#endif

/* Elements i0 ... i1 - 1 of n. */
static void check_reductions(int n, int i0, int i1, int inc)
{
    int m = i1 - i0;
    MPI_Comm w = MPI_COMM_WORLD;
    const real *px = x + PARTS * i0 * inc;
    check_sums(n, m, inc, px, y + PARTS * i0 * inc);
    check_same_bits((double)NORM_OVER_PROCESSES(asum)(m, px, inc, w),
                    (double)SERIAL_NORM(asum)(n, x, inc));
    check_same_bits((double)NORM_OVER_PROCESSES(nrm2)(m, px, inc, w),
                    (double)SERIAL_NORM(nrm2)(n, x, inc));
}

void TEST_NAME(reductions)(void)
{
    int64_t begin[MOST_PROCESSES + 1];
    test_random r = test_random_start(test_seed(), "reductions");
    for (int round = 0; round < test_rounds(30); round++) {
        int n = (int)random_between(&r, 0, MOST);
        fill(round, &r);
        lay_out(round % N_LAYOUTS, world_size(), n, begin);
        check_reductions(n, (int)begin[world_rank()], (int)begin[world_rank() + 1],
                         round % 2 ? 1 : 3);
    }
}

/* --- gemv --------------------------------------------------------------------- */

/* Where this process's part of a vector with n elements begins, as BLAS has it. */
static const real *part_of(const real *v, const int64_t *begin, int64_t n, int inc)
{
    int64_t i0 = begin[world_rank()], i1 = begin[world_rank() + 1];
    return v + PARTS * (inc > 0 ? i0 * inc : (n - i1) * -inc);
}

void TEST_NAME(gemv)(void)
{
    test_random r = test_random_start(test_seed(), "gemv");
    for (int round = 0; round < test_rounds(40); round++) {
        int64_t begin[MOST_PROCESSES + 1];
        int m = (int)random_between(&r, 0, MOST), n = (int)random_between(&r, 0, MOST);
        int trans = random_option(&r, EXBLAS_NO_TRANS, 3), incx = round % 2 ? 1 : -2;
        int incy = round % 3 ? 1 : -3,
            split = round % 4 < 2 ? EXBLAS_SPLIT_ROWS : EXBLAS_SPLIT_COLS;
        bool rows = split == EXBLAS_SPLIT_ROWS, transposed = trans != EXBLAS_NO_TRANS;
        real alpha[PARTS], beta[PARTS];
        random_scalars(&r, alpha);
        random_scalars(&r, beta);
        fill(round, &r);
        lay_out(round % N_LAYOUTS, world_size(), rows ? m : n, begin);
        int64_t i0 = begin[world_rank()], size = begin[world_rank() + 1] - i0;
        memcpy(wanted_y, y, sizeof y);
        memcpy(got_y, y, sizeof y);
        SERIAL(gemv)
        (EXBLAS_COL_MAJOR, trans, m, n, S(alpha), a, SIDE, x, incx, S(beta), wanted_y, incy);
        check(OVER_PROCESSES(gemv)(split, trans, rows ? (int)size : m, rows ? n : (int)size,
                                   S(alpha), a + PARTS * (rows ? i0 : i0 * SIDE), SIDE,
                                   rows == transposed ? part_of(x, begin, transposed ? m : n, incx)
                                                      : x,
                                   incx, S(beta), got_y, incy, MPI_COMM_WORLD) == MPI_SUCCESS);
        check(memcmp(wanted_y, got_y, sizeof got_y) == 0);
    }
}

/* --- gemm --------------------------------------------------------------------- */

typedef struct {
    int transa, transb;
    int size[3]; /* m, n, k */
    int64_t begin[3][MOST_PROCESSES + 1];
    real alpha[PARTS], beta[PARTS];
} product;

static product random_product(int round, test_random *r)
{
    product p = {.transa = random_option(r, EXBLAS_NO_TRANS, 3),
                 .transb = random_option(r, EXBLAS_NO_TRANS, 3)};
    for (int i = 0; i < 3; i++) {
        p.size[i] = (int)random_between(r, random_chance(r, 9) ? 0 : 1, MOST);
        lay_out((round + i * (round % 2)) % N_LAYOUTS, world_size(), p.size[i], p.begin[i]);
    }
    random_scalars(r, p.alpha);
    random_scalars(r, p.beta);
    return p;
}

/* This process's first element of an axis, and how many there are. */
static int64_t first_of(const product *p, int axis)
{
    return p->begin[axis][world_rank()];
}

static int count_of(const product *p, int axis)
{
    return (int)(p->begin[axis][world_rank() + 1] - first_of(p, axis));
}

/* Rows i0 ... i0 + n - 1 of a matrix. */
static void copy_rows(int64_t i0, int n, const real *from, real *to)
{
    for (int64_t j = 0; j < SIDE; j++)
        memcpy(to + PARTS * (j * SIDE + i0), from + PARTS * (j * SIDE + i0),
               (size_t)(PARTS * n) * sizeof *to);
}

static void check_product(const product *p)
{
    matrix all;
    int a_axis = p->transa == EXBLAS_NO_TRANS ? 0 : 2,
        b_axis = p->transb == EXBLAS_NO_TRANS ? 2 : 1;
    memcpy(all, c, sizeof c);
    memcpy(wanted, c, sizeof c);
    memcpy(got, c, sizeof c);
    SERIAL(gemm)
    (EXBLAS_COL_MAJOR, p->transa, p->transb, p->size[0], p->size[1], p->size[2], S(p->alpha), a,
     SIDE, b, SIDE, S(p->beta), all, SIDE);
    copy_rows(first_of(p, 0), count_of(p, 0), all, wanted);
    check(OVER_PROCESSES(gemm)(p->transa, p->transb, count_of(p, 0), count_of(p, 1), count_of(p, 2),
                               S(p->alpha), a + PARTS * first_of(p, a_axis), SIDE,
                               b + PARTS * first_of(p, b_axis), SIDE, S(p->beta),
                               got + PARTS * first_of(p, 0), SIDE, MPI_COMM_WORLD) == MPI_SUCCESS);
    check(memcmp(wanted, got, sizeof got) == 0);
}

void TEST_NAME(gemm)(void)
{
    test_random r = test_random_start(test_seed(), "gemm");
    for (int round = 0; round < test_rounds(50); round++) {
        fill(round, &r);
        product p = random_product(round, &r);
        set_workspace(round);
        check_product(&p);
    }
    exblas_set_workspace(0);
}

/* --- trsv --------------------------------------------------------------------- */

void TEST_NAME(trsv)(void)
{
    test_random r = test_random_start(test_seed(), "trsv");
    for (int round = 0; round < test_rounds(50); round++) {
        int64_t begin[MOST_PROCESSES + 1];
        int n = (int)random_between(&r, 0, MOST), incx = round % 2 ? 1 : -3;
        int uplo = random_option(&r, EXBLAS_UPPER, 2),
            trans = random_option(&r, EXBLAS_NO_TRANS, 3);
        int diag = random_option(&r, EXBLAS_NON_UNIT, 2);
        fill(round, &r);
        lay_out(round % N_LAYOUTS, world_size(), n, begin);
        set_workspace(round);
        int64_t i0 = begin[world_rank()], m = begin[world_rank() + 1] - i0;
        memcpy(wanted_y, x, sizeof x);
        memcpy(got_y, x, sizeof x);
        SERIAL(trsv)(EXBLAS_COL_MAJOR, uplo, trans, diag, n, a, SIDE, wanted_y, incx);
        check(OVER_PROCESSES(trsv)(uplo, trans, diag, (int)m, n, a + PARTS * i0, SIDE, got_y, incx,
                                   MPI_COMM_WORLD) == MPI_SUCCESS);
        check(memcmp(wanted_y, got_y, sizeof got_y) == 0);
    }
    exblas_set_workspace(0);
}
