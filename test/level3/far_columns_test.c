/* Columns so far apart that products of places and strides leave 31 bits: a few columns beyond
 * 2^31 elements from each other, and blocks, panels and single elements of many columns whose last
 * ones are that far from the first. The same numbers next to each other have the same results.
 * Address space is reserved, memory only touched where elements are. */
#include "gemm_case.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef struct {
    const char *method;
    size_t workspace;
} setting;

/* The last ones copy no rows of what is put aside: k = 4200 is too much. */
static const setting settings[] = {{"anchor", 0},       {"residue", 0}, {"general", 0},
                                   {"superacc", 0},     {"auto", 0},    {"anchor", 600000},
                                   {"residue", 1200000}};

static const struct {
    const char *kind;
    int64_t m, n, k, ld;
} shapes[] = {
    {"boundaries", 3, 3, 5, ((int64_t)1 << 31) + 7},
    {"some boundaries", 140, 135, 133, ((int64_t)1 << 26) + 7},
    {"some boundaries", 7, 6, 4200, ((int64_t)1 << 20) + 9},
};

enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* A stored matrix of n_lines lines of `length` elements, and its copy with lines ld apart. */
typedef struct {
    int64_t n_lines, length, ld, far_ld;
    const double *near;
    double *far;
    size_t bytes;
} matrix;

static double *reserved(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static matrix apart(int64_t n_lines, int64_t length, const void *near, int64_t ld, int64_t far_ld)
{
    matrix m = {n_lines, length, ld, far_ld, near, NULL, 0};
    m.bytes = (size_t)((n_lines - 1) * far_ld + length) * sizeof(double);
    m.far = reserved(m.bytes);
    assert_non_null(m.far);
    for (int64_t j = 0; j < n_lines; j++)
        for (int64_t i = 0; i < length; i++)
            m.far[j * far_ld + i] = m.near[j * ld + i];
    return m;
}

static matrix stored(const gemm_case *g, bool transposed, int64_t rows, int64_t columns,
                     const void *near, int64_t ld, int64_t far_ld)
{
    bool lines_are_rows = (g->layout == EXBLAS_ROW_MAJOR) != transposed;
    return lines_are_rows ? apart(rows, columns, near, ld, far_ld)
                          : apart(columns, rows, near, ld, far_ld);
}

/* C far apart is `expected`; back to what it was, for the next call. */
static bool is_as(const matrix *c, const double *expected)
{
    bool same = true;
    for (int64_t j = 0; j < c->n_lines; j++)
        for (int64_t i = 0; i < c->length; i++) {
            same = same && same_bits(c->far[j * c->far_ld + i], expected[j * c->ld + i]);
            c->far[j * c->far_ld + i] = c->near[j * c->ld + i];
        }
    return same;
}

static void check(test_random *r, int shape, int way)
{
    int64_t m = shapes[shape].m, n = shapes[shape].n, k = shapes[shape].k, ld = shapes[shape].ld;
    gemm_way lies = {way & 1 ? EXBLAS_ROW_MAJOR : EXBLAS_COL_MAJOR,
                     way & 2 ? EXBLAS_TRANS : EXBLAS_NO_TRANS,
                     way & 4 ? EXBLAS_TRANS : EXBLAS_NO_TRANS};
    gemm_case g;
    gemm_case_init_in(&g, r, lies, true, 'd', gemm_kind(shapes[shape].kind), m, n, k);
    double *expected = malloc(g.c_bytes);
    assert_non_null(expected);
    matrix a = stored(&g, way & 2, m, k, g.a, g.lda, ld);
    matrix b = stored(&g, way & 4, k, n, g.b, g.ldb, ld + 2);
    matrix c = stored(&g, false, m, n, g.c, g.ldc, ld + 1);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        assert_int_equal(exblas_set_method(settings[i].method), EXBLAS_OK);
        exblas_set_workspace(settings[i].workspace);
        gemm_case_run(&g, expected);
        excblas_dgemm_64(g.layout, g.ta, g.tb, m, n, k, 1, a.far, ld, b.far, ld + 2, 0, c.far,
                         ld + 1);
        if (!is_as(&c, expected))
            fail_msg("%s, shape %d, way %d", settings[i].method, shape, way);
    }
    munmap(a.far, a.bytes);
    munmap(b.far, b.bytes);
    munmap(c.far, c.bytes);
    free(expected);
    gemm_case_clear(&g);
}

static void far_columns(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "far columns");
    for (int shape = 0; shape < N_SHAPES; shape++)
        for (int way = 0; way < 8; way++)
            check(&r, shape, way);
    exblas_set_method(NULL);
    exblas_set_workspace(0);
}

/* Three matrices of the largest shape. */
static bool has_address_space(void)
{
    size_t bytes = (size_t)240 << 30;
    double *p = reserved(bytes);
    if (p)
        munmap(p, bytes);
    return p != NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(far_columns)};
    if (!has_address_space()) {
        puts("1..0 # SKIP no address space of 240 GB");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
