/* Sums of complex floats, their magnitudes and products that are added up plainly: the exact sum
 * lies inside every enclosure, also of data that loses nearly half a unit in each addition; sums
 * that this leaves open beside a tie come out right; and ordinary data is decided, or all else
 * would hide that nothing is. */
#include "core/arith/enclosure.h"
#include "core/kernels.h"

#include "adversarial.h"
#include "isa_from.h"
#include "oracle.h"
#include "testing.h"

#include <exblas/cblas.h>

enum { MOST = 2048 }; /* pairs */
static double part[2][MOST];
static float x[2 * MOST];

typedef void visit(exb_term term, int64_t n, oracle *o);

/* The pairs from both parts, for every instruction set. */
static void each_isa(visit *f, exb_term term, int64_t n, oracle *o)
{
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            x[2 * i + k] = (float)part[k][i];
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        f(term, n, o);
}

static exb_enclosure plain(double sum, double e)
{
    return (exb_enclosure){sum, 0, e, e == 0};
}

/* Of both parts. */
static void enclosures(exb_term term, int64_t n, exb_enclosure v[2])
{
    double sum[4], e[4];
    bool squares = term == EXB_TERM_XX;
    exb_kernels_current()->s.plain_parts(squares ? EXB_TERM_XY : term, false, 2 * n, x,
                                         squares ? x : NULL, sum, e);
    for (int k = 0; k < 2; k++)
        v[k] = plain(sum[k], e[k]);
}

static void oracle_part(oracle *o, exb_term term, int k, int64_t n)
{
    oracle_reset(o);
    for (int64_t i = 0; i < n; i++) {
        double t = x[2 * i + k];
        if (term == EXB_TERM_XX)
            oracle_add_product(o, t, t);
        else
            oracle_add(o, term == EXB_TERM_X ? t : fabs(t));
    }
}

/* How far the sum is off, in units of 2^-53; NaN unless all is finite. */
static double error_of(const oracle *o, exb_enclosure v)
{
    double result = NAN;
    MPFR(d, 2000);
    if (mpfr_number_p(o->sum) && v.h - v.h == 0) {
        mpfr_sub_d(d, o->sum, v.h, MPFR_RNDN);
        mpfr_abs(d, d, MPFR_RNDU);
        assert_true(v.exact ? mpfr_zero_p(d) : mpfr_cmp_d(d, v.e) <= 0);
        result = 0x1p53 * mpfr_get_d(d, MPFR_RNDU);
    }
    return result;
}

static void assert_encloses(const oracle *o, exb_enclosure v)
{
    float rounded;
    error_of(o, v);
    if (o->has_nan || o->has_pos_inf || o->has_neg_inf)
        assert_false(exb_enclosure_round_s(v, &rounded));
}

/* The products with the same vector read backwards, its parts exchanged. */
static void encloses_products(int64_t n, oracle *o)
{
    static float y[2 * MOST];
    double sum[4], e[4];
    for (int64_t i = 0; i < 2 * n; i++)
        y[i] = x[2 * n - 1 - i];
    exb_kernels_current()->s.plain_parts(EXB_TERM_XY, true, 2 * n, x, y, sum, e);
    for (int k = 0; k < 6; k++) { /* four sums, and two of them together */
        oracle_reset(o);
        for (int64_t i = 0; i < n; i++)
            for (int j = 0; j < 4; j++)
                if (k < 4 ? j == k : j / 2 == k - 4)
                    oracle_add_product(o, x[2 * i + j % 2], y[2 * i + (j == 1 || j == 2)]);
        int at = 2 * (k - 4);
        assert_encloses(o, k < 4 ? plain(sum[k], e[k])
                                 : plain(sum[at] + sum[at + 1], e[at] + e[at + 1]));
    }
}

static void encloses(exb_term any, int64_t n, oracle *o)
{
    static const exb_term terms[] = {EXB_TERM_X, EXB_TERM_ABS_X, EXB_TERM_XX};
    exb_enclosure v[2];
    (void)any;
    for (int t = 0; t < 3; t++) {
        enclosures(terms[t], n, v);
        for (int k = 0; k < 2; k++) {
            oracle_part(o, terms[t], k, n);
            assert_encloses(o, v[k]);
        }
    }
    encloses_products(n, o);
}

static const int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 50, 100, 333, MOST};

static void encloses_hostile_data(NO_STATE)
{
    ORACLE(o);
    test_random r = test_random_start(test_seed(), "plain parts");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t kind = 0; kind < terms_kinds(); kind++) {
            terms_fill(kind, &r, FORMAT_S, lengths[i], part[0]);
            terms_fill((kind + i) % terms_kinds(), &r, FORMAT_S, lengths[i], part[1]);
            each_isa(encloses, EXB_TERM_X, lengths[i], &o);
        }
}

/* Each lane starts at 1 and then takes terms just above half a unit, which it rounds up: n
 * additions lose nearly 2^-53 each, of the n + 3 that the bound holds. */
static void drifts(exb_term term, int64_t n, oracle *o)
{
    enum { SLACK = 128 };
    exb_enclosure v[2];
    enclosures(term, n, v);
    for (int k = 0; k < 2; k++) {
        oracle_part(o, term, k, n);
        assert_true(error_of(o, v[k]) > 0.99 * (double)(n - SLACK));
    }
}

static void every_addition_loses_half_a_unit(NO_STATE)
{
    ORACLE(o);
    for (int64_t i = 0; i < MOST; i++) /* lanes of 32 */
        part[0][i] = part[1][i] = i < 32 ? 1 : 0x1.6a09e8p-27;
    each_isa(drifts, EXB_TERM_XX, MOST, &o);
    for (int64_t i = 0; i < MOST; i++) /* lanes of 16 elements of a part at most */
        part[0][i] = part[1][i] = i < 16 ? 1 : (double)0x1.000002p-53f;
    each_isa(drifts, EXB_TERM_X, MOST, &o);
}

/* csum beside ties: 1 + 2^-24 and what decides, far below a plain sum's last bit, or nothing. */
static void ties_are_right(exb_term term, int64_t n, oracle *o)
{
    float result[2];
    excblas_csum_sub((int)n, x, 1, result);
    for (int k = 0; k < 2; k++) {
        oracle_part(o, term, k, n);
        assert_same_bits(result[k], oracle_round(o, FORMAT_S));
    }
}

static void ties(NO_STATE)
{
    static const double below[] = {0, 0x1p-90, -0x1p-90, 0x1p-149, -0x1p-53, NAN, -INFINITY};
    enum { N_BELOW = sizeof below / sizeof *below };
    ORACLE(o);
    test_random r = test_random_start(test_seed(), "plain ties");
    for (size_t i = 2; i < sizeof lengths / sizeof *lengths; i++)
        for (int j = 0; j < 2 * N_BELOW; j++) {
            int64_t n = lengths[i];
            memset(part, 0, sizeof part);
            for (int k = 0; k < 2; k++) {
                double sign = (j + k) % 2 ? 1 : -1;
                part[k][random_between(&r, 0, n - 1)] += sign;
                part[k][random_between(&r, 0, n - 1)] += sign * 0x1p-24;
                part[k][random_between(&r, 0, n - 1)] = below[(j / 2 + k) % N_BELOW];
            }
            each_isa(ties_are_right, EXB_TERM_X, n, &o);
        }
}

static int n_decided, n_asked;

static void count_decided(exb_term term, int64_t n, oracle *o)
{
    exb_enclosure v[2];
    float result;
    (void)o;
    enclosures(term, n, v);
    for (int k = 0; k < 2; k++) {
        n_decided += exb_enclosure_round_s(v[k], &result);
        n_asked++;
    }
}

/* Sums of a few floats of one magnitude do end in ties. */
static void ordinary_data_is_decided(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "plain ordinary");
    for (int round = 0; round < 10; round++)
        for (size_t i = 5; i < sizeof lengths / sizeof *lengths; i++) {
            for (int64_t j = 0; j < lengths[i]; j++)
                for (int k = 0; k < 2; k++)
                    part[k][j] = (float)random_number(&r, FORMAT_D, (int)random_between(&r, 0, 9));
            each_isa(count_decided, EXB_TERM_X, lengths[i], NULL);
        }
    assert_true(n_decided > n_asked - n_asked / 16);
}

TESTS(encloses_hostile_data, every_addition_loses_half_a_unit, ties, ordinary_data_is_decided)
