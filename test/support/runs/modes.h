/* The ways in which one call may be made without its bits changing, as factors
 * with levels, and rows of them. */
#pragma once

#include "routine_call.h"
#include "test_random.h"

/* How a call is made and its operands lie. */
typedef struct {
    call_form form;
    bool row_major;  /* CBLAS forms only */
    int incx, incy;  /* asum takes |incx|: BLAS returns 0 for a negative one */
    int padding;     /* added to leading dimensions, of each operand another */
    int offset;      /* elements by which every buffer is misaligned */
    int environment; /* of hostile_env.h */
} placement;

/* The plain call: CBLAS, row-major, unit strides, default environment. */
placement plain_placement(void);

typedef enum {
    FACTOR_ISA,
    FACTOR_METHOD,
    FACTOR_THREADS,
    FACTOR_ENVIRONMENT,
    FACTOR_ENTRY,   /* call form and layout */
    FACTOR_STRIDES, /* of x and y */
    FACTOR_PADDING, /* of leading dimensions, and misaligned buffers */
    N_FACTORS
} mode_factor;

/* A mode holds a level of each factor; all zero is the plain call: first ISA
 * (portable C), method auto, one thread, CBLAS row-major, unit strides. */
typedef struct {
    int level[N_FACTORS];
} call_mode;

enum { N_MODE_METHODS = 16 };
extern const char *const mode_methods[N_MODE_METHODS]; /* of exblas_set_method */

/* Sets the process to the mode's ISA, method and number of threads, with the
 * least grain so that short vectors are split as well. Aborts if the library
 * refuses one that it offers. */
void mode_select(const call_mode *m);
/* Back to what the library chooses by itself, workspaces too. */
void mode_restore(void);

placement mode_placement(const call_mode *m);
void mode_text(const call_mode *m, char text[200]);

/* All combinations of the named factors' levels (a mask of 1u << factor), the
 * others rotating along. Returns the number of modes, which are kept until the
 * next call. */
size_t modes_product(unsigned factors, const call_mode **modes);
/* Every pair of levels of two factors at least once; kept for ever. */
size_t modes_pairwise(const call_mode **modes);
const call_mode *mode_next(void); /* one of these in turn */
