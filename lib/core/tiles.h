/* Tiles of AMX: their configuration, the permission to use them, and an emulation in C. */
#ifndef EXB_TILES_H
#define EXB_TILES_H

#include <stdbool.h>
#include <stdint.h>

enum { EXB_TILES = 8, EXB_TILE_ROWS = 16, EXB_TILE_BYTES = 64 /* of a row */ };

/* As ldtilecfg reads it; palette 0: tiles are not in use. */
typedef struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} exb_tile_config;

/* Asks the operating system for tiles, once a process: threads and children inherit the answer. It
 * refuses if a thread has an alternate signal stack that is too small for them; once it agreed,
 * none can be made. Therefore only for a product that is large enough. */
bool exb_tiles_permitted(void);

/* The tiles of a thread where they are emulated. */
typedef struct {
    exb_tile_config config;
    uint8_t tile[EXB_TILES][EXB_TILE_ROWS][EXB_TILE_BYTES];
    int64_t n_products; /* of tiles, so far */
} exb_emulated_tiles;

exb_emulated_tiles *exb_tiles_of_thread(void);

/* What stands for exb_tiles_permitted there. */
bool exb_emulated_tiles_permitted(void);

#endif
