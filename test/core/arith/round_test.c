/* From exact to floating point: ties, sticky bits far below, borders. */
#include "core/arith/round.h"

#include "core/arith/enclosure.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

typedef struct {
    const char *name;
    double term[4];
    double d; /* expected in double */
    double s; /* in float */
} edge;

#define TINY 0x1p-1074

static const edge edges[] = {
    {"nothing", {0}, 0, 0},
    {"negative zeros", {-0.0, -0.0}, 0, 0},
    {"exact cancellation", {1, -1}, 0, 0},
    {"tie to even down", {1, 0x1p-53}, 1, 1},
    {"tie to even up", {0x1.0000000000001p0, 0x1p-53}, 0x1.0000000000002p0, 1},
    {"tie broken up by a bit 1021 places below", {1, 0x1p-53, TINY}, 0x1.0000000000001p0, 1},
    {"tie broken down", {1, 0x1p-53, -TINY}, 1, 1},
    {"below a power of two", {1, -0x1p-54, -TINY}, 0x1.fffffffffffffp-1, 1},
    {"tie below a power of two", {1, -0x1p-54}, 1, 1},
    {"float tie", {1, 0x1p-24}, 0x1.000001p0, 1},
    {"float tie broken up", {1, 0x1p-24, TINY}, 0x1.000001p0, 0x1.000002p0},
    {"float tie broken down", {1, 0x1p-24, -TINY}, 0x1.000001p0, 1},
    {"smallest", {TINY}, TINY, 0},
    {"negative underflow keeps its sign", {-TINY}, -TINY, -0.0},
    {"float subnormal tie", {0x1p-150}, 0x1p-150, 0},
    {"float subnormal above the tie", {0x1p-150, TINY}, 0x1p-150, 0x1p-149},
    {"float subnormal tie to even", {0x1.8p-149}, 0x1.8p-149, 0x1p-148},
    {"largest subnormal + 1", {0x0.fffffffffffffp-1022, TINY}, 0x1p-1022, 0},
    {"overflow midpoint", {DBL_MAX, 0x1p970}, INFINITY, INFINITY},
    {"below the overflow midpoint", {DBL_MAX, 0x1p970, -TINY}, DBL_MAX, INFINITY},
    {"negative overflow", {-DBL_MAX, -0x1p970}, -INFINITY, -INFINITY},
    {"overflow on the way", {DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX}, 0, 0},
    {"float overflow midpoint", {0x1.fffffep127, 0x1p103}, 0x1.ffffffp127, INFINITY},
    {"below it", {0x1.fffffep127, 0x1p103, -TINY}, 0x1.ffffffp127, 0x1.fffffep127},
};

static void edges_both_signs(NO_STATE)
{
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            exb_product_acc storage;
            exb_superacc *a = exb_product_acc_init(&storage);
            for (int k = 0; k < 4; k++)
                exb_superacc_add(a, sign * edges[i].term[k]);
            bool is_zero = exb_superacc_sign(a) == 0; /* an exact zero is +0 */
            double d = is_zero ? 0 : sign * edges[i].d, s = is_zero ? 0 : sign * edges[i].s;
            if (!same_bits(exb_superacc_round(exb_format_d(), a), d) ||
                !same_bits(exb_superacc_round(exb_format_s(), a), s))
                fail_msg("%s, sign %d", edges[i].name, sign);
        }
}

/* Rounding to odd, then to float, is rounding once. */
static void odd_rounding(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "odd");
    for (int i = 0; i < 50000; i++) {
        double x = random_number(&r, FORMAT_S, (int)random_between(&r, -149, 126));
        double h = x + half_ulp(x, FORMAT_S);
        double l = random_sign(&r) * power_of_two((int)random_between(&r, -1074, -200));
        float result;
        ORACLE(o);
        oracle_add(&o, h);
        oracle_add(&o, l);
        assert_true(exb_enclosure_round_s((exb_enclosure){h, l, 0, true}, &result));
        assert_same_bits((double)result, oracle_round(&o, FORMAT_S));
    }
}

TESTS(edges_both_signs, odd_rounding)
