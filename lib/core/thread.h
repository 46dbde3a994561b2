/* Threads: one pool of threads behind one parallel_for.
 *
 * - The calling thread works too. Workers are started when first needed.
 * - One job at a time: a caller that finds the pool busy runs its job alone.
 * - A call from inside a task, or from inside an OpenMP parallel region, runs
 *   alone: the program has already split its work. (An OpenMP runtime that was loaded
 *   privately, with RTLD_LOCAL, is not seen.)
 * - In a forked child the pool is empty and starts again when needed. (A child of
 *   a program that used libgomp hangs in its next parallel region; hence no OpenMP.)
 * - If no thread can be started the caller does all the work.
 * - Workers compute in the default floating-point environment.
 * - When the library is unloaded the workers are joined. */
#pragma once

#include <stdint.h>

/* Runs task(ctx, i) for 0 <= i < n_tasks, in any order, on at most n_threads
 * threads; returns when all are done. Tasks do not fail. */
void exb_parallel_for(int n_threads, int64_t n_tasks, void (*task)(void *ctx, int64_t i),
                      void *ctx);

/* Number of threads a call may use now: 1 inside a parallel region; at first EXBLAS_NUM_THREADS,
 * else OMP_NUM_THREADS, else one for each CPU. */
int exb_thread_count(void);
