/* Sums of few terms, which know when they are exact and when no flag but that of inexact results
 * can have been raised: the exact sum lies inside every enclosure, ties of numbers that do not
 * differ too much are decided, and the caller's flags are as they were, next to the least numbers
 * that are quiet and below. */
#include "core/kernels.h"

#include "control_register.h"
#include "enclosing.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <float.h>
#include <math.h>

enum { MOST = EXB_FEW + 8, N_KINDS = 9 };
static double x[MOST], y[MOST];
static float xs[MOST], ys[MOST];

/* Numbers of one kind; 0 to 3 next to EXB_FEW_LEAST, from above and from below. */
static double number_of(test_random *r, int kind)
{
    double u = fabs(random_number(r, FORMAT_D, 0)), sign = random_sign(r);
    switch (kind) {
    case 0:
        return sign * EXB_FEW_LEAST * (random_between(r, 0, 3) ? u : 1);
    case 1:
        return sign * EXB_FEW_LEAST * (random_between(r, 0, 9) ? u : 1 - 0x1p-53);
    case 2:
        return sign * u * (random_between(r, 0, 1) ? EXB_FEW_LEAST : 0x1p500);
    case 3:
        return random_between(r, 0, 2) ? sign * u : 0;
    case 4:
        return sign * u * (random_between(r, 0, 9) ? 1 : 0x1p-1030);
    case 5:
        return sign * u * 0x1p-540;
    case 6:
        return sign * u * (random_between(r, 0, 9) ? 0x1p1000 : 0x1p1023);
    case 7:
        return sign * (double)random_between(r, 0, 1000) / 100;
    default:
        return random_between(r, 0, 9)   ? sign * u
               : random_between(r, 0, 1) ? HUGE_VAL
                                         : (double)NAN;
    }
}

static float float_of(test_random *r, int kind)
{
    float u = fabsf((float)random_number(r, FORMAT_S, 0)), sign = (float)random_sign(r);
    switch (kind) {
    case 0:
        return sign * FLT_MIN * (random_between(r, 0, 3) ? u : 1);
    case 1:
        return sign * FLT_MIN * (random_between(r, 0, 9) ? u : 0.5F);
    case 2:
        return sign * u * (random_between(r, 0, 1) ? FLT_MIN : 0x1p60F);
    case 5:
        return sign * u * 0x1p-75F;
    case 6:
        return sign * u * (random_between(r, 0, 9) ? 0x1p120F : 0x1p126F);
    default:
        return (float)number_of(r, kind);
    }
}

static void fill(test_random *r, int kind, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = number_of(r, kind);
        y[i] = number_of(r, kind);
        xs[i] = float_of(r, kind);
        ys[i] = float_of(r, kind);
    }
}

static void add_to_oracle(oracle *o, exb_term term, double a, double b)
{
    if (term == EXB_TERM_XY)
        oracle_add_product(o, a, b);
    else
        oracle_add(o, term == EXB_TERM_X ? a : fabs(a));
}

static void check(exb_term term, int64_t n, oracle *o)
{
    oracle_reset(o);
    for (int64_t i = 0; i < n; i++)
        add_to_oracle(o, term, x[i], y[i]);
    exb_few few = exb_kernels_current()->d.few(term, n, x, y);
    assert_encloses(o, few.v);
    for (int64_t i = 0; i < n && few.quiet; i++) {
        assert_true(x[i] == 0 || !(fabs(x[i]) < EXB_FEW_LEAST));
        assert_true(term != EXB_TERM_XY || y[i] == 0 || !(fabs(y[i]) < EXB_FEW_LEAST));
    }
    oracle_reset(o);
    for (int64_t i = 0; i < n; i++)
        add_to_oracle(o, term, xs[i], ys[i]);
    assert_encloses(o, exb_kernels_current()->s.few(term, n, xs, ys).v);
}

static void sums_lie_inside(void **state)
{
    (void)state;
    oracle o;
    oracle_init(&o);
    test_random r = test_random_start(test_seed(), "few");
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int64_t n = 0; n <= EXB_FEW; n++) {
            fill(&r, kind, n);
            for (int isa = 0; isa < exb_isa_count(); isa++)
                for (int term = EXB_TERM_X; term <= EXB_TERM_XY; term++)
                    if (exb_isa_select(exb_isa_name(isa)) == 0)
                        check((exb_term)term, n, &o);
        }
    oracle_clear(&o);
}

/* Every number is within 2^40 of the others: the sum is exact, ties or not. */
static void ties_are_decided(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "few ties");
    for (int isa = 0; isa < exb_isa_count(); isa++)
        for (int64_t n = 1; n <= EXB_FEW && exb_isa_select(exb_isa_name(isa)) == 0; n++) {
            for (int64_t i = 0; i < n; i++)
                x[i] = random_number(&r, FORMAT_D, -(int)random_between(&r, 0, 39));
            x[0] = 1;
            assert_true(exb_kernels_current()->d.few(EXB_TERM_X, n, x, NULL).v.exact);
        }
}

#if defined(__x86_64__)

/* Results go here, not to be left out, and without a conversion, which could raise a flag. */
static volatile double sink;
static volatile float sink_s;

static void calls(int64_t n)
{
    sink = excblas_dsum_64(n, x, 1);
    sink = excblas_dasum_64(n, x, 1);
    sink = excblas_ddot_64(n, x, 1, y, 1);
    sink_s = excblas_ssum_64(n, xs, 1);
    sink_s = excblas_sasum_64(n, xs, 1);
    sink_s = excblas_sdot_64(n, xs, 1, ys, 1);
    sink = excblas_dnrm2_64(n, x, 1);
}

static void flags_are_kept(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "few flags");
    static const unsigned raised[] = {0x20, 0, 0x3f, 0x24};
    if (!register_is_real())
        leave_test("the control register is emulated");
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int64_t n = 1; n <= MOST; n++) {
            fill(&r, kind, n);
            for (int k = 0; k < 4; k++) {
                unsigned before = REGISTER_DEFAULT | raised[k];
                register_set(before);
                calls(n);
                unsigned after = register_get();
                register_set(REGISTER_DEFAULT);
                if (after != before)
                    print_error("kind %d, %d terms, flags %#x\n", kind, (int)n, before);
                assert_int_equal(after, before);
            }
        }
}

static void expect_inexact_alone(int64_t n)
{
    register_set(REGISTER_DEFAULT | 0x20);
    calls(n);
    unsigned after = register_get();
    register_set(REGISTER_DEFAULT);
    assert_int_equal(after, REGISTER_DEFAULT | 0x20);
}

/* Sums that are rounded to the largest double while the ends of what encloses them overflow, and
 * products of floats that are rounded to the least normal one, and underflow. */
static void rounding_at_limits_raises_nothing(void **state)
{
    (void)state;
    if (!register_is_real())
        leave_test("the control register is emulated");
    for (int isa = 0; isa < exb_isa_count(); isa++)
        for (int sign = -1; sign <= 1 && exb_isa_select(exb_isa_name(isa)) == 0; sign += 2)
            for (int64_t i = 0; i < 4; i++) {
                const double numbers[] = {DBL_MAX, 0x1p969, 0x1p969 * (1 - 0x1p-52), 1};
                for (int64_t k = 0; k < 4; k++) {
                    x[k] = sign * numbers[(k + i) % 4];
                    y[k] = 1;
                    xs[k] = k == i ? 0x1p-63F : (k == (i + 1) % 4 ? 0x1p-75F : 0);
                    ys[k] = (float)sign * (k == i ? 0x1p-63F : -0.75F * 0x1p-75F);
                }
                expect_inexact_alone(4);
                assert_true(sink_s == (float)sign * FLT_MIN);
                for (int64_t k = 0; k < 4; k++)
                    x[k] = x[k] == sign ? 0 : x[k];
                expect_inexact_alone(4);
            }
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_lie_inside),
        cmocka_unit_test(ties_are_decided),
#if defined(__x86_64__)
        cmocka_unit_test(flags_are_kept),
        cmocka_unit_test(rounding_at_limits_raises_nothing),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
