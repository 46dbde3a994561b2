/* Products on emulated tiles: that they are used, that the caller's come back, and a system that
 * refuses them; and the request that is made for those of a processor. This program is linked with
 * --wrap=syscall and --wrap=exb_emulated_tiles_permitted. */
#include "core/tiles.h"
#include "core/kernels.h"
#include "core/partition.h"
#include "testing.h"

#include <errno.h>
#include <exblas/exblas.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { M = 90, N = 70, K = 1100 };

static double a[M * K], b[K * N], expected[M * N], c[M * N];

static void product(int m, double *out)
{
    excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, m, N, K, 1, a, M, b, K, 0,
                  out, M);
}

/* What every other instruction set computes. */
static int prepare(NO_STATE)
{
    for (int i = 0; i < M * K; i++)
        a[i] = (double)(i % 1009) / 1013 - 0.5;
    for (int i = 0; i < K * N; i++)
        b[i] = (double)(i * 7 % 1019) / 1021 - 0.5;
    exblas_set_method("general");
    product(M, expected);
    return exblas_set_method("residue") == EXBLAS_OK ? 0 : -1;
}

/* With the best vectors that this processor has for them. */
static void use_tiles(void)
{
    exblas_set_num_threads(1);
    memset(c, 0, sizeof c);
    if (exb_isa_select("amx-emulated") != 0 && exb_isa_select("amx-emulated-avx2") != 0)
        skip();
}

static bool uses_tiles(void)
{
    return strstr(exblas_info("isa"), "amx-emulated") != NULL;
}

static bool as_expected(void)
{
    product(M, c);
    return memcmp(c, expected, sizeof c) == 0;
}

/* --- emulated tiles ------------------------------------------------------ */

static int n_asked;
static bool is_refused;

bool __wrap_exb_emulated_tiles_permitted(void);
bool __wrap_exb_emulated_tiles_permitted(void)
{
    n_asked++;
    return !is_refused;
}

/* As many products of tiles as the shape has, by two rows and two columns of them, for each
 * modulus: those of another instruction set would be none. */
static void are_used(NO_STATE)
{
    exblas_stats s;
    use_tiles();
    const exb_tiles *tiles = exb_tiles_of_thread();
    int64_t before = tiles->n_products;
    exblas_stats_enable(1);
    assert_true(as_expected());
    assert_int_equal(exblas_stats_last(&s), EXBLAS_OK);
    exblas_stats_enable(0);
    assert_true(uses_tiles());
    assert_string_equal(s.engine, "residue");
    assert_int_equal(tiles->n_products - before, 4 * s.n_moduli * exb_tasks_of(M, 32) *
                                                     exb_tasks_of(N, 32) * exb_tasks_of(K, 64));
    assert_int_equal(tiles->config.palette, 0); /* released */
}

/* A caller, or what a signal interrupted, has tiles of another shape in use. */
static void callers_come_back(NO_STATE)
{
    static exb_tiles before;
    use_tiles();
    exb_tiles *tiles = exb_tiles_of_thread();
    memset(tiles, 0, sizeof *tiles);
    tiles->config.palette = 1;
    for (int t = 0; t < EXB_TILES; t++) {
        tiles->config.rows[t] = (uint8_t)(t == 2 ? 0 : 2 * t + 1);
        tiles->config.row_bytes[t] = (uint16_t)(t == 2 ? 0 : 64 - 4 * t);
        for (int i = 0; i < tiles->config.rows[t]; i++)
            for (int j = 0; j < tiles->config.row_bytes[t]; j++)
                tiles->tile[t][i][j] = (uint8_t)(100 * t + 10 * i + j);
    }
    before = *tiles;
    assert_true(as_expected());
    assert_true(tiles->n_products > 0);
    tiles->n_products = 0;
    assert_memory_equal(tiles, &before, sizeof before);
    memset(tiles, 0, sizeof *tiles);
}

/* Every task of every thread configures tiles of its own; so does a child. */
static void threads_and_children(NO_STATE)
{
    use_tiles();
    exb_partition_set_grain(1);
    exblas_set_num_threads(3);
    assert_true(as_expected());
    exb_partition_set_grain(0);
    pid_t child = fork();
    if (child == 0) {
        exblas_set_num_threads(1); /* whose tiles are counted */
        _exit(!as_expected() ? 1 : exb_tiles_of_thread()->n_products == 0 ? 2 : 0);
    }
    int status;
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
}

/* Asked only when a product is large enough; then the same bits without tiles, from now on. */
static void refused(NO_STATE)
{
    use_tiles();
    exblas_set_method("auto");
    n_asked = 0;
    product(3, c);
    assert_int_equal(n_asked, 0);
    exblas_set_method("residue");
    is_refused = true;
    int64_t before = exb_tiles_of_thread()->n_products;
    assert_true(as_expected());
    assert_false(uses_tiles());
    assert_true(as_expected());
    is_refused = false;
    assert_int_equal(n_asked, 1);
    assert_int_equal(exb_tiles_of_thread()->n_products, before);
}

/* --- the request --------------------------------------------------------- */

static atomic_int n_requests;
static enum { GRANT, REFUSE, ASK_SYSTEM } answer;

long __real_syscall(long, ...);
long __wrap_syscall(long number, long code, long feature);
long __wrap_syscall(long number, long code, long feature)
{
    atomic_fetch_add(&n_requests, code == 0x1023 && feature == 18);
    if (answer == ASK_SYSTEM)
        return __real_syscall(number, code, feature);
    errno = EINVAL;
    return answer == GRANT ? 0 : -1;
}

static void *ask(void *granted)
{
    *(bool *)granted = exb_tiles_permitted();
    return NULL;
}

/* In a child, since it is once a process: 0 if all threads got this answer from one request. */
static int ask_in_child(bool expected_answer)
{
    enum { THREADS = 4 };
    pid_t child = fork();
    if (child != 0) {
        int status;
        return waitpid(child, &status, 0) == child ? status : -1;
    }
    pthread_t thread[THREADS];
    bool granted[THREADS], same = true;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, ask, &granted[i]) != 0)
            _exit(2);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        same = same && granted[i] == expected_answer;
    }
    _exit(same && atomic_load(&n_requests) == 1 ? 0 : 1);
}

static void request(NO_STATE)
{
#if defined(__x86_64__)
    answer = GRANT;
    assert_int_equal(ask_in_child(true), 0);
    answer = REFUSE;
    assert_int_equal(ask_in_child(false), 0);
    /* A processor with tiles is refused too while a thread has a small signal stack. */
    static char stack[4096];
    stack_t small = {.ss_sp = stack, .ss_size = sizeof stack}, none = {.ss_flags = SS_DISABLE};
    answer = ASK_SYSTEM;
    assert_int_equal(sigaltstack(&small, NULL), 0);
    assert_int_equal(ask_in_child(false), 0);
    assert_int_equal(sigaltstack(&none, NULL), 0);
#else
    assert_false(exb_tiles_permitted());
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_used),
        cmocka_unit_test(callers_come_back),
        cmocka_unit_test(threads_and_children),
        cmocka_unit_test(refused),
        cmocka_unit_test(request),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
