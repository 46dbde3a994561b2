/* Routines that return a status when memory runs out: ENOMEM with nothing written, or the same bits
 * by a slower way. Every request fails in turn, alone and with all later ones; all is given back.
 */
#include "core/partition.h"
#include "requests.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <exblas/lapack.h>
#include <exblas/scatter.h>
#include <exblas/solvers.h>
#include <exblas/sparse.h>

#include <math.h>

enum { N = 60, ENTRIES = 3 * N - 2, SIZE = 3, VECTORS = 2 };

/* A tridiagonal matrix, also by its places, and vectors. */
static exblas_int row_start[N + 1], column[ENTRIES], row[ENTRIES];
static double value[ENTRIES], x[VECTORS * N];

static void make(void)
{
    int at = 0;
    for (int i = 0; i < N; i++) {
        row_start[i] = at;
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++, at++) {
            row[at] = i;
            column[at] = j;
            value[at] = i == j ? 4 + 0.1 * i : -1;
        }
    }
    row_start[N] = at;
    for (int i = 0; i < VECTORS * N; i++)
        x[i] = 1 + 0.3 * (i % 7);
}

typedef struct {
    exblas_int start[N + 1], column[N * SIZE];
    double value[N * SIZE], y[VECTORS * N];
} output;

static exblas_status product(output *o)
{
    return exblas_dcsrmv(EXBLAS_NO_TRANS, N, N, 0.1, row_start, column, value, x, 0.3, o->y);
}

static exblas_status transposed_product(output *o)
{
    return exblas_dcsrmv(EXBLAS_TRANS, N, N, 0.1, row_start, column, value, x, 0.3, o->y);
}

static exblas_status symmetric_product(output *o)
{
    return exblas_dcsrsymv(EXBLAS_UPPER, N, 0.1, row_start, column, value, x, 0.3, o->y);
}

static exblas_status products(output *o)
{
    return exblas_dcsrmm(EXBLAS_ROW_MAJOR, EXBLAS_TRANS, N, N, VECTORS, 0.1, row_start, column,
                         value, x, VECTORS, 0.3, o->y, VECTORS);
}

static exblas_status handle(output *o)
{
    exblas_dcsr_handle *h = NULL;
    exblas_status status = exblas_dcsr_create(N, N, row_start, column, value, &h);
    if (status == EXBLAS_OK)
        status = exblas_dcsr_mv(h, 0.1, x, 0.3, o->y);
    exblas_dcsr_free(h);
    return status;
}

static exblas_status from_places(output *o)
{
    return exblas_dcoo_to_csr(N, N, ENTRIES, row, column, value, o->start, o->column, o->value);
}

static exblas_status transpose(output *o)
{
    return exblas_dcsr_transpose(N, N, row_start, column, value, o->start, o->column, o->value);
}

static exblas_status block_inverse(output *o)
{
    return exblas_dcsr_block_inverse(N, SIZE, row_start, column, value, o->start, o->column,
                                     o->value);
}

/* The solvers' product asks for memory, too: x is then as the last step left it. */
static exblas_dcsr matrix = {N, row_start, column, value};

static exblas_status cg(output *o)
{
    return exblas_dcg(N, exblas_dcsr_apply, &matrix, x, o->y, NULL, NULL);
}

static exblas_status bicgstab(output *o)
{
    return exblas_dbicgstab(N, exblas_dcsr_apply, &matrix, x, o->y, NULL, NULL);
}

static exblas_status gmres(output *o)
{
    return exblas_dgmres(N, exblas_dcsr_apply, &matrix, x, o->y, NULL, NULL);
}

static exblas_status gesv(const double *a, const double *b, output *o)
{
    return exblas_dgesv(3, 1, a, 3, b, 3, o->y, 3, NULL);
}

static exblas_status posv(const double *a, const double *b, output *o)
{
    return exblas_dposv(EXBLAS_LOWER, 3, 1, a, 3, b, 3, o->y, 3, NULL);
}

static exblas_status gels(const double *a, const double *b, output *o)
{
    return exblas_dgels(3, 2, 1, a, 3, b, 3, o->y, 3, NULL);
}

static exblas_status gels_wide(const double *a, const double *b, output *o)
{
    return exblas_dgels(2, 3, 1, a, 2, b, 2, o->y, 3, NULL);
}

/* Large terms cancel, so that cells do not decide: another pass must. */
static exblas_status scatter_add(output *o)
{
    double term[8 * N];
    int64_t index[8 * N];
    for (int i = 0; i < 8 * N; i++) {
        int k = i / N;
        index[i] = i % N;
        term[i] = ldexp(k < 3 ? x[i % N] : -x[i % N], 300 * (k % 3 - 1));
    }
    return exblas_dscatter_add_64(8 * N, term, index, N, o->y);
}

static exblas_status scatter_add_exactly(output *o)
{
    exblas_set_method("superacc");
    exblas_status status = scatter_add(o);
    exblas_set_method(NULL);
    return status;
}

static const double ones[] = {1, 1, 1}, regular[] = {3, 1, 5, 1, 3, -2, 2, 2, 9},
                    definite[] = {4, 1, 0, 1, 4, 1, 0, 1, 4};

/* The systems: as ordinary, with an unknown that is 0 among fractions, singular, and definite or
 * not by a hair. */
static const struct {
    const char *name;
    exblas_status (*call)(output *);
    bool writes_in_steps;
    exblas_status (*solve)(const double *a, const double *b, output *); /* instead of call */
    const double *a, *b;
} routines[] = {
    {"csrmv", .call = product},
    {"csrmv, transposed", .call = transposed_product},
    {"csrsymv", .call = symmetric_product},
    {"csrmm", .call = products},
    {"csr_create", .call = handle},
    {"coo_to_csr", .call = from_places},
    {"csr_transpose", .call = transpose},
    {"csr_block_inverse", .call = block_inverse},
    {"cg", .call = cg, .writes_in_steps = true},
    {"bicgstab", .call = bicgstab, .writes_in_steps = true},
    {"gmres", .call = gmres, .writes_in_steps = true},
    {"gesv", .solve = gesv, .a = regular, .b = ones},
    {"gesv with fractions", .solve = gesv, .a = (double[]){3, 1, 5, 2, 3, 1, 5, -2, 9}, .b = ones},
    {"gesv, singular", .solve = gesv, .a = (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, .b = ones},
    {"gesv, definite", .solve = gesv, .a = definite, .b = ones},
    {"posv", .solve = posv, .a = definite, .b = ones},
    {"posv, indefinite", .solve = posv, .a = (double[]){1, 1, 0, 1, 1, 0, 0, 0, 1}, .b = ones},
    {"posv, near that", .solve = posv, .a = (double[]){1, 1, 0, 1, 1 + 0x1p-52, 0, 0, 0, 1},
     .b = ones},
    {"gels", .solve = gels, .a = regular, .b = ones},
    /* x = (0, 1/3), and (2/3, 0, 1/3). */
    {"gels with fractions", .solve = gels, .a = (double[]){1, 1, 0, 1, -1, 1},
     .b = (double[]){0, 0, 1}},
    {"gels, wide", .solve = gels_wide, .a = (double[]){3, 1, 3, -1, 0, 1}, .b = (double[]){2, 1}},
    {"scatter_add", .call = scatter_add},
    {"scatter_add, superacc", .call = scatter_add_exactly}};

/* What is kept from earlier calls is given back first, so that each call asks anew. */
static exblas_status call_with(int k, int first, bool later, output *o, int *n_asked)
{
    memset(o, 0x3f, sizeof *o); /* finite, and not 0 */
    exblas_set_workspace(0);
    requests_begin(first, later);
    exblas_status status = routines[k].solve ? routines[k].solve(routines[k].a, routines[k].b, o)
                                             : routines[k].call(o);
    *n_asked = requests_end();
    return status;
}

static void every_request_fails(int n_threads)
{
    static output before, wanted, got;
    memset(&before, 0x3f, sizeof before);
    int n_all = 0, n_asked, unused;
    exblas_set_num_threads(n_threads);
    make();
    for (size_t k = 0; k < sizeof routines / sizeof *routines; k++) {
        exblas_status right = call_with((int)k, -1, false, &wanted, &n_asked);
        assert_true(right != EXBLAS_ENOMEM);
        n_all += n_asked;
        exblas_set_workspace(0);
        int held = requests_held;
        for (int f = 0; f < 2 * n_asked; f++) {
            exblas_status status = call_with((int)k, f / 2, f % 2, &got, &unused);
            const output *good = status == right ? &wanted : &before;
            if ((status != right && status != EXBLAS_ENOMEM) ||
                (memcmp(&got, good, sizeof got) != 0 &&
                 (status == right || !routines[k].writes_in_steps)))
                fail_msg("%s: status %d without request %d%s of %d", routines[k].name, (int)status,
                         f / 2, f % 2 ? " and later ones" : "", n_asked);
        }
        exblas_set_workspace(0);
        assert_int_equal(requests_held, held);
    }
    print_message("# %d requests\n", n_all);
    assert_true(n_all > 100);
}

static void one_thread(NO_STATE)
{
    every_request_fails(1);
}

static void threads(NO_STATE)
{
    every_request_fails(3);
}

/* A factorisation needs two arrays, and nothing more when it runs to its end. */
static void definiteness_needs_little(NO_STATE)
{
    static output o;
    int n_asked[2], unused, k = 0;
    while (routines[k + 1].solve != posv)
        k++;
    for (int i = 0; i < 2; i++)
        assert_int_equal(call_with(k + i, -1, false, &o, n_asked + i), EXBLAS_OK);
    assert_int_equal(n_asked[1], n_asked[0] + 2);
    for (int f = 3; f < 5; f++) /* behind those of A, B and X */
        assert_int_equal(call_with(k + 1, f, false, &o, &unused), EXBLAS_ENOMEM);
}

int main(void)
{
    exb_partition_set_grain(1);
    return run_each(one_thread, threads, definiteness_needs_little);
}
