/* Every illegal argument: BLAS's name and number reach the handler, nothing is
 * written. */
#include "testing.h"

#include <exblas/exblas.h>
#include <exblas/fortran.h>
#include <float.h>
#include <unistd.h>

static char routine[32];
static int info, n_reports;

static void note(const char *name, int position)
{
    snprintf(routine, sizeof routine, "%s", name);
    info = position;
    n_reports++;
}

static double a[16], b[16], c[16];

static int before(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++)
        a[i] = b[i] = c[i] = i + 1;
    n_reports = 0;
    exblas_set_xerbla(note);
    return 0;
}

static int after(void **state)
{
    (void)state;
    exblas_set_xerbla(NULL);
    return 0;
}

static void assert_reported(const char *name, int position)
{
    assert_int_equal(n_reports, 1);
    assert_string_equal(routine, name);
    assert_int_equal(info, position);
    for (int i = 0; i < 16; i++) {
        assert_same_bits(a[i], i + 1);
        assert_same_bits(b[i], i + 1);
        assert_same_bits(c[i], i + 1);
    }
    n_reports = 0;
}

/* layout uplo/trans ... of a good call; field i - 1 is replaced by `bad`. */
typedef struct {
    int position;
    exblas_int bad;
} fault;

static void gemm(void **state)
{
    /* layout ta tb m n k alpha a lda b ldb beta c ldc */
    static const fault faults[] = {{1, 0},  {1, 103}, {2, 110}, {3, 114}, {4, -1},
                                   {5, -2}, {6, -1},  {9, 1},   {11, 1},  {14, 1}};
    (void)state;
    for (int layout = 101; layout <= 102; layout++)
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
            exblas_int v[15] = {0, layout, 111, 111, 2, 2, 2, 0, 0, 2, 0, 2, 0, 0, 2};
            v[faults[i].position] = faults[i].bad;
            excblas_dgemm(v[1], v[2], v[3], v[4], v[5], v[6], 1, a, v[9], b, v[11], 0, c, v[14]);
            assert_reported("cblas_dgemm", faults[i].position);
            excblas_dgemm_64(v[1], v[2], v[3], v[4], v[5], v[6], 1, a, v[9], b, v[11], 0, c, v[14]);
            assert_reported("cblas_dgemm", faults[i].position);
        }
}

/* The leading dimension that is needed depends on layout and transpose. */
static void gemm_leading_dimensions(void **state)
{
    (void)state;
    /* m = 2, n = 3, k = 4 */
    excblas_dgemm(102, 111, 111, 2, 3, 4, 1, a, 1, b, 4, 0, c, 2);
    assert_reported("cblas_dgemm", 9);
    excblas_dgemm(102, 112, 111, 2, 3, 4, 1, a, 3, b, 4, 0, c, 2);
    assert_reported("cblas_dgemm", 9);
    excblas_dgemm(101, 111, 111, 2, 3, 4, 1, a, 3, b, 3, 0, c, 3);
    assert_reported("cblas_dgemm", 9);
    excblas_dgemm(101, 111, 111, 2, 3, 4, 1, a, 4, b, 2, 0, c, 3);
    assert_reported("cblas_dgemm", 11);
    excblas_dgemm(101, 111, 112, 2, 3, 4, 1, a, 4, b, 3, 0, c, 3);
    assert_reported("cblas_dgemm", 11);
    excblas_dgemm(101, 111, 111, 2, 3, 4, 1, a, 4, b, 3, 0, c, 2);
    assert_reported("cblas_dgemm", 14);
}

static void gemv(void **state)
{
    /* layout trans m n alpha a lda x incx beta y incy */
    static const fault faults[] = {{1, 5}, {2, 0}, {3, -1}, {4, -1}, {7, 1}, {9, 0}, {12, 0}};
    (void)state;
    for (int layout = 101; layout <= 102; layout++)
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
            exblas_int v[13] = {0, layout, 111, 2, 2, 0, 0, 2, 0, 1, 0, 0, 1};
            v[faults[i].position] = faults[i].bad;
            excblas_dgemv(v[1], v[2], v[3], v[4], 1, a, v[7], b, v[9], 0, c, v[12]);
            assert_reported("cblas_dgemv", faults[i].position);
        }
}

static void trsv(void **state)
{
    /* layout uplo trans diag n a lda x incx */
    static const fault faults[] = {{1, 0}, {2, 120}, {3, 0}, {4, 133}, {5, -1}, {7, 1}, {9, 0}};
    (void)state;
    for (int layout = 101; layout <= 102; layout++)
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
            exblas_int v[10] = {0, layout, 121, 111, 131, 2, 0, 2, 0, 1};
            v[faults[i].position] = faults[i].bad;
            excblas_dtrsv(v[1], v[2], v[3], v[4], v[5], a, v[7], b, v[9]);
            assert_reported("cblas_dtrsv", faults[i].position);
        }
}

static void syrk(void **state)
{
    /* layout uplo trans n k alpha a lda beta c ldc */
    static const fault faults[] = {{1, 0}, {2, 111}, {3, 121}, {4, -1}, {5, -1}, {8, 1}, {11, 1}};
    (void)state;
    for (int layout = 101; layout <= 102; layout++)
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
            exblas_int v[12] = {0, layout, 121, 111, 2, 2, 0, 0, 2, 0, 0, 2};
            v[faults[i].position] = faults[i].bad;
            excblas_dsyrk(v[1], v[2], v[3], v[4], v[5], 1, a, v[8], 0, c, v[11]);
            assert_reported("cblas_dsyrk", faults[i].position);
        }
}

/* Fortran numbers count without layout; names are upper case. */
static void fortran(void **state)
{
    const exblas_int two = 2, one = 1, zero = 0, bad = -1;
    const double alpha = 1, beta = 0;
    (void)state;
    exdgemm_("x", "n", &two, &two, &two, &alpha, a, &two, b, &two, &beta, c, &two);
    assert_reported("DGEMM", 1);
    exdgemm_("n", "?", &two, &two, &two, &alpha, a, &two, b, &two, &beta, c, &two);
    assert_reported("DGEMM", 2);
    exdgemm_("n", "T", &two, &bad, &two, &alpha, a, &two, b, &two, &beta, c, &two);
    assert_reported("DGEMM", 4);
    exdgemm_("n", "C", &two, &two, &two, &alpha, a, &one, b, &two, &beta, c, &two);
    assert_reported("DGEMM", 8);
    exdgemm_("n", "c", &two, &two, &two, &alpha, a, &two, b, &two, &beta, c, &one);
    assert_reported("DGEMM", 13);
    exdgemv_("N", &two, &two, &alpha, a, &two, b, &zero, &beta, c, &one);
    assert_reported("DGEMV", 8);
    exdgemv_("N", &two, &two, &alpha, a, &two, b, &one, &beta, c, &zero);
    assert_reported("DGEMV", 11);
    exdtrsv_("q", "n", "n", &two, a, &two, b, &one);
    assert_reported("DTRSV", 1);
    exdtrsv_("u", "n", "x", &two, a, &two, b, &one);
    assert_reported("DTRSV", 3);
    exdtrsv_("L", "n", "U", &two, a, &two, b, &zero);
    assert_reported("DTRSV", 8);
    exdsyrk_("U", "n", &two, &two, &alpha, a, &two, &beta, c, &one);
    assert_reported("DSYRK", 10);
}

static void handlers(void **state)
{
    (void)state;
    assert_ptr_equal(exblas_set_xerbla(NULL), note);
    exblas_xerbla_fn *standard = exblas_set_xerbla(note);
    assert_true(standard != NULL && standard != note);
    assert_ptr_equal(exblas_set_xerbla(note), note);
}

/* The default prints exactly one line, on stderr. */
static void default_message(void **state)
{
    char text[256] = "";
    int ends[2], old = dup(2);
    (void)state;
    assert_int_equal(pipe(ends), 0);
    exblas_set_xerbla(NULL);
    dup2(ends[1], 2);
    excblas_dgemm(102, 111, 111, 2, 2, 2, 1, a, 1, b, 2, 0, c, 2);
    dup2(old, 2);
    close(ends[1]);
    ssize_t n = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    close(old);
    assert_true(n > 0);
    assert_non_null(strstr(text, "cblas_dgemm"));
    assert_non_null(strstr(text, "9"));
    assert_ptr_equal(strchr(text, '\n'), text + n - 1);
}

/* Lengths of 0 and less return as in BLAS and touch nothing, null pointers included. */
static void empty_lengths(void **state)
{
    (void)state;
    assert_same_bits(excblas_dsum(0, NULL, 1), 0);
    assert_same_bits(excblas_ddot(-3, NULL, 1, NULL, 1), 0);
    assert_same_bits(excblas_dnrm2(-1, NULL, 1), 0);
    assert_same_bits(excblas_dasum(2, a, 0), 0);
    assert_same_bits(excblas_dasum(2, a, -1), 0);
    assert_same_bits((double)excblas_sdsdot(0, 2.5f, NULL, 1, NULL, 1), 2.5);
    assert_same_bits(excblas_dsum_64(INT64_MIN, NULL, -1), 0);
    excblas_dgemm(102, 111, 111, 0, 2, 2, 1, NULL, 1, NULL, 2, 0, NULL, 1);
    excblas_dgemv(102, 111, 2, 0, 1, NULL, 2, NULL, 1, 0, c, 1);
    excblas_dtrsv(102, 121, 111, 131, 0, NULL, 1, NULL, 1);
    assert_int_equal(n_reports, 0);
    assert_same_bits(c[0], 1);
}

/* x and y may interleave with unequal increments: elements 0 2 4 and 1 5 9. */
static void interleaved_rotation(void **state)
{
    double v[10], expected[] = {1, 0, 5, 3, 9, -2, 6, 7, 8, -4};
    float w[10];
    (void)state;
    for (int i = 0; i < 10; i++)
        v[i] = w[i] = (float)i;
    excblas_drot(3, v, 2, v + 1, 4, 0, 1);
    excblas_srot(3, w, 2, w + 1, 4, 0, 1);
    for (int i = 0; i < 10; i++) {
        assert_same_bits(v[i], expected[i]);
        assert_same_bits((double)w[i], expected[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gemm, before, after),
        cmocka_unit_test_setup_teardown(gemm_leading_dimensions, before, after),
        cmocka_unit_test_setup_teardown(gemv, before, after),
        cmocka_unit_test_setup_teardown(trsv, before, after),
        cmocka_unit_test_setup_teardown(syrk, before, after),
        cmocka_unit_test_setup_teardown(fortran, before, after),
        cmocka_unit_test_setup_teardown(handlers, before, after),
        cmocka_unit_test_setup_teardown(default_message, before, after),
        cmocka_unit_test_setup_teardown(empty_lengths, before, after),
        cmocka_unit_test(interleaved_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
