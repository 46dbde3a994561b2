/* Leading dimensions beyond 2^31: matrices of a few columns, tens of gigabytes apart, in memory
 * that is only touched where elements are. */
#include "testing.h"

#include <exblas/exblas.h>
#include <sys/mman.h>

enum { SIDE = 3, N = SIDE * SIDE };

static const int64_t ld = ((int64_t)1 << 31) + 7;

typedef struct {
    double *a, *b, *c;
} matrices;

static double *reserve(void)
{
    size_t bytes = ((size_t)ld * (SIDE - 1) + SIDE) * sizeof(double);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void release(double *p)
{
    if (p)
        munmap(p, ((size_t)ld * (SIDE - 1) + SIDE) * sizeof(double));
}

static void call(int layout, int ta, int tb, const double *a, int64_t lda, const double *b,
                 double *c)
{
    excblas_dgemm_64(layout, ta, tb, SIDE, SIDE, SIDE, 1, a, lda, b, lda, 1, c, lda);
}

static void check(const matrices *far, const char *method)
{
    for (int way = 0; way < 8; way++) {
        int layout = way & 1 ? EXBLAS_ROW_MAJOR : EXBLAS_COL_MAJOR;
        int ta = way & 2 ? EXBLAS_TRANS : EXBLAS_NO_TRANS,
            tb = way & 4 ? EXBLAS_TRANS : EXBLAS_NO_TRANS;
        double a[N], b[N], c[N];
        for (int64_t i = 0; i < N; i++) {
            int64_t at = i / SIDE * ld + i % SIDE;
            a[i] = far->a[at] = 1.0 / (double)(i + 3);
            b[i] = far->b[at] = 1.0 / (double)(2 * i - 7);
            c[i] = far->c[at] = (double)i;
        }
        call(layout, ta, tb, a, SIDE, b, c);
        call(layout, ta, tb, far->a, ld, far->b, far->c);
        for (int64_t i = 0; i < N; i++)
            if (!same_bits(far->c[i / SIDE * ld + i % SIDE], c[i]))
                fail_msg("%s, way %d, element %d", method, way, (int)i);
    }
}

static void far_columns(void **state)
{
    static const char *const methods[] = {"anchor", "residue", "general", "superacc"};
    (void)state;
    matrices far = {reserve(), reserve(), reserve()};
    bool ok = far.a && far.b && far.c;
    for (int i = 0; ok && i < 4; i++) {
        assert_int_equal(exblas_set_method(methods[i]), EXBLAS_OK);
        check(&far, methods[i]);
    }
    exblas_set_method(NULL);
    release(far.a);
    release(far.b);
    release(far.c);
    if (!ok)
        leave_test("no address space of 100 GB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(far_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
