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
    GROUP = 16, /* strips of A whose sums wait for the next panel */
    SIDE = 2 * EXB_STRIP /* rows and columns of a block of sums */
};

/* --- the caller's tiles ------------------------------------------------- */

/* Tiles belong to whoever calls: what he has configured comes back, with what is in it. */
typedef struct {
    exb_tile_config config;
    uint8_t tile[EXB_TILES][TILE];
} kept_tiles;

#define FOR_ALL_TILES(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)

static void keep_tiles(kept_tiles *kept)
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

static void give_tiles_back(const kept_tiles *kept)
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

/* Sums of a block that are complete, and what of them is done: 16 rows of a column are one unit,
 * 2 j + i for column j and strip i of at most 2. */
typedef struct {
    const exb_residue_area *area;
    exb_reducer by;
    const int32_t *sum;
    int8_t *out;
    int next, end, step;
} reduction;

EXB_INLINE void reduce_some(reduction *r, int n)
{
    for (; n > 0 && r->next < r->end; n--, r->next += r->step) {
        int j = r->next / 2, i = r->next % 2;
        exb_store_residues(&r->by, w_load(r->sum + j * SIDE + i * EXB_STRIP), r->area->add,
                           r->out + j * r->area->ld + i * EXB_STRIP);
    }
}

static void reduce_rest(reduction *r)
{
    reduce_some(r, r->end);
}

/* --- products ----------------------------------------------------------- */

/* Strips of A and of B that are multiplied, the second as the first if there is but one; tiles of
 * terms from the first on; where the sums are. */
typedef struct {
    int n_a, n_b;
    const uint8_t *a[2], *b[2];
    int64_t n_tiles;
    bool resume;
    int32_t *sum;
} block;

EXB_INLINE void start_sums(const block *q)
{
    if (!q->resume) {
        t_zero(0);
        t_zero(1);
        t_zero(2);
        t_zero(3);
        return;
    }
    t_load(0, q->sum, SIDE * 4);
    t_load(1, q->sum + EXB_STRIP, SIDE * 4);
    t_load(2, q->sum + SIDE * EXB_STRIP, SIDE * 4);
    t_load(3, q->sum + SIDE * EXB_STRIP + EXB_STRIP, SIDE * 4);
}

EXB_INLINE void keep_sums(const block *q)
{
    t_store(0, q->sum, SIDE * 4);
    t_store(1, q->sum + EXB_STRIP, SIDE * 4);
    t_store(2, q->sum + SIDE * EXB_STRIP, SIDE * 4);
    t_store(3, q->sum + SIDE * EXB_STRIP + EXB_STRIP, SIDE * 4);
}

/* Tile 2 j + i: sums of strip j of B and strip i of A; 4, 5: of B, which are used again for the
 * next strips of A; 6, 7: of A. */
EXB_INLINE void multiply_tiles(int n_a, int n_b, const block *q, int per_tile, reduction *before)
{
    for (int64_t at = 0; at < q->n_tiles * TILE; at += TILE) {
        t_load(4, q->b[0] + at, EXB_TILE_BYTES);
        t_load_once(6, q->a[0] + at, EXB_TILE_BYTES);
        t_dot(0, 4, 6);
        if (n_a > 1) {
            t_load_once(7, q->a[1] + at, EXB_TILE_BYTES);
            t_dot(1, 4, 7);
        }
        reduce_some(before, per_tile);
        if (n_b > 1) {
            t_load(5, q->b[1] + at, EXB_TILE_BYTES);
            t_dot(2, 5, 6);
            if (n_a > 1)
                t_dot(3, 5, 7);
        }
    }
}

static void multiply_block(const block *q, reduction *before)
{
    /* All of the 2 SIDE units before are reduced when these products are done. */
    int per_tile = (int)exb_tasks_of(2 * SIDE, q->n_tiles);
    start_sums(q);
    if (q->n_a == 2 && q->n_b == 2)
        multiply_tiles(2, 2, q, per_tile, before);
    else if (q->n_a == 2)
        multiply_tiles(2, 1, q, per_tile, before);
    else
        multiply_tiles(1, q->n_b, q, per_tile, before);
    keep_sums(q);
}

/* Two strips of B by a group of strips of A, of which those of the last block are left to reduce.
 * The sums of a block may lie where those before did: they are stored after these were reduced. */
static void multiply_columns(const exb_residue_area *area, int64_t r0, int64_t n_rows, int64_t c,
                             int32_t (*sums)[SIDE * SIDE], reduction *left)
{
    int64_t n_tiles = area->kq / EXB_TILE_QUADS;
    int n_b = (int)exb_least(area->columns - c, 2);
    const uint8_t *b = area->b.p + c * area->b.stride;
    for (int64_t k0 = 0; k0 < n_tiles; k0 += PANEL)
        for (int64_t r = 0; r < n_rows; r += 2) {
            int n_a = (int)exb_least(n_rows - r, 2);
            const uint8_t *a = area->a.p + (r0 + r) * area->a.stride;
            block q = {.n_a = n_a,
                       .n_b = n_b,
                       .a = {a + k0 * TILE, a + (n_a - 1) * area->a.stride + k0 * TILE},
                       .b = {b + k0 * TILE, b + (n_b - 1) * area->b.stride + k0 * TILE},
                       .n_tiles = exb_least(n_tiles - k0, PANEL),
                       .resume = k0 > 0,
                       .sum = sums[r / 2]};
            multiply_block(&q, left);
            if (k0 + PANEL < n_tiles)
                continue;
            left->sum = q.sum;
            left->out = area->out + c * EXB_STRIP * area->ld + (r0 + r) * EXB_STRIP;
            left->next = 0;
            left->end = 2 * n_b * EXB_STRIP;
            left->step = 3 - n_a;
        }
}

static void multiply(const exb_residue_area *area)
{
    static const exb_tile_config config = {.palette = 1,
                                           .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
                                           .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
    _Alignas(64) int32_t sums[GROUP / 2][SIDE * SIDE];
    kept_tiles kept;
    reduction left = {.area = area, .by = exb_reducer_of(area->modulus)};
    keep_tiles(&kept);
    t_configure(&config);
    for (int64_t r = 0; r < area->rows; r += GROUP)
        for (int64_t c = 0; c < area->columns; c += 2)
            multiply_columns(area, r, exb_least(area->rows - r, GROUP), c, sums, &left);
    give_tiles_back(&kept);
    reduce_rest(&left);
}

/* The other kernels are those of EXB_TILE_BASE. */
#define base(name) EXB_RESIDUE_NAME(name, EXB_TILE_BASE)
EXB_RESIDUE_PROTOTYPES(EXB_TILE_BASE)

#ifdef EXB_ISA_avx512
#define APPROXIMATE exb_residue_approximate_avx512ifma
#else
#define APPROXIMATE NULL
#endif

/* Products cost so little that halves do not pay. */
const exb_residue_kernels EXB_PASTE2(exb_residue_, EXB_OWN_ISA) = {EXB_TILE_QUADS,
                                                                   2 * EXB_RESIDUE_TILE,
                                                                   0,
                                                                   600,
                                                                   base(convert_tiles),
                                                                   multiply,
                                                                   base(combine),
                                                                   base(reconstruct),
                                                                   base(add_bounds),
                                                                   APPROXIMATE};
