/* segment_sum against the oracle. */
#include "adversarial.h"
#include "core/partition.h"
#include "hostile_env.h"
#include "modes.h"
#include "oracle.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <exblas/scatter.h>

enum { MOST_SEGMENTS = 300, MOST_TERMS = 60000 };

static struct {
    int n_segments;
    double x[MOST_TERMS], answer[MOST_SEGMENTS];
    float xf[MOST_TERMS];
    int32_t offset[MOST_SEGMENTS + 1];
    int64_t wide[MOST_SEGMENTS + 1];
} c;

/* Most segments are short or empty, some long, perhaps one very long. */
static int random_length(test_random *r, int room)
{
    int most = random_chance(r, 60) ? 20000 : random_chance(r, 20) ? 1500 : 20;
    int n = (int)random_between(r, random_chance(r, 3) ? 0 : 1, most);
    return n < room ? n : room;
}

static void make_case(test_random *r, number_format f)
{
    ORACLE(o);
    int begin = (int)random_between(r, 0, 3);
    c.n_segments = (int)random_between(r, 1, MOST_SEGMENTS);
    memset(c.x, 0, sizeof c.x);
    for (int i = 0; i <= c.n_segments; i++) {
        c.wide[i] = c.offset[i] = begin;
        if (i == c.n_segments)
            break;
        int n = random_length(r, MOST_TERMS - begin);
        terms_fill((size_t)random_between(r, 0, (int64_t)terms_kinds() - 1), r, f, n, c.x + begin);
        oracle_reset(&o);
        for (int k = 0; k < n; k++)
            oracle_add(&o, c.x[begin + k]);
        c.answer[i] = oracle_round(&o, f);
        begin += n;
    }
    for (int i = 0; i < MOST_TERMS; i++)
        c.xf[i] = f == FORMAT_S ? (float)c.x[i] : 0;
}

static exblas_status call(number_format f, bool narrow, double *y, float *yf)
{
    if (f == FORMAT_D)
        return narrow ? exblas_dsegment_sum(c.n_segments, c.offset, c.x, y)
                      : exblas_dsegment_sum_64(c.n_segments, c.wide, c.x, y);
    return narrow ? exblas_ssegment_sum(c.n_segments, c.offset, c.xf, yf)
                  : exblas_ssegment_sum_64(c.n_segments, c.wide, c.xf, yf);
}

static void check(number_format f, const call_mode *m, bool narrow)
{
    double y[MOST_SEGMENTS + 1];
    float yf[MOST_SEGMENTS + 1];
    y[c.n_segments] = yf[c.n_segments] = 77;
    mode_select(m);
    hostile_env_enter(m->level[FACTOR_ENVIRONMENT]);
    exblas_status status = call(f, narrow, y, yf);
    assert_true(hostile_env_leave());
    assert_int_equal(status, EXBLAS_OK);
    for (int i = 0; i < c.n_segments; i++)
        assert_same_bits(f == FORMAT_D ? y[i] : yf[i], c.answer[i]);
    assert_same_bits(f == FORMAT_D ? y[c.n_segments] : yf[c.n_segments], 77);
}

static void random_cases_in_all_modes(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "segments");
    print_message("# seed: TEST_SEED=%llu\n", (unsigned long long)test_seed());
    for (int round = 0; round < 40; round++) {
        number_format f = round % 2 ? FORMAT_S : FORMAT_D;
        make_case(&r, f);
        for (int i = 0; i < 10; i++) {
            call_mode m = *mode_next();
            if (i % 2)
                m.level[FACTOR_METHOD] = 0;
            check(f, &m, i % 3 == 0);
        }
    }
    mode_restore();
}

/* One segment of every length among short ones: below, at and above what a task takes. */
static void every_length(NO_STATE)
{
    enum { SEGMENTS = 12, LONGEST = 150 };
    static double ones[LONGEST + SEGMENTS];
    for (int i = 0; i < LONGEST + SEGMENTS; i++)
        ones[i] = 1;
    exb_partition_set_grain(1);
    exblas_set_num_threads(3);
    for (int n = 0; n <= LONGEST; n++) {
        int32_t offset[SEGMENTS + 1] = {0};
        double y[SEGMENTS] = {0};
        for (int i = 0; i < SEGMENTS; i++)
            offset[i + 1] = offset[i] + (i == n % SEGMENTS ? n : 1);
        assert_int_equal(exblas_dsegment_sum(SEGMENTS, offset, ones, y), EXBLAS_OK);
        for (int i = 0; i < SEGMENTS; i++)
            assert_same_bits(y[i], i == n % SEGMENTS ? n : 1);
    }
    mode_restore();
}

static void bad_arguments(NO_STATE)
{
    static const int32_t good[] = {1, 2, 2, 3}, down[] = {0, 2, 1, 3}, negative[] = {-1, 0, 1, 2},
                         empty[] = {2, 2, 2, 2};
    double x[3] = {1, 2, 4}, y[3] = {7, 7, 7};
    assert_int_equal(exblas_dsegment_sum(-1, good, x, y), EXBLAS_EINVAL);
    assert_int_equal(exblas_dsegment_sum(3, NULL, x, y), EXBLAS_EINVAL);
    assert_int_equal(exblas_dsegment_sum(3, good, NULL, y), EXBLAS_EINVAL);
    assert_int_equal(exblas_dsegment_sum(3, good, x, NULL), EXBLAS_EINVAL);
    assert_int_equal(exblas_dsegment_sum(3, down, x, y), EXBLAS_EINVAL);
    assert_int_equal(exblas_dsegment_sum(3, negative, x, y), EXBLAS_EINVAL);
    assert_int_equal(exblas_dsegment_sum(0, NULL, NULL, NULL), EXBLAS_OK);
    for (int i = 0; i < 3; i++)
        assert_same_bits(y[i], 7);
    assert_int_equal(exblas_dsegment_sum(3, good, x, y), EXBLAS_OK);
    assert_same_bits(y[0], 2);
    assert_same_bits(y[1], 0);
    assert_same_bits(y[2], 4);
    assert_int_equal(exblas_dsegment_sum(3, empty, NULL, y), EXBLAS_OK);
    for (int i = 0; i < 3; i++)
        assert_same_bits(y[i], 0);
}

TESTS(bad_arguments, every_length, random_cases_in_all_modes)
