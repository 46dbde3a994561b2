/* The permission to use tiles (core/simd/tile_state.h). */
#pragma once

#include "core/simd/tile_state.h"

#include <stdbool.h>

/* Asks the operating system for tiles, once a process: threads and children inherit the answer. It
 * refuses if a thread has an alternate signal stack that is too small for them; once it agreed,
 * none can be made. Therefore only for a product that is large enough. */
bool exb_tiles_permitted(void);

/* The same where tiles are emulated. */
bool exb_emulated_tiles_permitted(void);
