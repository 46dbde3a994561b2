/* Tiles of AMX: their configuration, and what stands for them where they are emulated. */
#pragma once

#include <stdint.h>

enum { EXB_TILES = 8, EXB_TILE_ROWS = 16, EXB_TILE_BYTES = 64 /* of a row */ };

/* As ldtilecfg reads it; palette 0: tiles are not in use. */
typedef struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} exb_tile_config;

_Static_assert(sizeof(exb_tile_config) == 64, "what ldtilecfg reads");

/* What they are configured for and hold. */
typedef struct {
    exb_tile_config config;
    uint8_t tile[EXB_TILES][EXB_TILE_ROWS][EXB_TILE_BYTES];
    int64_t n_products; /* of tiles, so far, where they are emulated */
} exb_tiles;

/* Those of a thread where they are emulated. */
exb_tiles *exb_tiles_of_thread(void);
