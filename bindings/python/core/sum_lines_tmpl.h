/* Sums of n_results lines of n_terms numbers: number i of line k at data + i term_step + k
 * result_step, in elements. Included for each type with REAL, VECTOR, COMPLEX_SUM,
 * SEGMENT_SUM and LINES. */
#ifndef EXBLAS_PYTHON_LINES
#define EXBLAS_PYTHON_LINES
typedef struct {
    const void *data;
    int64_t n_terms, n_results, term_step, result_step;
    void *result;
} lines;

enum {
    SHORT = 48, /* rows of up to that many terms: cheaper one by one than in a product */
    FEW = 2     /* lines, as the parts of complex numbers: so few columns leave a product idle */
};
#endif

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define ONE_BY_ONE PASTE(LINES, _one_by_one)
#define ROWS PASTE(LINES, _rows)
#define PRODUCT PASTE(LINES, _product)

static outcome ONE_BY_ONE(const lines *l)
{
    const REAL *x = l->data;
    REAL *y = l->result;
    for (int64_t k = 0; k < l->n_results; k++)
        y[k] = VECTOR(sum)(l->n_terms, x + k * l->result_step, l->term_step);
    return DONE;
}

/* Short rows that lie one behind the other. */
static outcome ROWS(const lines *l)
{
    int64_t *offset = malloc((size_t)(l->n_results + 1) * sizeof *offset);
    if (!offset)
        return NO_MEMORY;
    for (int64_t k = 0; k <= l->n_results; k++)
        offset[k] = k * l->n_terms;
    exblas_status status = SEGMENT_SUM(l->n_results, offset, l->data, l->result);
    free(offset);
    return status == EXBLAS_OK ? DONE : NO_MEMORY;
}

/* The matrix times ones. Exact: x 1 = x, also for Inf and NaN, and a zero sum is +0 either way. */
static outcome PRODUCT(const lines *l, bool by_columns)
{
    REAL *one = malloc((size_t)l->n_terms * sizeof *one);
    if (!one)
        return NO_MEMORY;
    for (int64_t i = 0; i < l->n_terms; i++)
        one[i] = 1;
    if (by_columns)
        VECTOR(gemv)
    (EXBLAS_ROW_MAJOR, EXBLAS_TRANS, l->n_terms, l->n_results, 1, l->data, l->term_step, one, 1, 0,
     l->result, 1);
    else VECTOR(gemv)(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, l->n_results, l->n_terms, 1, l->data,
                      l->result_step, one, 1, 0, l->result, 1);
    free(one);
    return DONE;
}

static outcome LINES(const lines *l)
{
    if (l->n_results == 2 && l->result_step == 1 && l->term_step % 2 == 0) {
        COMPLEX_SUM(l->n_terms, l->data, l->term_step / 2, l->result);
        return DONE;
    }
    if (l->n_results <= FEW || l->n_terms == 0)
        return ONE_BY_ONE(l);
    if (l->term_step == 1 && l->result_step == l->n_terms && l->n_terms <= SHORT)
        return ROWS(l);
    if (l->term_step == 1 && l->result_step >= l->n_terms)
        return PRODUCT(l, false);
    if (l->result_step == 1 && l->term_step >= l->n_results)
        return PRODUCT(l, true);
    return ONE_BY_ONE(l);
}
#undef REAL
#undef VECTOR
#undef COMPLEX_SUM
#undef SEGMENT_SUM
#undef LINES
#undef PASTE2
#undef PASTE
#undef ONE_BY_ONE
#undef ROWS
#undef PRODUCT
