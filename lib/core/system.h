/* What each operating system has in its own way: system_posix.c and system_windows.c. Threads,
 * locks and thread-local variables are POSIX's everywhere: MinGW-w64 brings them to Windows. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A variable of the environment, or NULL; NULL also in a program that has more rights than who
 * started it. */
const char *exb_system_variable(const char *name);

/* All of them, "NAME=value", and NULL at the end; may be NULL. */
char **exb_system_variables(void);

long exb_system_process(void);

/* The name under which the program was started, without folders. */
const char *exb_system_program(void);

/* A point in time that only differences mean something of. */
int64_t exb_system_nanoseconds(void);

/* The CPUs that this process may use, at least 1. */
int exb_system_cpus(void);

/* Starts a thread in which no handler of the program's signals runs. */
bool exb_system_start(pthread_t *thread, void *(*run)(void *), size_t stack_bytes);

/* Whether threads are to be joined before the library is gone. Where they need not be, the first
 * one that starts keeps the library in memory, and the end of the process ends them. */
bool exb_system_joins(void);

/* After every fork, in the child. */
void exb_system_at_fork(void (*child)(void));

/* omp_in_parallel of the OpenMP runtime that the program brought along, or NULL. */
void *exb_system_in_parallel(void);

/* Memory whose address and size are multiples of unit, a power of 2; as huge pages if it can be. */
void *exb_system_allocate(size_t unit, size_t bytes, bool huge);
void exb_system_free(void *p);

/* Whether the operating system lets this process use tiles (tiles.h): asks. */
bool exb_system_permits_tiles(void);

/* A file to append to, or -1. An ordinary file is emptied, and is this process's until it closes
 * it: *is_taken if it is another's. Child processes do not inherit it. */
int exb_system_open(const char *name, bool *is_taken);

/* A terminal, a pipe, ... that several processes may write to. */
bool exb_system_can_share(const char *name);

/* In one piece if it can be, so that what several processes write stays apart. */
void exb_system_write(int file, const char *text, size_t length);
void exb_system_close(int file);
