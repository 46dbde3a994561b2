/* Canonical bytes of cells: the same for equal sums, read back, and refused when damaged. */
#include "acc_support.h"
#include "adversarial.h"
#include "cell_support.h"

#include <float.h>
#include <math.h>

enum { LONGEST = 60 };

static void reads_back(NO_STATE)
{
    static double x[LONGEST];
    test_random r = test_random_start(test_seed(), "exact_cell_bytes");
    ORACLE(o);
    for (int round = 0; round < 1000; round++) {
        unsigned char bytes[EXBLAS_CELL_BYTES], again[EXBLAS_CELL_BYTES];
        roomy_cell a, b;
        roomy_clear(&a);
        roomy_clear(&b);
        int n = (int)random_between(&r, 0, LONGEST);
        terms_fill((size_t)round % terms_kinds(), &r, FORMAT_D, n, x);
        if (round % 5 == 0)
            sprinkle_specials(&r, n, x);
        oracle_reset(&o);
        for (int i = 0; i < n; i++) {
            roomy_add(&a, x[i]);
            oracle_add(&o, x[i]);
        }
        size_t n_bytes = exblas_cell_export(&a.cell, bytes);
        roomy_add(&b, 7); /* is overwritten */
        with_room(&b, exblas_cell_import(&b.cell, bytes, n_bytes));
        assert_same_bits(exblas_cell_to_double(&b.cell), oracle_round(&o, FORMAT_D));
        assert_int_equal(exblas_cell_count(&b.cell), n);
        assert_int_equal(exblas_cell_export(&b.cell, again), n_bytes);
        assert_memory_equal(bytes, again, n_bytes);
        shuffle(&r, n, x, NULL);
        exblas_cell_clear(&a.cell);
        for (int i = 0; i < n; i++)
            roomy_add(&a, x[i]);
        assert_int_equal(exblas_cell_export(&a.cell, again), n_bytes);
        assert_memory_equal(bytes, again, n_bytes);
    }
}

/* The documented bytes of a few numbers, without the CRC. */
static void documented_form(NO_STATE)
{
    static const struct {
        double x;
        unsigned char head[8], place[4];
        size_t n_number;
        unsigned char number[9];
    } cases[] = {
        {0, {'E', 'x', 'C', 'e', 1, 0, 0, 0}, {0, 0, 0, 0}, 0, {0}},
        {1, {'E', 'x', 'C', 'e', 1, 0, 1, 0}, {268 & 255, 1, 0, 0}, 1, {0x10}},
        {-1, {'E', 'x', 'C', 'e', 1, 0, 1, 0}, {268 & 255, 1, 0, 0}, 1, {0xf0}},
        {8, {'E', 'x', 'C', 'e', 1, 0, 2, 0}, {268 & 255, 1, 0, 0}, 2, {0x80, 0}},
        {-8, {'E', 'x', 'C', 'e', 1, 0, 1, 0}, {268 & 255, 1, 0, 0}, 1, {0x80}},
        {INFINITY, {'E', 'x', 'C', 'e', 1, 1, 0, 0}, {0, 0, 0, 0}, 0, {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[EXBLAS_CELL_BYTES], checked[EXBLAS_CELL_BYTES];
        roomy_cell a;
        roomy_clear(&a);
        roomy_add(&a, cases[i].x);
        size_t n_bytes = exblas_cell_export(&a.cell, bytes);
        size_t n_counts = isinf(cases[i].x) ? 24 : 0;
        assert_int_equal(n_bytes, 24 + n_counts + cases[i].n_number);
        assert_memory_equal(bytes, cases[i].head, 8);
        assert_memory_equal(bytes + 12, cases[i].place, 4);
        assert_int_equal(bytes[16], 1);
        if (n_counts)
            assert_int_equal(bytes[24], 1);
        assert_memory_equal(bytes + 24 + n_counts, cases[i].number, cases[i].n_number);
        memcpy(checked, bytes + 4, 4);
        memcpy(checked + 4, bytes + 12, n_bytes - 12);
        uint32_t crc = crc32_bitwise(checked, n_bytes - 8);
        for (int j = 0; j < 4; j++)
            assert_int_equal(bytes[8 + j], crc >> 8 * j & 255);
    }
}

static void refuse(const unsigned char *bytes, size_t n_bytes)
{
    roomy_cell c;
    roomy_clear(&c);
    roomy_add(&c, 0.1);
    exblas_cell_widen(&c.cell, &c.room);
    assert_int_equal(exblas_cell_import(&c.cell, bytes, n_bytes), EXBLAS_EFORMAT);
    assert_same_bits(exblas_cell_to_double(&c.cell), 0.1);
}

/* Every single bit that is flipped, every length, and forged fields with a CRC that is right. */
static void refuses_damage(NO_STATE)
{
    static const double sums[][4] = {{0.1, 0.2, 0.3, 0}, {1e300, 1e-300, 1, 5}, {INFINITY, 1, NAN}};
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
        unsigned char bytes[EXBLAS_CELL_BYTES + 1] = {0}, payload[EXBLAS_CELL_BYTES];
        roomy_cell c;
        roomy_clear(&c);
        for (int i = 0; i < 4; i++)
            roomy_add(&c, sums[k][i]);
        size_t n_bytes = exblas_cell_export(&c.cell, bytes);
        for (size_t bit = 0; bit < 8 * n_bytes; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            refuse(bytes, n_bytes);
            if (bit / 8 >= 12 || bit / 8 / 4 == 1) { /* once more, the CRC with it */
                uint32_t crc;
                bool is_other_sum = bit / 8 >= 16;
                memcpy(payload, bytes + 4, 4);
                memcpy(payload + 4, bytes + 12, n_bytes - 12);
                unsigned char old[4];
                memcpy(old, bytes + 8, 4);
                crc = crc32_bitwise(payload, n_bytes - 8);
                for (int j = 0; j < 4; j++)
                    bytes[8 + j] = (unsigned char)(crc >> 8 * j);
                if (!is_other_sum && bit / 16 != 6)
                    refuse(bytes, n_bytes);
                memcpy(bytes + 8, old, 4);
            }
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        for (size_t length = 0; length <= n_bytes + 1; length++)
            if (length != n_bytes)
                refuse(bytes, length);
    }
}

/* Three doubles are enough for many sums that were wide once. */
static void reads_into_little(NO_STATE)
{
    unsigned char bytes[EXBLAS_CELL_BYTES];
    roomy_cell a;
    exblas_cell b = {.n_or_wide = 0};
    roomy_clear(&a);
    roomy_add(&a, 1e300);
    roomy_add(&a, 1);
    roomy_add(&a, 1e-300);
    roomy_add(&a, 0x1p-1074);
    size_t n_bytes = exblas_cell_export(&a.cell, bytes);
    assert_int_equal(exblas_cell_import(&b, bytes, n_bytes), EXBLAS_ENOMEM);
    assert_int_equal(exblas_cell_count(&b), 0);
    assert_int_equal(exblas_cell_sub(&a.cell, 1e300), EXBLAS_OK);
    n_bytes = exblas_cell_export(&a.cell, bytes);
    assert_int_equal(exblas_cell_import(&b, bytes, n_bytes), EXBLAS_OK);
    assert_int_equal(exblas_cell_count(&b), 3);
    with_room(&a, exblas_cell_subtract(&a.cell, &b));
    assert_same_bits(exblas_cell_to_double(&a.cell), 0);
}

/* Sums of products at both ends of the range. */
static void ends_of_the_range(NO_STATE)
{
    unsigned char bytes[EXBLAS_CELL_BYTES];
    for (int sign = -1; sign <= 1; sign += 2) {
        roomy_cell a, b;
        roomy_clear(&a);
        roomy_clear(&b);
        roomy_add_product(&a, sign * 0x1p-1074, 0x1p-1074);
        for (int i = 0; i < 60; i++) {
            roomy_add_product(&a, sign * DBL_MAX, DBL_MAX);
            with_room(&a, exblas_cell_combine(&a.cell, &a.cell));
        }
        size_t n_bytes = exblas_cell_export(&a.cell, bytes);
        with_room(&b, exblas_cell_import(&b.cell, bytes, n_bytes));
        with_room(&b, exblas_cell_subtract(&b.cell, &a.cell));
        assert_int_equal(exblas_cell_export(&b.cell, bytes), 24);
        assert_int_equal(exblas_cell_count(&b.cell), 0);
    }
}

TESTS(reads_back, documented_form, refuses_damage, reads_into_little, ends_of_the_range)
