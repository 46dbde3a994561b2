/* Every argument of every routine of Levels 2 and 3, good or bad, in random combinations and
 * through every name: the first illegal one is reported, once, under BLAS's name and number, and
 * nothing is written; a legal call reports nothing. And how it is reported. */
#include "case.h"
#include "testing.h"

#include <ctype.h>
#include <exblas/exblas.h>
#include <unistd.h>

enum { N_ARRAYS = 3, N = 512 };

/* Every byte counts. */
static double data[N_ARRAYS][N], before_call[N_ARRAYS][N];
static char reported[40];
static int position_reported, n_reports;

static void note(const char *name, int position)
{
    snprintf(reported, sizeof reported, "%s", name);
    position_reported = position;
    n_reports++;
}

static int before(NO_STATE)
{
    for (int i = 0; i < N_ARRAYS * N; i++)
        data[i / N][i % N] = before_call[i / N][i % N] = 1 + i % N * 0x1.23p-9;
    n_reports = 0;
    exblas_set_xerbla(note);
    return 0;
}

static int after(NO_STATE)
{
    exblas_set_xerbla(NULL);
    return 0;
}

/* --- calls ---------------------------------------------------------------------- */

typedef struct {
    fuzz_case c; /* the routine */
    const char *checked;
    call_form form;
    routine_call q;
} some_call;

/* The arguments that are checked, in order, with their positions in the CBLAS call (layout = 1),
 * from netlib's argument lists: s u t v d the options (side, uplo, trans, transb, diag), m n k, j
 * kl, A B C the leading dimensions, S the stride of C, q the batch, x y the increments. */
static const struct {
    const char *bases, *arguments;
} checked[] = {
    {" gemv ", "t2 m3 n4 A7 x9 y12"},
    {" gbmv ", "t2 m3 n4 j5 k6 A9 x11 y14"},
    {" symv hemv ", "u2 n3 A6 x8 y11"},
    {" sbmv hbmv ", "u2 n3 k4 A7 x9 y12"},
    {" spmv hpmv ", "u2 n3 x7 y10"},
    {" trmv trsv ", "u2 t3 d4 n5 A7 x9"},
    {" tbmv tbsv ", "u2 t3 d4 n5 k6 A8 x10"},
    {" tpmv tpsv ", "u2 t3 d4 n5 x8"},
    {" ger geru gerc ", "m2 n3 x6 y8 A10"},
    {" syr her ", "u2 n3 x6 A8"},
    {" spr hpr ", "u2 n3 x6"},
    {" syr2 her2 ", "u2 n3 x6 y8 A10"},
    {" spr2 hpr2 ", "u2 n3 x6 y8"},
    {" gemm ", "t2 v3 m4 n5 k6 A9 B11 C14"},
    {" gemmt ", "u2 t3 v4 n5 k6 A9 B11 C14"},
    {" gemm_batch_strided ", "t2 v3 m4 n5 k6 A9 B12 C16 S17 q18"},
    {" symm hemm ", "s2 u3 m4 n5 A8 B10 C13"},
    {" syrk herk ", "u2 t3 n4 k5 A8 C11"},
    {" syr2k her2k ", "u2 t3 n4 k5 A8 B10 C13"},
    {" trmm trsm ", "s2 u3 t4 d5 m6 n7 A10 B12"},
};

/* Of a routine in one of BLAS's four types by its first name; NULL of others. */
static const char *checked_of(const fuzz_routine *r)
{
    char base[32];
    snprintf(base, sizeof base, " %s ", r->base);
    for (size_t i = 0; i < sizeof checked / sizeof *checked; i++)
        if (strstr(checked[i].bases, base) && r->name[0] == r->type &&
            strcmp(r->name + 1, r->base) == 0 && strchr("sdcz", r->type))
            return checked[i].arguments;
    return NULL;
}

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

/* Rows of a column-major matrix, columns of a row-major one. */
static int64_t span(const routine_call *q, int64_t rows, int64_t cols, bool transposed)
{
    return at_least_one((q->layout == 'r') == transposed ? rows : cols);
}

static int64_t least_ld_2(const some_call *c)
{
    const routine_call *q = &c->q;
    const fuzz_traits *t = &c->c.t;
    if (t->is_band)
        return (t->shape == SHAPE_GENERAL ? q->kl : 0) + q->ku + 1;
    return at_least_one(q->layout == 'r' || t->shape != SHAPE_GENERAL ? q->n : q->m);
}

static int64_t least_ld(const some_call *c, char which)
{
    const routine_call *q = &c->q;
    const fuzz_traits *t = &c->c.t;
    if (c->c.group == GROUP_LEVEL2)
        return least_ld_2(c);
    int64_t m = t->has_m ? q->m : q->n;
    if (which == 'C' || (which == 'B' && t->has_side))
        return span(q, m, q->n, false);
    if (t->has_side)
        return at_least_one(q->side == 'l' ? m : q->n);
    if (which == 'A' || !t->has_transb)
        return span(q, m, q->k, q->trans != 'n');
    return span(q, q->k, q->n, q->transb != 'n');
}

static int64_t least_stride(const routine_call *q)
{
    int64_t rows = q->layout == 'r' ? q->n : q->m, cols = q->layout == 'r' ? q->m : q->n;
    return q->batch < 2 || rows == 0 || cols == 0 ? INT64_MIN : q->ldc * (cols - 1) + rows;
}

static bool is_illegal(char option)
{
    return strchr("xyz", option) != NULL;
}

static bool trans_is_bad(const some_call *c)
{
    return !strchr(fuzz_transposes(&c->c), c->q.trans);
}

static bool is_bad(const some_call *c, char argument)
{
    const routine_call *q = &c->q;
    switch (argument) {
    case 't':
        return trans_is_bad(c);
    case 's':
    case 'u':
    case 'v':
    case 'd':
        return is_illegal(argument == 's'   ? q->side
                          : argument == 'u' ? q->uplo
                          : argument == 'v' ? q->transb
                                            : q->diag);
    case 'm':
        return q->m < 0;
    case 'n':
        return q->n < 0;
    case 'k':
        return q->k < 0;
    case 'j':
        return q->kl < 0;
    case 'A':
        return q->lda < least_ld(c, 'A');
    case 'B':
        return q->ldb < least_ld(c, 'B');
    case 'C':
        return q->ldc < least_ld(c, 'C');
    case 'S':
        return q->stridec < least_stride(q);
    case 'q':
        return q->batch < 0;
    default:
        return (argument == 'x' ? q->incx : q->incy) == 0;
    }
}

/* The position of the first illegal argument, 0 if there is none. */
static int first_bad(const some_call *c)
{
    if (is_illegal(c->q.layout))
        return 1;
    for (const char *p = c->checked; *p; p += strcspn(p, " "), p += *p == ' ')
        if (is_bad(c, *p))
            return atoi(p + 1);
    return 0;
}

static char some_option(test_random *r, int odds, const char *letters)
{
    return random_chance(r, odds) ? "xyz"[random_between(r, 0, 2)]
                                  : letters[random_between(r, 0, (int64_t)strlen(letters) - 1)];
}

static int64_t some_size(test_random *r)
{
    return random_chance(r, 12) ? -1 : random_between(r, 0, 4);
}

static int64_t some_ld(test_random *r, const some_call *c, char which)
{
    return least_ld(c, which) + (random_chance(r, 10) ? -1 : random_between(r, 0, 2));
}

static void draw_arguments(test_random *r, some_call *c)
{
    static const double scalars[4] = {0};
    bool is_cblas = c->form == FORM_CBLAS || c->form == FORM_CBLAS_64;
    routine_call *q = &c->q;
    *q = (routine_call){.layout = is_cblas ? some_option(r, 20, "rc") : 'c',
                        .side = some_option(r, 14, "lr"),
                        .uplo = some_option(r, 14, "ul"),
                        .trans = some_option(r, 14, "ntc"),
                        .transb = some_option(r, 14, "ntc"),
                        .diag = some_option(r, 14, "nu"),
                        .m = some_size(r),
                        .n = some_size(r),
                        .k = some_size(r),
                        .kl = some_size(r),
                        .batch = some_size(r),
                        .incx = random_chance(r, 8) ? 0 : random_between(r, 1, 3),
                        .incy = random_chance(r, 8) ? 0 : random_between(r, -3, -1),
                        .stridea = random_between(r, 0, 20),
                        .stridec = random_chance(r, 2) ? 30 : random_between(r, -1, 24),
                        .alpha = scalars,
                        .beta = scalars,
                        .a = data[0],
                        .b = data[1],
                        .c = data[2],
                        .x = data[1],
                        .y = data[2]};
    q->ku = q->k;
    q->strideb = q->stridea;
    q->lda = some_ld(r, c, 'A');
    q->ldb = some_ld(r, c, 'B');
    q->ldc = some_ld(r, c, 'C');
}

/* Makes the call; whether there was something to report. */
static bool check_call(const some_call *c)
{
    char text[40];
    bool is_fortran = c->form == FORM_FORTRAN || c->form == FORM_FORTRAN_64;
    int position = first_bad(c);
    n_reports = 0;
    memcpy(data, before_call, sizeof data);
    routine_run(c->c.routine->name, c->form, &c->q);
    snprintf(text, sizeof text, "%s%s", is_fortran ? "" : "cblas_", c->c.routine->name);
    for (char *p = text; is_fortran && *p; p++)
        *p = (char)toupper((unsigned char)*p);
    if (position == 0 && n_reports == 0)
        return false;
    assert_memory_equal(data, before_call, sizeof data);
    if (n_reports != 1 || position_reported != position - is_fortran || strcmp(reported, text) != 0)
        fail_msg("%s: %d reports, of %s argument %d; expected argument %d", text, n_reports,
                 reported, position_reported, position - is_fortran);
    return true;
}

static void check_level(fuzz_group group, int n_routines)
{
    test_random r = test_random_start(test_seed(), "checks");
    size_t n_bad = 0;
    for (int k = 0; k < n_fuzz_routines; k++) {
        some_call c = {fuzz_case_of(&fuzz_routines[k]), .checked = checked_of(&fuzz_routines[k])};
        if (c.c.group != group || !c.checked)
            continue;
        n_routines--;
        for (int i = 0; i < 1500; i++) {
            c.form = (call_form)random_between(&r, 0, N_FORMS - 1);
            draw_arguments(&r, &c);
            n_bad += check_call(&c);
        }
    }
    printf("# %zu bad calls\n", n_bad);
    assert_int_equal(n_routines, 0);
    assert_true(n_bad > 10000);
}

static void level2(NO_STATE)
{
    check_level(GROUP_LEVEL2, 80);
}

static void level3(NO_STATE)
{
    check_level(GROUP_LEVEL3, 38);
}

/* --- reports -------------------------------------------------------------------- */

static void handlers(NO_STATE)
{
    assert_ptr_equal(exblas_set_xerbla(NULL), note);
    exblas_xerbla_fn *standard = exblas_set_xerbla(note);
    assert_true(standard != NULL && standard != note);
    assert_ptr_equal(exblas_set_xerbla(note), note);
}

/* The default prints exactly one line, on stderr. */
static void default_message(NO_STATE)
{
    char text[256] = "";
    int ends[2], old = dup(2);
    assert_int_equal(pipe(ends), 0);
    exblas_set_xerbla(NULL);
    dup2(ends[1], 2);
    excblas_dgemm(102, 111, 111, 2, 2, 2, 1, data[0], 1, data[1], 2, 0, data[2], 2);
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
static void empty_lengths(NO_STATE)
{
    assert_same_bits(excblas_dsum(0, NULL, 1), 0);
    assert_same_bits(excblas_ddot(-3, NULL, 1, NULL, 1), 0);
    assert_same_bits(excblas_dnrm2(-1, NULL, 1), 0);
    assert_same_bits(excblas_dasum(2, data[0], 0), 0);
    assert_same_bits(excblas_dasum(2, data[0], -1), 0);
    assert_same_bits((double)excblas_sdsdot(0, 2.5f, NULL, 1, NULL, 1), 2.5);
    assert_same_bits(excblas_dsum_64(INT64_MIN, NULL, -1), 0);
    excblas_dgemm(102, 111, 111, 0, 2, 2, 1, NULL, 1, NULL, 2, 0, NULL, 1);
    excblas_dgemv(102, 111, 2, 0, 1, NULL, 2, NULL, 1, 0, data[0], 1);
    excblas_dtrsv(102, 121, 111, 131, 0, NULL, 1, NULL, 1);
    assert_int_equal(n_reports, 0);
    assert_memory_equal(data, before_call, sizeof data);
}

/* x and y may interleave with unequal increments: elements 0 2 4 and 1 5 9. */
static void interleaved_rotation(NO_STATE)
{
    double v[10], expected[] = {1, 0, 5, 3, 9, -2, 6, 7, 8, -4};
    float w[10];
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
    return run_each_between(before, after, level2, level3, handlers, default_message, empty_lengths,
                            interleaved_rotation);
}
