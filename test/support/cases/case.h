/* One call of any routine as tests know it: a routine, options, sizes, dense operands and settings
 * of the library. Copies are deep. */
#pragma once

#include "routine.h"

#include "modes.h"

/* What decides how a routine is laid out and what is expected of it. */
typedef enum {
    GROUP_REDUCTION, /* a number of x, perhaps y */
    GROUP_ELEMENTS,  /* axpy ... swap, iamax */
    GROUP_ROTG,      /* a, b, c, y: a, b, c, s */
    GROUP_ROTMG,     /* a, b, x, alpha, c: d1, d2, x1, y1, param */
    GROUP_LEVEL2,
    GROUP_LEVEL3, /* what trmm and trsm write is c */
    GROUP_SCATTER,
    GROUP_SEGMENT
} fuzz_group;

typedef enum {
    OP_AXPY,
    OP_AXPBY,
    OP_SCAL,
    OP_REAL_SCAL, /* csscal, zdscal; of real types scal */
    OP_ROT,       /* csrot, zdrot of complex types; c = alpha, s = beta */
    OP_ROTM,      /* of real types */
    OP_COPY,
    OP_SWAP,
    OP_IAMAX
} fuzz_op;

typedef enum { OPERAND_A, OPERAND_B, OPERAND_C, OPERAND_X, OPERAND_Y, N_OPERANDS } fuzz_which;

/* Element (i, j) at v[j * rows + i], every number one of the type; a vector is one column; the
 * matrices of a batch stand side by side. With a stride of 0 the first element is all of them. */
typedef struct {
    int64_t rows, cols;
    test_number *v;
} fuzz_operand;

typedef enum { SHAPE_GENERAL, SHAPE_SYMMETRIC, SHAPE_TRIANGLE } fuzz_shape;

/* What a routine of matrices is, by its name and its arguments. */
typedef struct {
    fuzz_shape shape;                           /* of A */
    fuzz_which written, triangle;               /* operands; triangle: N_OPERANDS if none */
    bool is_band, is_packed;                    /* A */
    bool is_hermitian, is_skew;                 /* what the triangle stands for, else symmetric */
    bool updates, is_rank_k, is_rank_2, solves; /* ger ... spr2; A A^T; two products */
    bool conjugates;                            /* one factor of each product of an update */
    bool has_alpha, has_beta, has_side, has_transb, has_diag, has_m, has_k, has_b, has_y;
    bool real_alpha, real_beta; /* of the complex types */
} fuzz_traits;

typedef struct {
    const char *method, *isa;
    int threads, form, environment, offset;
    size_t workspace; /* 0: the default */
} fuzz_settings;

typedef struct {
    const fuzz_routine *routine;
    fuzz_group group;
    fuzz_op op;    /* of elements */
    fuzz_traits t; /* of matrices */
    char layout, side, uplo, transa, transb, diag;
    int64_t m, n, k, kl, ku, batch, n_bins, incx, incy;
    int64_t padding[3]; /* of A, B and C */
    test_number alpha, beta;
    fuzz_operand operand[N_OPERANDS];
    int64_t n_indices, *index;
    fuzz_settings set;
} fuzz_case;

/* An operand in memory: its reals as doubles, NaN of poison() where nothing is stored, with
 * FUZZ_GUARD reals more before and behind. */
enum { FUZZ_GUARD = 8 };
typedef struct {
    int64_t n; /* without the guards */
    int parts;
    double *v, *first; /* first: behind the guard */
} fuzz_image;

/* A case without operands, group and family found; options at their first letters, sizes 0. */
fuzz_case fuzz_case_of(const fuzz_routine *r);
fuzz_case fuzz_case_named(const char *routine); /* "dgemv" */
fuzz_case fuzz_case_copy(const fuzz_case *c);
void fuzz_case_free(fuzz_case *c);

/* How it is called and its operands lie; settings of the library are not a placement's. */
void fuzz_place_as(fuzz_case *c, const placement *p);

/* The operand that an argument names; N_OPERANDS if none. */
fuzz_which fuzz_operand_of(const fuzz_case *c, const fuzz_argument *a);
bool fuzz_has(const fuzz_routine *r, const char *argument);
/* An integer argument, strides and leading dimensions included. */
int64_t fuzz_integer(const fuzz_case *c, const char *name);
/* Makes the operands, of the sizes that follow from the others and from options, all zero. */
void fuzz_allocate(fuzz_case *c);

/* Of routines of matrices: nothing is written, whatever the numbers; and no product is read. */
bool fuzz_returns_quickly(const fuzz_case *c);
bool fuzz_is_without_product(const fuzz_case *c);
/* A is the left factor. */
bool fuzz_is_left(const fuzz_case *c);
/* What trans or transa may be: rank updates take what makes the result symmetric or Hermitian. */
const char *fuzz_transposes(const fuzz_case *c);

bool fuzz_is_float(const fuzz_case *c);
/* Of elements of the routine's type, of an operand, of the numbers that are multiplied or added,
 * and of what is returned. */
number_format fuzz_format(const fuzz_case *c);
number_format fuzz_operand_format(const fuzz_case *c, fuzz_which which);
number_format fuzz_terms_format(const fuzz_case *c);
number_format fuzz_result_format(const fuzz_case *c);
int fuzz_parts(const fuzz_case *c);
int fuzz_operand_parts(const fuzz_case *c, fuzz_which which);
bool fuzz_by_rows(const fuzz_case *c);
/* Where an element stands, in elements from the first; whether it lies in the named triangle or
 * band; on a diagonal whose imaginary part does not exist; and whether the call reads it. */
int64_t fuzz_place(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j);
bool fuzz_is_stored(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j);
bool fuzz_is_real(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j);
bool fuzz_is_read(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j);
double poison(number_format f); /* the value that fills gaps */
fuzz_image fuzz_lay_out(const fuzz_case *c, fuzz_which which);
void fuzz_image_free(fuzz_image *m);

void *fuzz_malloc(size_t bytes); /* zeros; ends the program if there is none */
