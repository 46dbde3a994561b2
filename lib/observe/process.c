#include "observe/process.h"

#include "core/system.h"

#include <stdio.h>
#include <string.h>

void exb_process_file(char *out, size_t size, const char *pattern)
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
