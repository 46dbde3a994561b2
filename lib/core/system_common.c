/* Systems: linux freebsd darwin windows. POSIX's names, which MinGW-w64 brings to Windows. */
#include "core/system.h"

#include <sys/stat.h>
#include <unistd.h>

long exb_system_process(void)
{
    return (long)getpid();
}

bool exb_system_can_share(const char *name)
{
    struct stat st;
    return stat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

void exb_system_write(int file, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(file, text, length);
        if (n <= 0)
            return;
        text += n;
        length -= (size_t)n;
    }
}

void exb_system_close(int file)
{
    close(file);
}
