/* gemv, trsv, gemm and their like on a device. Matrices are views with two strides, so that layouts
 * and transposes, and upper triangles, are strides; the flows have no case of their own for them.
 * Elements are numbers, or pairs of them in complex matrices, which may be conjugated. Arguments
 * are valid, and nothing is empty unless said. Scalars are doubles: floats are widened. The
 * caller's floating-point environment must be the usual one (core/fpenv.h). */
#pragma once

#include "core/partition.h"
#include "gpu/flow/front.h"

/* Element (i, j) is i * row + j * col elements after `at`, or its conjugate; a vector is a column.
 */
typedef struct {
    exb_gpu_ref at;
    exb_i64 row, col;
    bool conjugate;
} exb_gpu_matrix;

/* C = alpha A B + beta C, A of m x k. Of complex ones: the imaginary parts of the scalars; whether
 * alpha and beta are real numbers (herk), not complex ones whose imaginary part, 0, is multiplied
 * too; whether A (1) or B (2) is Hermitian, and which of its columns is the first column of C, or
 * of its rows the first row. */
typedef struct {
    const char *routine; /* whose parameters are meant */
    bool is_s;
    exb_i64 m, n, k;
    double alpha, beta;
    exb_gpu_matrix a, b, c;
    bool is_complex, real_scalars;
    double alpha_im, beta_im;
    int hermitian;
    exb_i64 first;
    int triangle; /* of A that is read: lower (1), upper (-1), all (0) */
    bool unit;    /* of triangles: ones are on the diagonal */
} exb_gpu_product;

/* As arguments of kernels: a matrix of numbers, and one of elements, which may be complex. */
#define EXB_GPU_VIEW(x) exb_gpu_place((x).at), exb_gpu_i64((x).row), exb_gpu_i64((x).col)
#define EXB_GPU_ELEMENTS(x) EXB_GPU_VIEW(x), exb_gpu_i32((x).conjugate)

EXB_INLINE exb_gpu_matrix exb_gpu_transpose(exb_gpu_matrix a)
{
    return (exb_gpu_matrix){a.at, a.col, a.row, a.conjugate};
}

/* The options EXB_IS_S and EXB_PARTS of kernels for the type. */
EXB_INLINE const char *exb_gpu_type_options(const exb_gpu_product *p)
{
    static const char *const options[2][2] = {
        {"-DEXB_IS_S=0 -DEXB_PARTS=1", "-DEXB_IS_S=0 -DEXB_PARTS=2"},
        {"-DEXB_IS_S=1 -DEXB_PARTS=1", "-DEXB_IS_S=1 -DEXB_PARTS=2"}};
    return options[p->is_s][p->is_complex];
}

/* EXB_IS_S alone. */
EXB_INLINE const char *exb_gpu_real_options(bool is_s)
{
    return is_s ? "-DEXB_IS_S=1" : "-DEXB_IS_S=0";
}

/* y = alpha A x + beta y, a product with n = 1; m, k >= 0. */
void exb_gpu_gemv(exb_gpu *gpu, const exb_gpu_product *p);

/* A X = alpha B, B in C and X too, for a lower triangle A of order m = k >= 0. alpha != 0; if it is
 * real it is 1 (trsv). */
void exb_gpu_trsm(exb_gpu *gpu, const exb_gpu_product *p);

/* C = alpha A C for a triangle A of order m = k; m, n > 0. */
void exb_gpu_trmm(exb_gpu *gpu, const exb_gpu_product *given);

/* A product whose factor A (left) or B is symmetric, or as p->hermitian says Hermitian, of order k:
 * the lower triangle is read. */
void exb_gpu_symm(exb_gpu *gpu, const exb_gpu_product *p, bool left);

/* The lower triangle of a product that is symmetric or Hermitian as C is, m = n. */
void exb_gpu_syrk(exb_gpu *gpu, const exb_gpu_product *p, bool hermitian);

/* m, n, k >= 0. */
void exb_gpu_gemm(exb_gpu *gpu, const exb_gpu_product *p);

/* --- for the flows ---------------------------------------------------------- */

/* By residues (gpu_residue.c): a product, C and one dimension of A and B with the stride 1; m, n, k
 * > 0, alpha != 0. real: the product itself, or of a complex one A and B with two rows and columns,
 * and two rows, for each element (gpu/kernels/pack.cl); its scalars and C are not looked at. False,
 * and nothing written, if it is not one for this engine: k is beyond 10^6, strides are others,
 * or memory is short. */
bool exb_gpu_residue_run(exb_gpu *gpu, const exb_gpu_product *p, const exb_gpu_product *real);

/* Whether a real product is large enough, and the device multiplies bytes fast enough. */
bool exb_gpu_residue_pays(exb_gpu *gpu, const exb_gpu_product *p);

/* All elements as dot products: exactly, or by compensated sums where the method has a filter, and
 * exactly those that they do not decide. */
void exb_gpu_dots(exb_gpu *gpu, const exb_gpu_product *p);

/* Elements of C that a filter could not decide, at most `room` of them. */
typedef struct {
    exb_gpu_ref count, list;
    exb_i64 room;
} exb_gpu_uncertified;

exb_gpu_uncertified exb_gpu_uncertified_of(exb_gpu *gpu, exb_i64 room);

/* Of which at most so many are listed at once, or one unit of columns if that is more; so gemm has
 * at most 2^15 groups of side 64 in the second dimension, where CUDA has 2^16 - 1. */
enum { EXB_GPU_MOST_LISTED = 1 << 21 };

/* A product in slices of its columns, so that the list stays bounded. */
typedef struct {
    exb_gpu_product p; /* the slice */
    exb_gpu_uncertified u;
    exb_i64 next, width;
} exb_gpu_slice;

/* Before the first slice: of columns in multiples of `unit`, from the parameter elements. */
exb_gpu_slice exb_gpu_slices_of(exb_gpu *gpu, const exb_gpu_product *all, exb_i64 unit);

/* The next slice, and an empty list for it; false if there is none. */
bool exb_gpu_next_slice(exb_gpu *gpu, const exb_gpu_product *all, exb_gpu_slice *s);

/* The elements in the list, exactly: with a long accumulator. Nothing waits for their number. */
void exb_gpu_finish_uncertified(exb_gpu *gpu, const exb_gpu_product *p,
                                const exb_gpu_uncertified *u);

/* The same for a list that comes from less than compensated sums: those first. */
void exb_gpu_recheck_uncertified(exb_gpu *gpu, const exb_gpu_product *p,
                                 const exb_gpu_uncertified *u);

/* How a group is divided: `rows` elements at a time, `local` work-items in all. along: work-items
 * next to each other take neighbours along the dimension that is summed over. */
typedef struct {
    size_t local;
    int rows;
    bool along;
} exb_gpu_tile;

/* For rows of A, at most `most` of them. From the parameters group and rows. */
exb_gpu_tile exb_gpu_tile_of(exb_gpu *gpu, const exb_gpu_product *p, exb_i64 most);

/* Work-items for a loop over n elements. */
exb_gpu_grid exb_gpu_grid_for(exb_gpu *gpu, exb_i64 n);

/* A parameter of the product's routine, in its s or d form: "gemm" is "dgemm" or "sgemm". */
int exb_gpu_typed_param(const exb_gpu *gpu, const exb_gpu_product *p, const char *name,
                        int standard);

EXB_INLINE size_t exb_gpu_product_bytes(const exb_gpu_product *p)
{
    return exb_gpu_element_bytes(p->is_s) << p->is_complex;
}

/* i elements of the product's behind a place. */
EXB_INLINE exb_gpu_ref exb_gpu_element(const exb_gpu_product *p, exb_gpu_ref at, exb_i64 i)
{
    return exb_gpu_at(at, (size_t)i * exb_gpu_product_bytes(p));
}

/* Rows i0 to i0 + m and columns j0 to j0 + n of C. */
EXB_INLINE exb_gpu_product exb_gpu_block_of(const exb_gpu_product *all, exb_i64 i0, exb_i64 m,
                                            exb_i64 j0, exb_i64 n)
{
    exb_gpu_product p = *all;
    p.m = m;
    p.n = n;
    p.a.at = exb_gpu_element(all, p.a.at, i0 * p.a.row);
    p.b.at = exb_gpu_element(all, p.b.at, j0 * p.b.col);
    p.c.at = exb_gpu_element(all, p.c.at, i0 * p.c.row + j0 * p.c.col);
    p.first += p.hermitian == 1 ? i0 : p.hermitian == 2 ? j0 : 0;
    return p;
}
