#include "core/thread.h"

#include "core/config.h"
#include "core/fpenv.h"
#include "core/partition.h"
#include "core/system.h"
#include "exblas/exblas.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = EXB_MOST_RANGES, STACK_BYTES = 1 << 20 };

/* A job: tasks are taken from `next` until they run out. */
typedef struct {
    void (*task)(void *, int64_t);
    void *ctx;
    int64_t n_tasks;
    _Atomic int64_t next;
} job;

static struct {
    pthread_mutex_t owner; /* held by the caller whose job runs */
    pthread_mutex_t lock;  /* guards all below */
    pthread_cond_t work, done;
    pthread_t worker[MAX_THREADS];
    int n_workers;
    int n_wanted; /* workers that may still join the current job */
    int n_busy;   /* workers inside the current job */
    job *current;
    bool stopping;
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static atomic_int n_threads_set; /* 0: from the environment */
static _Thread_local bool inside_task;

static void run_tasks(job *j)
{
    for (;;) {
        int64_t i = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
        if (i >= j->n_tasks)
            return;
        j->task(j->ctx, i);
    }
}

static void *worker_main(void *unused)
{
    (void)unused;
    exb_fpenv env;
    exb_fpenv_enter(&env);
    inside_task = true;
    pthread_mutex_lock(&pool.lock);
    while (!pool.stopping) {
        if (pool.n_wanted == 0) {
            pthread_cond_wait(&pool.work, &pool.lock);
            continue;
        }
        job *j = pool.current;
        pool.n_wanted--;
        pool.n_busy++;
        pthread_mutex_unlock(&pool.lock);
        run_tasks(j);
        pthread_mutex_lock(&pool.lock);
        if (--pool.n_busy == 0)
            pthread_cond_signal(&pool.done);
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* Starts workers up to n, as many as the system grants. */
static void start_workers(int n)
{
    if (n > MAX_THREADS)
        n = MAX_THREADS;
    while (pool.n_workers < n &&
           exb_system_start(&pool.worker[pool.n_workers], worker_main, STACK_BYTES))
        pool.n_workers++;
}

/* In a forked child only the forking thread exists: whatever state the pool was
 * in, it starts empty. Nothing is locked before the fork, so that forking never
 * waits for a job. */
static void after_fork_child(void)
{
    pthread_mutex_init(&pool.owner, NULL);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.done, NULL);
    pool.n_workers = pool.n_wanted = pool.n_busy = 0;
    pool.current = NULL;
    pool.stopping = false;
}

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void register_fork_handler(void)
{
    exb_system_at_fork(after_fork_child);
}

/* With the pool owned: publishes the job, works on it, waits for the helpers. */
static void run_with_workers(job *j, int n_helpers)
{
    int cancel_state; /* a cancelled caller would leave the locks, and its job, behind */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&pool.lock);
    start_workers(n_helpers);
    pool.current = j;
    pool.n_wanted = n_helpers < pool.n_workers ? n_helpers : pool.n_workers;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);

    inside_task = true;
    run_tasks(j);
    inside_task = false;

    pthread_mutex_lock(&pool.lock);
    pool.n_wanted = 0; /* who has not joined by now is not needed */
    while (pool.n_busy > 0)
        pthread_cond_wait(&pool.done, &pool.lock);
    pool.current = NULL;
    pthread_mutex_unlock(&pool.lock);
    pthread_setcancelstate(cancel_state, NULL);
}

void exb_parallel_for(int n_threads, int64_t n_tasks, void (*task)(void *ctx, int64_t i), void *ctx)
{
    if (n_threads > n_tasks)
        n_threads = (int)n_tasks;
    if (n_threads > 1 && !inside_task) {
        job j = {task, ctx, n_tasks, 0};
        pthread_once(&fork_once, register_fork_handler);
        if (pthread_mutex_trylock(&pool.owner) == 0) {
            run_with_workers(&j, n_threads - 1);
            pthread_mutex_unlock(&pool.owner);
            return;
        }
    }
    for (int64_t i = 0; i < n_tasks; i++) /* no atomics: they wait for every load before them */
        task(ctx, i);
}

/* Joins the workers when the library is unloaded or the program ends; not if a job runs:
 * exit may have been called by a signal handler inside it. */
__attribute__((destructor)) static void stop_workers(void)
{
    if (!exb_system_joins() || pthread_mutex_trylock(&pool.owner) != 0)
        return;
    pthread_mutex_lock(&pool.lock);
    pool.stopping = true;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < pool.n_workers; i++)
        pthread_join(pool.worker[i], NULL);
    pool.n_workers = 0;
    pool.stopping = false;
    pthread_mutex_unlock(&pool.owner);
}

/* Any OpenMP runtime the program brought along; none is linked or needed. */
static bool in_openmp_region(void)
{
    void *symbol = exb_system_in_parallel();
    int (*in_parallel)(void);
    if (!symbol)
        return false;
    memcpy(&in_parallel, &symbol, sizeof in_parallel);
    return in_parallel() != 0;
}

static int available_cpus(void)
{
    int n = exb_system_cpus();
    return n > MAX_THREADS ? MAX_THREADS : n;
}

/* A positive number, or 0. OMP_NUM_THREADS may be a list: its first entry. */
static int parse_count(const char *text, bool list)
{
    char *end = NULL;
    long n = text ? strtol(text, &end, 10) : 0;
    if (n < 1 || (*end != '\0' && !(list && *end == ',')))
        return 0;
    return n > MAX_THREADS ? MAX_THREADS : (int)n;
}

static atomic_int n_threads_of_environment; /* 0: it has not been read */

static void read_setting(void)
{
    const char *own = exb_config_setting("EXBLAS_NUM_THREADS");
    int n = parse_count(own, false);
    if (own && n == 0)
        exb_warn("EXBLAS_NUM_THREADS=%s is not a positive number and is ignored", own);
    if (n == 0)
        n = parse_count(exb_config_get("OMP_NUM_THREADS"), true);
    atomic_store(&n_threads_of_environment, n ? n : available_cpus());
}

int exblas_get_num_threads(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int n = atomic_load_explicit(&n_threads_set, memory_order_relaxed);
    if (n > 0)
        return n;
    if (atomic_load_explicit(&n_threads_of_environment, memory_order_relaxed) == 0)
        pthread_once(&once, read_setting);
    return atomic_load_explicit(&n_threads_of_environment, memory_order_relaxed);
}

int exb_thread_count(void)
{
    if (inside_task)
        return 1;
    int n = exblas_get_num_threads();
    return n > 1 && in_openmp_region() ? 1 : n;
}

void exblas_set_num_threads(int n)
{
    atomic_store(&n_threads_set, n < 1 ? 0 : n > MAX_THREADS ? MAX_THREADS : n);
}
