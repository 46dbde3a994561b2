#include "core/config.h"

#include "core/system.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Every variable that some part of the project reads. */
static const char *const known[] = {
    "EXBLAS_NUM_THREADS", "EXBLAS_ISA",    "EXBLAS_METHOD",     "EXBLAS_WORKSPACE",
    "EXBLAS_VERBOSE",     "EXBLAS_REPORT", "EXBLAS_REPORT_PID", "EXBLAS_TRACE",
    "EXBLAS_TRACE_BLAS",  "EXBLAS_LAPACK",
};

void exb_warn(const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "exblas: %s\n", line);
}

const char *exb_config_get(const char *name)
{
    const char *value = exb_system_variable(name);
    return value && *value ? value : NULL;
}

static int is_known(const char *entry)
{
    size_t length = strcspn(entry, "=");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == length && strncmp(known[i], entry, length) == 0)
            return 1;
    return 0;
}

static void warn_unknown(void)
{
    for (char **e = exb_system_variables(); e && *e; e++)
        if (strncmp(*e, "EXBLAS_", 7) == 0 && !is_known(*e))
            exb_warn("unknown environment variable %.*s is ignored", (int)strcspn(*e, "="), *e);
}

const char *exb_config_setting(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, warn_unknown);
    return exb_config_get(name);
}

void exb_config_file(char *out, size_t size, const char *pattern)
{
    size_t n = 0;
    out[0] = '\0';
    while (*pattern && n + 1 < size) {
        const char *p = strstr(pattern, "%p");
        size_t length = p ? (size_t)(p - pattern) : strlen(pattern);
        int written = snprintf(out + n, size - n, "%.*s", (int)length, pattern);
        if (p)
            written += snprintf(out + n + length, size > n + length ? size - n - length : 0, "%ld",
                                exb_system_process());
        n += (size_t)written;
        pattern += length + (p ? 2 : 0);
    }
}
