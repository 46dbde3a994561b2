/* C = alpha A B + beta C in two levels of blocks: a group computes a block of C from panels of A
 * and B that it stages through local memory, EXB_KL steps of k at a time; an item owns EXB_MS x
 * EXB_NS elements of it in registers (gpu_cell.h). Elements that the end of the sum does not decide
 * are listed for the kernel `elements`.
 *
 * A group of P x Q items has a block of P EXB_MS x Q EXB_NS elements; those of item (p, q) are P
 * and Q apart, so that neighbours read neighbouring words of the panels. Source of the blocking:
 * Matsumoto, Nakasato, Sedukhin, "Performance tuning of matrix multiplication in OpenCL on
 * different GPUs and CPUs" (2012). Options: EXB_IS_S, EXB_TERMS, EXB_EARLY_EXIT, EXB_MS, EXB_NS,
 * EXB_KL. */
#include "gpu/kernels/gpu_cell.h"
#include "gpu/kernels/uncertified.h"

#ifndef EXB_MS
#define EXB_MS 4
#define EXB_NS 4
#define EXB_KL 8
#endif

/* Copies a panel of `width` vectors from v0 and EXB_KL elements of each from l0 to local memory,
 * element l of vector v at l * width + v; zeros beyond n_vectors and k. */
EXB_INLINE void stage(EXB_LOCAL exb_real *panel, int width, EXB_GLOBAL const exb_real *p,
                      exb_i64 v_stride, exb_i64 l_stride, exb_i64 v0, exb_i64 n_vectors, exb_i64 l0,
                      exb_i64 k, int id, int size)
{
    for (int t = id; t < width * EXB_KL; t += size) {
        int v = l_stride == 1 ? t / EXB_KL : t % width;
        int l = l_stride == 1 ? t % EXB_KL : t / width;
        bool inside = v0 + v < n_vectors && l0 + l < k;
        panel[l * width + v] = inside ? p[(v0 + v) * v_stride + (l0 + l) * l_stride] : (exb_real)0;
    }
}

/* The least magnitude other than 0 of those seen. */
EXB_INLINE double least_of(double least, double x)
{
    double m = exb_fabs(x);
    return m > 0 && m < least ? m : least;
}

EXB_KERNEL void gemm(exb_i64 m, exb_i64 n, exb_i64 k, double alpha, double beta,
                     EXB_PLACE(const exb_real, a), exb_i64 a_row, exb_i64 a_col,
                     EXB_PLACE(const exb_real, b), exb_i64 b_row, exb_i64 b_col,
                     EXB_PLACE(exb_real, c), exb_i64 c_row, exb_i64 c_col,
                     EXB_PLACE(exb_u32, count),
                     EXB_PLACE(exb_i64, list) EXB_LOCAL_ARG(exb_real, panels))
{
    EXB_TAKE(const exb_real, a);
    EXB_TAKE(const exb_real, b);
    EXB_TAKE(exb_real, c);
    EXB_TAKE(exb_u32, count);
    EXB_TAKE(exb_i64, list);
    EXB_LOCAL_BLOCK(exb_real, panels);
    int p = exb_local_id(0), q = exb_local_id(1), height = exb_local_size(0),
        width = exb_local_size(1);
    exb_i64 i0 = (exb_i64)exb_group_id(0) * height * EXB_MS;
    exb_i64 j0 = (exb_i64)exb_group_id(1) * width * EXB_NS;
    EXB_LOCAL exb_real *a_panel = panels, *b_panel = panels + height * EXB_MS * EXB_KL;
    exb_cell cell[EXB_MS][EXB_NS], end[EXB_MS][EXB_NS];
    double x[EXB_MS], y[EXB_NS], x_least[EXB_MS], y_least[EXB_NS], least[EXB_MS][EXB_NS];
    exb_u64 lost = 0; /* bit u EXB_NS + v: of an element */

#pragma unroll
    for (int u = 0; u < EXB_MS; u++)
        x_least[u] = DBL_MAX;
#pragma unroll
    for (int v = 0; v < EXB_NS; v++)
        y_least[v] = DBL_MAX;
#pragma unroll
    for (int u = 0; u < EXB_MS; u++)
#pragma unroll
        for (int v = 0; v < EXB_NS; v++)
            exb_cell_clear(&cell[u][v]);

    /* At least once, with zeros, also if k = 0: PoCL lets an item run twice what follows a loop
     * with barriers that is not entered. */
    exb_i64 l0 = 0;
    do {
        stage(a_panel, height * EXB_MS, a, a_row, a_col, i0, m, l0, k, q * height + p,
              height * width);
        stage(b_panel, width * EXB_NS, b, b_col, b_row, j0, n, l0, k, q * height + p,
              height * width);
        exb_barrier();
        for (int l = 0; l < EXB_KL; l++) {
#pragma unroll
            for (int u = 0; u < EXB_MS; u++) {
                x[u] = a_panel[(l * EXB_MS + u) * height + p];
                x_least[u] = EXB_IS_S ? 1 : least_of(x_least[u], x[u]);
            }
#pragma unroll
            for (int v = 0; v < EXB_NS; v++) {
                y[v] = b_panel[(l * EXB_NS + v) * width + q];
                y_least[v] = EXB_IS_S ? 1 : least_of(y_least[v], y[v]);
            }
#pragma unroll
            for (int u = 0; u < EXB_MS; u++)
#pragma unroll
                for (int v = 0; v < EXB_NS; v++)
                    lost |= (exb_u64)exb_cell_add_product(&cell[u][v], x[u], y[v])
                            << (u * EXB_NS + v);
        }
        exb_barrier();
        l0 += EXB_KL;
    } while (l0 < k);

    /* A copy with run-time indices: the cells above have none, and so stay in registers. */
#pragma unroll
    for (int u = 0; u < EXB_MS; u++)
#pragma unroll
        for (int v = 0; v < EXB_NS; v++) {
            end[u][v] = cell[u][v];
            least[u][v] = x_least[u] * y_least[v];
        }
#pragma unroll 1
    for (int e = 0; e < EXB_MS * EXB_NS; e++) {
        int u = e / EXB_NS, v = e % EXB_NS;
        exb_i64 i = i0 + (exb_i64)u * height + p, j = j0 + (exb_i64)v * width + q;
        if (i >= m || j >= n)
            continue;
        exb_i64 to = i * c_row + j * c_col;
        exb_enclosure sum = exb_cell_enclosure(&end[u][v], k, least[u][v] >= EXB_PRODUCT_LEAST);
        exb_enclosure all = exb_affine_of(alpha, sum, beta, beta != 0 ? c[to] : 0);
        exb_real r;
        if ((lost >> e & 1) == 0 && exb_round_enclosure(all, &r))
            c[to] = r;
        else
            exb_list_uncertified(count, list, i + j * m);
    }
}
