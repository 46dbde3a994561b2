#include "requests.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

atomic_int requests_of_threads, requests_held;
_Atomic size_t requests_largest;

static atomic_int n_requests;
static int first = -1;
static bool all, armed;

void requests_begin(int number, bool and_later)
{
    first = number;
    all = and_later;
    n_requests = requests_of_threads = 0;
    requests_largest = 0;
    armed = true;
}

int requests_end(void)
{
    armed = false;
    return n_requests;
}

static bool refused(size_t bytes)
{
    size_t so_far = requests_largest;
    if (!armed)
        return false;
    while (so_far < bytes && !atomic_compare_exchange_weak(&requests_largest, &so_far, bytes))
        continue;
    int number = atomic_fetch_add(&n_requests, 1);
    return first >= 0 && (number == first || (all && number > first));
}

static void *held(void *p)
{
    requests_held += p != NULL;
    return p;
}

void *__real_malloc(size_t);
void *__wrap_malloc(size_t);
void *__wrap_malloc(size_t n)
{
    return refused(n) ? NULL : held(__real_malloc(n));
}

void *__real_calloc(size_t, size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_calloc(size_t n, size_t size)
{
    return refused(n * size) ? NULL : held(__real_calloc(n, size));
}

void *__real_realloc(void *, size_t);
void *__wrap_realloc(void *, size_t);
void *__wrap_realloc(void *p, size_t n)
{
    return refused(n) ? NULL : p ? __real_realloc(p, n) : held(__real_realloc(p, n));
}

void *__real_aligned_alloc(size_t, size_t);
void *__wrap_aligned_alloc(size_t, size_t);
void *__wrap_aligned_alloc(size_t unit, size_t n)
{
    return refused(n) ? NULL : held(__real_aligned_alloc(unit, n));
}

int __real_posix_memalign(void **, size_t, size_t);
int __wrap_posix_memalign(void **, size_t, size_t);
int __wrap_posix_memalign(void **p, size_t unit, size_t n)
{
    int error = refused(n) ? ENOMEM : __real_posix_memalign(p, unit, n);
    requests_held += error == 0;
    return error;
}

void __real_free(void *);
void __wrap_free(void *);
void __wrap_free(void *p)
{
    requests_held -= p != NULL;
    __real_free(p);
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
    requests_of_threads++;
    return refused(0) ? EAGAIN : __real_pthread_create(t, a, f, arg);
}
