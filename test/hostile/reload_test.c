/* The library loaded and unloaded again and again, with threads at work in between: it leaves
 * neither threads nor a handler behind that a later fork would call. */
#include "testing.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 400000, N_LOADS = 40 };

typedef double dsum(int32_t n, const double *x, int32_t incx);
typedef void set_int(int);

static double x[N];

static int n_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;
    assert_non_null(tasks);
    for (struct dirent *e; (e = readdir(tasks)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(tasks);
    return n;
}

/* Threads that have been joined may be listed for a moment (by emulators). */
static void assert_threads_go(int before)
{
    for (int i = 0; i < 200 && n_threads() != before; i++)
        usleep(10000);
    assert_int_equal(n_threads(), before);
}

/* *function: a pointer to the function of that name. */
static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        fail_msg("%s", dlerror());
    memcpy(function, &symbol, sizeof symbol);
}

static int fork_once(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, &status, 0);
    return status;
}

static void load_use_unload(const char *path, int round)
{
    set_int *set_threads, *enable_stats;
    dsum *sum;
    void *library = dlopen(path, (round & 1 ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    find(library, "exblas_set_num_threads", &set_threads);
    find(library, "exblas_stats_enable", &enable_stats);
    find(library, "excblas_dsum", &sum);
    set_threads(4);
    enable_stats(round % 3 == 0);
    assert_same_bits(sum(N, x, 1), 0x1p-70);
    if (round % 4 == 0)
        assert_int_equal(fork_once(), 0);
    assert_int_equal(dlclose(library), 0);
}

static void again_and_again(NO_STATE)
{
    const char *path = getenv("TEST_LIBRARY");
    assert_non_null(path);
    x[0] = 0x1p-70;
    x[N / 2] = 1;
    x[N - 1] = -1;
    int before = n_threads();
    for (int round = 0; round < N_LOADS; round++) {
        load_use_unload(path, round);
        assert_null(dlopen(path, RTLD_LAZY | RTLD_NOLOAD)); /* it is gone */
        assert_threads_go(before);
        assert_int_equal(fork_once(), 0);
    }
}

TESTS(again_and_again)
