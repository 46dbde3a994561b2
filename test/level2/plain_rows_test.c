/* Rows of floats times one vector or two, added up plainly by every instruction set: the exact sum
 * lies inside every enclosure, of hostile data, of products beyond the range of floats and of lanes
 * that lose nearly half a unit in each addition; and what is 0 for certain is known. */
#include "core/kernels.h"

#include "adversarial.h"
#include "isa_from.h"
#include "oracle.h"
#include "testing.h"

enum { MOST = 2048, LDA = MOST + 3, GROWTH = 2, ROOM = EXB_ROW_GROUP * (LDA + 2 * GROWTH) };

static float a[ROOM], x[2][MOST];
static double largest_share; /* of an error in its bound */

static int64_t row_at(int r)
{
    return r * LDA + r * (r - 1) / 2 * GROWTH;
}

static void check_row(const float *row, const float *with, int64_t n, double sum, double e)
{
    ORACLE(o);
    MPFR(d, 2000);
    for (int64_t i = 0; i < n; i++)
        oracle_add_product(&o, row[i], with[i]);
    if (!mpfr_number_p(o.sum) || o.has_nan || o.has_pos_inf || o.has_neg_inf) {
        assert_false(sum + e - sum <= DBL_MAX);
        return;
    }
    mpfr_sub_d(d, o.sum, sum, MPFR_RNDN);
    double error = fabs(mpfr_get_d(d, MPFR_RNDA));
    if (!(error <= e && e <= DBL_MAX))
        fail_msg("%s, %d terms: error %a, bound %a", exb_isa_current(), (int)n, error, e);
    largest_share = e > 0 && error / e > largest_share ? error / e : largest_share;
}

static void check(int64_t n)
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (int parts = 1; parts <= 2; parts++) {
            double sum[EXB_ROW_GROUP], e[EXB_ROW_GROUP];
            exb_kernels_current()->s.plain_rows(EXB_OF_REALS, EXB_ROW_GROUP, n, a, LDA, GROWTH,
                                                x[0], parts == 2 ? x[1] : NULL, sum, e);
            for (int r = 0; r < EXB_ROW_GROUP; r++)
                check_row(a + row_at(r / parts), x[r % parts], n, sum[r], e[r]);
        }
}

static const int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 50, 100, 333, MOST};

static void fill(test_random *r, size_t kind, int64_t n, float *to)
{
    double terms[MOST];
    terms_fill(kind % terms_kinds(), r, FORMAT_S, n, terms);
    for (int64_t i = 0; i < n; i++)
        to[i] = (float)terms[i];
}

static void encloses_hostile_data(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "plain rows");
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (size_t kind = 0; kind < terms_kinds(); kind++) {
            for (int row = 0; row < EXB_ROW_GROUP; row++)
                fill(&r, kind + (size_t)row, lengths[l], a + row_at(row));
            fill(&r, kind + l, lengths[l], x[0]);
            fill(&r, kind / 2, lengths[l], x[1]);
            check(lengths[l]);
        }
}

/* All of like size: their sums are as large as floats and doubles may have them, or as small. */
static void encloses_extremes(NO_STATE)
{
    static const int exp2[][3] = {{0, 0, -30},     {0, -30, 0},      {-75, -74, 0},
                                  {-75, -76, -74}, {-100, -49, -49}, {-149, -149, 0},
                                  {70, 70, -40},   {127, 127, 127}};
    test_random r = test_random_start(test_seed(), "extremes");
    for (size_t k = 0; k < sizeof exp2 / sizeof *exp2; k++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            for (int64_t i = 0; i < ROOM; i++)
                a[i] = (float)random_number(&r, FORMAT_S, exp2[k][0]);
            for (int part = 0; part < 2; part++)
                for (int64_t i = 0; i < MOST; i++)
                    x[part][i] = (float)random_number(&r, FORMAT_S, exp2[k][1 + part]);
            check(lengths[l]);
        }
}

/* Lanes begin with 1, and what they take then they round up by nearly half a unit. */
static void every_addition_loses_half_a_unit(NO_STATE)
{
    for (int lanes = 4; lanes <= 16; lanes *= 2) {
        largest_share = 0;
        for (int64_t i = 0; i < MOST; i++)
            x[0][i] = x[1][i] = i < lanes ? 1 : 0x1.6a09e8p-27f;
        for (int row = 0; row < EXB_ROW_GROUP; row++)
            memcpy(a + row_at(row), x[0], sizeof x[0]);
        check(MOST);
        assert_true(lanes != 8 || largest_share > 0.45);
    }
}

/* Products of 0, and one below all floats. */
static void zeros_are_exact(NO_STATE)
{
    memset(a, 0, sizeof a);
    for (int64_t i = 0; i < MOST; i++)
        x[0][i] = x[1][i] = 0x1p-149f;
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        double sum[EXB_ROW_GROUP], e[EXB_ROW_GROUP];
        a[row_at(1) + 10] = 0;
        exb_kernels_current()->s.plain_rows(EXB_OF_REALS, EXB_ROW_GROUP, 20, a, LDA, GROWTH, x[0],
                                            NULL, sum, e);
        for (int r = 0; r < EXB_ROW_GROUP; r++)
            assert_true(sum[r] == 0 && e[r] == 0);
        a[row_at(1) + 10] = 0x1p-149f;
        exb_kernels_current()->s.plain_rows(EXB_OF_REALS, EXB_ROW_GROUP, 20, a, LDA, GROWTH, x[0],
                                            NULL, sum, e);
        for (int r = 0; r < EXB_ROW_GROUP; r++)
            assert_true(sum[r] == (r == 1 ? 0x1p-298 : 0) && (e[r] > 0) == (r == 1));
        x[0][10] = a[row_at(1) + 10] = 3; /* where one of two vectors is 0 */
        x[1][10] = 0;
        exb_kernels_current()->s.plain_rows(EXB_OF_REALS, EXB_ROW_GROUP, 20, a, LDA, GROWTH, x[0],
                                            x[1], sum, e);
        for (int r = 0; r < EXB_ROW_GROUP; r++)
            assert_true((e[r] > 0) == (r == 2));
        x[0][10] = x[1][10] = 0x1p-149f;
    }
}

TESTS(encloses_hostile_data, encloses_extremes, every_addition_loses_half_a_unit, zeros_are_exact)
