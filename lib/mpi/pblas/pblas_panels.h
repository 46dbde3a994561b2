/* Large products of doubles on a grid, panel by panel: of k terms at a time, every process gets
 * those of its rows of op(A) and those of its columns of op(B), and keeps residues of its part of C
 * (level3/panels_entry.h). So each term travels once for a window of columns of C, however long
 * rows are; and it does while the panel before is added. What is not certified at the end is
 * computed from whole rows and columns. */
#ifndef EXB_PBLAS_PANELS_H
#define EXB_PBLAS_PANELS_H

#include "level3/panels_entry.h"
#include "mpi/pblas/pblas_operands.h"

/* Of the vectors of a matrix: of the parts that processes have, and of those that this one needs.
 */
typedef struct {
    exb_spread parts, gathered;
    exb_vector_norms *all;
} exb_pblas_norms;

typedef struct {
    bool is_used;
    exb_spread a, b, c; /* op(A), op(B), C */
    int64_t k, panel;   /* terms, and how many at once */
    int64_t length;     /* columns of C at once */
    exb_pblas_norms rows, cols;
    exb_spread a_panel, b_panel, a_row, b_col;
    exb_flight a_next, b_next; /* the next panel */
    exb_range window;          /* columns of C */
    exb_panels *product;       /* this process's part of them; NULL: it has none */
    int64_t n_open;            /* of all processes */
} exb_pblas_panels;

/* Plans and takes what C = alpha a b + beta C needs if it is to be computed so: where rows and
 * columns are too long to be had whole. */
void exb_pblas_panels_take(exb_pblas_call *q, exb_pblas_panels *p, const exb_spread *a,
                           const exb_spread *b);

/* Computes the next window of columns of C but for p->n_open elements. False: there is none, or the
 * rest is better computed in another way (p->window.end is the first column of it). */
bool exb_pblas_panels_next(exb_pblas_call *q, exb_pblas_panels *p);

/* Few elements that are open, one by one. */
enum { EXB_FEW_OPEN = 256 };
void exb_pblas_panels_complete(exb_pblas_call *q, exb_pblas_panels *p);

#endif
