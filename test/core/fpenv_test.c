/* The caller's environment does not matter and is left as it was. (Rounding modes,
 * FTZ, DAZ and flags are also a factor of vectors_test and golden_test; here: traps,
 * and every routine.) */
#include "blas_run.h"
#include "hostile_env.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <fenv.h>

static double x[8] = {0x1p1023, 0x1p1023, 0x1p-1074, -0x1p1023, 1e-300, 3, 0x1p-1060, 7};
static double a[16], c[16];
static float f[4] = {0x1p127f, 0x1p127f, 0x1p-149f, 3};

static blas_case call_of(blas_op op)
{
    blas_case p = {.op = op,
                   .type = 'd',
                   .transa = 'n',
                   .transb = 't',
                   .diag = 'n',
                   .m = 4,
                   .n = 4,
                   .k = 4,
                   .alpha = 0x1p-1060,
                   .beta = 0x1p900};
    p.uplo = op == OP_TRSV || op == OP_SYRK ? 'l' : 0;
    p.x = x;
    p.y = x + 4;
    p.a = a;
    p.b = a;
    p.c = c;
    return p;
}

static void prepare(void)
{
    for (int i = 0; i < 16; i++) {
        a[i] = (i & 1 ? 1 : -1) * (i % 5 == 0 ? 0x1p1000 : 0x1p-1000 * (i + 1));
        c[i] = i % 3 ? 0x1p1000 : -0x1p-1070;
    }
}

/* Overflow, invalid operations and divisions by zero inside must not trap. */
static void unmasked_traps(void **state)
{
    (void)state;
    prepare();
    for (int op = 0; op < N_OPS; op++) {
        blas_case p = call_of((blas_op)op);
        double expected[16], result[16];
        placement place = plain_placement();
        if (op == OP_DSDOT || op == OP_SDSDOT)
            continue; /* float data: below */
        assert_null(blas_run(&p, &place, expected));
        hostile_env_enter(0);
        assert_true(hostile_env_unmask_traps());
        assert_null(blas_run(&p, &place, result)); /* keeps the traps, and masks them at its end */
        for (size_t i = 0; i < blas_result_length(&p); i++)
            if (p.op != OP_SYRK || i % 4 >= i / 4)
                assert_same_bits(result[i], expected[i]);
    }
}

static void every_routine_in_every_environment(void **state)
{
    (void)state;
    prepare();
    for (int e = 0; e < hostile_env_count(); e++)
        for (int op = 0; op < N_OPS; op++) {
            blas_case p = call_of((blas_op)op);
            double from_float[4];
            if (op == OP_DSDOT || op == OP_SDSDOT) {
                for (int i = 0; i < 4; i++)
                    from_float[i] = f[i];
                p.type = 's';
                p.alpha = 0x1p-149;
                p.x = p.y = from_float;
            }
            double expected[16], result[16];
            placement plain = plain_placement(), hostile = plain;
            hostile.environment = e;
            assert_null(blas_run(&p, &plain, expected));
            assert_null(blas_run(&p, &hostile, result));
            for (size_t i = 0; i < blas_result_length(&p); i++)
                if (p.op != OP_SYRK || i % 4 >= i / 4)
                    assert_same_bits(result[i], expected[i]);
        }
}

/* Splitting work over threads computes nothing that could raise a flag or trap. */
static void long_vectors_raise_no_flag(void **state)
{
    enum { LONG = 300001 };
    double *u = calloc(LONG, sizeof *u), *v = calloc(LONG, sizeof *v);
    (void)state;
    assert_non_null(u);
    assert_non_null(v);
    u[7] = 0.1;
    exblas_set_num_threads(3);
    hostile_env_enter(0);
    excblas_dcopy(LONG, u, 1, v, 1);
    excblas_dswap(LONG, u, 1, v, 1);
    size_t index = excblas_idamax(LONG, u, 1);
    excblas_dscal(LONG, 0.3, u, 1);
    bool kept = hostile_env_leave();
    exblas_set_num_threads(0);
    assert_true(kept);
    assert_int_equal(index, 7);
    free(u);
    free(v);
}

static bool has_traps(void)
{
    hostile_env_enter(0);
    bool has = hostile_env_unmask_traps();
    hostile_env_leave();
    return has;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_routine_in_every_environment),
        cmocka_unit_test(long_vectors_raise_no_flag),
        cmocka_unit_test(unmasked_traps),
    };
    /* Without the last one where the hardware does not trap. */
    return _cmocka_run_group_tests("tests", tests, has_traps() ? 3 : 2, NULL, NULL);
}
