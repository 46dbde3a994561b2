/* The processor's tiles against their emulation in C, instruction by instruction and shape by
 * shape: the bytes that are stored are the same, and nothing beyond the rows is written.
 *
 * Under Bochs 3.0 (TEST_BOCHS is set) the vocabulary is the one without what that lacks; the
 * processor's own product is tried with s from 0 on. */
#include "core/cpu.h"
#include "core/tiles.h"
#include "test_random.h"
#include "testing.h"
#include "tile_calls.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUFFER = 4096, MIDDLE = BUFFER / 2 };

static const tile_calls *calls; /* those that are compared with tile_calls_emulated */
static test_random r;

static bool has_tiles(void)
{
    return exb_cpu_has("amx") && exb_tiles_permitted();
}

static uint8_t pool[4 * BUFFER]; /* any bytes: an emulator takes long to make them anew */

static int prepare(NO_STATE)
{
    calls = getenv("TEST_BOCHS") ? &tile_calls_unsigned : &tile_calls_amx;
    r = test_random_start(test_seed(), "tiles");
    for (size_t i = 0; i < sizeof pool; i++)
        pool[i] = (uint8_t)random_between(&r, 0, 255);
    return 0;
}

static int release(NO_STATE)
{
    if (has_tiles())
        calls->release();
    tile_calls_emulated.release();
    return 0;
}

static void fill(void *p, size_t n)
{
    memcpy(p, pool + random_between(&r, 0, (int64_t)(sizeof pool - n)), n);
}

static void configure(const exb_tile_config *c)
{
    calls->configure(c);
    tile_calls_emulated.configure(c);
}

static exb_tile_config all_of(int n_rows, int n_bytes)
{
    exb_tile_config c = {.palette = 1};
    for (int t = 0; t < EXB_TILES; t++) {
        c.rows[t] = (uint8_t)n_rows;
        c.row_bytes[t] = (uint16_t)n_bytes;
    }
    return c;
}

/* What both store of tile t, 0xee where they store nothing. */
static void check_stored(int t, int64_t stride)
{
    uint8_t stored[BUFFER], expected[BUFFER];
    memset(stored, 0xee, sizeof stored);
    memset(expected, 0xee, sizeof expected);
    calls->store(t, stored + MIDDLE, stride);
    tile_calls_emulated.store(t, expected + MIDDLE, stride);
    assert_memory_equal(stored, expected, BUFFER);
}

static void load(int t, const void *p, int64_t stride, bool once)
{
    (once ? calls->load_once : calls->load)(t, p, stride);
    (once ? tile_calls_emulated.load_once : tile_calls_emulated.load)(t, p, stride);
}

/* Every number of rows and of fours of bytes of a row, with strides of both signs and of none. */
static void every_shape(NO_STATE)
{
    uint8_t from[BUFFER];
    if (!has_tiles())
        leave_test("no tiles");
    for (int n_rows = 1; n_rows <= EXB_TILE_ROWS; n_rows++)
        for (int n_bytes = 4; n_bytes <= EXB_TILE_BYTES; n_bytes += 4) {
            exb_tile_config c = all_of(n_rows, n_bytes);
            int t = (int)random_between(&r, 0, EXB_TILES - 1);
            int64_t stride = random_sign(&r) < 0 ? -64 : random_between(&r, n_bytes, 100);
            configure(&c);
            check_stored(t, 64); /* zeros */
            fill(from, sizeof from);
            load(t, from + MIDDLE, n_rows % 5 ? stride : 0, n_bytes % 8 == 0);
            check_stored(t, stride);
        }
}

/* Tiles of eight shapes: one is zeroed or loaded, the others stay as they are. */
static void each_tile_alone(NO_STATE)
{
    uint8_t from[BUFFER];
    exb_tile_config c = all_of(16, 64);
    if (!has_tiles())
        leave_test("no tiles");
    for (int t = 0; t < EXB_TILES; t++) {
        c.rows[t] = (uint8_t)(2 * t + 1);
        c.row_bytes[t] = (uint16_t)(64 - 4 * t);
    }
    configure(&c);
    for (int round = 0; round < 64; round++) {
        int changed = (int)random_between(&r, 0, EXB_TILES - 1);
        if (round % 3 == 0) {
            calls->zero(changed);
            tile_calls_emulated.zero(changed);
        } else {
            fill(from, sizeof from);
            load(changed, from + MIDDLE, 64, round % 3 == 1);
        }
        for (int t = 0; t < EXB_TILES; t++)
            check_stored(t, 64);
    }
}

/* Bytes of s whose bits s_bits may be set, many of them 127; sums at the ends of their range,
 * beyond which they wrap, and others. */
static void load_operands(int c, int s, int u, int s_bits)
{
    enum { TILE = EXB_TILE_ROWS * EXB_TILE_BYTES };
    uint8_t bytes[TILE];
    int32_t sums[TILE / 4];
    fill(bytes, sizeof bytes);
    load(u, bytes, 64, false);
    fill(bytes, sizeof bytes);
    for (int i = 0; i < TILE; i++)
        bytes[i] = (uint8_t)(i % 7 ? bytes[i] & s_bits : 127);
    load(s, bytes, 64, false);
    fill(sums, sizeof sums);
    for (int i = 0; i < TILE / 4; i += 3)
        sums[i] = i % 2 ? INT32_MAX : INT32_MIN;
    load(c, sums, 64, false);
}

static void check_product(const int tile[3], int m, int n, int k, int s_bits)
{
    exb_tile_config config = all_of(1, 4);
    config.rows[tile[0]] = config.rows[tile[1]] = (uint8_t)m;
    config.row_bytes[tile[0]] = config.row_bytes[tile[2]] = (uint16_t)(4 * n);
    config.row_bytes[tile[1]] = (uint16_t)(4 * k);
    config.rows[tile[2]] = (uint8_t)k;
    configure(&config);
    load_operands(tile[0], tile[1], tile[2], s_bits);
    for (int i = 0; i < 2; i++) {
        calls->dot(tile[0], tile[1], tile[2]);
        tile_calls_emulated.dot(tile[0], tile[1], tile[2]);
        check_stored(tile[0], 64);
    }
}

/* Every shape of a product, with every triple of tiles. */
static void check_products(int s_bits)
{
#define TRIPLE(c, s, u) {c, s, u},
    static const int triples[][3] = {TILE_TRIPLES(TRIPLE)};
    for (int m = 1; m <= 16; m++)
        for (int n = 1; n <= 16; n++)
            for (int k = 1; k <= 16; k++)
                check_product(triples[(m + n + k) % (int)(sizeof triples / sizeof *triples)], m, n,
                              k, s_bits);
}

static void every_product(NO_STATE)
{
    if (!has_tiles())
        leave_test("no tiles");
    check_products(255);
    calls = &tile_calls_amx;
    check_products(127);
    prepare(NULL);
}

/* What is configured is told, with nothing in the bytes that are reserved; then that it is not. */
static void configuration_comes_back(NO_STATE)
{
    exb_tile_config c = all_of(7, 36), found;
    if (!has_tiles() || getenv("TEST_BOCHS"))
        leave_test("no tiles or no sttilecfg");
    c.rows[3] = 0;
    c.row_bytes[3] = 0;
    configure(&c);
    calls->keep_config(&found);
    assert_memory_equal(&found, &c, sizeof c);
    calls->release();
    calls->keep_config(&found);
    assert_int_equal(found.palette, 0);
}

/* --- what is refused ------------------------------------------------------ */

typedef enum { CONFIGURE, STORE, LOAD, ZERO_RELEASED, DOT } tile_use;

/* All tiles have so many rows of so many bytes, but one its own. */
static const struct {
    const char *what;
    tile_use use;
    int palette, n_rows, n_bytes, tile, its_rows, its_bytes;
} refused[] = {
    {"odd bytes", STORE, 1, 4, 6, 1, 4, 6},
    {"another palette", CONFIGURE, 2, 4, 8, 0, 4, 8},
    {"too many rows", CONFIGURE, 1, 17, 8, 0, 17, 8},
    {"no such tile", LOAD, 1, 4, 8, 1, 0, 0},
    {"tiles that were released", ZERO_RELEASED, 1, 4, 8, 0, 4, 8},
    {"other rows", DOT, 1, 4, 16, 3, 5, 16},
    {"other columns", DOT, 1, 4, 16, 3, 4, 12},
    {"other terms", DOT, 1, 4, 16, 5, 3, 16},
};

static void use_refused(size_t i, const tile_calls *t)
{
    uint8_t bytes[BUFFER] = {0};
    exb_tile_config c = all_of(refused[i].n_rows, refused[i].n_bytes);
    c.palette = (uint8_t)refused[i].palette;
    c.rows[refused[i].tile] = (uint8_t)refused[i].its_rows;
    c.row_bytes[refused[i].tile] = (uint16_t)refused[i].its_bytes;
    t->configure(&c);
    if (refused[i].use == STORE)
        t->store(1, bytes, 64);
    if (refused[i].use == LOAD)
        t->load(1, bytes, 64);
    if (refused[i].use == DOT)
        t->dot(3, 4, 5);
    if (refused[i].use == ZERO_RELEASED) {
        t->release();
        t->zero(1);
    }
}

/* Whether a signal of the processor ends it, in a child. */
static bool is_refused(size_t i, const tile_calls *t)
{
    pid_t child = fork();
    if (child == 0) {
        signal(SIGILL, SIG_DFL);
        signal(SIGSEGV, SIG_DFL);
        use_refused(i, t);
        _exit(0);
    }
    int status;
    assert_true(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGILL || WTERMSIG(status) == SIGSEGV);
}

/* The emulation is no more lenient than a processor. */
static void the_same_is_refused(NO_STATE)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (!is_refused(i, &tile_calls_emulated))
            fail_msg("the emulation takes %s", refused[i].what);
        if (has_tiles() && !is_refused(i, calls))
            fail_msg("the processor takes %s", refused[i].what);
    }
}

int main(void)
{
    return run_each_between(prepare, release, every_shape, each_tile_alone, every_product,
                            configuration_comes_back, the_same_is_refused);
}
