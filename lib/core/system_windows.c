/* Systems: windows. */
#include "core/system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

const char *exb_system_variable(const char *name)
{
    return getenv(name);
}

char **exb_system_variables(void)
{
    return _environ;
}

const char *exb_system_program(void)
{
    static char path[4096];
    DWORD n = GetModuleFileNameA(NULL, path, sizeof path);
    const char *slash = n > 0 && n < sizeof path ? strrchr(path, '\\') : NULL;
    return slash ? slash + 1 : "unknown";
}

int64_t exb_system_nanoseconds(void)
{
    LARGE_INTEGER now, per_second;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&per_second);
    /* In integers: callers see which floating-point flags are raised. */
    int64_t seconds = now.QuadPart / per_second.QuadPart, rest = now.QuadPart % per_second.QuadPart;
    return seconds * 1000000000 + rest * 1000000000 / per_second.QuadPart;
}

int exb_system_cpus(void)
{
    DWORD_PTR ours, all;
    if (GetProcessAffinityMask(GetCurrentProcess(), &ours, &all) && ours != 0)
        return __builtin_popcountll(ours);
    return 1;
}

/* Threads cannot end while Windows unloads the library: it waits for them under a lock they need.
 */
bool exb_system_joins(void)
{
    return false;
}

bool exb_system_start(pthread_t *thread, void *(*run)(void *), size_t stack_bytes)
{
    HMODULE here;
    pthread_attr_t attr;
    if (!GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                            (const char *)(uintptr_t)exb_system_start, &here) ||
        pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, stack_bytes);
    bool started = pthread_create(thread, &attr, run, NULL) == 0;
    pthread_attr_destroy(&attr);
    return started;
}

void exb_system_at_fork(void (*child)(void))
{
    (void)child;
}

/* What is found stays loaded; "nothing" is believed for 64 calls, since Wine looks for files. */
void *exb_system_in_parallel(void)
{
    static const char *const runtimes[] = {"vcomp140.dll", "libomp140.x86_64.dll", "libomp.dll",
                                           "libiomp5md.dll", "libgomp-1.dll"};
    static _Atomic(void *) found;
    static atomic_uint calls;
    void *function = atomic_load(&found);
    if (function || atomic_fetch_add(&calls, 1) % 64 != 0)
        return function;
    for (size_t i = 0; !function && i < sizeof runtimes / sizeof *runtimes; i++) {
        HMODULE module;
        if (GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_PIN, runtimes[i], &module))
            function = (void *)(uintptr_t)GetProcAddress(module, "omp_in_parallel");
    }
    atomic_store(&found, function);
    return function;
}

void *exb_system_allocate(size_t unit, size_t bytes, bool huge)
{
    (void)huge;
    return _aligned_malloc(bytes, unit);
}

void exb_system_free(void *p)
{
    _aligned_free(p);
}

/* Windows would have to be asked, by a function that nobody has tried. */
bool exb_system_permits_tiles(void)
{
    return false;
}

int exb_system_open(const char *name, bool *is_taken)
{
    int fd = -1;
    errno_t e = _sopen_s(&fd, name, _O_WRONLY | _O_CREAT | _O_TRUNC | _O_BINARY | _O_NOINHERIT,
                         _SH_DENYWR, _S_IREAD | _S_IWRITE);
    *is_taken = e == EACCES && GetLastError() == ERROR_SHARING_VIOLATION;
    return e == 0 ? fd : -1;
}
