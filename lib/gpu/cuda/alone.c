/* libexblas_cuda without libexblas, as CMakeLists.txt builds it: of the process's settings only
 * EXBLAS_METHOD. */
#include "core/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *exb_config_setting(const char *name)
{
    return getenv(name);
}

void exb_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("exblas: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
