/* The working memory of products: what is asked for stays within the limit, and without any the
 * results are the same. */
#include "core/memory.h"
#include "core/partition.h"
#include "gemm_case.h"
#include "modes.h"
#include "requests.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <pthread.h>

static const char *const methods[] = {"auto", "anchor", "residue", "general"};

enum { N_METHODS = sizeof methods / sizeof *methods };

static void set_up(const char *method, size_t bytes)
{
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    assert_int_equal(exblas_set_workspace(bytes), EXBLAS_OK); /* frees what is kept */
}

static void no_memory(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "no memory");
    exb_partition_set_grain(1);
    exblas_set_num_threads(3);
    for (const char *type = "sdcz"; *type; type++) {
        gemm_case g;
        gemm_case_init(&g, &r, *type, 1, 200, 70, 150);
        void *plenty = malloc(g.c_bytes), *none = malloc(g.c_bytes);
        assert_true(plenty && none);
        gemm_case_run(&g, plenty);
        for (int i = 0; i < N_METHODS; i++) {
            set_up(methods[i], 0);
            requests_begin(0, true);
            gemm_case_run(&g, none);
            assert_true(requests_end() > 0 || i == 3);
            assert_memory_equal(plenty, none, g.c_bytes);
        }
        free(plenty);
        free(none);
        gemm_case_clear(&g);
    }
    mode_restore();
}

/* A buffer of at least two huge pages is rounded up to whole ones; each has a header. */
static size_t most_for(size_t limit, int n_threads)
{
    size_t all = limit * (size_t)n_threads + 64;
    return all >= 4 << 20 ? all + (2 << 20) : all + 64;
}

static void limits_are_kept(NO_STATE)
{
    static const size_t limits[] = {1 << 17, 1 << 18, 1 << 20, 5 << 20};
    static const int64_t shapes[][3] = {
        {700, 90, 300}, {90, 700, 300}, {40, 50, 9000}, {500, 500, 17}};
    test_random r = test_random_start(test_seed(), "limits");
    exb_partition_set_grain(1);
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++) {
        gemm_case g;
        gemm_case_init(&g, &r, "dzsd"[shape], 0, shapes[shape][0], shapes[shape][1],
                       shapes[shape][2]);
        void *first = malloc(g.c_bytes), *other = malloc(g.c_bytes);
        assert_true(first && other);
        gemm_case_run(&g, first);
        for (size_t i = 0; i < 3 * sizeof limits / sizeof *limits; i++) {
            size_t limit = limits[i / 3];
            int n_threads = i % 2 ? 2 : 1;
            exblas_set_num_threads(n_threads);
            set_up(methods[i % 3], limit);
            requests_begin(-1, false);
            gemm_case_run(&g, other);
            requests_end();
            assert_memory_equal(first, other, g.c_bytes);
            if (requests_largest > most_for(limit, n_threads))
                fail_msg("%s: %zu bytes where %zu is the limit of each of %d threads",
                         methods[i % 3], (size_t)requests_largest, limit, n_threads);
        }
        free(first);
        free(other);
        gemm_case_clear(&g);
    }
    mode_restore();
}

/* Buffers of all sizes are handed back and forth by some threads, each with its own marks. */
static void *churn(void *arg)
{
    unsigned char mark = *(unsigned char *)arg;
    for (size_t i = 0; i < 3000; i++) {
        size_t bytes = 64 + (i * 977 + mark * 131) % 5000;
        unsigned char *p = exb_memory_get(bytes), *q = exb_memory_get(2 * bytes);
        if (!p || !q || (uintptr_t)p % 64 || (uintptr_t)q % 64)
            return arg;
        memset(p, mark, bytes);
        memset(q, ~mark, 2 * bytes);
        for (size_t b = 0; b < 2 * bytes; b++)
            if ((b < bytes && p[b] != mark) || q[b] != (unsigned char)~mark)
                return arg;
        exb_memory_put(p);
        exb_memory_put(q);
    }
    return NULL;
}

static void buffers_of_threads_are_apart(NO_STATE)
{
    enum { N = 6 };
    pthread_t thread[N];
    unsigned char mark[N];
    for (int i = 0; i < N; i++) {
        mark[i] = (unsigned char)(i + 1);
        assert_int_equal(pthread_create(&thread[i], NULL, churn, &mark[i]), 0);
    }
    for (int i = 0; i < N; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
    exb_memory_put(NULL);
    assert_null(exb_memory_get(SIZE_MAX));
    assert_null(exb_memory_get(SIZE_MAX - 100));
}

TESTS(no_memory, limits_are_kept, buffers_of_threads_are_apart)
