/* A call of a PBLAS routine: the wrappers that are made from pblas.list fill it in, the check looks
 * at it, the drivers compute it. */
#pragma once

#include "mpi/pblas/redistribute.h"

/* An integer argument and its position among the arguments, from 1. */
typedef struct {
    int n, position;
} exb_extent;

/* sub(A): rows x cols elements from (i, j) on; as a vector (inc > 0), rows elements down a
 * column, or along a row if inc is the matrix's number of rows. */
typedef struct {
    void *data;
    int i, j;
    const int *desc;
    int position; /* of desc; those of i, j and inc are beside it */
    bool is_vector;
    int inc;
    exb_extent rows, cols;
    /* Filled in by the check. */
    int n_rows;        /* of the whole matrix */
    exb_layout layout; /* of the vector as a column */
    int64_t ld;
} exb_operand;

/* Arguments of a routine, counted from 1. */
enum { EXB_PBLAS_ARGUMENTS = 20 };

typedef enum { EXB_A, EXB_B, EXB_C, EXB_X, EXB_Y, EXB_N_OPERANDS } exb_operand_name;

typedef struct exb_pblas_call {
    const char *routine;
    exb_blacs_report *report;
    int worst; /* least position of an illegal argument, times 100, plus the entry of desc; 0: none
                */
    /* What all processes have to say alike: by position an option, a size, a place, whether a
     * scalar is 0, a hash of a descriptor, 0 for what may differ; first a hash of the routine's
     * name. */
    uint32_t said[1 + EXB_PBLAS_ARGUMENTS];
    char side, uplo, trans, transb, diag; /* upper case; 0: the routine has none */
    bool conjugate;                       /* dotc, gerc; matrices and updates are Hermitian */
    bool solves, of_squares, real_alpha;
    /* If not NULL: what one process that has all operands calls, a grid of one or within a block:
     * the library's own routine, where they lie. The same bits by definition, without copies. */
    void (*alone)(const struct exb_pblas_call *q);
    int64_t m, n, k;
    const void *alpha, *beta;
    void *result;
    size_t result_size;
    int *index;
    /* The grid, layouts and leading dimensions are there, and nothing is to be checked: desc and
     * report are NULL. */
    bool is_laid_out;
    bool failed;                         /* for want of memory */
    exb_operand operand[EXB_N_OPERANDS]; /* desc = NULL: the routine has none of this name */
    exb_grid grid;
    exb_team team;
    exb_workspace work;
} exb_pblas_call;

/* For the wrappers, also those of the drop-in object. */
#pragma GCC visibility push(default)

/* An option, in either case, one of `legal`. */
char exb_pblas_option(exb_pblas_call *q, int position, const char *letter, const char *legal);

/* Checks the arguments by the rules of ScaLAPACK's PBLAS, and reports; then computes, unless this
 * process has nothing to do, because an argument is illegal, because it has no part of an operand,
 * or because it was alone and has done it. A result is in the scope of its vectors and concerns all
 * processes of these scopes; it is 0 where there is nothing to do. */
void exb_pblas_run(exb_pblas_call *q, void (*compute)(exb_pblas_call *));

#pragma GCC visibility pop

/* All members' data merged as by exb_team_merge, and in the same messages what they say compared.
 * False, after a report on all of them, if that differs. */
bool exb_pblas_merge(exb_pblas_call *q, void *data, int size, exb_merge *merge);

/* Takes what was planned; false, after a report, if a process has no memory or other arguments. */
bool exb_pblas_ready(exb_pblas_call *q);

/* Whether the routine has an operand of this name. */
static inline bool exb_pblas_has(const exb_pblas_call *q, exb_operand_name name)
{
    return q->operand[name].layout.row.n_parts > 0;
}
