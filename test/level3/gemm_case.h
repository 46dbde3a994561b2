/* Calls of gemm of all four types on data that is hard for one or another engine, and their answers
 * by MPFR, an element at a time. */
#pragma once

#include "test_random.h"

#include <stdbool.h>
#include <stddef.h>

/* Matrices as the call sees them: buffers of numbers of the type, padding filled with NaN. Numbers
 * of complex matrices are pairs. */
typedef struct {
    char type;  /* s d c z */
    int layout; /* EXBLAS_ROW_MAJOR or EXBLAS_COL_MAJOR */
    int ta, tb; /* EXBLAS_NO_TRANS, ... */
    int64_t m, n, k, lda, ldb, ldc;
    double alpha[2], beta[2];
    void *a, *b, *c;
    size_t c_bytes;
    const char *kind;
} gemm_case;

size_t gemm_kinds(void);
size_t gemm_kind(const char *name);

/* A random layout, transposes, leading dimensions and scalars. */
void gemm_case_init(gemm_case *g, test_random *r, char type, size_t kind, int64_t m, int64_t n,
                    int64_t k);

/* How operands lie. */
typedef struct {
    int layout, ta, tb;
} gemm_way;

/* In a given way: C = op(A) op(B) if is_plain, else with random scalars. */
void gemm_case_init_in(gemm_case *g, test_random *r, gemm_way way, bool is_plain, char type,
                       size_t kind, int64_t m, int64_t n, int64_t k);
void gemm_case_clear(gemm_case *g);

/* Calls the library; C goes to out, c_bytes long. */
void gemm_case_run(const gemm_case *g, void *out);
/* The same with c for C, which is what the call finds there. */
void gemm_case_call(const gemm_case *g, void *c);

/* Element (i, j) of `out` is the exact expression rounded once, bit for bit. */
bool gemm_element_is_right(const gemm_case *g, const void *out, int64_t i, int64_t j);

/* The padding between the columns (rows) of C is as it was. */
bool gemm_padding_is_left(const gemm_case *g, const void *out);
