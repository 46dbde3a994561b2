/* sum, asum, nrm2 and dot on an OpenCL device: the exact answers of test/vectors and the bits of
 * the CPU, for all methods and sizes of work-groups. */
#include "adversarial.h"
#include "gpu_reductions.h"
#include "lossy_lanes.h"
#include "vector_reader.h"

/* What a case file calls a reduction, or N_REDUCTIONS. */
static reduction_op op_of(const vector_case *v)
{
    reduction_op op = RED_SUM;
    while (op < N_REDUCTIONS && strcmp(v->routine->name + 1, reduction_name(op)) != 0)
        op++;
    return op;
}

static size_t wrong_cases(const vector_file *f, const reduction_place *p)
{
    size_t n_wrong = 0;
    for (size_t i = 0; i < f->n_cases; i++) {
        const vector_case *v = &f->cases[i];
        reduction_op op = op_of(v);
        if (op == N_REDUCTIONS)
            continue;
        reduction r = {op, v->routine->type, vector_int(v, "n"), vector_operand(v, 'x'),
                       op == RED_DOT ? vector_operand(v, 'y') : NULL};
        n_wrong += !reduction_gives(&r, p, v->answer.value[0], v->name);
    }
    return n_wrong;
}

static vector_file *vectors(void)
{
    char path[512];
    snprintf(path, sizeof path, "%s/level1.txt", getenv("TEST_VECTORS"));
    vector_file *f = vector_file_read(path);
    assert_non_null(f);
    return f;
}

/* Strides and queues alternate. */
static void case_files(void **state)
{
    (void)state;
    vector_file *f = vectors();
    size_t n_wrong = 0;
    for (int m = 0; m < GPU_N_METHODS; m++)
        for (int g = 0; g < GPU_N_GROUPS; g++) {
            reduction_place p = {gpu_methods[m], gpu_groups[g], (m + g) % 2 ? 2 : 1,
                                 (m + g) % 2 ? -3 : 1, g % 3};
            n_wrong += wrong_cases(f, &p);
        }
    vector_file_free(f);
    assert_int_equal(n_wrong, 0);
}

enum { MOST = 6000 };

/* n terms of an adversarial kind against the CPU. */
static bool hostile(test_random *r, char type, reduction_op op, size_t kind, int64_t n,
                    const reduction_place *p)
{
    static double x[MOST], y[MOST];
    number_format f = type == 's' ? FORMAT_S : FORMAT_D;
    char label[80];
    if (op == RED_DOT)
        factors_fill(kind % factors_kinds(), r, f, n, x, y);
    else
        terms_fill(kind % terms_kinds(), r, f, n, x);
    reduction c = {op, type, n, x, y};
    snprintf(label, sizeof label, "kind %zu, n = %d", kind, (int)n);
    return reduction_gives(&c, p, reduction_on_cpu(&c), label);
}

static void hostile_data(void **state)
{
    (void)state;
    static const int64_t lengths[] = {0, 1, 2, 3, 31, 257, 1000, MOST};
    test_random r = test_random_start(test_seed(), "gpu_reductions");
    size_t n_wrong = 0, n_kinds = terms_kinds() > factors_kinds() ? terms_kinds() : factors_kinds();
    for (size_t kind = 0; kind < n_kinds; kind++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
            for (int op = 0; op < N_REDUCTIONS; op++) {
                size_t i = kind + l + (size_t)op;
                reduction_place p = {gpu_methods[i % 2 ? 0 : 2], i % 3 ? 64 : 7, 1, 1, i % 2};
                n_wrong += !hostile(&r, i % 5 ? 'd' : 's', (reduction_op)op, kind, lengths[l], &p);
            }
    assert_int_equal(n_wrong, 0);
}

/* One word gets so many deposits of one sign that carries move up again and again, from all
 * work-items at once. */
static void carries(void **state)
{
    (void)state;
    static double x[MOST];
    size_t n_wrong = 0;
    for (int i = 0; i < MOST; i++)
        x[i] = 0x1.fffffffffffffp+40;
    for (int g = 0; g < GPU_N_GROUPS; g++) {
        reduction_place p = {"superacc", gpu_groups[g], 1, 1, 0};
        for (int sign = 0; sign < 2; sign++) {
            reduction c = {RED_SUM, 'd', MOST, x, NULL};
            n_wrong += !reduction_gives(&c, &p, reduction_on_cpu(&c), "equal terms");
            for (int i = 0; i < MOST; i++)
                x[i] = -x[i];
        }
    }
    assert_int_equal(n_wrong, 0);
}

/* Increments as in BLAS: 0, negative ones for asum, long ones. */
static void increments(void **state)
{
    (void)state;
    static const int inc[][2] = {{1, 1}, {0, 1}, {-1, -1}, {1, -1}, {5, 2}, {-2, 0}};
    test_random r = test_random_start(test_seed(), "gpu_increments");
    size_t n_wrong = 0;
    for (size_t i = 0; i < sizeof inc / sizeof *inc; i++)
        for (int op = 0; op < N_REDUCTIONS; op++)
            for (int n = 0; n <= 40; n += 20) {
                reduction_place p = {"auto", 64, inc[i][0], inc[i][1], 1};
                n_wrong += !hostile(&r, "sd"[i % 2], (reduction_op)op, i, n, &p);
            }
    assert_int_equal(n_wrong, 0);
}

/* The forms for host memory. */
static void host_forms(void **state)
{
    (void)state;
    static const int inc[][2] = {{1, 1}, {3, -2}, {-1, 0}};
    test_random r = test_random_start(test_seed(), "gpu_host");
    size_t n_wrong = 0;
    for (size_t i = 0; i < sizeof inc / sizeof *inc; i++)
        for (int op = 0; op < N_REDUCTIONS; op++)
            for (int n = 0; n <= 1000; n += 500) {
                reduction_place p = {"auto", 64, inc[i][0], inc[i][1], PLACE_HOST};
                n_wrong += !hostile(&r, "ds"[i % 2], (reduction_op)op, i, n, &p);
            }
    assert_int_equal(n_wrong, 0);
}

/* One work-item, whose four lanes fill the bound of its filter (lossy_lanes.h): the
 * exact sum lies below the midpoint of 4 and its neighbour, the computed one above. The last test:
 * it leaves the number of groups at one. */
static void filled_bound(void **state)
{
    enum { LANES = 4, N = LANES * 200 };
    static double x[N], ones[N];
    (void)state;
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    lossy_compensated(LANES, 62, N, x);
    gpu_ok(exblas_cl_set_param(gpu_queue(), "reduce", "groups", 1));
    for (int is_dot = 0; is_dot < 2; is_dot++) {
        reduction c = {is_dot ? RED_DOT : RED_SUM, 'd', N, x, ones};
        reduction_place p = {"auto", 1, 1, 1, 0};
        assert_true(reduction_gives(&c, &p, 4, "filled bound"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_files), cmocka_unit_test(hostile_data),
        cmocka_unit_test(carries),    cmocka_unit_test(increments),
        cmocka_unit_test(host_forms), cmocka_unit_test(filled_bound),
    };
    return gpu_run(tests);
}
