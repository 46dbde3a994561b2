/* Systems: freebsd darwin windows. Whose tables nobody reads. */
#include "observe/elsewhere.h"

bool exb_elsewhere_is_known(void)
{
    return false;
}

void exb_elsewhere_find(bool none_intercepted, void (*report)(void *, const exb_elsewhere *),
                        void *context)
{
    (void)none_intercepted, (void)report, (void)context;
}

bool exb_own_sums_matter(void)
{
    return false;
}

void exb_own_object(const void *inside)
{
    (void)inside;
}

void exb_lapack_passed(const char *routine, int bits, const char *provider)
{
    (void)routine, (void)bits, (void)provider;
}
