/* y = alpha A x + beta y by a certified filter that reads the matrix once: compensated sums of
 * pieces of rows, then a rounding test per row. Rows it cannot decide are listed for the
 * kernel `elements`. Options: EXB_IS_S. */
#include "gpu/kernels/sums.h"
#include "gpu/kernels/uncertified.h"

/* What an item asks memory for while it adds up what came before: as many bytes of floats as of
 * doubles. */
enum { AHEAD = EXB_IS_S ? 8 : 4 };

typedef struct {
    exb_real a[AHEAD], x[AHEAD];
} products;

EXB_INLINE products products_at(EXB_GLOBAL const exb_real *a, exb_i64 a_col,
                                EXB_GLOBAL const exb_real *x, exb_i64 incx, exb_i64 j, int step)
{
    products p;
    for (int t = 0; t < AHEAD; t++) {
        p.a[t] = a[(j + t * step) * a_col];
        p.x[t] = x[(j + t * step) * incx];
    }
    return p;
}

EXB_INLINE exb_sums add_products(exb_sums v, products p)
{
    for (int t = 0; t < AHEAD; t++)
        v = exb_sums_add_product(v, p.a[t], p.x[t]);
    return v;
}

/* Merges the sums of a row's lanes into lane 0's, in local memory. sums: 4 doubles an item,
 * `size` apart. All items of the group come here. */
EXB_INLINE void merge_lanes(EXB_LOCAL double *sums, int size, int at, int step, int lane, int lanes)
{
    for (int gap = 1; gap < lanes; gap *= 2) {
        exb_barrier();
        if (lane >= 0 && lane % (2 * gap) == 0 && lane + gap < lanes) {
            exb_sums a = exb_sums_load_local(sums + at, size);
            exb_sums b = exb_sums_load_local(sums + at + gap * step, size);
            exb_sums_store_local(sums + at, size, exb_sums_merge(a, b));
        }
    }
    exb_barrier();
}

/* Group (g, h): rows g * rows ... of A, columns from h * chunk; the items of a row take every
 * lanes-th column. partial: 4 numbers for each row and chunk, of chunk h and number q of row i
 * at ((4 h + q) m + i). `along` as in elements.cl. */
EXB_KERNEL void gemv_filter(exb_i64 m, exb_i64 n, exb_i64 chunk, int rows, int along,
                            EXB_PLACE(const exb_real, a), exb_i64 a_row, exb_i64 a_col,
                            EXB_PLACE(const exb_real, x), exb_i64 incx,
                            EXB_PLACE(double, partial) EXB_LOCAL_ARG(double, sums))
{
    EXB_TAKE(const exb_real, a);
    EXB_TAKE(const exb_real, x);
    EXB_TAKE(double, partial);
    EXB_LOCAL_BLOCK(double, sums);
    int id = exb_local_id(0), size = exb_local_size(0);
    int lanes = size / rows;
    int slot = along ? id / lanes : id % rows, lane = along ? id % lanes : id / rows;
    exb_i64 i = (exb_i64)exb_group_id(0) * rows + slot;
    exb_i64 from = exb_group_id(1) * chunk, to = n - from < chunk ? n : from + chunk;
    bool active = slot < rows && lane < lanes;
    exb_sums v = exb_sums_zero();
    a += i * a_row;
    exb_i64 j = active && i < m ? from + lane : to;
    if (j + (AHEAD - 1) * lanes < to) {
        products next = products_at(a, a_col, x, incx, j, lanes);
        for (j += AHEAD * lanes; j + (AHEAD - 1) * lanes < to; j += AHEAD * lanes) {
            products now = next;
            next = products_at(a, a_col, x, incx, j, lanes);
            v = add_products(v, now);
        }
        v = add_products(v, next);
    }
    for (; j < to; j += lanes)
        v = exb_sums_add_product(v, a[j * a_col], x[j * incx]);
    exb_sums_store_local(sums + id, size, v);
    merge_lanes(sums, size, id, along ? 1 : rows, active ? lane : -1, lanes);
    if (active && lane == 0 && i < m)
        exb_sums_store(partial + 4 * m * exb_group_id(1) + i, m,
                       exb_sums_load_local(sums + id, size));
}

/* The end of each row: n_chunks chunks, of which an item summed n terms at most. */
EXB_KERNEL void gemv_join(exb_i64 m, exb_i64 n, int n_chunks, double alpha, double beta,
                          EXB_PLACE(const double, partial), EXB_PLACE(exb_real, y), exb_i64 incy,
                          EXB_PLACE(exb_u32, count), EXB_PLACE(exb_i64, list))
{
    EXB_TAKE(const double, partial);
    EXB_TAKE(exb_real, y);
    EXB_TAKE(exb_u32, count);
    EXB_TAKE(exb_i64, list);
    exb_i64 i = exb_global_id(0);
    exb_real r;
    if (i >= m)
        return;
    exb_sums v = exb_sums_zero();
    for (int h = 0; h < n_chunks; h++)
        v = exb_sums_merge(v, exb_sums_load(partial + 4 * m * h + i, m));
    double c = beta != 0 ? y[i * incy] : 0;
    if (exb_round_enclosure(exb_affine_of(alpha, exb_sums_enclosure(v, n), beta, c), &r))
        y[i * incy] = r;
    else
        exb_list_uncertified(count, list, i);
}
