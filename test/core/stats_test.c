/* Statistics of calls. */
#include "core/method.h"
#include "core/stats.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <pthread.h>

enum { N = 40, N_THREADS = 5, CALLS = 30 };

static double a[N * N], b[N * N], c[N * N];

static void fill(double rest)
{
    for (int i = 0; i < N * N; i++) {
        a[i] = i % 7 - 3 + rest * ((i * 37) % 101);
        b[i] = i % 5 - 2 + rest * ((i * 53) % 97);
    }
}

static void call(int n)
{
    excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, a, N, b, N, 0, c,
                  N);
}

static void restart(void)
{
    exblas_stats_enable(0);
    exblas_stats_enable(1);
}

static void nothing_to_report(NO_STATE)
{
    exblas_stats s;
    exblas_stats_enable(0);
    call(3);
    restart();
    assert_int_equal(exblas_stats_last(&s), EXBLAS_EINVAL);
    assert_int_equal(exblas_stats_total("dgemm", &s), EXBLAS_EINVAL);
    call(3);
    assert_int_equal(exblas_stats_last(&s), EXBLAS_OK);
    assert_int_equal(exblas_stats_last(NULL), EXBLAS_EINVAL);
    assert_int_equal(exblas_stats_total(NULL, &s), EXBLAS_EINVAL);
    assert_int_equal(exblas_stats_total("dgemm", NULL), EXBLAS_EINVAL);
    assert_int_equal(exblas_stats_total("sgemm", &s), EXBLAS_EINVAL);
    exblas_stats_enable(1); /* it is on: nothing is forgotten */
    assert_int_equal(exblas_stats_last(&s), EXBLAS_OK);
    exblas_stats_enable(0);
    call(5); /* not counted; what was counted stays */
    assert_int_equal(exblas_stats_total("dgemm", &s), EXBLAS_OK);
    assert_int_equal(s.calls, 1);
}

static void check_phases(const exblas_stats *s)
{
    double phases = s->convert + s->product + s->reconstruct + s->certify + s->fallback;
    assert_true(s->convert >= 0 && s->product >= 0 && s->reconstruct >= 0 && s->certify >= 0 &&
                s->fallback >= 0);
    assert_true(s->seconds > 0 && phases > 0 && phases <= s->seconds * 1.001 + 1e-6);
}

/* The total of two calls, of which the second was the last. */
static void check_total(const exblas_stats *first)
{
    exblas_stats last, total;
    assert_int_equal(exblas_stats_last(&last), EXBLAS_OK);
    assert_int_equal(exblas_stats_total("dgemm", &total), EXBLAS_OK);
    const struct {
        double first, last, total;
    } t[] = {{(double)first->fallbacks, (double)last.fallbacks, (double)total.fallbacks},
             {first->seconds, last.seconds, total.seconds},
             {first->convert, last.convert, total.convert},
             {first->product, last.product, total.product},
             {first->reconstruct, last.reconstruct, total.reconstruct},
             {first->certify, last.certify, total.certify},
             {first->fallback, last.fallback, total.fallback}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        assert_true(t[i].total == t[i].first + t[i].last);
    assert_int_equal(total.n_moduli, last.n_moduli);
    assert_string_equal(total.engine, last.engine);
}

/* Integers are decided by all engines, other numbers by none if all results are midpoints. */
static void engines(NO_STATE)
{
    static const char *const methods[][2] = {
        {"anchor", "anchor"}, {"residue", "residue"}, {"general", "general"}, {"fpe4", "general"}};
    exblas_set_num_threads(1);
    for (int i = 0; i < 4; i++) {
        exblas_stats s, t;
        if (i == 0 && strcmp(exblas_info("isa"), "generic") == 0)
            continue; /* no chains without FMA */
#if !defined(__x86_64__)
        if (i == 1)
            continue; /* no residues without products of bytes */
#endif
        assert_int_equal(exblas_set_method(methods[i][0]), EXBLAS_OK);
        restart();
        fill(0);
        call(N);
        assert_int_equal(exblas_stats_last(&s), EXBLAS_OK);
        assert_string_equal(s.engine, methods[i][1]);
        assert_int_equal(s.calls, 1);
        assert_int_equal(s.elements, N * N);
        assert_int_equal(s.fallbacks, i == 3 ? N * N : 0);
        assert_true(i == 1 ? s.n_moduli >= 5 && s.n_moduli <= 32 : s.n_moduli == 0);
        check_phases(&s);
        fill(0x1p-26); /* squares of 2^-26 beside integers: about half an ulp */
        call(N - 3);
        assert_int_equal(exblas_stats_total("dgemm", &t), EXBLAS_OK);
        assert_int_equal(t.calls, 2);
        assert_int_equal(t.elements, N * N + (N - 3) * (N - 3));
        check_phases(&t);
        check_total(&s);
    }
    exblas_set_method(NULL);
    exblas_set_num_threads(0);
    exblas_stats_enable(0);
}

/* Products of all sorts: small and large, few elements with many terms, floats, no terms. */
static void product(int sort)
{
    static double x[4 * 3000], y[9];
    static float f[N * N], g[N * N];
    switch (sort) {
    case 0:
        call(3);
        break;
    case 1:
        call(N);
        break;
    case 2:
        excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_TRANS, EXBLAS_NO_TRANS, 2, 2, 3000, 1, x, 3000, x,
                      3000, 0, y, 2);
        break;
    case 3:
        excblas_sgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, N, N, N, 1, f, N, f, N, 0,
                      g, N);
        break;
    case 4:
        excblas_dsyrk(EXBLAS_COL_MAJOR, EXBLAS_UPPER, EXBLAS_NO_TRANS, N, N, 1, a, N, 0, c, N);
        break;
    default:
        excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, 3, 3, 0, 1, a, N, b, N, 0,
                      c, N);
    }
}

/* A method is reported as what it chooses, and what no method chooses is none of their names. */
static void engines_and_methods(NO_STATE)
{
    static const char *const ways[] = {"small", "twice"};
    const exb_method *m;
    fill(0);
    for (int i = 0; (m = exb_method_at(i)) != NULL; i++)
        for (int sort = 0; sort <= 5; sort++) {
            exblas_stats s, again;
            assert_int_equal(exblas_set_method(m->name), EXBLAS_OK);
            restart();
            product(sort);
            assert_int_equal(exblas_stats_last(&s), EXBLAS_OK);
            assert_true(*s.engine);
            if (exblas_set_method(s.engine) != EXBLAS_OK)
                continue;
            restart();
            product(sort);
            assert_int_equal(exblas_stats_last(&again), EXBLAS_OK);
            if (strcmp(m->name, "auto") != 0 && strcmp(m->name, "filter") != 0)
                assert_string_equal(again.engine, s.engine);
        }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        assert_int_equal(exblas_set_method(ways[i]), EXBLAS_EINVAL);
    exblas_set_method(NULL);
    exblas_stats_enable(0);
}

/* All names of a routine count as one; the types apart; 16 characters are room enough. */
static void names(NO_STATE)
{
    static const char *const same[] = {
        "dgemm",    "DGEMM",    "cblas_dgemm", "excblas_dgemm", "excblas_dgemm_64",
        "exdgemm_", "dgemm_64_"};
    restart();
    fill(0);
    float x[4] = {1, 2, 3, 4}, y[4];
    call(3);
    excblas_dgemm_64(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_TRANS, 2, 3, 4, 1, a, N, b, N, 0, c,
                     N);
    excblas_sgemm(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_TRANS, 2, 2, 2, 1, x, 2, x, 2, 0, y, 2);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        exblas_stats s;
        assert_int_equal(exblas_stats_total(same[i], &s), EXBLAS_OK);
        assert_int_equal(s.calls, 2);
        assert_int_equal(s.elements, 9 + 6);
    }
    exblas_stats s;
    assert_int_equal(exblas_stats_total("sgemm", &s), EXBLAS_OK);
    assert_int_equal(s.elements, 4);
    assert_int_equal(exblas_stats_total("averyveryverylongname", &s), EXBLAS_EINVAL);
    exblas_stats_enable(0);
}

static void *many_calls(void *arg)
{
    double *mine = arg;
    for (int i = 0; i < CALLS; i++)
        excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, 9, 9, 9, 1, a, N, b, N, 0,
                      mine, 9);
    return NULL;
}

static void calls_from_many_threads(NO_STATE)
{
    static double mine[N_THREADS][81];
    pthread_t thread[N_THREADS];
    exblas_stats s;
    restart();
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, many_calls, mine[i]), 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(exblas_stats_total("dgemm", &s), EXBLAS_OK);
    assert_int_equal(s.calls, N_THREADS * CALLS);
    assert_int_equal(s.elements, N_THREADS * CALLS * 81);
    exblas_stats_enable(0);
}

TESTS(nothing_to_report, engines, engines_and_methods, names, calls_from_many_threads)
