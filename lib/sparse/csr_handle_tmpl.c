/* Handles of sparse matrices: checked once, in slices.
 * Types: s d. */
#include "indexed.h"
#include "sparse/sell.h"

#include "core/fpenv.h"
#include "core/memory.h"

#include <stdlib.h>

struct exblas_t(csr_handle)
{
    exb_t(sell) sell;
};

typedef struct exblas_t(csr_handle) handle;

exblas_status exb_t(csr_create)(int64_t m, int64_t n, exb_index row_start, exb_index column,
                                const exb_real *value, handle **out)
{
    const exb_t(csr) a = exb_t(csr_of)(m, n, row_start, column, value);
    if (!out || !exb_t(csr_is_good)(&a))
        return EXBLAS_EINVAL;
    handle *h = malloc(sizeof *h);
    exblas_status status = EXBLAS_ENOMEM;
    if (h)
        EXB_GUARDED(status = exb_t(sell_make)(&a, &h->sell)); /* values are looked at */
    if (status == EXBLAS_OK)
        *out = h;
    else
        free(h);
    return status;
}

void exblas_t(csr_free)(handle *h)
{
    if (h)
        exb_memory_put(h->sell.memory);
    free(h);
}

/* What reads numbers is inside the guard: under DAZ a subnormal alpha would compare equal to 0. */
static EXB_NOINLINE void multiply_guarded(const handle *h, exb_scalar alpha, const exb_real *x,
                                          exb_scalar beta, exb_real *y)
{
    exb_fpenv env;
    exb_fpenv_enter(&env);
    exb_complex a = exb_scalar_value(alpha), b = exb_scalar_value(beta);
    if (!exb_is_zero(a))
        exb_t(sell_multiply)(&h->sell, a, x, b, y);
    else if (!exb_is_one(b)) /* an empty sum */
        exb_t(csr_multiply)(&(exb_t(csr_product)){.a = {.m = h->sell.m},
                                                  .n_vectors = 1,
                                                  .alpha = {1, 0},
                                                  .beta = b,
                                                  .x = {x, 1},
                                                  .y = y,
                                                  .incy = 1});
    exb_fpenv_leave(&env);
}

exblas_status exblas_t(csr_mv)(const handle *h, exb_real alpha, const exb_real *x, exb_real beta,
                               exb_real *y)
{
    if (!h || (!x && h->sell.n > 0) || (!y && h->sell.m > 0))
        return EXBLAS_EINVAL;
    multiply_guarded(h, alpha, x, beta, y);
    return EXBLAS_OK;
}

exblas_status exblas_t(csr_handle_apply)(void *context, exblas_int64 n, const exb_real *x,
                                         exb_real *y)
{
    handle *h = context;
    if (!h || h->sell.m != n || h->sell.n != n)
        return EXBLAS_EINVAL;
    return exblas_t(csr_mv)(h, 1, x, 0, y);
}
