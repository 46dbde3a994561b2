/* Systems: linux freebsd darwin. */
#include "core/system.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)

#include <sys/syscall.h>

extern char **environ;
/* glibc's and musl's, where there is one. */
extern char *program_invocation_short_name __attribute__((weak));

const char *exb_system_variable(const char *name)
{
    return secure_getenv(name);
}

char **exb_system_variables(void)
{
    return environ;
}

const char *exb_system_program(void)
{
    return &program_invocation_short_name && program_invocation_short_name
               ? program_invocation_short_name
               : "unknown";
}

#else

const char *exb_system_variable(const char *name)
{
    return issetugid() ? NULL : getenv(name);
}

char **exb_system_variables(void)
{
    char ***all = NULL;
#if defined(__APPLE__)
    extern char ***_NSGetEnviron(void);
    all = _NSGetEnviron();
#endif
    void *symbol = all ? NULL : dlsym(RTLD_DEFAULT, "environ");
    return all ? *all : symbol ? *(char ***)symbol : NULL;
}

const char *exb_system_program(void)
{
    return getprogname();
}

#endif

int exb_system_cpus(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (int)n;
}

int64_t exb_system_nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

bool exb_system_start(pthread_t *thread, void *(*run)(void *), size_t stack_bytes)
{
    sigset_t all, old;
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, stack_bytes);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool started = pthread_create(thread, &attr, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return started;
}

bool exb_system_joins(void)
{
    return true;
}

void exb_system_at_fork(void (*child)(void))
{
    pthread_atfork(NULL, NULL, child);
}

void *exb_system_in_parallel(void)
{
    return dlsym(RTLD_DEFAULT, "omp_in_parallel");
}

void *exb_system_allocate(size_t unit, size_t bytes, bool huge)
{
    void *p = aligned_alloc(unit, bytes);
#if defined(MADV_HUGEPAGE)
    if (p && huge)
        madvise(p, bytes, MADV_HUGEPAGE); /* a hint: fewer faults, fewer TLB misses */
#endif
    (void)huge;
    return p;
}

void exb_system_free(void *p)
{
    free(p);
}

bool exb_system_permits_tiles(void)
{
#if defined(__linux__) && defined(__x86_64__)
    enum { REQUEST = 0x1023 /* ARCH_REQ_XCOMP_PERM */, TILE_DATA = 18 /* XFEATURE_XTILE_DATA */ };
    return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
#else
    return false;
#endif
}

/* Empties an ordinary file, unless another process has locked it. Other files (terminals, pipes)
 * may be shared, as may those of a file system without locks. */
static bool lock_file(int fd, bool *is_taken)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return true;
    *is_taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return !*is_taken && ftruncate(fd, 0) == 0;
}

int exb_system_open(const char *name, bool *is_taken)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    *is_taken = false;
    if (fd >= 0 && !lock_file(fd, is_taken)) {
        close(fd);
        return -1;
    }
    return fd;
}
