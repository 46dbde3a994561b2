/* Products of 16-bit numbers: C = RN(alpha A B + beta C), C of floats or of that kind. */
#pragma once

#include "core/stats.h"
#include "element/line.h"
#include "half/half_operand.h"
#include "level3/product.h"

/* a has the rows of A, b the columns of B. Element (i, j) of C is number i + j * cs. is_half: C,
 * alpha and beta are of the kind of A, else floats. alpha and beta are looked at in the default
 * floating-point environment only. */
typedef struct {
    exb_half_vectors a, b;
    const void *alpha, *beta;
    bool is_half;
    void *c;
    int64_t cs;
} exb_half_product;

/* BLAS's quick returns included. In the default environment; exb_scall_guarded's run. */
void exb_half_multiply(void *product, exb_call_stats *stats);

/* The same for one row of A, in little more than the time in which B is read. */
void exb_half_multiply_vector(void *product, exb_call_stats *stats);

/* A block of C by chains of floats (half_chain.h); false, and nothing has been written, if that
 * does not fit. */
bool exb_half_chains(const exb_half_product *q, double alpha, double beta, exb_block b,
                     exb_call_stats *stats);

double exb_half_scalar(const exb_half_product *q, const void *p);

/* What becomes of floats that are RN of the elements of p, times alpha, plus beta times what is in
 * C: 16-bit numbers in C. */
typedef struct {
    exb_half_kind kind;
    double alpha, beta;
    const exb_sproduct *p;
    uint16_t *c;
    int64_t rs, cs;
} exb_half_end;

/* p->m x p->n of them, at f in columns of p->m, which change. unit: working memory for p->m + p->n
 * numbers. */
void exb_half_finish(const exb_half_end *e, float *f, int *unit);

/* RN of `line` in element (i, 0) of p and in what is there. filters: a filter of its terms first.
 */
float exb_half_decide(const exb_sproduct *p, int64_t i, const exb_line *line, double old,
                      bool filters);

/* n floats, incf apart, rounded, incc apart. */
void exb_half_narrow(exb_half_kind kind, int64_t n, const float *f, int64_t incf, uint16_t *c,
                     int64_t incc);
