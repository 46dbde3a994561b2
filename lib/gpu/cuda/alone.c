/* libexblas_cuda without libexblas, as CMakeLists.txt builds it: of the process's settings only
 * EXBLAS_METHOD. */
#include "core/config.h"
#include "core/method.h"
#include "exblas/exblas.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

atomic_bool exb_config_loaded;

static void load(void)
{
    exb_method_configure(getenv("EXBLAS_METHOD"));
    atomic_store_explicit(&exb_config_loaded, true, memory_order_release);
}

void exb_config_read(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
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
