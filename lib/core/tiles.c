#include "core/tiles.h"

#include "core/system.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool permitted;

static void ask_for_tiles(void)
{
    permitted = exb_system_permits_tiles();
}

bool exb_tiles_permitted(void)
{
    pthread_once(&once, ask_for_tiles);
    return permitted;
}

exb_tiles *exb_tiles_of_thread(void)
{
    static _Thread_local exb_tiles tiles;
    return &tiles;
}

bool exb_emulated_tiles_permitted(void)
{
    return true;
}
