/* The products of bytes of the residue engine (residue.h) on tiles of AMX, or on those of its
 * emulation in C.
 *
 * A tile is a block of EXB_RESIDUE_TERMS terms of a strip, 1 KB: of A by terms, 16 fours of them
 * for 16 vectors, of B by vectors, 64 terms of each. The product of a tile of B and one of A has 16
 * sums of a column of C side by side. A sum over at most 65536 terms is at most 255 * 128 * 65536 =
 * 2^31 - 2^23 in magnitude: no partial sum leaves 32 bits.
 *
 * 2 x 2 tiles of sums are computed at once; those that are complete are reduced modulo p between
 * the products of the next ones, which another unit of the processor computes.
 * Instruction sets: amx amx-emulated amx-emulated-avx2. */
#ifdef EXB_EMULATED_TILES
#include "core/simd/simd_amx_emulated.h"
#else
#include "core/simd/simd_amx.h"
#endif
#include "core/partition.h"
#include "level3/kernels/residue_bytes.h"

enum {
    TILE = EXB_TILE_ROWS * EXB_TILE_BYTES,
    PANEL = 16, /* tiles of terms: those of two strips of B stay in the first-level cache */
    SIDE = 2 * EXB_STRIP, /* rows and columns of a block of sums */
    COLUMNS = 2,          /* that are reduced at once */
    UNITS = SIDE / COLUMNS
};

/* --- the caller's tiles ------------------------------------------------- */

/* Tiles belong to whoever calls: what he has configured comes back, with what is in it. */
#define FOR_ALL_TILES(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)

static void keep_tiles(exb_tiles *kept)
{
    t_keep_config(&kept->config);
    if (!kept->config.palette)
        return;
#define KEEP(t)                                                                                    \
    if (kept->config.rows[t])                                                                      \
        t_store(t, kept->tile[t], EXB_TILE_BYTES);
    FOR_ALL_TILES(KEEP)
#undef KEEP
}

static void give_tiles_back(const exb_tiles *kept)
{
    if (!kept->config.palette) {
        t_release();
        return;
    }
    t_configure(&kept->config);
#define GIVE_BACK(t)                                                                               \
    if (kept->config.rows[t])                                                                      \
        t_load(t, kept->tile[t], EXB_TILE_BYTES);
    FOR_ALL_TILES(GIVE_BACK)
#undef GIVE_BACK
}

/* --- reduction ---------------------------------------------------------- */

/* Sums of a block that are complete; so many units of COLUMNS columns, of them some are done. */
typedef struct {
    const int32_t *sum;
    int8_t *out;
    int n_rows, done, end;
} reduction;

EXB_INLINE void reduce_some(const exb_residue_area *area, const exb_reducer *by, bool add, int n,
                            reduction *r)
{
    for (; n > 0 && r->done < r->end; n--, r->done++)
#pragma GCC unroll 2
        for (int j = COLUMNS * r->done; j < COLUMNS * r->done + COLUMNS; j++)
            for (int i = 0; i < r->n_rows; i += EXB_STRIP)
                exb_store_residues(by, w_load(r->sum + j * SIDE + i), add,
                                   r->out + j * area->ld + i);
}

/* --- products ----------------------------------------------------------- */

/* What is needed later is brought to the second-level cache meanwhile: of two strips from v on,
 * moved by `bytes`, n lines at a time from the `at`-th n on. */
enum { LINES = PANEL * TILE / 64 /* of a strip in a panel */ };

EXB_INLINE const uint8_t *later(exb_residue_strips s, int64_t v, int64_t bytes, int64_t at, int n)
{
    int64_t line = at * n;
    return s.p + (v + line / LINES) * s.stride + bytes + line % LINES * 64;
}

EXB_INLINE void fetch(const uint8_t **p, int n)
{
    for (int i = 0; i < n; i++, *p += 64)
        __builtin_prefetch(*p, 0, 2);
}

/* How many terms, units of reduction and lines of A and B a block takes, with each of its tiles. */
typedef struct {
    int64_t n_tiles;
    int units, a_lines, b_lines;
} pace;

/* Tile 2 j + i: sums of strip j of B and strip i of A; 4, 5: of B, which are used again for the
 * next strips of A; 6, 7: of A. */
EXB_INLINE void multiply_block(const exb_residue_area *area, const exb_reducer *by, bool add,
                               const uint8_t *const a[2], const uint8_t *const b[2],
                               const pace *by_tile, const uint8_t *next_a, const uint8_t *next_b,
                               reduction *before)
{
    t_zero(0);
    t_zero(1);
    t_zero(2);
    t_zero(3);
    for (int64_t at = 0; at < by_tile->n_tiles * TILE; at += TILE) {
        t_load(4, b[0] + at, EXB_TILE_BYTES);
        t_load_once(6, a[0] + at, EXB_TILE_BYTES);
        t_dot(0, 4, 6);
        t_load_once(7, a[1] + at, EXB_TILE_BYTES);
        t_dot(1, 4, 7);
        reduce_some(area, by, add, by_tile->units, before);
        t_load(5, b[1] + at, EXB_TILE_BYTES);
        t_dot(2, 5, 6);
        t_dot(3, 5, 7);
        fetch(&next_a, by_tile->a_lines);
        fetch(&next_b, by_tile->b_lines);
    }
}

EXB_INLINE void keep_sums(int32_t *sum)
{
    t_store(0, sum, SIDE * 4);
    t_store(1, sum + EXB_STRIP, SIDE * 4);
    t_store(2, sum + SIDE * EXB_STRIP, SIDE * 4);
    t_store(3, sum + SIDE * EXB_STRIP + EXB_STRIP, SIDE * 4);
}

/* Two strips from v on, the second as the first if there is but one. */
EXB_INLINE int two_strips(exb_residue_strips s, int64_t v, int64_t n, int64_t bytes,
                          const uint8_t *out[2])
{
    int found = n - v > 1 ? 2 : 1;
    out[0] = s.p + v * s.stride + bytes;
    out[1] = out[0] + (found - 1) * s.stride;
    return found;
}

/* The terms from tile k0 on. Then come those of the next panel, or of the next modulus. */
EXB_INLINE void multiply_panel(const exb_residue_area *area, const exb_reducer *by, bool add,
                               int64_t k0, int64_t n_tiles, int64_t end,
                               int32_t sums[2][SIDE * SIDE])
{
    const uint8_t *a[2], *b[2];
    reduction left = {0};
    int64_t now = k0 * TILE, n_a = exb_tasks_of(area->rows, 2),
            n_b = exb_tasks_of(area->columns, 2);
    int lines_a = (int)exb_tasks_of(2 * LINES, n_b), lines_b = (int)exb_tasks_of(2 * LINES, n_a);
    pace by_tile = {n_tiles, (int)exb_tasks_of(UNITS, n_tiles), (int)exb_tasks_of(lines_a, PANEL),
                    (int)exb_tasks_of(lines_b, PANEL)};
    bool is_last = k0 + n_tiles == end;
    int64_t then_a = is_last ? area->plane_a : now + PANEL * TILE;
    int64_t then_b = is_last ? area->plane_b : now + PANEL * TILE;
    int which = 0;
    for (int64_t c = 0; c < n_b; c++)
        for (int64_t r = 0; r < n_a; r++, which ^= 1) {
            bool is_end = c + 1 == n_b;
            int rows = two_strips(area->a, 2 * r, area->rows, now, a);
            int columns = two_strips(area->b, 2 * c, area->columns, now, b);
            multiply_block(
                area, by, add, a, b, &by_tile, later(area->a, 2 * r, then_a, c, lines_a),
                later(area->b, is_end ? 0 : 2 * c + 2, is_end ? then_b : now, r, lines_b), &left);
            keep_sums(sums[which]);
            left = (reduction){.sum = sums[which],
                               .out = area->out + c * SIDE * area->ld + r * SIDE,
                               .n_rows = rows * EXB_STRIP,
                               .end = columns * EXB_STRIP / COLUMNS};
        }
    reduce_some(area, by, add, UNITS, &left);
}

static void multiply_residues(const exb_residue_area *area)
{
    static const exb_tile_config config = {.palette = 1,
                                           .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
                                           .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
    const exb_reducer by = exb_reducer_of(area->modulus);
    int64_t n_tiles = area->kq / EXB_TILE_QUADS;
    _Alignas(64) int32_t sums[2][SIDE * SIDE];
    exb_tiles kept;
    keep_tiles(&kept);
    t_configure(&config);
    for (int64_t k0 = 0; k0 < n_tiles; k0 += PANEL) {
        int64_t n = exb_least(n_tiles - k0, PANEL);
        if (area->add || k0 > 0)
            multiply_panel(area, &by, true, k0, n, n_tiles, sums);
        else
            multiply_panel(area, &by, false, k0, n, n_tiles, sums);
    }
    give_tiles_back(&kept);
}

/* The other kernels are those of EXB_TILE_BASE. */
#define base(name) EXB_RESIDUE_NAME(name, EXB_TILE_BASE)
EXB_RESIDUE_PROTOTYPES(EXB_TILE_BASE)

/* Products cost so little that halves do not pay. */
const exb_residue_kernels EXB_PASTE2(exb_residue_, EXB_OWN_ISA) = {
    EXB_TILE_QUADS,    512,           0, 600, base(convert), multiply_residues, base(combine),
    base(reconstruct), exb_add_bounds};
