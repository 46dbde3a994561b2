#include "observe/region.h"

#include "core/check/check_rules.h"
#include "core/partition.h"

#include <stddef.h>
#include <string.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* An array of one call with its numbers looked up. Bands: element (i, j) counts if
 * -upper <= i - j <= lower. */
typedef struct {
    exb_shape shape;
    const unsigned char *base;
    int64_t rows, columns, step, lower, upper, batch, stride;
    bool by_rows, is_upper, skips_diagonal, is_hermitian;
    size_t part_bytes;
    int parts;
} region;

static int64_t value_at(const exb_value *v, int index, int64_t otherwise)
{
    return index < 0 ? otherwise : v[index].i;
}

static bool is_swapped(int64_t option)
{
    return option == EXB_TRANS || option == EXB_CONJ_TRANS || option == EXB_RIGHT;
}

/* A letter that does not exist is 0. */
static bool is_option(int value)
{
    return exb_is_layout(value) || exb_is_trans(value) || exb_is_uplo(value) ||
           exb_is_diag(value) || exb_is_side(value) || value == EXB_CONJ_NO_TRANS;
}

static bool options_are_legal(const exb_routine *r, const exb_value *v)
{
    for (int i = 0; i < r->n_arguments; i++)
        if (r->argument[i].kind == EXB_ARG_OPTION && !is_option((int)v[i].i))
            return false;
    return true;
}

/* The smallest leading dimension of what is stored. */
static int64_t least_step(const region *g)
{
    switch (g->shape) {
    case EXB_SHAPE_MATRIX:
        return g->by_rows ? g->columns : g->rows;
    case EXB_SHAPE_TRIANGLE:
        return g->rows;
    case EXB_SHAPE_TRIANGLE_BAND:
    case EXB_SHAPE_BAND:
        return g->lower + g->upper + 1;
    default:
        return INT64_MIN;
    }
}

static void set_triangle(region *g, const exb_argument *a, const exb_value *v)
{
    int64_t k = value_at(v, a->lower, g->rows);
    g->is_upper = a->uplo < 0 || v[a->uplo].i == EXB_UPPER;
    g->skips_diagonal = a->diag >= 0 && v[a->diag].i == EXB_UNIT;
    g->columns = g->rows;
    g->lower = g->is_upper ? (a->uplo < 0 ? a->few : 0) : k;
    g->upper = g->is_upper ? k : 0;
}

static void set_type(region *g, const exb_routine *r, const exb_argument *a)
{
    bool is_complex = r->type == 'c' || r->type == 'z';
    bool is_half = a->half || r->type == 'b' || r->type == 'h';
    size_t real = r->type == 's' || r->type == 'c' ? sizeof(float) : sizeof(double);
    g->part_bytes = is_half ? sizeof(uint16_t) : real;
    g->parts = is_complex && !a->is_real ? 2 : 1;
}

static bool find_region(region *g, const exb_routine *r, const exb_value *v, int index)
{
    const exb_argument *a = &r->argument[index];
    if (a->shape == EXB_SHAPE_NONE || !options_are_legal(r, v))
        return false;
    *g = (region){.shape = a->shape, .base = v[index].p, .is_hermitian = a->is_hermitian};
    set_type(g, r, a);
    bool swapped = a->swap >= 0 && is_swapped(v[a->swap].i);
    g->rows = a->shape == EXB_SHAPE_FEW ? a->few : value_at(v, swapped ? a->columns : a->rows, 1);
    g->columns = a->shape == EXB_SHAPE_MATRIX || a->shape == EXB_SHAPE_BAND
                     ? value_at(v, swapped ? a->rows : a->columns, 1)
                     : 1;
    g->step = value_at(v, a->step, 1);
    g->by_rows = r->layout >= 0 && v[r->layout].i == EXB_ROW_MAJOR;
    g->batch = value_at(v, r->batch, 1);
    g->stride = value_at(v, a->stride, 0);
    g->lower = value_at(v, a->lower, 0);
    g->upper = value_at(v, a->upper, 0);
    if (a->uplo >= 0 || a->shape == EXB_SHAPE_TRIANGLE)
        set_triangle(g, a, v);
    return g->rows >= 0 && g->columns >= 0 && g->lower >= 0 && g->upper >= 0 && g->batch >= 0 &&
           g->step >= least_step(g) && (g->base || g->rows == 0 || g->columns == 0);
}

/* The array of a call that is legal as a whole: with a bad leading dimension, say, the vectors'
 * lengths mean nothing either. */
static bool find_in_call(region *g, const exb_routine *r, const exb_value *v, int index)
{
    for (int i = 0; i < r->n_arguments; i++)
        if (r->argument[i].shape != EXB_SHAPE_NONE && !find_region(g, r, v, i))
            return false;
    return find_region(g, r, v, index);
}

/* Where element (i, j) is stored. */
static int64_t place_of(const region *g, int64_t i, int64_t j)
{
    int64_t n = g->rows;
    switch (g->shape) {
    case EXB_SHAPE_MATRIX:
    case EXB_SHAPE_TRIANGLE:
        return g->by_rows ? i * g->step + j : i + j * g->step;
    case EXB_SHAPE_BAND:
    case EXB_SHAPE_TRIANGLE_BAND:
        return g->by_rows ? i * g->step + g->lower + j - i : g->upper + i - j + j * g->step;
    case EXB_SHAPE_PACKED: /* by rows: the other triangle of the transpose by columns */
        if (g->by_rows) {
            int64_t t = i;
            i = j;
            j = t;
        }
        return g->is_upper != g->by_rows ? i + j * (j + 1) / 2 : i - j + j * (2 * n - j + 1) / 2;
    default: /* as in BLAS, a negative increment starts at the far end */
        return g->step < 0 ? (i - n + 1) * g->step : i * g->step;
    }
}

/* The rows [first, end) of column j. */
static void rows_of_column(const region *g, int64_t j, int64_t *first, int64_t *end)
{
    *first = 0;
    *end = g->rows;
    if (g->shape == EXB_SHAPE_VECTOR || g->shape == EXB_SHAPE_MATRIX || g->shape == EXB_SHAPE_FEW)
        return;
    if (j > g->upper)
        *first = j - g->upper;
    if (g->rows - j > g->lower)
        *end = j + g->lower + 1;
    if (g->skips_diagonal && !g->is_upper && *first == j)
        ++*first;
    if (g->skips_diagonal && g->is_upper && *end == j + 1)
        --*end;
}

/* A number's bits, whatever its format. */
static uint64_t bits_of(const unsigned char *p, size_t n_bytes)
{
    const bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    uint64_t bits = 0;
    memcpy((unsigned char *)&bits + (is_big ? sizeof bits - n_bytes : 0), p, n_bytes);
    return bits;
}

/* Those of its magnitude: under denormals-are-zero a comparison of numbers would take a subnormal
 * one for 0. */
static uint64_t magnitude_of(const unsigned char *p, size_t n_bytes)
{
    return bits_of(p, n_bytes) & ~((uint64_t)1 << (8 * n_bytes - 1));
}

static uint64_t hash_part(uint64_t h, const unsigned char *p, size_t n_bytes)
{
    uint64_t bits = bits_of(p, n_bytes);
    for (size_t i = 0; i < n_bytes; i++)
        h = (h ^ (bits >> (8 * i) & 0xff)) * FNV_PRIME;
    return h;
}

/* What numbers that stand one after another are asked or told. */
typedef void on_run(const region *g, unsigned char *p, int64_t n_parts, uint64_t *result);

/* Element (i, j) of matrix b and n - 1 more that follow it; of a Hermitian matrix's diagonal the
 * real part alone. */
static void visit_run(const region *g, int64_t b, int64_t i, int64_t j, int64_t n, on_run *act,
                      uint64_t *result)
{
    ptrdiff_t element = (ptrdiff_t)(place_of(g, i, j) + b * g->stride);
    unsigned char *base = (unsigned char *)(uintptr_t)g->base;
    int64_t n_parts = g->is_hermitian && i == j ? 1 : n * g->parts;
    if (n > 0)
        act(g, base + element * (ptrdiff_t)(g->part_bytes * (size_t)g->parts), n_parts, result);
}

/* All elements, in runs as long as columns hold them. */
static void each_run(const region *g, on_run *act, uint64_t *result)
{
    for (int64_t b = 0; b < g->batch; b++)
        for (int64_t j = 0; j < g->columns; j++) {
            int64_t first, end, n = 1;
            rows_of_column(g, j, &first, &end);
            bool is_whole = end > first + 1 &&
                            place_of(g, end - 1, j) - place_of(g, first, j) == end - 1 - first;
            for (int64_t i = first; i < end; i += n) {
                bool is_diagonal = g->is_hermitian && i == j;
                int64_t stop = g->is_hermitian && i < j ? exb_least(j, end) : end;
                n = is_whole && !is_diagonal ? stop - i : 1;
                visit_run(g, b, i, j, n, act, result);
            }
        }
}

/* The imaginary part of a Hermitian matrix's diagonal is 0. */
static void hash_run(const region *g, unsigned char *p, int64_t n_parts, uint64_t *h)
{
    static const unsigned char zero[sizeof(double)];
    for (int64_t i = 0; i < n_parts; i++)
        *h = hash_part(*h, p + (size_t)i * g->part_bytes, g->part_bytes);
    if (n_parts < g->parts)
        *h = hash_part(*h, zero, g->part_bytes);
}

bool exb_region_hash(const exb_routine *r, const exb_value *v, int index, uint64_t *hash)
{
    region g;
    if (!find_in_call(&g, r, v, index))
        return false;
    *hash = FNV_START;
    each_run(&g, hash_run, hash);
    return true;
}

int64_t exb_region_count(const exb_routine *r, const exb_value *v, int index)
{
    region g;
    int64_t n = 0, first, end;
    if (!find_in_call(&g, r, v, index))
        return 0;
    for (int64_t j = 0; j < g.columns; j++) {
        rows_of_column(&g, j, &first, &end);
        n += end > first ? end - first : 0;
    }
    return n * g.batch;
}

static void find_largest(const region *g, unsigned char *p, int64_t n_parts, uint64_t *result)
{
    for (int64_t i = 0; i < n_parts; i++) {
        uint64_t magnitude = magnitude_of(p + (size_t)i * g->part_bytes, g->part_bytes);
        *result = magnitude > *result ? magnitude : *result;
    }
}

static bool is_float(const region *g)
{
    return g->part_bytes == sizeof(float);
}

static void fill_with_nan(const region *g, unsigned char *p, int64_t n_parts, uint64_t *unused)
{
    const uint32_t nan_f = UINT32_C(0x7fc00000);
    const uint64_t nan = UINT64_C(0x7ff8000000000000);
    (void)unused;
    for (int64_t i = 0; i < n_parts; i++, p += g->part_bytes)
        memcpy(p, is_float(g) ? (const void *)&nan_f : (const void *)&nan, g->part_bytes);
}

static exb_region_worst worst_of(const region *g)
{
    uint64_t most = 0, infinity = is_float(g) ? UINT32_C(0x7f800000) : UINT64_C(0x7ff0000000000000);
    each_run(g, find_largest, &most);
    return most < infinity ? EXB_FINITE : most == infinity ? EXB_INFINITE : EXB_NAN;
}

exb_region_worst exb_region_check(const exb_routine *r, const exb_value *v, int64_t *order)
{
    exb_region_worst all = EXB_FINITE;
    region g;
    *order = 0;
    for (int i = 0; i < r->n_arguments; i++) {
        if (!r->argument[i].must_be_finite)
            continue;
        if (!find_in_call(&g, r, v, i))
            return EXB_FINITE;
        exb_region_worst worst = worst_of(&g);
        all = worst > all ? worst : all;
        if (*order == 0)
            *order = g.columns < g.rows && g.shape != EXB_SHAPE_VECTOR ? g.columns : g.rows;
    }
    return all;
}

void exb_region_spoil(const exb_routine *r, const exb_value *v)
{
    region g;
    for (int i = 0; i < r->n_arguments; i++)
        if (r->argument[i].is_spoiled && find_in_call(&g, r, v, i))
            each_run(&g, fill_with_nan, NULL);
}

uint64_t exb_result_hash(const exb_routine *r, const void *result)
{
    size_t n_bytes = r->result == 's' || r->result == 'c' ? sizeof(float) : sizeof(double);
    const unsigned char *p = result;
    uint64_t h = hash_part(FNV_START, p, n_bytes);
    return r->result == 'c' || r->result == 'z' ? hash_part(h, p + n_bytes, n_bytes) : h;
}

static bool is_zero(const exb_routine *r, const exb_value *v, int index)
{
    region g;
    set_type(&g, r, &r->argument[index]);
    const unsigned char *p = v[index].p;
    bool zero = true;
    for (int part = 0; part < g.parts; part++, p += g.part_bytes)
        zero = zero && magnitude_of(p, g.part_bytes) == 0;
    return zero;
}

bool exb_region_is_read(const exb_routine *r, const exb_value *v, int index)
{
    switch (r->argument[index].read) {
    case EXB_READ_NEVER:
        return false;
    case EXB_READ_UNLESS_ALPHA_0:
        return !is_zero(r, v, r->alpha);
    case EXB_READ_UNLESS_BETA_0:
        return !is_zero(r, v, r->beta);
    default:
        return true;
    }
}
