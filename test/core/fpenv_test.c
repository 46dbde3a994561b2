/* What of the floating-point environment `every_env` does not see: long copies, the environment of
 * the library's own threads, signalling NaNs. */
#include "core/thread.h"

#include "control_register.h"
#include "hostile_env.h"
#include "routine_call.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

/* Splitting work over threads computes nothing that could raise a flag or trap. */
static void long_vectors_raise_no_flag(NO_STATE)
{
    enum { LONG = 300001 };
    double *u = calloc(LONG, sizeof *u), *v = calloc(LONG, sizeof *v);
    assert_non_null(u);
    assert_non_null(v);
    u[7] = 0.1;
    exblas_set_num_threads(3);
    hostile_env_enter(0);
    excblas_dcopy(LONG, u, 1, v, 1);
    excblas_dswap(LONG, u, 1, v, 1);
    size_t index = excblas_idamax(LONG, u, 1);
    excblas_dscal(LONG, 0.3, u, 1);
    bool kept = hostile_env_leave();
    exblas_set_num_threads(0);
    assert_true(kept);
    assert_int_equal(index, 7);
    free(u);
    free(v);
}

#if defined(__x86_64__)

/* Two tasks that wait for each other, so that two threads run them; what they found. */
typedef struct {
    atomic_int n_started;
    unsigned found[2];
    pthread_t thread[2];
} meeting;

static void meet(void *ctx, int64_t i)
{
    meeting *m = ctx;
    m->found[i] = register_get();
    m->thread[i] = pthread_self();
    atomic_fetch_add(&m->n_started, 1);
    for (int wait = 0; atomic_load(&m->n_started) < 2 && wait < 5000; wait++)
        usleep(1000);
}

/* A worker does not inherit the settings of the thread that starts it: here a child's, whose
 * pool is empty. */
static int meet_under(unsigned s)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        meeting m = {0};
        register_set(s);
        exb_parallel_for(2, 2, meet, &m);
        unsigned kept = register_get();
        register_set(REGISTER_DEFAULT);
        int worker = pthread_equal(m.thread[0], pthread_self()) ? 1 : 0;
        bool two = atomic_load(&m.n_started) == 2 && !pthread_equal(m.thread[0], m.thread[1]);
        _exit(kept == s && two && (m.found[worker] & ~0x3fu) == 0x1f80 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

static void workers_compute_in_the_default_environment(NO_STATE)
{
    for (int i = 0; i < 16; i++)
        assert_int_equal(meet_under(register_setting(i)), 0);
}

/* A NaN's payload and sign do not come out, and reading a signalling NaN raises nothing: all traps
 * are unmasked. */
static void signalling_nans(NO_STATE)
{
    enum { N = 12 };
    static const uint64_t bits_d = 0xfff0000000000123u;
    static const uint32_t bits_s = 0xff800123u, canonical_s = 0x7fc00000u;
    static const uint64_t canonical_d = TEST_CANONICAL_NAN;
    static double d[N * N] = {1}, to_d[N * N], result, scalar_d = 1.5;
    static float s[N * N] = {1}, to_s[N * N], scalar_s = 1.5;
    static const char *const names[] = {"ssum",  "sasum", "snrm2", "sdot",  "dsdot", "sdsdot",
                                        "dsum",  "dasum", "dnrm2", "ddot",  "sgemv", "strsv",
                                        "sgemm", "ssyrk", "dgemv", "dtrsv", "dgemm", "dsyrk"};
    exblas_set_num_threads(1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool is_level1 = i < 10, wide = strcmp(names[i], "dsdot") == 0;
        bool is_s = names[i][0] == 's' || wide, is_trsv = strstr(names[i], "trsv") != NULL;
        for (int j = 0; j < N; j++)
            d[j * (N + 1)] = s[j * (N + 1)] = 1;
        memcpy(d, &bits_d, sizeof bits_d);
        memcpy(s, &bits_s, sizeof bits_s);
        memcpy(to_d, d, sizeof d);
        memcpy(to_s, s, sizeof s);
        void *from = is_s ? (void *)s : d, *to = is_s ? (void *)to_s : to_d;
        const void *scalar = is_s ? (const void *)&scalar_s : &scalar_d;
        routine_call q = {.layout = 'c',
                          .trans = 'n',
                          .transb = 't',
                          .uplo = 'u',
                          .diag = 'n',
                          .m = N,
                          .n = N,
                          .k = N,
                          .incx = 1,
                          .incy = 1,
                          .lda = N,
                          .ldb = N,
                          .ldc = N,
                          .alpha = scalar,
                          .beta = scalar,
                          .a = from,
                          .b = from,
                          .x = is_trsv ? to : from,
                          .y = to,
                          .c = to,
                          .result = &result};
        register_set(0);
        routine_run(names[i], FORM_CBLAS, &q);
        unsigned found = register_get();
        register_set(REGISTER_DEFAULT);
        assert_int_equal(found, 0);
        if (is_s && !wide)
            assert_memory_equal(is_level1 ? (void *)&result : to, &canonical_s, sizeof canonical_s);
        else
            assert_memory_equal(is_level1 ? (void *)&result : to, &canonical_d, sizeof canonical_d);
    }
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_vectors_raise_no_flag),
#if defined(__x86_64__)
        cmocka_unit_test(workers_compute_in_the_default_environment),
        cmocka_unit_test(signalling_nans),
#endif
    };
    size_t n = sizeof tests / sizeof *tests;
#if defined(__x86_64__)
    n = register_is_real() ? n : 1;
#endif
    return _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
}
