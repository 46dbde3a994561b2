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

/* The call, whose result must be that; its requests are refused from number `first` on. */
static int check(const fuzz_case *c, const test_number *wanted, int first)
{
    fuzz_memory expected = fuzz_memory_of(c), found = fuzz_memory_of(c);
    fuzz_arguments a;
    fuzz_put_result(c, &expected, wanted);
    fuzz_prepare(c, &found, &a);
    requests_begin(first, true);
    fuzz_make(c, &a);
    int n_asked = requests_end();
    fuzz_finish(c, &a, &found);
    assert_false(fuzz_compare(c, &expected, &found).differs);
    fuzz_memory_free(&expected);
    fuzz_memory_free(&found);
    return n_asked;
}

static void no_memory(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "no memory");
    exb_partition_set_grain(1);
    exblas_set_num_threads(3);
    for (const char *type = "sdcz"; *type; type++) {
        fuzz_case c = gemm_random(&r, *type, 1, 200, 70, 150);
        test_number *plenty = fuzz_computed(&c);
        for (int i = 0; i < N_METHODS; i++) {
            set_up(methods[i], 0);
            assert_true(check(&c, plenty, 0) > 0 || i == 3);
        }
        free(plenty);
        fuzz_case_free(&c);
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
        const int64_t *size = shapes[shape];
        fuzz_case c = gemm_random(&r, "dzsd"[shape], 0, size[0], size[1], size[2]);
        test_number *first = fuzz_computed(&c);
        for (size_t i = 0; i < 3 * sizeof limits / sizeof *limits; i++) {
            size_t limit = limits[i / 3];
            int n_threads = i % 2 ? 2 : 1;
            exblas_set_num_threads(n_threads);
            set_up(methods[i % 3], limit);
            check(&c, first, -1);
            if (requests_largest > most_for(limit, n_threads))
                fail_msg("%s: %zu bytes where %zu is the limit of each of %d threads",
                         methods[i % 3], (size_t)requests_largest, limit, n_threads);
        }
        free(first);
        fuzz_case_free(&c);
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
