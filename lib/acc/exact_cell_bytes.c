/* Canonical bytes of cells (exblas/cell.h). */
#include "acc/acc_bytes.h"
#include "acc/exact_cell.h"
#include "core/arith/bits.h"

enum {
    VERSION = 1,
    HEAD_BYTES = 24,
    COUNT_BYTES = 24,
    /* A sum of 2^62 products of two doubles stays below 2^2110; this many bytes reach to 2^2115,
     * so that even what was forged cannot wrap an accumulator in 2^24 steps. */
    MOST_BYTES = 533
};
_Static_assert(HEAD_BYTES + COUNT_BYTES + MOST_BYTES <= EXBLAS_CELL_BYTES, "room for all");

#define MOST_TERMS (((int64_t)1 << 62) - 1)

/* Bytes first ... end - 1 of the payload are the number: the others are 0 below, signs above. */
static void find_number(const unsigned char *payload, int *first, int *end)
{
    int low = 0, high = EXB_ACC_PAYLOAD_BYTES;
    while (high > 0 && payload[high - 1] == (high > 1 && payload[high - 2] >> 7 ? 0xff : 0))
        high--;
    while (low < high && payload[low] == 0)
        low++;
    *first = high ? low : 0;
    *end = high;
}

static uint32_t checksum_of(const unsigned char *bytes, size_t n_bytes)
{
    return exb_crc32(exb_crc32(0, bytes + 4, 4), bytes + 12, n_bytes - 12);
}

static bool has_counts(const exblas_cell *c)
{
    const exblas_cell_wide *w = exb_cell_wide(c);
    return w && (w->n_pos_inf | w->n_neg_inf | w->n_nan);
}

size_t exblas_cell_export(const exblas_cell *c, unsigned char bytes[EXBLAS_CELL_BYTES])
{
    unsigned char payload[EXB_ACC_PAYLOAD_BYTES], *at = bytes + HEAD_BYTES;
    const exblas_cell_wide *w = exb_cell_wide(c);
    exblas_acc sum;
    int first, end;
    exb_cell_finite_sum(c, &sum);
    exb_acc_write_payload(&sum, payload);
    find_number(payload, &first, &end);
    memcpy(bytes, "ExCe", 4);
    bytes[4] = VERSION;
    bytes[5] = has_counts(c);
    exb_put_number(bytes + 6, (uint64_t)(end - first), 2);
    exb_put_number(bytes + 12, (uint64_t)first, 4);
    exb_put_number(bytes + 16, (uint64_t)exb_cell_count(c), 8);
    if (bytes[5]) {
        exb_put_number(at, (uint64_t)w->n_pos_inf, 8);
        exb_put_number(at + 8, (uint64_t)w->n_neg_inf, 8);
        exb_put_number(at + 16, (uint64_t)w->n_nan, 8);
        at += COUNT_BYTES;
    }
    memcpy(at, payload + first, (size_t)(end - first));
    size_t n_bytes = (size_t)(at - bytes) + (size_t)(end - first);
    exb_put_number(bytes + 8, checksum_of(bytes, n_bytes), 4);
    return n_bytes;
}

static bool read_count(const unsigned char *bytes, int64_t *count)
{
    *count = (int64_t)exb_get_number(bytes, 8);
    return *count >= -MOST_TERMS && *count <= MOST_TERMS;
}

/* The number of n_bytes bytes from byte `first` of the payload on. */
static void read_sum(const unsigned char *bytes, size_t n_bytes, size_t first, exblas_acc *sum)
{
    unsigned char payload[EXB_ACC_PAYLOAD_BYTES] = {0};
    memcpy(payload + first, bytes, n_bytes);
    int sign = n_bytes && bytes[n_bytes - 1] >> 7 ? 0xff : 0;
    memset(payload + first + n_bytes, sign, sizeof payload - first - n_bytes);
    exb_acc_read_payload(sum, payload);
}

/* Into w, which is empty. False if a field is out of its range. */
static bool read_fields(exblas_cell_wide *w, const unsigned char *bytes, size_t n_bytes)
{
    size_t n_number = (size_t)exb_get_number(bytes + 6, 2),
           first = (size_t)exb_get_number(bytes + 12, 2);
    size_t n_counts = bytes[5] ? COUNT_BYTES : 0;
    const unsigned char *at = bytes + HEAD_BYTES;
    if (n_number + HEAD_BYTES + n_counts != n_bytes || first + n_number > MOST_BYTES)
        return false;
    bool good = read_count(bytes + 16, &w->n);
    if (n_counts)
        good = read_count(at, &w->n_pos_inf) && read_count(at + 8, &w->n_neg_inf) &&
               read_count(at + 16, &w->n_nan) && good;
    read_sum(at + n_counts, n_number, first, &w->acc);
    return good;
}

/* The sum as three doubles, if that is possible; then what is left is 0. */
static bool narrow_cell(exblas_cell *c)
{
    exblas_acc *left = &exb_cell_wide(c)->acc;
    for (int i = 0; i < 3; i++) {
        double t = exblas_acc_to_double(left);
        if (!exb_split(t).is_finite)
            return false;
        c->term[i] = t;
        exblas_acc_sub(left, t);
    }
    return exblas_acc_sign(left) == 0 && !has_counts(c);
}

exblas_status exblas_cell_import(exblas_cell *c, const unsigned char *bytes, size_t n_bytes)
{
    unsigned char canonical[EXBLAS_CELL_BYTES];
    exblas_cell_wide room, *wide = exb_cell_wide(c);
    exblas_cell read = {.n_or_wide = 0};
    exblas_cell_widen(&read, &room);
    if (n_bytes < HEAD_BYTES || n_bytes > EXBLAS_CELL_BYTES || !read_fields(&room, bytes, n_bytes))
        return EXBLAS_EFORMAT;
    /* There is one form for each sum: what would not be written like this is refused. */
    if (exblas_cell_export(&read, canonical) != n_bytes || memcmp(bytes, canonical, n_bytes) != 0)
        return EXBLAS_EFORMAT;
    if (!narrow_cell(&read) && !wide)
        return EXBLAS_ENOMEM;
    memcpy(c->term, read.term, sizeof read.term);
    if (wide)
        *wide = room;
    else
        c->n_or_wide = 2 * room.n;
    return EXBLAS_OK;
}
