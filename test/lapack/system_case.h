/* Systems of equations by kind, their exact solutions in rational numbers (GMP), and the library's.
 * The model shares nothing with the library. */
#pragma once

#include "modes.h"
#include "test_random.h"

#include <exblas/lapack.h>

enum { SYSTEM_MOST = 84, SYSTEM_MOST_RIGHT = 3 };

typedef enum { SYSTEM_GESV, SYSTEM_POSV, SYSTEM_GELS, SYSTEM_ROUTINES } system_routine;

typedef struct {
    system_routine routine;
    number_format format;
    int m, n, nrhs; /* A has m rows and n columns, B m rows; m = n except for gels */
    bool upper;     /* the triangle that posv reads */
    double a[SYSTEM_MOST][SYSTEM_MOST], b[SYSTEM_MOST][SYSTEM_MOST_RIGHT];
} system_case;

/* Matrices and right-hand sides of a kind, n unknowns. */
size_t system_kinds(void);
const char *system_kind_name(size_t kind);
void system_fill(system_case *c, size_t kind, test_random *r);
/* These n equations in doubles, with one right-hand side, for gesv. */
void system_set_square(system_case *c, int n, const double *a, const double *b);

/* Whether the case has a solution as its routine asks; then RN of it to x. */
exblas_status system_model(const system_case *c, double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT]);

/* The library's, called in the mode; *changed: it wrote where it may not. */
exblas_status system_call(const system_case *c, const call_mode *m,
                          double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT], exblas_solution *info,
                          bool *changed);

/* Whether the library has the model's answer; says where not. *status is the model's. */
bool system_holds(const system_case *c, const call_mode *m, exblas_solution *info,
                  exblas_status *status);
