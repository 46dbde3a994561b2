/* Level 1 on distributed vectors. Element by element y = f(x, y) where y lies; sums in exact
 * accumulators, where x lies, that are added up. Types: s d c z. */
#include "mpi/pblas/pblas_type.h"

/* --- elements --------------------------------------------------------------- */

void driver(scal)(exb_pblas_call *q)
{
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE);
    int64_t n = exb_pblas_own(q, &x);
#if EXB_IS_COMPLEX
    if (q->real_alpha)
        EXB_PASTE4(excblas_, EXB_TYPE, EXB_PART, scal_64)
    (n, *(const exb_real *)q->alpha, x.data, x.row_stride);
    else
#endif
        serial(scal)(n, exb_pblas_scalar(q->alpha), x.data, x.row_stride);
}

void driver(copy)(exb_pblas_call *q)
{
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE), y = exb_pblas_column(q, EXB_Y, EXB_SIZE);
    exb_redistribute_plan(&q->work, x.layout.row.n, 1, EXB_SIZE);
    if (exb_pblas_ready(q))
        exb_pblas_move(q, &x, &y);
}

void driver(swap)(exb_pblas_call *q)
{
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE), y = exb_pblas_column(q, EXB_Y, EXB_SIZE);
    exb_spread old = exb_pblas_take(q, y.layout.row, y.layout.col, EXB_SIZE);
    if (exb_pblas_ready(q)) {
        exb_pblas_move(q, &x, &old);
        exb_pblas_move(q, &y, &x);
        serial(copy)(exb_pblas_own(q, &y), old.data, 1, y.data, y.row_stride);
    }
}

void driver(axpy)(exb_pblas_call *q)
{
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE), y = exb_pblas_column(q, EXB_Y, EXB_SIZE);
    exb_spread here = exb_pblas_take(q, y.layout.row, y.layout.col, EXB_SIZE);
    if (exb_pblas_ready(q)) {
        exb_pblas_move(q, &x, &here);
        serial(axpy)(exb_pblas_own(q, &y), exb_pblas_scalar(q->alpha), here.data, 1, y.data,
                     y.row_stride);
    }
}

/* --- sums ------------------------------------------------------------------- */

typedef exblas_acc sums[EXB_PARTS]; /* of the parts */
_Static_assert(sizeof(sums) <= EXB_MOST_DATA, "accumulators of one message");

static void merge_sums(void *into, const void *from)
{
    const exblas_acc *f = from;
    exblas_acc *s = into;
    for (int i = 0; i < EXB_PARTS; i++)
        exblas_acc_merge(&s[i], &f[i]);
}

/* How many elements of the vector this process counts: those that lie on several processes
 * count on the first row or column of the grid. */
static int64_t counted_here(const exb_pblas_call *q, const exb_spread *x)
{
    bool by_row = x->layout.row.over == EXB_OVER_ROWS || x->layout.col.over == EXB_OVER_ROWS;
    bool by_col = x->layout.row.over == EXB_OVER_COLS || x->layout.col.over == EXB_OVER_COLS;
    if ((!by_row && q->grid.row != 0) || (!by_col && q->grid.col != 0))
        return 0;
    return exb_pblas_own(q, x);
}

static void write_sums(const exb_pblas_call *q, sums s)
{
    exb_real *out = q->result;
    for (int i = 0; i < EXB_PARTS; i++)
        out[i] = acc_to()(&s[i]);
}

void driver(dot)(exb_pblas_call *q)
{
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE), y = exb_pblas_column(q, EXB_Y, EXB_SIZE);
    exb_spread here = exb_pblas_take(q, x.layout.row, x.layout.col, EXB_SIZE);
    if (exb_pblas_ready(q)) {
        sums s = {{.n_free = 0}};
        exb_pblas_move(q, &y, &here);
        exb_mpi_add_dot(s, counted_here(q, &x), x.data, x.row_stride, q->conjugate, here.data, 1);
        if (exb_pblas_merge(q, s, sizeof s, merge_sums))
            write_sums(q, s);
    }
}

void driver(norm)(exb_pblas_call *q)
{
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE);
    sums s = {{.n_free = 0}};
    exb_mpi_add_norm(&s[0], q->of_squares, counted_here(q, &x), x.data, x.row_stride);
    if (exb_pblas_merge(q, s, sizeof s, merge_sums))
        *(exb_real *)q->result = q->of_squares ? acc_to(root_)(&s[0]) : acc_to()(&s[0]);
}

/* --- the largest element ---------------------------------------------------- */

typedef struct {
    int64_t index; /* in the vector; -1: none */
    exb_real value[EXB_PARTS];
} candidate;

/* The first NaN, else the first largest: as iamax chooses of the two in order. */
static void merge_candidates(void *into, const void *from)
{
    candidate *a = into, b = *(const candidate *)from;
    exb_real pair[2 * EXB_PARTS];
    if (b.index < 0 || a->index == b.index)
        return;
    bool a_is_first = a->index >= 0 && a->index < b.index;
    memcpy(pair, a_is_first ? a->value : b.value, sizeof b.value);
    memcpy(pair + EXB_PARTS, a_is_first ? b.value : a->value, sizeof b.value);
    bool first = EXB_PASTE4(excblas_i, EXB_TYPE, amax, _64)(2, pair, 1) == 0;
    if (a->index < 0 || first != a_is_first)
        *a = b;
}

static candidate own_candidate(const exb_pblas_call *q, const exb_spread *x)
{
    int64_t n = counted_here(q, x);
    candidate c = {-1, {0}};
    if (n > 0) {
        int64_t at = (int64_t)EXB_PASTE4(excblas_i, EXB_TYPE, amax, _64)(n, x->data, x->row_stride);
        c.index = exb_pblas_index(q, &x->layout.row, at);
        memcpy(c.value, exb_spread_at(x, at, 0), sizeof c.value);
    }
    return c;
}

void driver(amax)(exb_pblas_call *q)
{
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE);
    candidate c = own_candidate(q, &x);
    if (exb_pblas_merge(q, &c, sizeof c, merge_candidates)) {
        memcpy(q->result, c.value, sizeof c.value);
        *q->index = (int)(c.index + x.layout.row.first + 1);
    }
}
