#include "lapack/residual_tiles.h"

#include "core/arith/anchor.h"
#include "core/memory.h"
#include "core/partition.h"
#include "core/thread.h"
#include "level1/kernels/plain_lines.h"

/* A tile has HEIGHT rows of the product, columns of S, through all columns of A, WIDTH at a time:
 * residues of S are read once, those of A for a modulus stay in the second-level cache. GROUP
 * strips of S are converted side by side. FOUND elements of TOGETHER rows are put together before
 * they are added. */
enum { WIDTH = 96, HEIGHT = 192, GROUP = 8, FOUND = 192, TOGETHER = 4 };

/* Planes of residues start at different sets of the first-level cache; kernels read 64 residues at
 * once. */
enum { APART = 5 * 64 };

typedef exb_residual_work work;

/* --- residues ------------------------------------------------------------ */

/* Brings terms begin ... end - 1 of a strip nearer. */
static void fetch(const work *w, const double *p, int64_t end, int64_t begin)
{
    for (int64_t l = begin; l < end; l++) {
        __builtin_prefetch(p + l * w->n, 0, 2);
        __builtin_prefetch(p + l * w->n + 8, 0, 2);
    }
}

/* Strips begin ... end - 1 of the vectors p, whose elements are n apart, through n_terms terms. */
static void convert_strips(const work *w, int side, const double *p, int64_t n_vectors,
                           int64_t n_terms, const double *factor, double *lost, uint8_t *out,
                           int64_t plane)
{
    double unused[2][EXB_STRIP];
    for (int64_t l = 0; l < n_terms; l += EXB_RESIDUE_TERMS)
        for (int64_t v = 0; v < n_vectors; v += EXB_STRIP) {
            fetch(w, p + v, exb_least(n_terms, l + 2 * EXB_RESIDUE_TERMS), l + EXB_RESIDUE_TERMS);
            exb_residue_elements x = {p + l * w->n + v,
                                      1,
                                      w->n,
                                      exb_least(EXB_STRIP, n_vectors - v),
                                      exb_least(EXB_RESIDUE_TERMS, n_terms - l),
                                      factor + v};
            memset(unused, 0, sizeof unused);
            w->kernels->convert(&w->system, side, &x, out + v * w->panel + l * EXB_STRIP, plane,
                                (exb_lost){lost ? lost + v : unused[0], unused[1]});
        }
}

/* Columns of S. */
static void convert_s(void *ctx, int64_t group)
{
    const work *w = ctx;
    int64_t begin = group * GROUP * EXB_STRIP;
    int64_t n = exb_least(GROUP * EXB_STRIP, w->n - begin);
    convert_strips(w, 1, w->p->s + begin, n, w->n, w->factor + begin, w->lost + begin,
                   w->s + begin * w->panel, w->s_plane);
}

/* Terms of the columns of A before this one, behind which there are zeros. */
static int64_t terms_of(const work *w, int64_t end)
{
    return exb_least(w->n, exb_round_up(w->p->first + end, EXB_RESIDUE_TERMS));
}

/* Columns of A for a tile. */
static void convert_a(void *ctx, int64_t number)
{
    const work *w = ctx;
    int64_t begin = number * WIDTH, n = exb_least(WIDTH, w->n_columns - begin);
    convert_strips(w, 0, w->p->a + w->p->first + begin, n, terms_of(w, begin + n),
                   w->to_integer + begin, NULL, w->a + begin * w->panel, w->a_plane);
}

/* Columns i of A times columns v of S, modulo number m. */
static void multiply_block(const work *w, int m, exb_range i, exb_range v, int8_t *out)
{
    int64_t terms = terms_of(w, i.end), quads = w->kernels->quads, stride = EXB_STRIP * w->panel;
    exb_residue_area area = {
        .kernels = w->kernels,
        .modulus = &w->system.modulus[m],
        .rows = exb_tasks_of(i.end - i.begin, EXB_STRIP),
        .columns = exb_tasks_of(v.end - v.begin, EXB_STRIP),
        .kq = exb_round_up(terms, 4 * quads) / 4,
        .a = {w->a + m * w->a_plane + i.begin * w->panel, stride},
        .b = {w->s + m * w->s_plane + v.begin * w->panel, stride},
        .out = out + i.begin,
        .ld = w->ld,
    };
    w->kernels->multiply(&area);
}

static void multiply_tile(const work *w, exb_range v, int8_t *tile)
{
    for (int m = 0; m < w->system.n_moduli; m++)
        for (int64_t i = 0; i < w->n_columns; i += WIDTH) {
            exb_range block = {i, exb_least(w->n_columns, i + WIDTH)};
            multiply_block(w, m, block, v, tile + m * w->tile_plane);
        }
}

/* --- sums ---------------------------------------------------------------- */

/* Of the columns: beside C, and as integers. */
typedef struct {
    double *sums, *integers;
} partial_sums;

static partial_sums sums_of(const work *w, int64_t task)
{
    double *sums = w->sums + 2 * task * w->n_columns;
    return (partial_sums){sums, sums + w->n_columns};
}

/* Products of rows of B, where C is 0, in integers. */
static void add_products(int64_t n, int n_rows, const double *h, double *integers)
{
    static const double ones[TOGETHER] = {1, 1, 1, 1};
    if (n_rows == TOGETHER) {
        exb_kernels_current()->lines->add_magnitudes(n, h, FOUND, ones, integers);
        return;
    }
    for (int k = 0; k < n_rows; k++)
        for (int64_t i = 0; i < n; i++)
            integers[i] += exb_fabs(h[k * FOUND + i]);
}

/* |W| of a row of B beside C. */
static void add_difference(int64_t n, const double *h, const double *unit, const double *range,
                           const double *c, double *sums)
{
    for (int64_t i = 0; i < n; i++) {
        double x = h[i] * unit[i] - c[i];
        double q = (x / range[i] + 0x1.8p52) - 0x1.8p52;
        sums[i] += exb_fabs(x - q * range[i]);
    }
}

/* Columns i of a row of B that has some of C. */
static void add_row(const work *w, exb_range i, int64_t row, const double *h, double *integers,
                    double *sums)
{
    static const double one = 1;
    const double *c = w->p->c + row * w->n + w->p->first + i.begin;
    int64_t n = i.end - i.begin, diagonal = row - w->p->first - i.begin;
    int64_t below = exb_least(n, diagonal);
    const double *unit = w->one + i.begin, *range = w->range + i.begin;
    add_difference(below, h, unit, range, c, sums);
    if (diagonal < n) {
        add_difference(1, h + below, unit + below, range + below, &one, sums + below);
        add_products(n - below - 1, 1, h + below + 1, integers + below + 1);
    }
}

/* Columns j and on of a tile: what residues stand for, in integers, or but for 2^-53 of P. */
static void put_together(const work *w, int64_t n, const int8_t *r, double *h)
{
    _Alignas(64) double l[FOUND], e[FOUND];
    const exb_residue_system *s = &w->system;
    if (w->kernels->approximate && s->n_moduli <= EXB_FRACTION_MODULI)
        w->kernels->approximate(s, false, n, r, w->tile_plane, h, l);
    else
        w->kernels->reconstruct(s, n, r, w->tile_plane, h, l, e);
}

/* Columns i of a tile. */
static void add_part(const work *w, exb_range i, exb_range v, const int8_t *tile,
                     const partial_sums *out)
{
    _Alignas(64) double h[TOGETHER * FOUND];
    int64_t n = i.end - i.begin;
    double *integers = out->integers + i.begin;
    int n_waiting = 0;
    for (int64_t j = v.begin; j < v.end; j++) {
        double *row = h + n_waiting * FOUND;
        put_together(w, n, tile + (j - v.begin) * w->ld + i.begin, row);
        if (w->row[j] >= w->p->first + i.begin)
            add_row(w, i, w->row[j], row, integers, out->sums + i.begin);
        else if (++n_waiting == TOGETHER) {
            add_products(n, n_waiting, h, integers);
            n_waiting = 0;
        }
    }
    add_products(n, n_waiting, h, integers);
}

/* Every n_threads-th tile. */
static void add_tiles(void *ctx, int64_t task)
{
    const work *w = ctx;
    int8_t *tile = w->tiles + task * w->system.n_moduli * w->tile_plane;
    partial_sums out = sums_of(w, task);
    for (int64_t t = task; t < exb_tasks_of(w->n, HEIGHT); t += w->n_threads) {
        exb_range v = {t * HEIGHT, exb_least(w->n, (t + 1) * HEIGHT)};
        multiply_tile(w, v, tile);
        for (int64_t i = 0; i < w->n_columns; i += FOUND)
            add_part(w, (exb_range){i, exb_least(w->n_columns, i + FOUND)}, v, tile, &out);
    }
}

static void add_parts(const work *w, double lost, double *sums)
{
    for (int64_t i = 0; i < w->n_columns; i++) {
        double sum = lost * (w->largest[i] + w->unit[i]);
        for (int k = 0; k < w->n_threads; k++) {
            partial_sums part = sums_of(w, k);
            sum += part.sums[i] + part.integers[i] * w->one[i];
        }
        sums[i] = sum + 0x1p-51 * (double)w->n * (w->range[i] + 1);
    }
}

/* --- all of it ----------------------------------------------------------- */

static void *carve(char **memory, int64_t bytes)
{
    void *p = *memory;
    *memory += exb_round_up(bytes, 64);
    return p;
}

/* Everything that has no size of its own; false without memory. */
bool exb_residual_allocate(exb_residual_work *w)
{
    enum { ROWS = 3, COLUMNS = 5, ARRAYS = ROWS + COLUMNS + 4 };
    int64_t rows = exb_round_up(w->n, EXB_STRIP), columns = exb_round_up(w->n_columns, EXB_STRIP);
    int64_t n_moduli = w->system.n_moduli, parts = w->n_threads;
    w->panel = exb_round_up(w->n, EXB_RESIDUE_TERMS);
    w->s_plane = rows * w->panel + APART;
    w->a_plane = columns * w->panel + APART;
    w->ld = columns;
    w->tile_plane = HEIGHT * columns + APART;
    int64_t bytes = n_moduli * (w->s_plane + w->a_plane + parts * w->tile_plane) +
                    8 * (ROWS * rows + (COLUMNS + 2 * parts) * columns) + 64 * ARRAYS;
    char *memory = exb_memory_get((size_t)bytes);
    if (!memory)
        return false;
    w->s = carve(&memory, n_moduli * w->s_plane);
    w->a = carve(&memory, n_moduli * w->a_plane);
    w->tiles = carve(&memory, parts * n_moduli * w->tile_plane);
    w->row = carve(&memory, 8 * rows);
    w->lost = carve(&memory, 8 * rows);
    w->factor = carve(&memory, 8 * rows);
    w->largest = carve(&memory, 8 * columns);
    w->unit = carve(&memory, 8 * columns);
    w->one = carve(&memory, 8 * columns);
    w->range = carve(&memory, 8 * columns);
    w->to_integer = carve(&memory, 8 * columns);
    w->sums = carve(&memory, parts * 16 * columns);
    return true;
}

void exb_residual_release(exb_residual_work *w)
{
    exb_memory_put(w->s);
}

/* Residues of S; the sum of all s'. */
static double prepare_s(work *w)
{
    double lost = 0;
    for (int64_t i = 0; i < exb_round_up(w->n, EXB_STRIP); i++) {
        w->factor[i] = exb_pow2(w->n_bits);
        w->lost[i] = 0;
    }
    for (int64_t i = 0; i < w->n; i++)
        w->row[w->p->order[i]] = i;
    exb_parallel_for(w->n_threads, exb_tasks_of(w->n, GROUP * EXB_STRIP), convert_s, w);
    for (int64_t i = 0; i < w->n; i++)
        lost += w->lost[i];
    return ldexp(lost, -w->n_bits);
}

void exb_residual_add_tiles(exb_residual_work *w, double *sums)
{
    double lost = prepare_s(w);
    exb_parallel_for(w->n_threads, exb_tasks_of(w->n_columns, WIDTH), convert_a, w);
    memset(w->sums, 0, (size_t)(2 * w->n_threads * w->n_columns) * sizeof *w->sums);
    exb_parallel_for(w->n_threads, w->n_threads, add_tiles, w);
    add_parts(w, lost, sums);
}
