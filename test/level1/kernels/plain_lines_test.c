/* Lines of doubles in plain arithmetic: for every instruction set the bits of the loops that their
 * contract says, and nothing beside. */
#include "core/kernels.h"

#include "level1/kernels/plain_lines.h"
#include "isa_from.h"
#include "test_random.h"
#include "testing.h"

#include <math.h>
#include <string.h>

enum { MOST = 80, LD = MOST + 3, ROOM = LD * MOST };

static double m[ROOM], expected[ROOM], found[ROOM];

static void random_numbers(test_random *r, double *x)
{
    for (int i = 0; i < ROOM; i++)
        x[i] = random_number(r, FORMAT_D, (int)random_between(r, -3, 3));
}

static void same(void)
{
    assert_memory_equal(found, expected, sizeof found);
}

static void check_lines(const exb_line_kernels *k, int n, test_random *r)
{
    double x[4];
    for (int l = 0; l < 4; l++)
        x[l] = random_number(r, FORMAT_D, 0);
    for (int j = 0; j < n; j++)
        expected[j] += (fabs(m[j]) * x[0] + fabs(m[LD + j]) * x[1]) +
                       (fabs(m[2 * LD + j]) * x[2] + fabs(m[3 * LD + j]) * x[3]);
    k->add_magnitudes(n, m, LD, x, found);
    same();
    for (int j = 0; j < n; j++)
        expected[j] +=
            (m[j] * x[0] + m[LD + j] * x[1]) + (m[2 * LD + j] * x[2] + m[3 * LD + j] * x[3]);
    k->add_products(n, m, LD, x, found);
    same();
    for (int j = 0; j < n; j++) {
        expected[j] = found[LD + j];
        expected[LD + j] = found[j];
    }
    k->swap(n, found, found + LD);
    same();
}

static void check_transposes(const exb_kernels *k, int rows, int n)
{
    static float floats[ROOM];
    for (int i = 0; i < ROOM; i++)
        floats[i] = (float)m[i];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            expected[i * n + j] = m[j * LD + i];
    k->d.transpose(rows, n, m, LD, found, n);
    same();
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            expected[i * n + j] = floats[j * LD + i];
    k->s.transpose(rows, n, floats, LD, found, n);
    same();
}

static void bits_are_those_of_loops(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "lines");
    const char *before = exb_isa_current();
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        for (int n = 0; n <= MOST; n += n < 20 ? 1 : 12) {
            random_numbers(&r, m);
            random_numbers(&r, expected);
            memcpy(found, expected, sizeof found);
            check_lines(exb_kernels_current()->lines, n, &r);
            check_transposes(exb_kernels_current(), n, n);
            check_transposes(exb_kernels_current(), n, n / 2);
        }
    }
    assert_int_equal(exb_isa_select(before), 0);
}

TESTS(bits_are_those_of_loops)
