/* Every combination of a few good and bad values of every argument of gemm, gemv, trsv
 * and syrk, through every name: the first illegal one is reported, once, under BLAS's
 * name and number, and nothing is written; a legal call reports nothing. */
#include "bad_call.h"
#include "testing.h"

#include <ctype.h>
#include <exblas/exblas.h>
#include <exblas/fortran.h>

#define REAL double
#define INT exblas_int
#define NAME call_d
#define CBLAS(r) excblas_d##r
#define FORTRAN(r) exd##r##_
#include "bad_call_tmpl.h"

#define REAL double
#define INT exblas_int64
#define NAME call_d_64
#define CBLAS(r) excblas_d##r##_64
#define FORTRAN(r) exd##r##_64_
#include "bad_call_tmpl.h"

#define REAL float
#define INT exblas_int
#define NAME call_s
#define CBLAS(r) excblas_s##r
#define FORTRAN(r) exs##r##_
#include "bad_call_tmpl.h"

#define REAL float
#define INT exblas_int64
#define NAME call_s_64
#define CBLAS(r) excblas_s##r##_64
#define FORTRAN(r) exs##r##_64_
#include "bad_call_tmpl.h"

static char reported[32];
static int position, n_reports;

static void note(const char *routine, int info)
{
    snprintf(reported, sizeof reported, "%s", routine);
    position = info;
    n_reports++;
}

enum { SIZE = 64 };

/* Arrays with numbers whose every byte counts. */
typedef struct {
    double a[SIZE], b[SIZE], c[SIZE];
    float fa[SIZE], fb[SIZE], fc[SIZE];
} arrays;

static arrays data, before;

static void fill(void)
{
    for (int i = 0; i < SIZE; i++) {
        data.a[i] = data.b[i] = data.c[i] = 1 + i * 0x1.23p-9;
        data.fa[i] = data.fb[i] = data.fc[i] = (float)(1 + i);
    }
    before = data;
}

/* name: 0 ... 7 = double and float x 32 and 64 bits x CBLAS and Fortran. */
static void call(int name, const bad_arguments *p)
{
    bool fortran = name & 4;
    switch (name & 3) {
    case 0:
        call_d(fortran, p, data.a, data.b, data.c);
        break;
    case 1:
        call_d_64(fortran, p, data.a, data.b, data.c);
        break;
    case 2:
        call_s(fortran, p, data.fa, data.fb, data.fc);
        break;
    default:
        call_s_64(fortran, p, data.fa, data.fb, data.fc);
    }
}

/* "cblas_dgemm" or "DGEMM". */
static void expected_name(int name, bad_routine r, char text[32])
{
    snprintf(text, 32, "%s%c%s", name & 4 ? "" : "cblas_", name & 2 ? 's' : 'd',
             bad_routine_name(r));
    for (char *c = text; name & 4 && *c; c++)
        *c = (char)toupper((unsigned char)*c);
}

static void check(int name, int64_t i, bad_arguments p)
{
    bool fortran = name & 4;
    char text[32];
    if (fortran)
        p.option[0] = 102;
    int expected = bad_position(&p) - (fortran && bad_position(&p) ? 1 : 0);
    n_reports = 0;
    call(name, &p);
    expected_name(name, p.routine, text);
    bool reported_right = expected == 0
                              ? n_reports == 0
                              : n_reports == 1 && position == expected && !strcmp(reported, text) &&
                                    !memcmp(&data, &before, sizeof data);
    if (!reported_right)
        fail_msg("%s, combination %jd: %d reports of %s argument %d, expected %s argument %d", text,
                 (intmax_t)i, n_reports, reported, position, text, expected);
    if (expected == 0)
        fill();
}

static void every_combination(bad_routine r)
{
    bad_arguments p;
    int64_t n_bad = 0;
    int64_t step = r == BAD_GEMM ? 7 : 1; /* 600 000 of gemm: a seventh, prime to all bases */
    exblas_set_xerbla(note);
    exblas_set_num_threads(1);
    fill();
    for (int64_t i = 0; bad_combination(r, i, &p); i += step) {
        n_bad += bad_position(&p) != 0;
        check((int)(i / step % 8), i, p);
        if (r != BAD_GEMM)
            for (int name = 0; name < 8; name++)
                check(name, i, p);
    }
    assert_true(n_bad > 100);
    exblas_set_xerbla(NULL);
}

static void gemm(void **state)
{
    (void)state;
    every_combination(BAD_GEMM);
}

static void gemv(void **state)
{
    (void)state;
    every_combination(BAD_GEMV);
}

static void trsv(void **state)
{
    (void)state;
    every_combination(BAD_TRSV);
}

static void syrk(void **state)
{
    (void)state;
    every_combination(BAD_SYRK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gemm), cmocka_unit_test(gemv),
                                       cmocka_unit_test(trsv), cmocka_unit_test(syrk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
