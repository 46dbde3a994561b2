/* The caller's floating-point environment, register bit by register bit: all rounding
 * modes x FTZ x DAZ x traps masked or not x flags raised or not, for every routine, type
 * and call form, split over threads, and from several threads of the program that each
 * run under their own settings. The results' bits and the register must not change.
 *
 * x86-64 only: its control register is all there is to see. */
#include "core/partition.h"
#include "core/thread.h"

#include "blas_call.h"
#include "control_register.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 12, N_CALLERS = 6 };

#if defined(__x86_64__)

/* Data that overflows, underflows, is invalid, inexact and subnormal somewhere. */
static double dx[N * N], da[N * N], dscalar[2] = {0x1.8p-1060, 0x1.1p900};
static float sx[N * N], sa[N * N], sscalar[2] = {0x1.8p-140f, 0x1.1p100f};

static void prepare(void)
{
    for (int i = 0; i < N * N; i++) {
        static const double d[] = {0x1.123456789abcdp0, -0x1p-1074, 0x1.fp1023, -0x1.fp1023,
                                   0x1p-1030,           3,          0x1p600,    -0x1.7p-600};
        static const float s[] = {0x1.123456p0f, -0x1p-149f, 0x1.fp127f, -0x1.fp127f,
                                  0x1p-130f,     3,          0x1p70f,    -0x1.7p-70f};
        dx[i] = d[(i * 5 + i / 8) % 8];
        da[i] = i % (N + 1) == 0 ? 0x1.3p-1023 : d[(i * 3 + i / 5) % 8];
        sx[i] = s[(i * 5 + i / 8) % 8];
        sa[i] = i % (N + 1) == 0 ? 0x1.3p-127f : s[(i * 3 + i / 5) % 8];
        if (i == 77)
            dx[i] = sx[i] = (float)INFINITY;
    }
}

/* Where one call writes. */
typedef struct {
    double d[2 * N * N];
    float s[2 * N * N];
    double result;
} output;

static blas_arguments arguments(blas_op op, char type, output *o)
{
    blas_arguments p = {.op = op,
                        .type = type,
                        .transa = 'n',
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
                        .ldc = N};
    bool is_double = type == 'd';
    memset(o, 0, sizeof *o);
    memcpy(o->d, dx, sizeof dx);
    memcpy(o->s, sx, sizeof sx);
    p.alpha = is_double ? (const void *)dscalar : (const void *)sscalar;
    p.beta = is_double ? (const void *)(dscalar + 1) : (const void *)(sscalar + 1);
    p.a = p.b = is_double ? (const void *)da : (const void *)sa;
    p.x = op == OP_TRSV || blas_op_is_level1(op) ? (is_double ? (void *)o->d : (void *)o->s)
                                                 : (is_double ? (void *)dx : (void *)sx);
    p.y = p.c = is_double ? (void *)o->d : (void *)o->s;
    p.result = &o->result;
    return p;
}

static bool exists(blas_op op, char type)
{
    return type == 's' || (op != OP_DSDOT && op != OP_SDSDOT);
}

/* Calls under the setting; false if the register was changed. No arithmetic between
 * setting the register and reading it. */
static bool call_under(unsigned setting, call_form form, const blas_arguments *p)
{
    register_set(setting);
    blas_call(form, p);
    unsigned found = register_get();
    register_set(REGISTER_DEFAULT);
    return found == setting;
}

/* Number of calls that went wrong. */
static int try_all(int first_setting, int step)
{
    int n_wrong = 0;
    for (int op = 0; op < N_OPS; op++)
        for (int t = 0; t < 2; t++) {
            char type = "ds"[t];
            output expected, got;
            if (!exists((blas_op)op, type))
                continue;
            blas_arguments p = arguments((blas_op)op, type, &expected);
            blas_call(FORM_CBLAS, &p);
            for (int i = first_setting; i < N_REGISTER_SETTINGS; i += step)
                for (int form = 0; form < N_FORMS; form++) {
                    p = arguments((blas_op)op, type, &got);
                    p.row_major = false;
                    bool kept = call_under(register_setting(i), (call_form)form, &p);
                    n_wrong += !kept || memcmp(&got, &expected, sizeof got) != 0;
                }
        }
    return n_wrong;
}

static void every_setting(void **state)
{
    (void)state;
    prepare();
    exblas_set_num_threads(1);
    assert_int_equal(try_all(0, 1), 0);
}

static void every_setting_with_threads(void **state)
{
    (void)state;
    prepare();
    exblas_set_num_threads(3);
    exb_partition_set_grain(1);
    assert_int_equal(try_all(0, 1), 0);
}

/* A thread of the program, its own share of the settings in its own register. */
static void *caller(void *share)
{
    int *n_wrong = share;
    *n_wrong = try_all(*n_wrong, N_CALLERS);
    return NULL;
}

static void callers_under_different_settings(void **state)
{
    pthread_t thread[N_CALLERS];
    int share[N_CALLERS];
    (void)state;
    prepare();
    exblas_set_num_threads(2);
    exb_partition_set_grain(1);
    for (int i = 0; i < N_CALLERS; i++) {
        share[i] = i;
        assert_int_equal(pthread_create(&thread[i], NULL, caller, &share[i]), 0);
    }
    for (int i = 0; i < N_CALLERS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(share[i], 0);
    }
}

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

static void workers_compute_in_the_default_environment(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++)
        assert_int_equal(meet_under(register_setting(i)), 0);
}

/* A NaN's payload and sign do not come out, and reading a signalling NaN raises nothing. */
static void signalling_nans(void **state)
{
    (void)state;
    prepare();
    exblas_set_num_threads(1);
    for (int op = 0; op < N_OPS; op++)
        for (int t = 0; t < 2; t++) {
            static const uint64_t bits_d = 0xfff0000000000123u;
            static const uint32_t bits_s = 0xff800123u;
            char type = "ds"[t];
            output o;
            if (!exists((blas_op)op, type))
                continue;
            memcpy(&dx[0], &bits_d, sizeof bits_d);
            memcpy(&sx[0], &bits_s, sizeof bits_s);
            blas_arguments p = arguments((blas_op)op, type, &o);
            assert_true(call_under(0x0000, FORM_CBLAS, &p)); /* every trap unmasked */
            bool is_float_result = type == 's' && op != OP_DSDOT;
            uint64_t d;
            uint32_t s;
            memcpy(&d, blas_op_is_level1((blas_op)op) ? &o.result : &o.d[0], sizeof d);
            memcpy(&s, blas_op_is_level1((blas_op)op) ? (void *)&o.result : (void *)&o.s[0],
                   sizeof s);
            if (is_float_result)
                assert_int_equal(s, 0x7fc00000);
            else
                assert_true(d == TEST_CANONICAL_NAN);
            prepare();
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_setting),
        cmocka_unit_test(every_setting_with_threads),
        cmocka_unit_test(callers_under_different_settings),
        cmocka_unit_test(workers_compute_in_the_default_environment),
        cmocka_unit_test(signalling_nans),
    };
    if (!register_is_real()) {
        printf("1..0 # SKIP the control register does not keep its bits\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    printf("1..0 # SKIP no such register on this processor\n");
    return 0;
}

#endif
