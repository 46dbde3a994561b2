/* A product of doubles whose terms come in panels of k:
 *
 *   C = RN(alpha A B + beta C),  A = [A1 A2 ...],  B = [B1; B2; ...]
 *
 * Rows of A and columns of B are scaled by their norms over all terms, which the caller puts
 * together from those of parts. What is kept between panels are residues, a byte for each modulus
 * and element, until the last panel is added: then C is written, and what is not certified is left
 * as it was, to be computed from whole rows and columns. Exported for the libraries that are built
 * with this one, not for users. */
#ifndef EXB_PANELS_ENTRY_H
#define EXB_PANELS_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct exb_panels exb_panels;

/* Of a vector, or of a part of it: the sum of its squares is sumsq * 4^shift; the largest and the
 * least magnitude that is not 0 (Inf if there is none). Doubles all, to be sent as such. */
typedef struct {
    double sumsq, shift, largest, least;
} exb_vector_norms;

/* Vector i of n has its k elements at p[i * vs + l * ls]. */
typedef struct {
    const double *p;
    int64_t vs, ls;
} exb_panel_operand;

/* m x n elements of k terms, at most `panel` of them at once. C is stored by columns. */
typedef struct {
    int64_t m, n, k, panel;
    int n_moduli;
    const exb_vector_norms *rows, *cols;
    double alpha, beta;
    double *c;
    int64_t ldc;
} exb_panel_product;

#pragma GCC visibility push(default)

void exb_entry_panel_norms(int64_t n, int64_t k, exb_panel_operand x, exb_vector_norms *out);

/* Of a vector in n parts. */
exb_vector_norms exb_entry_panel_merge_norms(int n, const exb_vector_norms *part);

/* With how many moduli a product of k terms, the first of which are in this panel, is expected to
 * leave next to nothing open; 0: not in this way. */
int exb_entry_panel_moduli(int64_t m, int64_t n, int64_t k, int64_t panel, exb_panel_operand a,
                           exb_panel_operand b);

/* Bytes that a product takes. */
int64_t exb_entry_panels_bytes(int64_t m, int64_t n, int64_t panel, int n_moduli);

/* NULL without memory. p's arrays need not stay. m, n, k > 0. */
exb_panels *exb_entry_panels_open(const exb_panel_product *p);

/* The next k terms. When there are k of the product in all, C is written. */
void exb_entry_panels_add(exb_panels *q, int64_t k, exb_panel_operand a, exb_panel_operand b);

/* How many elements are open; the one behind (*i, *j), column by column, or false. Begin with i =
 * -1 and j = 0. */
int64_t exb_entry_panels_count(const exb_panels *q);
bool exb_entry_panels_next(const exb_panels *q, int64_t *i, int64_t *j);

void exb_entry_panels_close(exb_panels *q);

#pragma GCC visibility pop

#endif
