/* csrmv on a device against the oracle: all shapes, both types and widths of indices, sizes of
 * work-groups, methods; and conjugate gradients all of whose vectors are on the device, with the
 * processor's history. */
#include "adversarial.h"
#include "csr_case.h"
#include "gpu/gpu_testing.h"

#include <exblas/opencl_sparse.h>
#include <math.h>
#include <string.h>

/* How a call is made. */
static struct {
    bool wide;
    size_t offset;
} call;

static cl_mem bytes_buffer(size_t n, const void *from)
{
    cl_mem m = clCreateBuffer(gpu_context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n,
                              (void *)(uintptr_t)from, NULL);
    assert_non_null(m);
    return m;
}

/* n indices behind call.offset others, which are out of range. */
static cl_mem index_buffer(int64_t n, const int64_t *index)
{
    size_t all = call.offset + (size_t)n + 1;
    int64_t *wide = calloc(all, sizeof *wide);
    assert_non_null(wide);
    int32_t *narrow = (int32_t *)wide;
    for (size_t i = 0; i < all; i++) {
        int64_t k = i < call.offset || i + 1 == all ? -1 : index[i - call.offset];
        if (call.wide)
            wide[i] = k;
        else
            narrow[i] = (int32_t)k;
    }
    cl_mem m = bytes_buffer(all * (call.wide ? sizeof *wide : sizeof *narrow), wide);
    free(wide);
    return m;
}

static cl_mem number_buffer(char type, int64_t n, const csr_number *x)
{
    double *p = calloc((size_t)n + 1, sizeof *p);
    assert_non_null(p);
    for (int64_t i = 0; i < n; i++)
        p[i] = x[i].re;
    cl_mem m = gpu_vector(type, n, p, (int64_t)call.offset, 1);
    free(p);
    return m;
}

typedef struct {
    cl_mem row_start, column, value, x, y;
} buffers;

static buffers open_case(const csr_case *c)
{
    return (buffers){index_buffer(c->m + 1, c->row_start), index_buffer(c->n_entries, c->column),
                     number_buffer(c->type, c->n_entries, c->value),
                     number_buffer(c->type, c->n, c->x), number_buffer(c->type, c->m, c->y)};
}

static void close_case(buffers *b)
{
    cl_mem all[] = {b->row_start, b->column, b->value, b->x, b->y};
    for (int i = 0; i < 5; i++)
        clReleaseMemObject(all[i]);
}

static exblas_status multiply(const csr_case *c, const buffers *b)
{
    cl_event done = NULL;
    size_t m = (size_t)c->m, n = (size_t)c->n, entries = (size_t)c->n_entries, at = call.offset;
    exblas_status status;
    if (c->type == 'd')
        status = (call.wide ? exblas_cl_dcsrmv_64 : exblas_cl_dcsrmv)(
            gpu_queue(), m, n, entries, c->alpha.re, b->row_start, at, b->column, at, b->value, at,
            b->x, at, c->beta.re, b->y, at, 0, NULL, &done);
    else
        status = (call.wide ? exblas_cl_scsrmv_64 : exblas_cl_scsrmv)(
            gpu_queue(), m, n, entries, (float)c->alpha.re, b->row_start, at, b->column, at,
            b->value, at, b->x, at, (float)c->beta.re, b->y, at, 0, NULL, &done);
    if (status == EXBLAS_OK) {
        assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
        clReleaseEvent(done);
    }
    return status;
}

static void set(const char *name, int value)
{
    assert_int_equal(exblas_cl_set_param(gpu_queue(), "dcsrmv", name, value), EXBLAS_OK);
    assert_int_equal(exblas_cl_set_param(gpu_queue(), "scsrmv", name, value), EXBLAS_OK);
}

static csr_number *read_result(const csr_case *c, const buffers *b)
{
    csr_number *result = calloc((size_t)c->m + 1, sizeof *result);
    assert_non_null(result);
    for (int64_t i = 0; i < c->m; i++)
        result[i].re = gpu_element(b->y, c->type, call.offset + (size_t)i);
    return result;
}

static void check(const csr_case *c)
{
    buffers b = open_case(c);
    gpu_ok(multiply(c, &b));
    csr_number *result = read_result(c, &b);
    assert_true(csr_case_holds(c, result));
    free(result);
    close_case(&b);
}

static void random_cases(void **state)
{
    (void)state;
    test_random r = test_random_start(test_seed(), "gpu csrmv");
    int next = 0;
    for (int round = 0; next < 90; round++) {
        csr_case c = csr_case_make(&r, "ds"[round / 8 % 2], (size_t)round % csr_shapes(),
                                   (size_t)round % factors_kinds(), 900);
        if (csr_case_has_handle(&c)) {
            int group = gpu_groups[next % GPU_N_GROUPS];
            set("group", group);
            set("rows", next % 3 == 0 ? 1 : next % 3 == 1 ? group : (group + 1) / 2);
            call.wide = next % 5 < 2;
            call.offset = (size_t)(next % 4);
            assert_int_equal(exblas_set_method(next % 7 == 3 ? "superacc" : "auto"), EXBLAS_OK);
            check(&c);
            next++;
        }
        csr_case_free(&c);
    }
    exblas_set_method("auto");
}

/* Inf, NaN and zeros; stencils, whose sums end in ties; alpha = 0, where nothing of these counts;
 * no rows, no columns, no entries. */
static void special_cases(void **state)
{
    enum { M = 40, N = 30, ENTRIES = 160 };
    static const double stencil[] = {-1, -1, 6, 0.5, INFINITY, NAN, 0, -0.0};
    (void)state;
    test_random r = test_random_start(test_seed(), "gpu csrmv specials");
    for (int round = 0; round < 16; round++) {
        csr_case c = csr_case_empty("ds"[round % 2], M, N, ENTRIES, 1);
        for (int64_t i = 0; i < M; i++)
            c.row_start[i + 1] = i % 9 ? (i + 1) * ENTRIES / M : c.row_start[i];
        for (int64_t k = 0; k < ENTRIES; k++) {
            c.column[k] = random_between(&r, 0, N - 1);
            c.value[k].re = stencil[random_between(&r, 0, round < 8 ? 3 : 7)];
        }
        for (int64_t i = 0; i < M; i++)
            c.y[i].re = c.x[i].re = random_number(&r, csr_format(c.type), 0);
        c.alpha.re = round % 4 == 3 ? 0 : 1;
        c.beta.re = round % 3;
        c.n_entries = c.row_start[M];
        csr_case_answer(&c);
        call.offset = (size_t)(round % 2);
        check(&c);
        csr_case_free(&c);
    }
    csr_case none = csr_case_empty('d', 3, 0, 0, 1);
    none.alpha.re = 1;
    csr_case_answer(&none);
    check(&none);
    csr_case_free(&none);
}

/* What is wrong leaves y alone. */
static void bad_structure(void **state)
{
    enum { M = 3, N = 3, ENTRIES = 3 };
    static const int64_t start[][M + 1] = {{0, 2, 1, 3}, {-1, 0, 1, 2}, {0, 2, 2, 4}, {0, 2, 2, 3}};
    static const int64_t column[][ENTRIES] = {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 3, 1}};
    (void)state;
    for (int i = 0; i < 10; i++) {
        csr_case c = csr_case_empty("ds"[i % 2], M, N, ENTRIES, 1);
        memcpy(c.row_start, start[i / 2 % 4], sizeof start[0]);
        memcpy(c.column, column[i / 2 % 4], sizeof column[0]);
        if (i > 7) {
            memcpy(c.row_start, start[3], sizeof start[0]);
            c.column[1] = -1;
        }
        c.alpha.re = 1;
        for (int k = 0; k < M; k++)
            c.answer[k].re = c.y[k].re = 7;
        call.wide = i % 4 < 2;
        call.offset = 0;
        buffers b = open_case(&c);
        assert_int_equal(multiply(&c, &b), EXBLAS_EINVAL);
        csr_number *result = read_result(&c, &b);
        assert_true(csr_case_holds(&c, result));
        assert_non_null(strstr(exblas_cl_last_error(), "csrmv"));
        free(result);
        close_case(&b);
        csr_case_free(&c);
    }
}

/* --- conjugate gradients ---------------------------------------------------------------- */

enum { SIDE = 7, POINTS = SIDE * SIDE, STEPS = 25 };

typedef struct {
    exblas_int start[POINTS + 1], column[5 * POINTS];
    double value[5 * POINTS], b[POINTS], zero[POINTS];
    cl_mem d_start, d_column, d_value, x, r, p, q, one, scalar;
} cg_system;

static void make_system(cg_system *s)
{
    static const int step[] = {-SIDE, -1, 0, 1, SIDE};
    test_random r = test_random_start(test_seed(), "gpu cg");
    int at = 0;
    for (int i = 0; i < POINTS; i++) {
        for (int k = 0; k < 5; k++) {
            int j = i + step[k];
            bool wraps = (step[k] == 1 && j % SIDE == 0) || (step[k] == -1 && i % SIDE == 0);
            if (j < 0 || j >= POINTS || wraps)
                continue;
            s->column[at] = j;
            s->value[at++] = k == 2 ? 4.1 : -1;
        }
        s->start[i + 1] = at;
        s->b[i] = random_number(&r, FORMAT_D, 0);
    }
    const double one = 1;
    s->d_start = bytes_buffer(sizeof s->start, s->start);
    s->d_column = bytes_buffer(sizeof s->column, s->column);
    s->d_value = bytes_buffer(sizeof s->value, s->value);
    cl_mem *vector[] = {&s->x, &s->r, &s->p, &s->q};
    for (int i = 0; i < 4; i++)
        *vector[i] = bytes_buffer(sizeof s->b, i == 0 || i == 3 ? s->zero : s->b);
    s->one = bytes_buffer(sizeof one, &one);
    s->scalar = bytes_buffer(sizeof one, &one);
}

static double device_dot(const cg_system *s, cl_mem x, cl_mem y)
{
    gpu_ok(exblas_cl_ddot(gpu_queue(), POINTS, x, 0, 1, y, 0, 1, s->scalar, 0, 0, NULL, NULL));
    return gpu_element(s->scalar, 'd', 0);
}

/* y = a x + b y, rounded once: x as a matrix of one column, times 1. */
static void device_update(const cg_system *s, double a, cl_mem x, double b, cl_mem y)
{
    gpu_ok(exblas_cl_dgemv(gpu_queue(), 102, 111, POINTS, 1, a, x, 0, POINTS, s->one, 0, 1, b, y, 0,
                           1, 0, NULL, NULL));
}

/* The steps of exblas_dcg from x = 0, with r = p = b. */
static int device_cg(cg_system *s, double *history)
{
    double rr = device_dot(s, s->r, s->r);
    history[0] = sqrt(rr);
    for (int step = 1; step <= STEPS; step++) {
        gpu_ok(exblas_cl_dcsrmv(gpu_queue(), POINTS, POINTS, (size_t)s->start[POINTS], 1,
                                s->d_start, 0, s->d_column, 0, s->d_value, 0, s->p, 0, 0, s->q, 0,
                                0, NULL, NULL));
        double alpha = rr / device_dot(s, s->p, s->q), before = rr;
        device_update(s, alpha, s->p, 1, s->x);
        device_update(s, -alpha, s->q, 1, s->r);
        rr = device_dot(s, s->r, s->r);
        history[step] = sqrt(rr);
        device_update(s, 1, s->r, rr / before, s->p);
    }
    return STEPS;
}

static void one_history(void **state)
{
    static cg_system s;
    double device[STEPS + 1], host[STEPS + 1] = {0}, x[POINTS] = {0};
    (void)state;
    make_system(&s);
    exblas_dcsr a = {POINTS, s.start, s.column, s.value};
    exblas_dsolver_options o = {.tolerance = 1e-300, .most_steps = STEPS, .history = host};
    exblas_solver_result result;
    o.history_size = STEPS + 1;
    assert_int_equal(exblas_dcg(POINTS, exblas_dcsr_apply, &a, s.b, x, &o, &result), EXBLAS_OK);
    assert_int_equal(result.steps, device_cg(&s, device));
    for (int i = 0; i <= STEPS; i++)
        assert_same_bits(device[i], host[i]);
    for (int i = 0; i < POINTS; i++)
        assert_same_bits(gpu_element(s.x, 'd', (size_t)i), x[i]);
    assert_true(host[STEPS] < 1e-6 * host[0]);
    cl_mem all[] = {s.d_start, s.d_column, s.d_value, s.x, s.r, s.p, s.q, s.one, s.scalar};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        clReleaseMemObject(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_cases),
        cmocka_unit_test(special_cases),
        cmocka_unit_test(bad_structure),
        cmocka_unit_test(one_history),
    };
    return gpu_run(tests);
}
