/* One call of any routine as tests know it: a routine, options, sizes, dense operands and settings
 * of the library. Copies are deep. */
#pragma once

#include "routine.h"

#include "level3_problem.h"
#include "modes.h"

/* What decides how a routine is laid out and what is expected of it. */
typedef enum {
    GROUP_REDUCTION, /* a number of x, perhaps y */
    GROUP_ELEMENTS,  /* axpy ... swap, iamax: level1_model */
    GROUP_ROTG,      /* a, b, c, y: a, b, c, s */
    GROUP_ROTMG,     /* a, b, x, alpha, c: d1, d2, x1, y1, param */
    GROUP_LEVEL2,
    GROUP_LEVEL3, /* what trmm and trsm write is c */
    GROUP_SCATTER,
    GROUP_SEGMENT
} fuzz_group;

typedef enum { OPERAND_A, OPERAND_B, OPERAND_C, OPERAND_X, OPERAND_Y, N_OPERANDS } fuzz_which;

/* Element (i, j) at v[j * rows + i], every number one of the type; a vector is one column; the
 * matrices of a batch stand side by side. With a stride of 0 the first element is all of them. */
typedef struct {
    int64_t rows, cols;
    level2_number *v;
} fuzz_operand;

typedef struct {
    const char *method, *isa;
    int threads, form, environment, offset;
    size_t workspace; /* 0: the default */
} fuzz_settings;

typedef struct {
    const fuzz_routine *routine;
    fuzz_group group;
    int family; /* of level1_model.h, level2_call.h or level3_call.h */
    char layout, side, uplo, transa, transb, diag;
    int64_t m, n, k, kl, ku, batch, n_bins, incx, incy;
    int64_t padding[3]; /* of A, B and C */
    level2_number alpha, beta;
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

level2_problem fuzz_level2(const fuzz_case *c);
level3_problem fuzz_level3(const fuzz_case *c, int64_t copy);

/* The operand that a routine of matrices writes. */
fuzz_which fuzz_written(const fuzz_case *c);
/* Nothing is written, whatever the numbers. */
bool fuzz_returns_quickly(const fuzz_case *c);

bool fuzz_is_float(const fuzz_case *c);
bool fuzz_solves(const fuzz_case *c); /* triangular systems */
/* Of elements of the routine's type, of an operand, of the numbers that are multiplied or added,
 * and of what is returned. */
number_format fuzz_format(const fuzz_case *c);
number_format fuzz_operand_format(const fuzz_case *c, fuzz_which which);
number_format fuzz_terms_format(const fuzz_case *c);
number_format fuzz_result_format(const fuzz_case *c);
int fuzz_parts(const fuzz_case *c);
int fuzz_operand_parts(const fuzz_case *c, fuzz_which which);
bool fuzz_by_rows(const fuzz_case *c);
/* Where an element stands, in elements from the first; and whether it lies in the named triangle or
 * band. */
int64_t fuzz_place(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j);
bool fuzz_is_stored(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j);
double poison(number_format f); /* the value that fills gaps */
fuzz_image fuzz_lay_out(const fuzz_case *c, fuzz_which which);
void fuzz_image_free(fuzz_image *m);

void *fuzz_malloc(size_t bytes); /* zeros; ends the program if there is none */
