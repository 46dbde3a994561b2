#include "core/tiles.h"

#if defined(__x86_64__) && defined(__linux__)

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { REQUEST = 0x1023 /* ARCH_REQ_XCOMP_PERM */, TILE_DATA = 18 /* XFEATURE_XTILE_DATA */ };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool permitted;

static void ask(void)
{
    permitted = syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
}

bool exb_tiles_permitted(void)
{
    pthread_once(&once, ask);
    return permitted;
}

#else

bool exb_tiles_permitted(void)
{
    return false;
}

#endif

exb_emulated_tiles *exb_tiles_of_thread(void)
{
    static _Thread_local exb_emulated_tiles tiles;
    return &tiles;
}

bool exb_emulated_tiles_permitted(void)
{
    return true;
}
