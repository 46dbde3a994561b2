/* A routine as data: its arguments, and which elements of its arrays a call refers to. Made for
 * every routine from lib/symbols.list by lib/generate.py; read by what looks at calls from
 * outside: statistics and traces. */
#pragma once

#include <stdint.h>

/* An argument: an option (CBLAS's value), a letter of LAPACK's or an integer; a scalar is pointed
 * to, as an array is. */
typedef union {
    int64_t i;
    const void *p;
} exb_value;

typedef enum {
    EXB_ARG_OPTION,
    EXB_ARG_LETTER,
    EXB_ARG_INTEGER,
    EXB_ARG_SCALAR,
    EXB_ARG_ARRAY
} exb_arg_kind;

/* How an array is stored: n elements with an increment; a matrix with a leading dimension; one
 * triangle of it, packed, as a band; a general band; `batch` matrices `stride` apart; a fixed
 * number of elements. */
typedef enum {
    EXB_SHAPE_NONE, /* not described: never looked at */
    EXB_SHAPE_VECTOR,
    EXB_SHAPE_MATRIX,
    EXB_SHAPE_TRIANGLE,
    EXB_SHAPE_PACKED,
    EXB_SHAPE_TRIANGLE_BAND,
    EXB_SHAPE_BAND,
    EXB_SHAPE_FEW
} exb_shape;

/* When the old elements count. */
typedef enum {
    EXB_READ_ALWAYS,
    EXB_READ_NEVER,
    EXB_READ_UNLESS_ALPHA_0,
    EXB_READ_UNLESS_BETA_0
} exb_read;

enum { EXB_MOST_ARGUMENTS = 32 };

/* rows, columns, step (the increment or leading dimension), lower, upper (numbers of
 * diagonals), swap, uplo, diag, stride: numbers of arguments, -1 if there is none. Where the
 * option `swap` says transposed or right, rows and columns change places. A vector and a
 * triangle have `rows` elements and rows; EXB_SHAPE_FEW has `few`. A triangle without `uplo` is the
 * upper one with `few` diagonals below. */
typedef struct {
    const char *name;
    exb_arg_kind kind;
    char half;                       /* b, h: of that type though the routine is of another; or 0 */
    int8_t is_real;                  /* of the type of the parts though the routine is complex */
    int8_t is_written, is_hermitian; /* Hermitian: imaginary parts of the diagonal do not count */
    int8_t must_be_finite; /* a routine of LAPACK is not called with an Inf or NaN in it */
    int8_t is_spoiled;     /* and is NaN then, as a result */
    exb_shape shape;
    exb_read read;
    int8_t rows, columns, step, lower, upper, swap, uplo, diag, stride, few;
} exb_argument;

typedef struct {
    const char *name;
    char type;                                      /* s d c z b h: of the elements */
    char result;                                    /* 0 none, s d c z, or i: an int64_t from 1 */
    int8_t n_arguments, layout, alpha, beta, batch; /* numbers of arguments, -1 */
    exb_argument argument[EXB_MOST_ARGUMENTS];
} exb_routine;
