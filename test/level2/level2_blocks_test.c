/* Level 2 across its blocks: more rows, columns and terms than kernels take at once, sums kept on
 * the stack, waves of a product in place, strips of an update; in both layouts, transposes and
 * triangles, with vectors in all increments, by the filter and exactly. Against the model. */
#include "core/partition.h"
#include "level2_model.h"
#include "problem.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>

enum { MOST = 8500, MOST_ELEMENTS = 1400 * 1300 };

/* step: of the rows of a product that are compared. The limits: 512 elements of a row that is
 * copied, 2048 (floats 8192) of one in place, sums of 2048 columns; blocks of 64 (complex 32) and
 * 2048 (512) rows; 16 of the small ones in place; strips of 128 (64) rows of updates. */
typedef struct {
    level2_family family;
    char type;
    int64_t m, n, k, step;
} shape;

static const shape products[] = {
    {L2_GEMV, 's', 20, 8400, 0, 1},    {L2_GEMV, 's', 8400, 20, 0, 97},
    {L2_GEMV, 'd', 2300, 70, 0, 23},   {L2_GEMV, 'd', 70, 2300, 0, 1},
    {L2_GEMV, 'c', 40, 2300, 0, 1},    {L2_GEMV, 'z', 2300, 40, 0, 23},
    {L2_GBMV, 'd', 1400, 1300, 90, 7}, {L2_GBMV, 'z', 600, 700, 60, 7},
    {L2_GBMV, 's', 400, 90, 40, 1},    {L2_GBMV, 'd', 90, 400, 5, 1},
    {L2_SYMV, 'd', 700, 700, 0, 31},   {L2_SYMV, 'z', 600, 600, 0, 31},
    {L2_SBMV, 's', 1300, 1300, 70, 7}, {L2_SBMV, 'c', 700, 700, 600, 31},
    {L2_SBMV, 'd', 500, 500, 90, 7},   {L2_SPMV, 'z', 60, 60, 0, 1},
    {L2_SPMV, 'd', 900, 900, 0, 31},   {L2_SPMV, 'c', 600, 600, 0, 31},
    {L2_TRMV, 'd', 1100, 1100, 0, 31}, {L2_TRMV, 'z', 590, 590, 0, 31},
    {L2_TBMV, 's', 1300, 1300, 99, 7}, {L2_TBMV, 'z', 1100, 1100, 40, 7},
    {L2_TPMV, 's', 1100, 1100, 0, 31}, {L2_TPMV, 'c', 590, 590, 0, 31},
    {L2_TPMV, 'd', 200, 200, 0, 1},    {L2_TRMV, 'z', 70, 70, 0, 1},
};

static const shape solves_and_updates[] = {
    {L2_TRSV, 'd', 700, 700, 0, 1},    {L2_TRSV, 'c', 300, 300, 0, 1},
    {L2_TBSV, 'd', 1300, 1300, 40, 1}, {L2_TPSV, 's', 600, 600, 0, 1},
    {L2_TBSV, 'd', 600, 600, 300, 1},  {L2_TBSV, 's', 300, 300, 90, 1},
    {L2_TBSV, 'z', 300, 300, 20, 1},   {L2_TBSV, 'd', 50, 50, 0, 1},
    {L2_TPSV, 'z', 300, 300, 0, 1},    {L2_GER, 's', 300, 150, 0, 1},
    {L2_GER, 'c', 200, 150, 0, 1},     {L2_GERC, 'z', 150, 200, 0, 1},
    {L2_SYR, 'd', 300, 300, 0, 1},     {L2_SYR, 'z', 200, 200, 0, 1},
    {L2_SPR, 's', 300, 300, 0, 1},     {L2_SYR2, 'd', 300, 300, 0, 1},
    {L2_SYR2, 'c', 200, 200, 0, 1},    {L2_SPR2, 'z', 200, 200, 0, 1},
};

static level2_number a[MOST_ELEMENTS], x[MOST], y[MOST], expected[100000], got[100000];

static void fill(test_random *r, char type, int64_t n, level2_number *out)
{
    number_format f = level2_format(type);
    for (int64_t i = 0; i < n; i++) {
        out[i].re = random_number(r, f, (int)random_between(r, -3, 3));
        out[i].im =
            level2_is_complex(type) ? random_number(r, f, (int)random_between(r, -3, 3)) : 0;
    }
}

static level2_problem problem_of(test_random *r, const shape *s, int way)
{
    const level2_traits *t = &level2_family_traits[s->family];
    level2_problem p = {.family = s->family, .type = s->type, .m = s->m, .n = s->n, .a = a};
    bool has_trans = !t->updates && t->shape != SHAPE_SYMMETRIC;
    p.trans = has_trans ? "ntc"[way % 3] : 'n';
    p.uplo = way & 1 ? 'u' : 'l';
    p.diag = way % 5 == 2 ? 'u' : 'n';
    p.kl = s->k;
    p.ku = s->k ? s->k + 3 : 0;
    p.x = x;
    p.y = y;
    p.alpha = t->has_beta || t->updates ? (level2_number){0.75, 0} : (level2_number){1, 0};
    if (level2_is_complex(s->type) && (t->has_beta || t->has_y) && way % 2)
        p.alpha.im = -0.5;
    p.beta = t->has_beta ? (level2_number){way % 4 == 3 ? 0 : -2, 0} : (level2_number){0, 0};
    fill(r, s->type, s->m * s->n, a);
    fill(r, s->type, MOST, x);
    fill(r, s->type, MOST, y);
    for (int64_t i = 0; t->solves && i < s->n; i++)
        a[i * s->n + i].re = (double)(2048 + i % 7); /* unknowns keep their size */
    return p;
}

static void compare(const level2_problem *p, const placement *q, const char *method, int64_t step)
{
    for (int64_t i = 0; i < level2_result_length(p); i += step) {
        bool counts =
            !level2_family_traits[p->family].updates || level2_is_stored(p, i % p->m, i / p->m);
        if (counts &&
            (!same_bits(got[i].re, expected[i].re) || !same_bits(got[i].im, expected[i].im)))
            fail_msg("%s m %d n %d trans %c uplo %c diag %c, %s, incx %d incy %d, %s: %a,%a at %d, "
                     "not %a,%a; TEST_SEED=%llu",
                     level2_name(p->family, p->type), (int)p->m, (int)p->n, p->trans, p->uplo,
                     p->diag, q->row_major ? "by rows" : "by columns", q->incx, q->incy, method,
                     got[i].re, got[i].im, (int)i, expected[i].re, expected[i].im,
                     (unsigned long long)test_seed());
    }
}

static void check(test_random *r, const shape *s, int way, int n_runs)
{
    static const char *const methods[] = {"auto", "superacc", "auto", "fpe4"};
    static const int increments[][2] = {{1, 1}, {-1, 2}, {3, -1}, {-2, -3}, {2, 1}};
    level2_problem p = problem_of(r, s, way);
    if (s->step > 1)
        level2_model_of_rows(&p, 0, s->step, expected);
    else
        level2_model(&p, expected);
    for (int i = 0; i < n_runs; i++) {
        placement q = plain_placement();
        int run = way + i;
        q.row_major = i & 1;
        q.incx = increments[run % 5][0];
        q.incy = increments[run % 5][1];
        q.padding = run % 3;
        assert_int_equal(exblas_set_method(methods[run / 2 % 4]), EXBLAS_OK);
        exblas_set_num_threads(i % 3 ? 1 : 3);
        exb_partition_set_grain(1);
        const char *wrong = level2_run_problem(&p, &q, got);
        if (wrong)
            fail_msg("%s: %s", level2_name(p.family, p.type), wrong);
        compare(&p, &q, methods[run / 2 % 4], s->step);
    }
}

static void restore(void)
{
    exblas_set_method(NULL);
    exblas_set_num_threads(0);
    exb_partition_set_grain(0);
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void all_products(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "products in blocks");
    for (int i = 0; i < COUNT(products); i++)
        for (int way = 0; way < 3; way++)
            check(&r, &products[i], i + way, 5);
    restore();
}

static void all_solves_and_updates(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "solves and updates in blocks");
    for (int i = 0; i < COUNT(solves_and_updates); i++)
        for (int way = 0; way < 2; way++)
            check(&r, &solves_and_updates[i], i + way, 5);
    restore();
}

/* Columns so far apart that panels of rows are long: as those of a copy without gaps. */
static void columns_far_apart(NO_STATE)
{
    enum { M = 2300, N = 48, LDA = 160000 };
    double *far = malloc(sizeof *far * LDA * N), *near = malloc(sizeof *near * M * N);
    double *ends = malloc(sizeof *ends * 2 * M), factors[N];
    assert_true(far && near && ends);
    test_random r = test_random_start(test_seed(), "far apart");
    for (int64_t j = 0; j < N; j++) {
        factors[j] = random_number(&r, FORMAT_D, 0);
        for (int64_t i = 0; i < M; i++)
            far[j * LDA + i] = near[j * M + i] = random_number(&r, FORMAT_D, 0);
    }
    excblas_dgemv_64(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, M, N, 1, far, LDA, factors, 1, 0, ends, 1);
    excblas_dgemv_64(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, M, N, 1, near, M, factors, 1, 0, ends + M,
                     1);
    for (int64_t i = 0; i < M; i++)
        assert_same_bits(ends[i], ends[M + i]);
    free(far);
    free(near);
    free(ends);
}

/* Squares in place change places in tiles: as a copy. */
static void squares_in_place(NO_STATE)
{
    enum { MOST_N = 40, LD = 43 };
    static double in[2 * LD * MOST_N], out[2 * LD * MOST_N], alpha[2] = {0.75, -0.5};
    test_random r = test_random_start(test_seed(), "in place");
    for (int n = 1; n <= MOST_N; n++)
        for (int op = EXBLAS_TRANS; op <= EXBLAS_CONJ_TRANS; op++) {
            for (int i = 0; i < 2 * LD * n; i++)
                in[i] = out[i] = random_number(&r, FORMAT_D, 0);
            excblas_zomatcopy(EXBLAS_COL_MAJOR, op, n, n, alpha, in, LD, out, LD);
            excblas_zimatcopy(EXBLAS_COL_MAJOR, op, n, n, alpha, in, LD, LD);
            for (int i = 0; i < 2 * LD * n; i++)
                if (i % (2 * LD) < 2 * n)
                    assert_same_bits(in[i], out[i]);
            excblas_domatcopy(EXBLAS_COL_MAJOR, op, n, n, 0.75, in, LD, out, LD);
            excblas_dimatcopy(EXBLAS_COL_MAJOR, op, n, n, 0.75, in, LD, LD);
            for (int i = 0; i < LD * n; i++)
                if (i % LD < n)
                    assert_same_bits(in[i], out[i]);
        }
}

TESTS(all_products, all_solves_and_updates, columns_far_apart, squares_in_place)
