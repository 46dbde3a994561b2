/* coo_to_csr and csr_transpose: places by a dense matrix, sums by the oracle. */
#include "adversarial.h"
#include "csr_case.h"
#include "hostile_env.h"
#include "oracle.h"
#include "testing.h"

enum { SIDE = 12, MOST = 200 };

typedef struct {
    int32_t m, n, n_entries, row[MOST], column[MOST];
    double value[MOST];
} coordinates;

static coordinates random_coordinates(test_random *r, size_t kind)
{
    coordinates c = {.m = (int32_t)random_between(r, 1, SIDE),
                     .n = (int32_t)random_between(r, 1, SIDE)};
    c.n_entries = random_chance(r, 8) ? 1 : (int32_t)random_between(r, 0, MOST);
    terms_fill(kind, r, FORMAT_D, MOST, c.value);
    for (int k = 0; k < c.n_entries; k++) {
        c.row[k] = (int32_t)random_between(r, 0, c.m - 1);
        c.column[k] = (int32_t)random_between(r, 0, c.n - 1);
    }
    return c;
}

/* The number of entries at (i, j); *sum is what they make. */
static int at_place(const coordinates *c, int i, int j, double *sum)
{
    int n = 0;
    ORACLE(o);
    for (int k = 0; k < c->n_entries; k++)
        if (c->row[k] == i && c->column[k] == j) {
            oracle_add(&o, c->value[k]);
            *sum = c->value[k];
            n++;
        }
    if (n > 1)
        *sum = oracle_round(&o, FORMAT_D);
    return n;
}

static void duplicates_are_summed(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "coordinates");
    for (int round = 0; round < 200; round++) {
        coordinates c = random_coordinates(&r, (size_t)round % terms_kinds());
        int32_t start[SIDE + 1], column[MOST];
        double value[MOST], sum = 0;
        hostile_env_enter(round % hostile_env_count());
        exblas_status status = exblas_dcoo_to_csr(c.m, c.n, c.n_entries, c.row, c.column, c.value,
                                                  start, column, value);
        assert_true(hostile_env_leave());
        assert_int_equal(status, EXBLAS_OK);
        int k = 0;
        for (int i = 0; i < c.m; i++) {
            assert_int_equal(start[i], k);
            for (int j = 0; j < c.n; j++)
                if (at_place(&c, i, j, &sum) > 0) {
                    assert_int_equal(column[k], j);
                    assert_same_bits(value[k++], sum);
                }
        }
        assert_int_equal(start[c.m], k);
    }
}

static void every_type_and_width(NO_STATE)
{
    static const int32_t row[] = {1, 0, 1}, column[] = {1, 0, 1};
    static const int64_t row_64[] = {1, 0, 1}, column_64[] = {1, 0, 1};
    static const float s[] = {1, 3, 0x1p-24f}, c[] = {1, 2, 3, 4, 0x1p-24f, 5};
    static const double z[] = {1, 2, 3, 4, 0x1p-53, 5};
    int32_t start[3], to[3];
    int64_t start_64[3], to_64[3];
    float sr[3], cr[6];
    double zr[6];
    assert_int_equal(exblas_scoo_to_csr(2, 2, 3, row, column, s, start, to, sr), EXBLAS_OK);
    assert_int_equal(start[2], 2);
    assert_same_bits(sr[0], 3);
    assert_same_bits(sr[1], 1); /* a tie */
    assert_int_equal(exblas_ccoo_to_csr(2, 2, 3, row, column, c, start, to, cr), EXBLAS_OK);
    assert_same_bits(cr[2], 1);
    assert_same_bits(cr[3], 7);
    assert_int_equal(exblas_zcoo_to_csr_64(2, 2, 3, row_64, column_64, z, start_64, to_64, zr),
                     EXBLAS_OK);
    assert_int_equal(start_64[1], 1);
    assert_same_bits(zr[2], 1);
    assert_same_bits(zr[3], 7);
    assert_int_equal(exblas_scsr_transpose(2, 2, start, to, sr, start, to, NULL), EXBLAS_EINVAL);
}

static void bad_coordinates(NO_STATE)
{
    static const int32_t row[] = {1, 0}, outside[] = {2, 0}, below[] = {0, -1};
    const double v[] = {1, 2};
    int32_t start[3] = {9, 9, 9}, column[2] = {9, 9};
    double value[2] = {7, 7};
    assert_int_equal(exblas_dcoo_to_csr(2, 2, 2, outside, row, v, start, column, value),
                     EXBLAS_EINVAL);
    assert_int_equal(exblas_dcoo_to_csr(2, 2, 2, row, below, v, start, column, value),
                     EXBLAS_EINVAL);
    assert_int_equal(exblas_dcoo_to_csr(2, 2, -1, row, row, v, start, column, value),
                     EXBLAS_EINVAL);
    assert_int_equal(exblas_dcoo_to_csr(2, 2, 2, row, row, NULL, start, column, value),
                     EXBLAS_EINVAL);
    assert_int_equal(start[0] + column[0], 18);
    assert_same_bits(value[0], 7);
    assert_int_equal(exblas_dcoo_to_csr(2, 0, 0, NULL, NULL, NULL, start, NULL, NULL), EXBLAS_OK);
    assert_int_equal(start[2], 0);
}

/* Twice transposed, a matrix with ascending columns is what it was. */
static void transposed(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "transposed");
    for (int round = 0; round < 50; round++) {
        coordinates c = random_coordinates(&r, 0);
        int32_t start[SIDE + 1], column[MOST], t_start[SIDE + 1], t_column[MOST], start2[SIDE + 1],
            column2[MOST];
        double value[MOST], t_value[MOST], value2[MOST];
        assert_int_equal(exblas_dcoo_to_csr(c.m, c.n, c.n_entries, c.row, c.column, c.value, start,
                                            column, value),
                         EXBLAS_OK);
        assert_int_equal(
            exblas_dcsr_transpose(c.m, c.n, start, column, value, t_start, t_column, t_value),
            EXBLAS_OK);
        assert_int_equal(t_start[c.n], start[c.m]);
        for (int j = 0, k = 0; j < c.n; j++)
            for (; k < t_start[j + 1]; k++) {
                double sum = 0;
                assert_true(at_place(&c, t_column[k], j, &sum) > 0);
                assert_same_bits(t_value[k], sum);
            }
        assert_int_equal(
            exblas_dcsr_transpose(c.n, c.m, t_start, t_column, t_value, start2, column2, value2),
            EXBLAS_OK);
        assert_memory_equal(start2, start, ((size_t)c.m + 1) * sizeof *start);
        if (start[c.m] > 0) {
            assert_memory_equal(column2, column, (size_t)start[c.m] * sizeof *column);
            assert_memory_equal(value2, value, (size_t)start[c.m] * sizeof *value);
        }
    }
}

TESTS(duplicates_are_summed, every_type_and_width, bad_coordinates, transposed)
