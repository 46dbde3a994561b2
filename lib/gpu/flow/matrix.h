/* gemv, trsv and gemm on a device. Matrices are views with two strides, so that layouts and
 * transposes, and upper triangles, are strides; the flows have no case of their own for them.
 * Arguments are valid, and nothing is empty unless said. Scalars are doubles: floats are widened.
 * The caller's floating-point environment must be the usual one (core/fpenv.h). */
#ifndef EXB_GPU_MATRIX_H
#define EXB_GPU_MATRIX_H

#include "core/method.h"
#include "core/partition.h"
#include "gpu/backend.h"

/* Element (i, j) is i * row + j * col elements after `at`. */
typedef struct {
    exb_gpu_ref at;
    exb_i64 row, col;
} exb_gpu_matrix;

/* Element i is i * inc elements after `at`. */
typedef struct {
    exb_gpu_ref at;
    exb_i64 inc;
} exb_gpu_vector;

/* C = alpha A B + beta C, A of m x k. */
typedef struct {
    bool is_s;
    exb_i64 m, n, k;
    double alpha, beta;
    exb_gpu_matrix a, b, c;
} exb_gpu_product;

/* y = alpha A x + beta y for an m x n matrix A; m, n >= 0. */
void exb_gpu_gemv(exb_gpu *gpu, bool is_s, const exb_method *method, exb_i64 m, exb_i64 n,
                  double alpha, exb_gpu_matrix a, exb_gpu_vector x, double beta, exb_gpu_vector y);

/* T x = b for a lower triangle T of order n >= 0, b in x. */
void exb_gpu_trsv(exb_gpu *gpu, bool is_s, const exb_method *method, exb_i64 n, bool unit,
                  exb_gpu_matrix t, exb_gpu_vector x);

/* T X = alpha B, B in X: n_sides right-hand sides, the next one `next` elements after the one
 * before, and each as for trsv. alpha != 0. */
void exb_gpu_trsm(exb_gpu *gpu, bool is_s, const exb_method *method, exb_i64 n, bool unit,
                  exb_gpu_matrix t, exb_gpu_vector x, exb_i64 n_sides, exb_i64 next, double alpha);

/* A product whose factor A (left) or B is symmetric of order k: the lower triangle is read. */
void exb_gpu_symm(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *p, bool left);

/* The lower triangle of a product that is symmetric as C is, m = n. */
void exb_gpu_syrk(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *p);

/* m, n, k >= 0. */
void exb_gpu_gemm(exb_gpu *gpu, const exb_method *method, const exb_gpu_product *p);

/* --- for the flows ---------------------------------------------------------- */

/* Elements of C that a filter could not decide, at most `room` of them. */
typedef struct {
    exb_gpu_ref count, list;
    exb_i64 room;
} exb_gpu_uncertified;

exb_gpu_uncertified exb_gpu_uncertified_of(exb_gpu *gpu, exb_i64 room);

/* The elements in the list, exactly: with a long accumulator. Nothing waits for their number. */
void exb_gpu_finish_uncertified(exb_gpu *gpu, const char *routine, const exb_gpu_product *p,
                                const exb_gpu_uncertified *u);

/* The same for a list that comes from less than compensated sums: those first. */
void exb_gpu_recheck_uncertified(exb_gpu *gpu, const char *routine, const exb_gpu_product *p,
                                 const exb_gpu_uncertified *u);

/* All elements, exactly, by expansions of n_terms (0: none) and a long accumulator. */
void exb_gpu_all_elements(exb_gpu *gpu, const char *routine, const exb_gpu_product *p, int n_terms,
                          bool early_exit);

/* How a group is divided: `rows` elements at a time, `local` work-items in all. along: work-items
 * next to each other take neighbours along the dimension that is summed over. */
typedef struct {
    size_t local;
    int rows, lanes;
    bool along;
} exb_gpu_tile;

/* For rows of a matrix with these strides; `most` bounds the rows. From the parameters group and
 * rows of a routine. */
exb_gpu_tile exb_gpu_tile_of(exb_gpu *gpu, bool is_s, const char *routine, exb_gpu_matrix a,
                             exb_i64 most);

/* A parameter of the s or d form: "gemm" is "dgemm" or "sgemm". */
int exb_gpu_typed_param(const exb_gpu *gpu, bool is_s, const char *routine, const char *name,
                        int standard);

EXB_INLINE exb_gpu_ref exb_gpu_element(exb_gpu_ref at, exb_i64 i, bool is_s)
{
    return exb_gpu_at(at, (size_t)i * (is_s ? sizeof(float) : sizeof(double)));
}

#endif
