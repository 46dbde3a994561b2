/* What is said of calls: statistics of all routines and the trace, whose hashes are compared
 * with those of lists of elements made here in the order that the format prescribes. */
#include "testing.h"

#include "observe/region.h"
#include "observe/watch.h"
#include "exblas/exblas.h"
#include "exblas/fortran.h"

#include <errno.h>
#include <unistd.h>

enum { N = 5, LD = 7, MOST = 400, COL = EXBLAS_COL_MAJOR, ROW = EXBLAS_ROW_MAJOR };

static char path[] = "/tmp/exblas_watch_XXXXXX";
static char last_line[2048];
static double store[MOST];

/* FNV-1a-64, written down from its definition. */
typedef struct {
    uint64_t h;
} fnv;

static void feed(fnv *f, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++) {
        f->h ^= (bits >> (8 * i)) & 255;
        f->h *= 1099511628211u;
    }
}

static const fnv start = {14695981039346656037u};

/* The trace's last line. */
static const char *traced(void)
{
    char line[2048];
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        assert_string_not_equal(line, "old\n");
        strcpy(last_line, line);
    }
    fclose(in);
    return last_line;
}

static void assert_hash(const char *field, int number, fnv expected)
{
    char text[32];
    const char *p = strstr(traced(), field);
    assert_non_null(p);
    p += strlen(field);
    while (number--)
        p = strchr(p, ',') + 1;
    snprintf(text, sizeof text, "%016llx", (unsigned long long)expected.h);
    if (strncmp(p, text, 16) != 0)
        fail_msg("%s: wanted %s in %s", field, text, last_line);
}

static double element(int i, int j)
{
    return 1 + i + 16 * j;
}

/* Other values than the elements everywhere else: they must not count. */
static void clear(void)
{
    static int call;
    call++;
    for (int i = 0; i < MOST; i++)
        store[i] = -1000 - call;
}

static bool is_in(int uplo, bool unit, int i, int j, int lower, int upper)
{
    if (uplo == EXBLAS_UPPER)
        lower = 0;
    if (uplo == EXBLAS_LOWER)
        upper = 0;
    return i - j <= lower && j - i <= upper && !(unit && i == j);
}

static fnv listed(int rows, int columns, int uplo, bool unit, int lower, int upper)
{
    fnv f = start;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            if (is_in(uplo, unit, i, j, lower, upper))
                feed(&f, element(i, j));
    return f;
}

static const int layouts[] = {COL, ROW}, uplos[] = {EXBLAS_UPPER, EXBLAS_LOWER},
                 diags[] = {EXBLAS_NON_UNIT, EXBLAS_UNIT};

static void full_matrices(NO_STATE)
{
    const double b[N * N] = {0};
    double c[N * LD] = {0};
    for (int l = 0; l < 2; l++)
        for (int trans = EXBLAS_NO_TRANS; trans <= EXBLAS_TRANS; trans++) {
            int rows = trans == EXBLAS_NO_TRANS ? 3 : 4, columns = 7 - rows; /* op(A): 3 x 4 */
            clear();
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < columns; j++)
                    store[layouts[l] == COL ? i + j * LD : i * LD + j] = element(i, j);
            excblas_dgemm(layouts[l], trans, EXBLAS_NO_TRANS, 3, 2, 4, 1, store, LD, b, N, 0, c,
                          LD);
            assert_hash(" in=", 0, listed(rows, columns, 0, false, MOST, MOST));
            assert_non_null(strstr(last_line, ",- out=")); /* beta = 0: C is not read */
        }
}

static void triangles(NO_STATE)
{
    double x[N] = {0};
    for (int i = 0; i < 8; i++) {
        int layout = layouts[i & 1], uplo = uplos[i >> 1 & 1], diag = diags[i >> 2];
        clear();
        for (int r = 0; r < N; r++)
            for (int c = 0; c < N; c++)
                if (is_in(uplo, diag == EXBLAS_UNIT, r, c, N, N))
                    store[layout == COL ? r + c * LD : r * LD + c] = element(r, c);
        excblas_dtrmv(layout, uplo, EXBLAS_NO_TRANS, diag, N, store, LD, x, 1);
        assert_hash(" in=", 0, listed(N, N, uplo, diag == EXBLAS_UNIT, N, N));
    }
}

/* Packed: the triangle's columns (by rows: its rows) one after the other. */
static void packed(NO_STATE)
{
    double x[N] = {0}, y[N] = {0};
    for (int i = 0; i < 4; i++) {
        int layout = layouts[i & 1], uplo = uplos[i >> 1], n = 0;
        clear();
        for (int outer = 0; outer < N; outer++)
            for (int inner = 0; inner < N; inner++) {
                int r = layout == COL ? inner : outer, c = layout == COL ? outer : inner;
                if (is_in(uplo, false, r, c, N, N))
                    store[n++] = element(r, c);
            }
        excblas_dspmv(layout, uplo, N, 1, store, x, 1, 1, y, 1);
        assert_hash(" in=", 0, listed(N, N, uplo, false, N, N));
    }
}

/* Bands: diagonal d = j - i of a column (by rows: of a row) at place ku - d (kl + d). */
static void bands(NO_STATE)
{
    double x[N] = {0}, y[N] = {0};
    for (int l = 0; l < 2; l++) {
        clear();
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < N; c++)
                if (is_in(0, false, r, c, 2, 1))
                    store[layouts[l] == COL ? 1 + r - c + c * LD : 2 + c - r + r * LD] =
                        element(r, c);
        excblas_dgbmv(layouts[l], EXBLAS_NO_TRANS, 4, N, 2, 1, 1, store, LD, x, 1, 0, y, 1);
        assert_hash(" in=", 0, listed(4, N, 0, false, 2, 1));
    }
    for (int i = 0; i < 4; i++) {
        int layout = layouts[i & 1], uplo = uplos[i >> 1], up = uplo == EXBLAS_UPPER ? 2 : 0;
        clear();
        for (int r = 0; r < N; r++)
            for (int c = 0; c < N; c++)
                if (is_in(uplo, false, r, c, 2, 2))
                    store[layout == COL ? up + r - c + c * LD : 2 - up + c - r + r * LD] =
                        element(r, c);
        excblas_dtbmv(layout, uplo, EXBLAS_TRANS, EXBLAS_NON_UNIT, N, 2, store, LD, x, 1);
        assert_hash(" in=", 0, listed(N, N, uplo, false, 2, 2));
    }
}

static void vectors(NO_STATE)
{
    const double x[] = {1, -1, 2, -1, 3}, y[] = {4, 5, 6};
    const int n = 3, minus_two = -2, one = 1;
    fnv in = start, other = start, out = start;
    feed(&in, 3), feed(&in, 2), feed(&in, 1);
    for (int i = 0; i < 3; i++)
        feed(&other, y[i]);
    feed(&out, 3 * 4 + 2 * 5 + 1 * 6);
    exddot_(&n, x, &minus_two, y, &one);
    assert_hash(" in=", 0, in);
    assert_hash(" in=", 1, other);
    assert_hash(" out=", 0, out);
    assert_non_null(strstr(last_line, " ddot n=3 incx=-2 incy=1 in="));
}

/* The imaginary parts of a Hermitian diagonal do not count. */
static void hermitian(NO_STATE)
{
    const double alpha[] = {1, -3}, zero[] = {0, 0}, x[] = {1, 0, 0, 1};
    double a[] = {1, 99, -7, -7, 2, 3, 4, 98}, y[4];
    fnv in = start;
    feed(&in, 1), feed(&in, 0), feed(&in, 2), feed(&in, 3), feed(&in, 4), feed(&in, 0);
    excblas_zhemv(COL, EXBLAS_UPPER, 2, alpha, a, 2, x, 1, zero, y, 1);
    assert_hash(" in=", 0, in);
    assert_non_null(strstr(last_line, "alpha=0x1p+0,-0x1.8p+1"));
}

/* An illegal call: nothing may be looked at. */
static void ignore(const char *routine, int info)
{
    (void)routine, (void)info;
}

static void illegal(NO_STATE)
{
    double y = 0;
    exblas_set_xerbla(ignore);
    excblas_dgemv(COL, EXBLAS_NO_TRANS, 1000, 1000, 1, &y, 1, &y, 1, 1, &y, 1);
    assert_non_null(strstr(traced(), " in=-,-,- out=-"));
    excblas_dgemv(COL, EXBLAS_UPPER + 9, 1, 1, 1, &y, 1, &y, 1, 1, &y, 1);
    assert_non_null(strstr(traced(), " in=-,-,- out=-"));
    exblas_set_xerbla(NULL);
}

static void counted(NO_STATE)
{
    const double x[] = {1, 2, 3};
    double a[9] = {0};
    exblas_stats s;
    exblas_stats_enable(1);
    excblas_ddot(3, x, 1, x, 1);
    excblas_ddot_64(2, x, 1, x, 1);
    excblas_dger(COL, 3, 2, 1, x, 1, x, 1, a, 3);
    assert_int_equal(exblas_stats_total("ddot", &s), EXBLAS_OK);
    assert_int_equal(s.calls, 2);
    assert_int_equal(s.elements, 5);
    assert_int_equal(exblas_stats_last(&s), EXBLAS_OK);
    assert_int_equal(s.elements, 6);
    assert_true(s.seconds > 0);
    excblas_dgemm(COL, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, 3, 3, 1, 1, x, 3, x, 1, 0, a, 3);
    assert_int_equal(exblas_stats_total("dgemm", &s), EXBLAS_OK);
    assert_int_equal(s.calls, 1); /* once, though the driver counts, too */
    assert_int_equal(s.elements, 9);
    assert_string_not_equal(s.engine, "");
    exblas_stats_enable(0);
    excblas_ddot(3, x, 1, x, 1);
    exblas_stats_total("ddot", &s);
    assert_int_equal(s.calls, 2);
}

/* Arrays that lib/symbols.list does not describe would silently stay out of traces. */
static void all_described(NO_STATE)
{
    for (const exb_routine *const *r = exb_routines; *r; r++)
        for (int i = 0; i < (*r)->n_arguments; i++)
            if ((*r)->argument[i].kind == EXB_ARG_ARRAY &&
                (*r)->argument[i].shape == EXB_SHAPE_NONE)
                fail_msg("%s: array %s is not described", (*r)->name, (*r)->argument[i].name);
}

/* A Hessenberg matrix of doubles, as LAPACK's hseqr has it. */
static const exb_routine hessenberg = {.name = "test",
                                       .type = 'd',
                                       .n_arguments = 3,
                                       .layout = -1,
                                       .alpha = -1,
                                       .beta = -1,
                                       .batch = -1,
                                       .argument = {{.kind = EXB_ARG_INTEGER},
                                                    {.kind = EXB_ARG_ARRAY,
                                                     .must_be_finite = 1,
                                                     .is_spoiled = 1,
                                                     .shape = EXB_SHAPE_TRIANGLE,
                                                     .few = 1,
                                                     .columns = -1,
                                                     .step = 2,
                                                     .lower = -1,
                                                     .upper = -1,
                                                     .swap = -1,
                                                     .uplo = -1,
                                                     .diag = -1,
                                                     .stride = -1},
                                                    {.kind = EXB_ARG_INTEGER}}};

static void not_finite(NO_STATE)
{
    const exb_value v[] = {{.i = N}, {.p = store}, {.i = LD}},
                    bad[] = {{.i = N}, {.p = store}, {.i = N - 1}},
                    none[] = {{.i = 0}, {.p = NULL}, {.i = 1}};
    int64_t order;
    assert_int_equal(exb_region_check(&hessenberg, none, &order), EXB_FINITE);
    for (int k = 0; k < LD * N; k++) {
        bool inside = k % LD < N && k % LD <= k / LD + 1;
        for (int nan = 0; nan < 2; nan++) {
            clear();
            store[k] = nan ? NAN : -INFINITY;
            exb_region_worst wanted = !inside ? EXB_FINITE : nan ? EXB_NAN : EXB_INFINITE;
            assert_int_equal(exb_region_check(&hessenberg, v, &order), wanted);
            assert_int_equal(order, N);
            assert_int_equal(exb_region_check(&hessenberg, bad, &order), EXB_FINITE);
        }
        clear();
        exb_region_spoil(&hessenberg, bad);
        assert_false(isnan(store[k]));
        exb_region_spoil(&hessenberg, v);
        assert_int_equal(isnan(store[k]) != 0, inside);
    }
}

/* A program of its own: the trace is opened once. Its lines cannot be written, and the call neither
 * fails nor says so in errno. */
static void full_disk(NO_STATE)
{
    assert_int_equal(system("EXBLAS_TRACE=/dev/full /proc/$PPID/exe keeps-errno"), 0);
}

static int keeps_errno(void)
{
    const double x[] = {1, 2, 3};
    for (int call = 0; call < 3; call++) {
        errno = 0;
        if (excblas_ddot(3, x, 1, x, 1) != 14 || errno != 0)
            return 1;
        errno = ERANGE;
        if (excblas_ddot(3, x, 1, x, 1) != 14 || errno != ERANGE)
            return 2;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return strcmp(argv[1], "keeps-errno") == 0 ? keeps_errno() : 2;
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, "old\n", 4) != 4)
        return 1;
    close(fd);
    setenv("EXBLAS_TRACE", path, 1);
    int failed = run_each(full_matrices, triangles, packed, bands, vectors, hermitian, illegal,
                          counted, all_described, not_finite, full_disk);
    unlink(path);
    return failed;
}
