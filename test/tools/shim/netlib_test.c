/* The drop-in object beside netlib's own BLAS: for every combination of good and bad
 * arguments both report the same argument, of the same routine, in the same way, to the
 * same one of the program's handlers, with the same RowMajorStrg and CBLAS_CallFromC.
 * Both are loaded at run time, so that neither stands before the other.
 *
 * TEST_SHIM names the drop-in object; netlib's is where Debian has it, or skipped. */
#include "testing.h"

#include <dlfcn.h>
#include <exblas/cblas.h>
#include <exblas/fortran.h>
#include <glob.h>

typedef enum { GEMM, GEMV, TRSV, SYRK, N_ROUTINES } routine;

/* In CBLAS order; option[0] is the layout. Options have CBLAS's values or ones that it does not
 * know. Dimensions: m n k; strides: lda ldb ldc, or lda incx incy. */
typedef struct {
    routine routine;
    int option[4];
    int64_t dim[3];
    int64_t ld[3];
} arguments;

/* What each routine takes: kinds of its options after the layout (t, u, d), how many
 * dimensions and strides. */
typedef struct {
    const char *name, *options;
    int n_dims, n_lds;
} signature;

static const signature signatures[N_ROUTINES] = {
    {"gemm", "tt", 3, 3}, {"gemv", "t", 2, 3}, {"trsv", "utd", 1, 2}, {"syrk", "ut", 2, 2}};

/* Takes a digit to the given base off *i. */
static int digit(int64_t *i, int base)
{
    int d = (int)(*i % base);
    *i /= base;
    return d;
}

static int option_value(char kind, int64_t *i)
{
    static const int trans[] = {111, 112, 113, 114, 78}, uplo[] = {121, 122, 120},
                     diag[] = {131, 132, 133};
    return kind == 't' ? trans[digit(i, 5)] : kind == 'u' ? uplo[digit(i, 3)] : diag[digit(i, 3)];
}

/* All combinations of a few good and bad values of each argument: sets *p to number i and says
 * whether there is one. */
static bool combination(routine r, int64_t i, arguments *p)
{
    static const int layouts[] = {101, 102, 100};
    static const int64_t dims[] = {0, 1, 3, -1}, strides[] = {0, 1, 2, 3, -2};
    const signature *s = &signatures[r];
    *p = (arguments){.routine = r, .option = {layouts[digit(&i, 3)]}};
    for (int j = 0; s->options[j]; j++)
        p->option[1 + j] = option_value(s->options[j], &i);
    for (int j = 0; j < s->n_dims; j++)
        p->dim[j] = dims[digit(&i, 4)];
    for (int j = 0; j < s->n_lds; j++)
        p->ld[j] = strides[digit(&i, 5)];
    return i == 0;
}

/* An option as a Fortran letter, '?' if it has none. */
static char letter_of(int option)
{
    static const char letters[] = "NtCuLnU"; /* 111 112 113 121 122 131 132 */
    static const int options[] = {111, 112, 113, 121, 122, 131, 132};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i] == option)
            return letters[i];
    return '?';
}

__attribute__((visibility("default"))) int RowMajorStrg, CBLAS_CallFromC;

static char reports[256];

__attribute__((visibility("default"))) void xerbla_(const char *name, const int *info,
                                                    size_t length)
{
    size_t used = strlen(reports);
    snprintf(reports + used, sizeof reports - used, "xerbla_(%.*s, %d) row-major %d C %d; ",
             (int)length, name, *info, RowMajorStrg, CBLAS_CallFromC);
}

__attribute__((visibility("default"))) void cblas_xerbla(int info, const char *name,
                                                         const char *form, ...)
{
    size_t used = strlen(reports);
    (void)form;
    snprintf(reports + used, sizeof reports - used, "cblas_xerbla(%d, %s); ", info, name);
}

typedef struct {
    __typeof__(excblas_dgemm) *gemm;
    __typeof__(excblas_dgemv) *gemv;
    __typeof__(excblas_dtrsv) *trsv;
    __typeof__(excblas_dsyrk) *syrk;
    __typeof__(exdgemm_) *fgemm;
    __typeof__(exdgemv_) *fgemv;
    __typeof__(exdtrsv_) *ftrsv;
    __typeof__(exdsyrk_) *fsyrk;
} blas;

/* *f = the symbol; object and function pointers are of one size in POSIX. */
static void find(void *library, const char *name, void *f)
{
    void *symbol = dlsym(library, name);
    assert_non_null(symbol);
    memcpy(f, &symbol, sizeof symbol);
}

static blas load(const char *path)
{
    blas b;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    find(library, "cblas_dgemm", &b.gemm);
    find(library, "cblas_dgemv", &b.gemv);
    find(library, "cblas_dtrsv", &b.trsv);
    find(library, "cblas_dsyrk", &b.syrk);
    find(library, "dgemm_", &b.fgemm);
    find(library, "dgemv_", &b.fgemv);
    find(library, "dtrsv_", &b.ftrsv);
    find(library, "dsyrk_", &b.fsyrk);
    return b;
}

static double a[64], b[64], c[64];

static void call_cblas(const blas *lib, const arguments *p)
{
    const int *o = p->option, m = (int)p->dim[0], n = (int)p->dim[1], k = (int)p->dim[2];
    const int la = (int)p->ld[0], lb = (int)p->ld[1], lc = (int)p->ld[2];
    switch (p->routine) {
    case GEMM:
        lib->gemm(o[0], o[1], o[2], m, n, k, 1, a, la, b, lb, 0, c, lc);
        break;
    case GEMV:
        lib->gemv(o[0], o[1], m, n, 1, a, la, b, lb, 0, c, lc);
        break;
    case TRSV:
        lib->trsv(o[0], o[1], o[2], o[3], m, a, la, c, lb);
        break;
    default:
        lib->syrk(o[0], o[1], o[2], m, n, 1, a, la, 0, c, lb);
    }
}

static void call_fortran(const blas *lib, const arguments *p)
{
    const double one = 1, zero = 0;
    const char l[4] = {0, letter_of(p->option[1]), letter_of(p->option[2]),
                       letter_of(p->option[3])};
    const int m = (int)p->dim[0], n = (int)p->dim[1], k = (int)p->dim[2];
    const int la = (int)p->ld[0], lb = (int)p->ld[1], lc = (int)p->ld[2];
    switch (p->routine) {
    case GEMM:
        lib->fgemm(l + 1, l + 2, &m, &n, &k, &one, a, &la, b, &lb, &zero, c, &lc);
        break;
    case GEMV:
        lib->fgemv(l + 1, &m, &n, &one, a, &la, b, &lb, &zero, c, &lc);
        break;
    case TRSV:
        lib->ftrsv(l + 1, l + 2, l + 3, &m, a, &la, c, &lb);
        break;
    default:
        lib->fsyrk(l + 1, l + 2, &m, &n, &one, a, &la, &zero, c, &lb);
    }
}

/* What the program's handlers heard. */
static void listen(bool fortran, const blas *lib, const arguments *p, char text[256])
{
    reports[0] = '\0';
    for (int i = 0; i < 64; i++)
        a[i] = b[i] = c[i] = 1;
    (fortran ? call_fortran : call_cblas)(lib, p);
    memcpy(text, reports, sizeof reports);
    assert_int_equal(RowMajorStrg, 0);
    assert_int_equal(CBLAS_CallFromC, 0);
}

/* Where netlib's row-major branches name the wrong option: a bad transb of gemm as 2, a
 * bad uplo of syrk as 3. Ours name the right one. */
static bool is_slip_of_netlib(const arguments *p, const char *theirs, const char *ours)
{
    return p->option[0] == 101 &&
           ((p->routine == GEMM && !strcmp(theirs, "cblas_xerbla(2, cblas_dgemm); ") &&
             !strcmp(ours, "cblas_xerbla(3, cblas_dgemm); ")) ||
            (p->routine == SYRK && !strcmp(theirs, "cblas_xerbla(3, cblas_dsyrk); ") &&
             !strcmp(ours, "cblas_xerbla(2, cblas_dsyrk); ")));
}

static void same_reports(NO_STATE)
{
    glob_t found;
    if (glob("/usr/lib/*/blas/libblas.so.3", 0, NULL, &found) != 0)
        leave_test("netlib's BLAS is not installed");
    blas theirs = load(found.gl_pathv[0]), ours = load(getenv("TEST_SHIM"));
    globfree(&found);
    size_t n_reported = 0;
    for (int r = 0; r < N_ROUTINES; r++) {
        arguments p;
        int64_t step = r == GEMM ? 7 : 1;
        for (int64_t i = 0; combination((routine)r, i, &p); i += step)
            for (int fortran = 0; fortran < 2; fortran++) {
                char expected[256], got[256];
                listen(fortran, &theirs, &p, expected);
                listen(fortran, &ours, &p, got);
                n_reported += *expected != '\0';
                if (strcmp(expected, got) != 0 &&
                    !(!fortran && is_slip_of_netlib(&p, expected, got)))
                    fail_msg("%s, combination %jd: netlib %s ours %s", signatures[r].name,
                             (intmax_t)i, expected, got);
            }
    }
    assert_true(n_reported > 1000);
}

TESTS(same_reports)
