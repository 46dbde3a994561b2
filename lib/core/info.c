/* Version, status texts and facts about the running library. */
#include "core/kernels.h"
#include "exblas/exblas.h"

#include <stdio.h>
#include <string.h>

const char *exblas_version(void)
{
    return EXBLAS_VERSION;
}

const char *exblas_status_text(exblas_status status)
{
    static const char *const text[] = {
        [EXBLAS_OK] = "success",
        [EXBLAS_EINVAL] = "an argument has an illegal value",
        [EXBLAS_ENOMEM] = "out of memory",
        [EXBLAS_ERANGE] = "the result is out of range",
        [EXBLAS_EUNDERFLOW] = "bits below the format were lost",
        [EXBLAS_EFORMAT] = "damaged or foreign data",
        [EXBLAS_EDEVICE] = "a device or its driver failed",
        [EXBLAS_EUNSUPPORTED] = "not supported by this build or machine",
        [EXBLAS_ESINGULAR] = "the system of equations has no unique solution",
        [EXBLAS_EINDEFINITE] = "the matrix is not positive definite",
    };
    int n = (int)(sizeof text / sizeof *text);
    return status >= 0 && status < n ? text[status] : "unknown status";
}

static const char *names_of_isas(void)
{
    static _Thread_local char text[128];
    text[0] = '\0';
    for (int i = 0; i < exb_isa_count(); i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", exb_isa_name(i));
    }
    return text;
}

static const char *number_of_threads(void)
{
    static _Thread_local char text[16];
    snprintf(text, sizeof text, "%d", exblas_get_num_threads());
    return text;
}

const char *exblas_info(const char *key)
{
    if (!key)
        return NULL;
    if (strcmp(key, "version") == 0)
        return EXBLAS_VERSION;
    if (strcmp(key, "isa") == 0)
        return exb_isa_current();
    if (strcmp(key, "isas") == 0)
        return names_of_isas();
    if (strcmp(key, "threads") == 0)
        return number_of_threads();
    if (strcmp(key, "method") == 0)
        return exblas_get_method();
    if (strcmp(key, "compiler") == 0)
        return __VERSION__;
    return NULL;
}
