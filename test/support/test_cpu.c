/* The instruction sets of the processor, for programs that are linked with --wrap=exb_cpu_has and
 * --wrap=exb_tiles_permitted: where TEST_CPU is set, those that it names, between commas, and no
 * others, whatever the processor reports. An emulator may execute more than it reports. */
#include "core/cpu.h"
#include "core/tiles.h"

#include <stdlib.h>
#include <string.h>

/* Whether TEST_CPU, which is set, names it. */
static bool is_named(const char *isa)
{
    size_t length = strlen(isa);
    for (const char *p = getenv("TEST_CPU"); *p; p += *p == ',') {
        size_t n = strcspn(p, ",");
        if (n == length && memcmp(p, isa, n) == 0)
            return true;
        p += n;
    }
    return false;
}

bool __real_exb_cpu_has(const char *isa);
bool __wrap_exb_cpu_has(const char *isa);
bool __wrap_exb_cpu_has(const char *isa)
{
    return getenv("TEST_CPU") ? is_named(isa) : __real_exb_cpu_has(isa);
}

/* The operating system is asked all the same: where it can refuse, tiles need its consent. */
bool __real_exb_tiles_permitted(void);
bool __wrap_exb_tiles_permitted(void);
bool __wrap_exb_tiles_permitted(void)
{
    return __real_exb_tiles_permitted() || (getenv("TEST_CPU") && is_named("amx"));
}
