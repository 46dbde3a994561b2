/* Short sums, from their terms to the result: the exact sum lies inside every enclosure, what is
 * rounded is right, ties of numbers that do not differ too much are decided, and the caller's flags
 * are as they were. Kernels that say that they need no floating-point environment of their own find
 * and leave any. */
#include "core/kernels.h"

#include "control_register.h"
#include "enclosing.h"
#include "isa_from.h"
#include "modes.h"
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
    exb_enclosure v;
    double r;
    bool is_certain = exb_kernels_current()->d.few(term, n, x, y, &v, &r);
    assert_encloses(o, v);
    if (is_certain)
        assert_same_bits(r, oracle_round(o, FORMAT_D));
    float rs;
    oracle_reset(o);
    for (int64_t i = 0; i < n; i++)
        add_to_oracle(o, term, xs[i], ys[i]);
    is_certain = exb_kernels_current()->s.few(term, n, xs, ys, &v, &rs);
    assert_encloses(o, v);
    if (is_certain)
        assert_same_bits((double)rs, oracle_round(o, FORMAT_S));
}

static void sums_lie_inside(NO_STATE)
{
    ORACLE(o);
    test_random r = test_random_start(test_seed(), "few");
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int64_t n = 0; n <= EXB_FEW; n++) {
            fill(&r, kind, n);
            for (int isa = 0; isa < exb_isa_count(); isa++)
                for (int term = EXB_TERM_X; term <= EXB_TERM_XY; term++)
                    if (exb_isa_select(exb_isa_name(isa)) == 0)
                        check((exb_term)term, n, &o);
        }
}

/* Every number is within 2^40 of the others: the sum is exact, ties or not. */
static void ties_are_decided(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "few ties");
    for (int isa = 0; isa < exb_isa_count(); isa++)
        for (int64_t n = 1; n <= EXB_FEW && exb_isa_select(exb_isa_name(isa)) == 0; n++) {
            for (int64_t i = 0; i < n; i++)
                x[i] = random_number(&r, FORMAT_D, -(int)random_between(&r, 0, 39));
            x[0] = 1;
            exb_enclosure v;
            double r;
            assert_true(exb_kernels_current()->d.few(EXB_TERM_X, n, x, NULL, &v, &r));
            assert_true(v.exact);
        }
}

/* A tie of floats in one lane of any instruction set, and what breaks it below a double's last bit:
 * the tie alone is exact, the other no sum that lost it may be called. */
static void broken_ties_of_floats(NO_STATE)
{
    enum { N = 128, LANE = 32 };
    float numbers[N] = {0};
    for (int isa = 0; isa < exb_isa_count(); isa++)
        for (int below = 0; below < 2 && exb_isa_select(exb_isa_name(isa)) == 0; below++) {
            const float broken[] = {0x1p40F, 0x1p16F, 0x1.000002p0F, -1},
                        tie[] = {0x1p24F, 1, 1, -1};
            for (int i = 0; i < 4; i++)
                numbers[i * LANE] = below ? broken[i] : tie[i];
            exb_enclosure v;
            float r;
            bool is_certain = exb_kernels_current()->s.brief(EXB_TERM_X, N, numbers, &v, &r);
            assert_true(below ? !is_certain : is_certain && r == 0x1p24F);
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

static void flags_are_kept(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "few flags");
    static const unsigned raised[] = {0x20, 0, 0x3f, 0x24};
    if (!register_is_real())
        leave_test("the control register is emulated");
    for (int i = 0; i < 4 * N_KINDS * exb_isa_count(); i++) {
        int kind = i / 4 % N_KINDS;
        if (exb_isa_select(exb_isa_name(i / 4 / N_KINDS)) != 0)
            continue;
        for (int64_t n = 1; n <= MOST; n++) {
            fill(&r, kind, n);
            unsigned before = REGISTER_DEFAULT | raised[i % 4];
            register_set(before);
            calls(n);
            unsigned after = register_get();
            register_set(REGISTER_DEFAULT);
            if (after != before)
                print_error("kind %d, %d terms, flags %#x\n", kind, (int)n, before);
            assert_int_equal(after, before);
        }
    }
    mode_restore();
}

/* What the kernels for short sums make of x and of xs, if there are two for these. */
typedef struct {
    bool is_certain[4];
    double d[2];
    float s[2];
} short_sums;

static short_sums sums_of(exb_term term, int64_t n)
{
    const exb_kernels *k = exb_kernels_current();
    short_sums f = {.is_certain = {false}};
    exb_enclosure v;
    if (n <= EXB_FEW) {
        f.is_certain[0] = k->d.few(term, n, x, y, &v, &f.d[0]);
        f.is_certain[1] = k->s.few(term, n, xs, ys, &v, &f.s[0]);
    }
    if (n >= 8 && term != EXB_TERM_XY) {
        f.is_certain[2] = k->d.brief(term, n, x, &v, &f.d[1]);
        f.is_certain[3] = k->s.brief(term, n, xs, &v, &f.s[1]);
    }
    return f;
}

/* In any environment: nothing of it changes, no trap is sprung, and what is rounded is right. */
static void expect_in_any_environment(exb_term term, int64_t n, oracle *o)
{
    short_sums found[N_REGISTER_SETTINGS];
    for (int i = 0; i < N_REGISTER_SETTINGS; i++) {
        register_set(register_setting(i & 16 ? i & ~32 : i)); /* traps without their flags */
        unsigned before = register_get();
        found[i] = sums_of(term, n);
        unsigned after = register_get();
        register_set(REGISTER_DEFAULT);
        assert_int_equal(after, before);
    }
    for (int format = 0; format < 2; format++) {
        oracle_reset(o);
        for (int64_t i = 0; i < n; i++)
            add_to_oracle(o, term, format ? (double)xs[i] : x[i], format ? (double)ys[i] : y[i]);
        double right = oracle_round(o, format ? FORMAT_S : FORMAT_D);
        for (int i = 0; i < N_REGISTER_SETTINGS; i++)
            for (int kernel = 0; kernel < 2; kernel++)
                if (found[i].is_certain[2 * kernel + format])
                    assert_same_bits(format ? (double)found[i].s[kernel] : found[i].d[kernel],
                                     right);
    }
}

static void static_rounding_needs_no_environment(NO_STATE)
{
    int n_kernels = 0;
    ORACLE(o);
    test_random r = test_random_start(test_seed(), "static rounding");
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        if (!exb_kernels_current()->static_rounding)
            continue;
        n_kernels++;
        for (int kind = 0; kind < N_KINDS; kind++)
            for (int64_t n = 0; n <= MOST; n++)
                for (int term = EXB_TERM_X; term <= EXB_TERM_XY; term++) {
                    fill(&r, kind, n);
                    if (kind == N_KINDS - 1 && n > 0) { /* a signalling NaN */
                        x[random_between(&r, 0, n - 1)] = exb_from_bits(EXB_KEY_INF + 1);
                        xs[random_between(&r, 0, n - 1)] = exb_from_bits_f(0x7f800001);
                    }
                    expect_in_any_environment((exb_term)term, n, &o);
                }
    }
    if (n_kernels == 0)
        leave_test("no instruction set of this processor names its rounding");
}

TESTS(sums_lie_inside, ties_are_decided, broken_ties_of_floats, flags_are_kept,
      static_rounding_needs_no_environment)
#else
TESTS(sums_lie_inside, ties_are_decided, broken_ties_of_floats)
#endif
