/* Calls of every routine that devices have, with fixed inputs, and the bits they must give. One
 * program per backend (expected_cpu, expected_opencl, expected_cuda) from the same calls: the CPU's
 * writes the bits to expected.txt, the others compare. Needs nothing but the library under test,
 * so that it runs on a bare machine. */
#pragma once

#include "gpu/calls/device_call.h"

#include <stdbool.h>

typedef enum {
    EXPECTED_SUM,     /* c[0] = sum of the n elements of a */
    EXPECTED_ASUM,    /* of their absolute values */
    EXPECTED_NRM2,    /* the root of the sum of their squares */
    EXPECTED_DOT,     /* c[0] = sum of a b */
    EXPECTED_GEMV,    /* c = alpha op(a) b + beta c, a is m x n */
    EXPECTED_TRSV,    /* op(a) c = c, a is n x n */
    EXPECTED_GEMM,    /* c = alpha op(a) op(b) + beta c, c is m x n */
    EXPECTED_SCATTER, /* c_i += sum of a_k, index_k = i; n terms, m bins */
    EXPECTED_SYMM,    /* c = alpha a b + beta c, or b a, a symmetric; c is m x n */
    EXPECTED_SYRK,    /* c = alpha op(a) op(a)' + beta c, a triangle; c is n x n */
    EXPECTED_TRSM,    /* op(a) c = alpha c, or c op(a); c is m x n */
    EXPECTED_BATCH,   /* EXPECTED_PRODUCTS of gemm, one after the other in memory */
    EXPECTED_HEMM,    /* as symm and syrk, complex: Hermitian */
    EXPECTED_HERK,
    EXPECTED_TRMM, /* c = alpha op(a) c, or c op(a); c is m x n */
    EXPECTED_OPS
} expected_op;

/* CBLAS's numbers, so that no header of the CPU library is needed. */
enum {
    EXPECTED_COL_MAJOR = 102,
    EXPECTED_LEFT = 141,
    EXPECTED_RIGHT = 142,
    EXPECTED_NO_TRANS = 111,
    EXPECTED_TRANS = 112,
    EXPECTED_CONJ_TRANS = 113,
    EXPECTED_UPPER = 121,
    EXPECTED_LOWER = 122,
    EXPECTED_NON_UNIT = 131,
    EXPECTED_UNIT = 132
};

/* Operands are packed, column-major, of type 's', 'd', 'c' or 'z'; options are CBLAS's numbers. A
 * complex dot is dotc if transa is EXPECTED_CONJ_TRANS. */
typedef struct {
    expected_op op;
    char type;
    int transa, transb, uplo, diag;
    int m, n, k;
    double alpha, beta; /* floats for types 's' and 'c' */
    double alpha_im, beta_im;
    void *a, *b, *c;
    int32_t *index;
    size_t a_length, b_length, c_length; /* numbers, of which a complex element has two */
} expected_call;

enum { EXPECTED_PRODUCTS = 3 };

static inline bool expected_is_complex(const expected_call *c)
{
    return c->type == 'c' || c->type == 'z';
}

/* Bytes of a number. */
static inline size_t expected_bytes(const expected_call *c)
{
    return c->type == 's' || c->type == 'c' ? sizeof(float) : sizeof(double);
}

/* On which side of symm, trsm and trmm the square matrix is, and its order. */
static inline int expected_side(const expected_call *c)
{
    return c->transb == EXPECTED_NO_TRANS ? EXPECTED_LEFT : EXPECTED_RIGHT;
}

static inline int expected_order(const expected_call *c)
{
    bool is_left = expected_side(c) == EXPECTED_LEFT;
    return c->op == EXPECTED_TRSV || !is_left ? c->n : c->m;
}

static inline int expected_lda(const expected_call *c)
{
    if (c->op == EXPECTED_SYRK || c->op == EXPECTED_HERK)
        return c->transa != EXPECTED_NO_TRANS ? c->k : c->n;
    return (c->op == EXPECTED_GEMM || c->op == EXPECTED_BATCH) && c->transa != EXPECTED_NO_TRANS
               ? c->k
               : c->m;
}

static inline int expected_ldb(const expected_call *c)
{
    return c->transb != EXPECTED_NO_TRANS ? c->n : c->k;
}

/* A call and how it is called in expected.txt: "dgemm 'n' 't' 3 5 7 ...". */
typedef struct {
    char name[96];
    expected_call call;
} expected_case;

int expected_count(void);
/* Those of complex types come last, from this one on. */
int expected_first_complex(void);
/* False if there is no memory. */
bool expected_make(int i, expected_case *c);
void expected_free(expected_case *c);

/* Elements that a case reads and writes, about: small ones fit slow checkers. */
double expected_work(const expected_call *c);

/* "" or a hash (FNV-1a-64) of the bits of c; of one element the bits themselves. */
void expected_bits(const expected_call *c, char text[24]);

/* The call of a routine with these operands; not of scatter-add. What it points to is in *w. */
typedef struct {
    char name[24];
    double alpha[2], beta[2];
    float alpha_s[2], beta_s[2];
} expected_words;

void expected_describe(const expected_call *c, expected_words *w, device_call *d, void *a, void *b,
                       void *r);

/* --- a backend: one of on_cpu.c, on_opencl.c, on_cuda.c --- */
extern const char *const expected_backend;
/* False, with the reason, if there is no device. group: of work-items, 0 for the standard. */
bool expected_open(int group, const char **why);
/* EUNSUPPORTED: the backend has no such routine. */
exblas_status expected_run(const expected_call *c);
void expected_close(void);
