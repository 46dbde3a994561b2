/* A system that is out of memory or threads: every allocation of every routine and every start of
 * a thread fails in turn, then all from some moment on. Results have the same bits; no routine of
 * BLAS has a way to report an error. */
#include "core/partition.h"

#include "every_case.h"
#include "requests.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

/* A call whose requests fail from or at number f; none for -1. What is kept from earlier calls is
 * given back first, so that each call asks anew. */
static uint64_t hash_with(int routine, int f, bool and_later, int *n_asked)
{
    every_layout q = {.size = EVERY_LARGE,
                      .options = routine % EVERY_OPTIONS,
                      .data = exb_routines[routine]->type == 'd'};
    exblas_set_workspace(0);
    requests_begin(f, and_later);
    uint64_t hash = every_hash(every_name_of(routine), &q);
    *n_asked = requests_end();
    return hash;
}

static int n_asked_in_all;

static int fail_each(int routine, const char *method)
{
    int n_asked, unused, n_wrong = 0;
    exblas_set_method(method);
    uint64_t expected = hash_with(routine, -1, false, &n_asked);
    n_asked_in_all += n_asked;
    for (int f = 0; f < n_asked; f++)
        for (int later = 0; later < 2; later++) {
            if (hash_with(routine, f, later, &unused) == expected)
                continue;
            print_error("%s, %s: other bits without request %d%s of %d\n",
                        exb_routines[routine]->name, method, f, later ? " and later ones" : "",
                        n_asked);
            n_wrong++;
        }
    exblas_set_method(NULL);
    return n_wrong;
}

static void every_request_fails(NO_STATE)
{
    static const char *const methods[] = {"auto", "residue"};
    int n_wrong = 0;
    exb_partition_set_grain(1);
    for (int t = 1; t <= 3; t += 2) {
        exblas_set_num_threads(t);
        for (int m = 0; m < 2; m++)
            for (int r = 0; exb_routines[r]; r++)
                if (m == 0 || strstr(exb_routines[r]->name, "mm")) /* products have engines */
                    n_wrong += fail_each(r, methods[m]);
    }
    print_message("# %d requests\n", n_asked_in_all);
    assert_true(n_asked_in_all > 100);
    assert_int_equal(n_wrong, 0);
}

enum { LONG = 700, PLACES = 2 * LONG * LONG };

/* A product or system whose blocks of rows lie in memory if there is any, to y. */
static void multiply_long(int which, const double *a, const double *x, double *y)
{
    static const double one[2] = {1, 0.5}, zero[2] = {0, 0};
    memset(y, 0, 2 * LONG * sizeof *y);
    if (which == 0)
        excblas_dgemv(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, 2 * LONG, LONG, 1, a, 2 * LONG, x, 1, 0, y,
                      1);
    else if (which == 1)
        excblas_zgemv(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, LONG, LONG, one, a, LONG, x, 1, zero, y,
                      1);
    else if (which == 2)
        excblas_dsymv(EXBLAS_COL_MAJOR, EXBLAS_UPPER, LONG, 1, a, LONG, x, 1, 0, y, 1);
    else if (which == 3)
        excblas_dgbmv(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, LONG, LONG, 40, 40, 1, a, LONG, x, -1, 0,
                      y, -1);
    else {
        memcpy(y, x, LONG * sizeof *y);
        if (which == 7) {
            excblas_dtrmv(EXBLAS_COL_MAJOR, EXBLAS_UPPER, EXBLAS_NO_TRANS, EXBLAS_UNIT, LONG, a,
                          LONG, y, -1);
            return;
        }
        excblas_dtrsv(which == 4 ? EXBLAS_COL_MAJOR : EXBLAS_ROW_MAJOR, EXBLAS_LOWER,
                      which == 6 ? EXBLAS_TRANS : EXBLAS_NO_TRANS, EXBLAS_UNIT, LONG, a, LONG, y,
                      1);
    }
}

static void long_vectors_without_memory(NO_STATE)
{
    static double a[PLACES], x[2 * LONG], y[2 * LONG], expected[2 * LONG];
    for (int i = 0; i < PLACES; i++)
        a[i] = ldexp(i % 37 - 18.25, i % 11 - 30);
    for (int i = 0; i < 2 * LONG; i++)
        x[i] = ldexp(i % 29 - 14.5, i % 9);
    exblas_set_num_threads(1);
    for (int which = 0; which < 8; which++)
        for (int refuses = 0; refuses < 2; refuses++) {
            exblas_set_workspace(0); /* nothing is kept */
            requests_begin(refuses ? 0 : -1, true);
            multiply_long(which, a, x, refuses ? y : expected);
            assert_true(requests_end() > 0);
            if (refuses)
                assert_memory_equal(y, expected, sizeof y);
        }
}

/* Accumulators ask for nothing: their verbs cannot fail. */
static void accumulators_ask_for_nothing(NO_STATE)
{
    enum { N = 20000 };
    static double x[N], y[N];
    exblas_acc a;
    for (int i = 0; i < N; i++) {
        x[i] = ldexp(i % 7 - 3.5, i % 1500 - 700);
        y[i] = ldexp(i % 5 - 1.5, i % 90);
    }
    exb_partition_set_grain(1);
    exblas_set_num_threads(3);
    requests_begin(0, true);
    exblas_acc_init(&a);
    exblas_acc_add_vector(&a, N, x, 1);
    exblas_acc_add_magnitudes(&a, N / 2, y, 2);
    exblas_acc_add_dot(&a, N, x, 1, y, -1);
    assert_int_equal(requests_end(), 0);
}

/* A child's pool is empty: each one starts threads anew, of which number f fails. */
static int start_in_child(int f, bool and_later, uint64_t expected, int routine)
{
    bool needs_threads = strcmp(exb_routines[routine]->name, "dgemm") == 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int n_asked;
        alarm(30);
        bool ok = hash_with(routine, f, and_later, &n_asked) == expected &&
                  (!needs_threads || requests_of_threads > 0);          /* it did try */
        ok = ok && hash_with(routine, -1, false, &n_asked) == expected; /* now all may start */
        exit(ok ? 0 : 1); /* joins the workers that there are */
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

static void threads_that_do_not_start(NO_STATE)
{
    exblas_set_num_threads(1);
    exb_partition_set_grain(1);
    for (int r = 0; exb_routines[r]; r++) {
        if (!strstr("dgemm ddot dgemv dtrsm zherk ssum", exb_routines[r]->name))
            continue;
        int unused;
        exblas_set_num_threads(1);
        uint64_t expected = hash_with(r, -1, false, &unused);
        exblas_set_num_threads(6);
        for (int f = 0; f < 8; f++)
            for (int later = 0; later < 2; later++)
                assert_int_equal(start_in_child(f, later, expected, r), 0);
    }
}

/* The first one before any thread has been started. */
TESTS(threads_that_do_not_start, every_request_fails, long_vectors_without_memory,
      accumulators_ask_for_nothing)
