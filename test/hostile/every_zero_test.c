/* Sizes of 0: an array without elements, or one that is not read because alpha is 0, may be NULL.
 * The results are those with pointers that cannot be read. The undefined-behaviour sanitizer of
 * Clang sees, besides, whether an offset is added to NULL. */
#include "core/kernels.h"

#include "every_case.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <exblas/lapack.h>
#include <exblas/scatter.h>
#include <exblas/sparse.h>

static bool is_dimension(const exb_argument *a, int64_t value)
{
    return a->kind == EXB_ARG_INTEGER && value == 0;
}

/* Whether a call with these dimensions is another one than with fewer zeros. */
static bool has_dimensions(const every_case *c, int zero)
{
    int n_zero = 0;
    for (int i = 0; i < c->routine->n_arguments; i++)
        n_zero += is_dimension(&c->routine->argument[i], c->value[i].i);
    return n_zero >= __builtin_popcount((unsigned)zero);
}

static bool is_unread(const every_case *c, int i, bool alpha_is_zero)
{
    const exb_argument *a = &c->routine->argument[i];
    if (a->kind != EXB_ARG_ARRAY)
        return false;
    return c->array[i].n_bytes == 0 ||
           (alpha_is_zero && a->read == EXB_READ_UNLESS_ALPHA_0 && !a->is_written);
}

static uint64_t hash_of(const routine_name *name, every_layout q, bool alpha_is_zero,
                        bool with_null)
{
    every_case c;
    every_case_init(&c, exb_routines[name->routine], &q);
    int alpha = c.routine->alpha;
    if (alpha_is_zero && alpha >= 0)
        memset(c.scalar[alpha], 0, sizeof c.scalar[alpha]);
    for (int i = 0; with_null && i < c.routine->n_arguments; i++)
        if (is_unread(&c, i, alpha_is_zero))
            c.value[i].p = NULL;
    uint64_t hash = 0;
    if (every_case_has(&c, name) && has_dimensions(&c, q.zero)) {
        every_case_call(&c, name);
        hash = every_case_hash(&c);
    }
    every_case_clear(&c);
    return hash;
}

static int compare(const routine_name *name, every_layout q)
{
    int n_wrong = 0;
    for (int alpha_is_zero = q.zero == 0; alpha_is_zero < 2; alpha_is_zero++) {
        uint64_t expected = hash_of(name, q, alpha_is_zero, false);
        if (hash_of(name, q, alpha_is_zero, true) == expected)
            continue;
        print_error("%s, size %d, options %d, zero dimensions %d\n", name->name, q.size, q.options,
                    q.zero);
        n_wrong++;
    }
    return n_wrong;
}

static void every_routine(NO_STATE)
{
    int n_wrong = 0, turn = 0;
    for (const routine_name *name = routine_names; name->name; name++)
        for (int options = 0; options < EVERY_OPTIONS; options++)
            for (int zero = 0; zero < 1 << EVERY_DIMENSIONS; zero++) {
                every_layout q = {.size = (turn + turn / EVERY_SIZES) % EVERY_SIZES,
                                  .options = options,
                                  .increment = turn % EVERY_INCREMENTS,
                                  .zero = zero};
                exb_isa_select(exb_isa_name(turn++ % exb_isa_count())); /* if the CPU has it */
                n_wrong += compare(name, q);
            }
    for (int i = 0; i < exb_isa_count(); i++)
        exb_isa_select(exb_isa_name(i)); /* the best there is comes last */
    assert_int_equal(n_wrong, 0);
}

/* --- what is not in the list of routines ------------------------------------- */

static void accumulators(NO_STATE)
{
    exblas_acc a;
    exblas_acc_init(&a);
    for (int64_t inc = -2; inc <= 2; inc++) {
        exblas_acc_add_vector(&a, 0, NULL, inc);
        exblas_acc_add_magnitudes(&a, 0, NULL, inc);
        exblas_acc_add_dot(&a, 0, NULL, inc, NULL, -inc);
        exblas_acc_add_vector_f(&a, 0, NULL, inc);
        exblas_acc_add_magnitudes_f(&a, 0, NULL, inc);
        exblas_acc_add_dot_f(&a, 0, NULL, inc, NULL, -inc);
    }
    assert_same_bits(exblas_acc_to_double(&a), 0);
    assert_int_equal(exblas_dscatter_add(0, NULL, NULL, 0, NULL), EXBLAS_OK);
    assert_int_equal(exblas_sscatter_add_64(0, NULL, NULL, 0, NULL), EXBLAS_OK);
    assert_int_equal(exblas_dsegment_sum(0, (const exblas_int[]){0}, NULL, NULL), EXBLAS_OK);
    double y[2] = {1, 1};
    assert_int_equal(exblas_dsegment_sum(2, (const exblas_int[]){0, 0, 0}, NULL, y), EXBLAS_OK);
    assert_same_bits(y[0] + y[1], 0);
}

static void systems(NO_STATE)
{
    const double one = 1;
    for (int n = 0; n < 2; n++)
        for (int nrhs = 0; nrhs < 2 - n; nrhs++) {
            const double *a = n ? &one : NULL;
            assert_int_equal(exblas_dgesv(n, nrhs, a, 1, NULL, 1, NULL, 1, NULL), EXBLAS_OK);
            assert_int_equal(exblas_dposv(EXBLAS_UPPER, n, nrhs, a, 1, NULL, 1, NULL, 1, NULL),
                             EXBLAS_OK);
            assert_int_equal(exblas_dgels(n, n, nrhs, a, 1, NULL, 1, NULL, 1, NULL), EXBLAS_OK);
        }
}

/* Matrices without entries, of 0 to 3 rows and columns. */
static void sparse_products(int m, int n)
{
    static const exblas_int start[4] = {0};
    static const double alpha[2] = {2, 1}, beta[2] = {3, 0};
    double x_or[6] = {1, 1, 1, 1, 1, 1}, y_or[6] = {1, 1, 1, 1, 1, 1};
    double *x = n ? x_or : NULL, *y = m ? y_or : NULL, sum = 0;
    exblas_dcsr_handle *handle;
    assert_int_equal(exblas_dcsrmv(EXBLAS_NO_TRANS, m, n, 2, start, NULL, NULL, x, 3, y),
                     EXBLAS_OK);
    assert_int_equal(exblas_dcsrmv(EXBLAS_TRANS, m, n, 2, start, NULL, NULL, y, 1, x), EXBLAS_OK);
    assert_int_equal(exblas_zcsrmv(EXBLAS_NO_TRANS, m, n, alpha, start, NULL, NULL, x, beta, y),
                     EXBLAS_OK);
    assert_int_equal(exblas_dcsrmm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, m, n, 1, 2, start, NULL, NULL,
                                   x, 3, 3, y, 3),
                     EXBLAS_OK);
    assert_int_equal(exblas_dcsrmm(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, m, n, 0, 2, start, NULL, NULL,
                                   NULL, 1, 3, NULL, 1),
                     EXBLAS_OK);
    if (m == n)
        assert_int_equal(exblas_dcsrsymv(EXBLAS_LOWER, n, 2, start, NULL, NULL, x, 1, y),
                         EXBLAS_OK);
    assert_int_equal(exblas_dcsr_create(m, n, start, NULL, NULL, &handle), EXBLAS_OK);
    assert_int_equal(exblas_dcsr_mv(handle, 2, x, 1, y), EXBLAS_OK);
    exblas_dcsr_free(handle);
    for (int i = 0; i < m; i++)
        sum += y_or[i];
    assert_same_bits(sum, m * 27);
}

static void sparse(NO_STATE)
{
    for (int m = 0; m < 4; m++)
        for (int n = 0; n < 4; n++)
            sparse_products(m, n);
}

TESTS(every_routine, accumulators, systems, sparse)
