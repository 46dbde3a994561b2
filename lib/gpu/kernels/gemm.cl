/* C = alpha A B + beta C in two levels of blocks: a group computes a block of C from panels of A
 * and B that it stages through local memory, DEPTH steps of k at a time; an item has the
 * compensated sums of SIDE x SIDE elements of it in registers. Elements that the end of the sum
 * does not decide are listed for the kernel `elements`.
 *
 * A group of P x Q items has a block of P SIDE x Q SIDE elements; those of item (p, q) are P and Q
 * apart, so that neighbours read neighbouring words of the panels. Source of the blocking:
 * Matsumoto, Nakasato, Sedukhin, "Performance tuning of matrix multiplication in OpenCL on
 * different GPUs and CPUs" (2012). Options: EXB_IS_S. */
#include "gpu/gemm_blocks.h"
#include "gpu/kernels/dots.h"

enum { SIDE = EXB_GEMM_SIDE, DEPTH = EXB_GEMM_RUN / (EXB_IS_S ? 4 : 8) };

/* Copies a panel of `width` vectors from v0 and DEPTH elements of each from l0 to local memory,
 * element l of vector v at l * width + v; zeros beyond n_vectors and k. */
EXB_INLINE void stage(EXB_LOCAL exb_real *panel, int width, EXB_GLOBAL const exb_real *p,
                      exb_i64 v_stride, exb_i64 l_stride, exb_i64 v0, exb_i64 n_vectors, exb_i64 l0,
                      exb_i64 k, int id, int size)
{
    for (int t = id; t < width * DEPTH; t += size) {
        int v = l_stride == 1 ? t / DEPTH : t % width;
        int l = l_stride == 1 ? t % DEPTH : t / width;
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

/* c += x * y. */
EXB_INLINE exb_comp add_product(exb_comp c, double x, double y)
{
#if EXB_IS_S
    double p = x * y, r = 0;
#else
    double r, p = exb_two_prod(x, y, &r);
#endif
    return exb_comp_add(c, p, r);
}

EXB_KERNEL void gemm(exb_i64 m, exb_i64 n, exb_i64 k, double alpha, double beta,
                     EXB_PLACE(const exb_real, a), exb_i64 a_row, exb_i64 a_col,
                     EXB_PLACE(const exb_real, b), exb_i64 b_row, exb_i64 b_col,
                     EXB_PLACE(exb_real, c), exb_i64 c_row, exb_i64 c_col,
                     EXB_PLACE(exb_u32, count),
                     EXB_PLACE(exb_i64, list) EXB_LOCAL_ARG(exb_real, panels))
{
    int p = exb_local_id(0), q = exb_local_id(1), height = exb_local_size(0),
        width = exb_local_size(1);
    exb_i64 i0 = (exb_i64)exb_group_id(0) * height * SIDE;
    exb_i64 j0 = (exb_i64)exb_group_id(1) * width * SIDE;
    EXB_LOCAL exb_real *a_panel = panels, *b_panel = panels + height * SIDE * DEPTH;
    exb_comp cell[SIDE][SIDE], end[SIDE][SIDE];
    double x[SIDE], y[SIDE], x_least[SIDE], y_least[SIDE], least[SIDE][SIDE];

#pragma unroll
    for (int u = 0; u < SIDE; u++) {
        x_least[u] = y_least[u] = DBL_MAX;
#pragma unroll
        for (int v = 0; v < SIDE; v++)
            cell[u][v].s = cell[u][v].c = cell[u][v].w = 0;
    }

    /* At least once, with zeros, also if k = 0: PoCL lets an item run twice what follows a loop
     * with barriers that is not entered. */
    exb_i64 l0 = 0;
    do {
        stage(a_panel, height * SIDE, a, a_row, a_col, i0, m, l0, k, q * height + p,
              height * width);
        stage(b_panel, width * SIDE, b, b_col, b_row, j0, n, l0, k, q * height + p, height * width);
        exb_barrier();
        for (int l = 0; l < DEPTH; l++) {
#pragma unroll
            for (int u = 0; u < SIDE; u++) {
                x[u] = a_panel[(l * SIDE + u) * height + p];
                y[u] = b_panel[(l * SIDE + u) * width + q];
                x_least[u] = EXB_IS_S ? 1 : least_of(x_least[u], x[u]);
                y_least[u] = EXB_IS_S ? 1 : least_of(y_least[u], y[u]);
            }
#pragma unroll
            for (int u = 0; u < SIDE; u++)
#pragma unroll
                for (int v = 0; v < SIDE; v++)
                    cell[u][v] = add_product(cell[u][v], x[u], y[v]);
        }
        exb_barrier();
        l0 += DEPTH;
    } while (l0 < k);

    /* A copy with run-time indices: the cells above have none, and so stay in registers. */
#pragma unroll
    for (int u = 0; u < SIDE; u++)
#pragma unroll
        for (int v = 0; v < SIDE; v++) {
            end[u][v] = cell[u][v];
            least[u][v] = x_least[u] * y_least[v];
        }
#pragma unroll 1
    for (int e = 0; e < SIDE * SIDE; e++) {
        int u = e / SIDE, v = e % SIDE;
        exb_i64 i = i0 + (exb_i64)u * height + p, j = j0 + (exb_i64)v * width + q;
        if (i >= m || j >= n)
            continue;
        exb_i64 to = i * c_row + j * c_col;
        exb_comp t = end[u][v];
        exb_sums whole = exb_sums_of(t.s, t.c, t.w, least[u][v] < EXB_PRODUCT_LEAST);
        exb_enclosure sum = exb_sums_enclosure(whole, k);
        exb_enclosure all = exb_affine_of(alpha, sum, beta, beta != 0 ? c[to] : 0);
        exb_real r;
        if (exb_round_enclosure(all, &r))
            c[to] = r;
        else
            exb_list_uncertified(count, list, i + j * m);
    }
}
