/* The solvers: one history of residuals, all bits, for every mode, which is that of the method's
 * definition; solutions; ends of every kind. */
#include "csr_case.h"
#include "modes.h"
#include "oracle.h"
#include "testing.h"

#include <exblas/solvers.h>

#include <math.h>

enum { SIDE = 12, N = SIDE * SIDE, MOST = 5 * N, HISTORY = 200, BLOCK = 6 };

/* Five-point differences with coefficients that vary, and if `skew` a wind: not symmetric. */
typedef struct {
    int32_t start[N + 1], column[MOST], m_start[N + 1], m_column[N * BLOCK];
    double value[MOST], m_value[N * BLOCK], b[N];
    float value_f[MOST], m_value_f[N * BLOCK], b_f[N];
    exblas_dcsr a, m;
    exblas_scsr a_f, m_f;
} system_of;

static double coefficient(int i, int j)
{
    return 1 + 0.1 * ((i * 7 + j * 13) % 11);
}

static int32_t put_row(system_of *s, int x, int y, double skew, int32_t at)
{
    static const int dx[] = {0, -1, 0, 1, 0}, dy[] = {-1, 0, 0, 0, 1};
    double sum = 0;
    int32_t diagonal = at;
    for (int k = 0; k < 5; k++) {
        int u = x + dx[k], v = y + dy[k];
        double c = k == 2 ? 0 : coefficient(x + u, y + v);
        sum += c;
        if (u < 0 || u >= SIDE || v < 0 || v >= SIDE)
            continue;
        if (k == 2)
            diagonal = at;
        s->column[at] = v * SIDE + u;
        s->value[at++] = -c + skew * (dx[k] + dy[k]);
    }
    s->value[diagonal] = sum;
    return at;
}

static void make_system(system_of *s, double skew, int block)
{
    int32_t at = 0;
    for (int i = 0; i < N; i++) {
        s->start[i] = at;
        at = put_row(s, i % SIDE, i / SIDE, skew, at);
        s->b[i] = s->b_f[i] = (float)sin(i + 1);
    }
    s->start[N] = at;
    for (int k = 0; k < at; k++)
        s->value_f[k] = (float)s->value[k];
    s->a = (exblas_dcsr){N, s->start, s->column, s->value};
    s->a_f = (exblas_scsr){N, s->start, s->column, s->value_f};
    s->m = (exblas_dcsr){N, s->m_start, s->m_column, s->m_value};
    s->m_f = (exblas_scsr){N, s->m_start, s->m_column, s->m_value_f};
    if (block == 0)
        return;
    assert_int_equal(exblas_dcsr_block_inverse(N, block, s->start, s->column, s->value, s->m_start,
                                               s->m_column, s->m_value),
                     EXBLAS_OK);
    assert_int_equal(exblas_scsr_block_inverse(N, block, s->start, s->column, s->value_f,
                                               s->m_start, s->m_column, s->m_value_f),
                     EXBLAS_OK);
}

typedef struct {
    double history[HISTORY], x[N];
    exblas_solver_result result;
} outcome;

typedef enum { CG, BICGSTAB, GMRES, METHODS } method;

/* A matrix by a handle: exblas_##t##csr as an operator. */
#define BY_HANDLE(name, t, real)                                                                   \
    static exblas_status name(void *matrix, exblas_int64 n, const real *x, real *y)                \
    {                                                                                              \
        const exblas_##t##csr *a = matrix;                                                         \
        exblas_##t##csr_handle *h = NULL;                                                          \
        exblas_status status =                                                                     \
            exblas_##t##csr_create(a->n, a->n, a->row_start, a->column, a->value, &h);             \
        if (status == EXBLAS_OK)                                                                   \
            status = exblas_##t##csr_handle_apply(h, n, x, y);                                     \
        exblas_##t##csr_free(h);                                                                   \
        return status;                                                                             \
    }

BY_HANDLE(apply, d, double)
BY_HANDLE(apply_f, s, float)

static outcome solve(method m, bool is_float, system_of *s, int block, bool by_handle)
{
    exblas_dapply_fn *multiply = by_handle ? apply : exblas_dcsr_apply;
    exblas_sapply_fn *multiply_f = by_handle ? apply_f : exblas_scsr_apply;
    outcome o = {.history = {0}};
    float x[N] = {0};
    exblas_dsolver_options d = {.history = o.history, .history_size = HISTORY, .restart = 9};
    exblas_ssolver_options f = {.history = o.history, .history_size = HISTORY, .restart = 9};
    d.precondition = block ? multiply : NULL;
    f.precondition = block ? multiply_f : NULL;
    d.precondition_context = &s->m;
    f.precondition_context = &s->m_f;
    exblas_status status;
    if (is_float)
        status =
            (m == CG         ? exblas_scg
             : m == BICGSTAB ? exblas_sbicgstab
                             : exblas_sgmres)(N, multiply_f, &s->a_f, s->b_f, x, &f, &o.result);
    else
        status = (m == CG         ? exblas_dcg
                  : m == BICGSTAB ? exblas_dbicgstab
                                  : exblas_dgmres)(N, multiply, &s->a, s->b, o.x, &d, &o.result);
    assert_int_equal(status, EXBLAS_OK);
    for (int i = 0; i < N && is_float; i++)
        o.x[i] = x[i];
    return o;
}

/* The residual that x has: a solver may not say that it converged where it did not. */
static void assert_solved(const system_of *s, const outcome *o, double tolerance)
{
    double error = 0, size = 0;
    for (int i = 0; i < N; i++) {
        double r = s->b[i];
        for (int k = s->start[i]; k < s->start[i + 1]; k++)
            r -= s->value[k] * o->x[s->column[k]];
        error += r * r;
        size += s->b[i] * s->b[i];
    }
    assert_int_equal(o->result.reason, EXBLAS_CONVERGED);
    assert_true(sqrt(error) <= tolerance * sqrt(size));
}

static void one_history(NO_STATE)
{
    static system_of s;
    const call_mode *modes;
    size_t n_modes = modes_pairwise(&modes);
    for (int i = 0; i < METHODS * 2 * 3; i++) {
        method m = (method)(i % METHODS);
        bool is_float = i / METHODS % 2;
        int block = (int[]){0, 1, BLOCK}[i / METHODS / 2];
        make_system(&s, m == CG ? 0 : 0.3, block);
        mode_restore();
        outcome first = solve(m, is_float, &s, block, false);
        assert_solved(&s, &first, is_float ? 1e-3 : 1e-7);
        assert_true(first.result.steps > 3 && first.result.steps < HISTORY);
        assert_same_bits(first.history[first.result.steps], first.result.residual);
        for (size_t k = (size_t)i % 9; k < n_modes; k += 9) {
            mode_select(&modes[k]);
            outcome other = solve(m, is_float, &s, block, k / 9 % 2);
            assert_int_equal(other.result.steps, first.result.steps);
            assert_memory_equal(other.history, first.history, sizeof first.history);
            assert_memory_equal(other.x, first.x, sizeof first.x);
        }
    }
    mode_restore();
}

/* --- conjugate gradients and BiCGStab as they are defined ------------------------ */

/* Numbers of the format, every sum of products exact and rounded once. */
typedef struct {
    const system_of *s;
    bool is_float;
    int block;
    oracle o;
    double x[N], history[HISTORY];
} model;

static double rounded(model *m)
{
    double result = oracle_round(&m->o, m->is_float ? FORMAT_S : FORMAT_D);
    oracle_reset(&m->o);
    return result;
}

static double quotient(const model *m, double a, double b)
{
    return m->is_float ? (double)((float)a / (float)b) : a / b;
}

static double dot(model *m, const double *x, const double *y)
{
    for (int i = 0; i < N; i++)
        oracle_add_product(&m->o, x[i], y[i]);
    return rounded(m);
}

/* z = RN(x + a y + b w). */
static void combine(model *m, const double *x, double a, const double *y, double b, const double *w,
                    double *z)
{
    for (int i = 0; i < N; i++) {
        oracle_add(&m->o, x[i]);
        oracle_add_product(&m->o, a, y[i]);
        oracle_add_product(&m->o, b, w[i]);
        z[i] = rounded(m);
    }
}

static void multiply(model *m, bool by_inverse, const double *x, double *y)
{
    const system_of *s = m->s;
    const int32_t *start = by_inverse ? s->m_start : s->start;
    const int32_t *column = by_inverse ? s->m_column : s->column;
    for (int i = 0; i < N; i++) {
        for (int k = start[i]; k < start[i + 1]; k++) {
            double wide = by_inverse ? s->m_value[k] : s->value[k];
            float narrow = by_inverse ? s->m_value_f[k] : s->value_f[k];
            oracle_add_product(&m->o, m->is_float ? narrow : wide, x[column[k]]);
        }
        y[i] = rounded(m);
    }
}

static void precondition(model *m, const double *x, double *y)
{
    if (m->block)
        multiply(m, true, x, y);
    else
        memcpy(y, x, N * sizeof *y);
}

/* Notes the residual of a step. */
static bool goes_on(model *m, int step, const double *r)
{
    double limit = (m->is_float ? 0x1p-11 : 0x1p-26) * sqrt(dot(m, m->s->b, m->s->b));
    m->history[step] = sqrt(dot(m, r, r));
    return m->history[step] > limit;
}

static int model_cg(model *m)
{
    double r[N], z[N], p[N], q[N];
    int step = 0;
    memcpy(r, m->s->b, sizeof r);
    precondition(m, r, p);
    double rz = dot(m, r, p);
    for (; goes_on(m, step, r); step++) {
        if (step > 0) {
            precondition(m, r, z);
            double next = dot(m, r, z);
            combine(m, z, quotient(m, next, rz), p, 0, p, p);
            rz = next;
        }
        multiply(m, false, p, q);
        double alpha = quotient(m, rz, dot(m, p, q));
        combine(m, m->x, alpha, p, 0, p, m->x);
        combine(m, r, -alpha, q, 0, q, r);
    }
    return step;
}

static int model_bicgstab(model *m)
{
    double r[N], shadow[N], p[N], v[N], t[N], p_hat[N], s_hat[N];
    double rho = 1, alpha = 1, omega = 1;
    int step = 0;
    memcpy(r, m->s->b, sizeof r);
    memcpy(shadow, r, sizeof r);
    for (; goes_on(m, step, r); step++) {
        double next = dot(m, shadow, r);
        if (step == 0) {
            memcpy(p, r, sizeof p);
        } else {
            double beta = quotient(m, next, rho) * quotient(m, alpha, omega);
            beta = m->is_float ? (float)beta : beta;
            double gamma = m->is_float ? (float)(-beta * omega) : -beta * omega;
            combine(m, r, beta, p, gamma, v, p);
        }
        rho = next;
        precondition(m, p, p_hat);
        multiply(m, false, p_hat, v);
        alpha = quotient(m, rho, dot(m, shadow, v));
        combine(m, r, -alpha, v, 0, v, r);
        precondition(m, r, s_hat);
        multiply(m, false, s_hat, t);
        omega = quotient(m, dot(m, t, r), dot(m, t, t));
        combine(m, m->x, alpha, p_hat, omega, s_hat, m->x);
        combine(m, r, -omega, t, 0, t, r);
    }
    return step;
}

static void iterates_as_defined(NO_STATE)
{
    static system_of s;
    static model m;
    oracle_init(&m.o);
    mode_restore();
    for (int i = 0; i < 2 * 2 * 2; i++) {
        bool is_cg = i % 2, is_float = i / 2 % 2;
        int block = i / 4 ? BLOCK : 0;
        make_system(&s, is_cg ? 0 : 0.3, block);
        m = (model){.s = &s, .is_float = is_float, .block = block, .o = m.o};
        int steps = is_cg ? model_cg(&m) : model_bicgstab(&m);
        outcome got = solve(is_cg ? CG : BICGSTAB, is_float, &s, block, false);
        assert_int_equal(got.result.steps, steps);
        for (int k = 0; k <= steps; k++)
            assert_same_bits(got.history[k], m.history[k]);
        for (int k = 0; k < N; k++)
            assert_same_bits(got.x[k], m.x[k]);
    }
    oracle_clear(&m.o);
}

/* --- ends ------------------------------------------------------------------------ */

/* A matrix with a few distinct eigenvalues: CG ends after as many steps, the exact ones. */
static exblas_status multiply_by_diagonal(void *context, exblas_int64 n, const double *x, double *y)
{
    const double *d = context;
    for (int64_t i = 0; i < n; i++)
        y[i] = d[i % 3] * x[i];
    return EXBLAS_OK;
}

static int stop_at(void *context, int step, double residual, const double *x)
{
    (void)residual;
    return x != NULL && step == *(int *)context;
}

static exblas_status refuse(void *context, exblas_int64 n, const double *x, double *y)
{
    (void)n;
    (void)x;
    (void)y;
    return *(exblas_status *)context;
}

static void ends(NO_STATE)
{
    double d[] = {1, 2, 4}, b[] = {1, 2, 4, 1, 2, 4}, x[6] = {0}, negative[] = {1, -2, 4};
    double zero[6] = {0}, history[2] = {7, 7};
    int two = 2;
    exblas_solver_result r;
    exblas_dsolver_options o = {.tolerance = 1e-12};
    assert_int_equal(exblas_dcg(6, multiply_by_diagonal, d, b, x, &o, &r), EXBLAS_OK);
    assert_int_equal(r.reason, EXBLAS_CONVERGED);
    assert_true(r.steps <= 4);
    for (int i = 0; i < 6; i++)
        assert_same_bits(x[i], 1);
    memset(x, 0, sizeof x);
    o = (exblas_dsolver_options){.step = stop_at, .step_context = &two, .tolerance = 1e-300};
    assert_int_equal(exblas_dcg(6, multiply_by_diagonal, d, b, x, &o, &r), EXBLAS_OK);
    assert_int_equal(r.reason, EXBLAS_STOPPED);
    assert_int_equal(r.steps, 2);
    memset(x, 0, sizeof x);
    o = (exblas_dsolver_options){.most_steps = 1, .history = history, .history_size = 1};
    assert_int_equal(exblas_dgmres_64(6, multiply_by_diagonal, d, b, x, &o, &r), EXBLAS_OK);
    assert_int_equal(r.reason, EXBLAS_MOST_STEPS);
    assert_true(history[0] != 7 && history[1] == 7);
    assert_int_equal(exblas_dcg(6, multiply_by_diagonal, negative, b, x, NULL, &r), EXBLAS_OK);
    assert_int_equal(r.reason, EXBLAS_BREAKDOWN);
    memset(x, 0, sizeof x);
    assert_int_equal(exblas_dbicgstab(6, multiply_by_diagonal, d, zero, x, NULL, &r), EXBLAS_OK);
    assert_int_equal(r.reason, EXBLAS_CONVERGED);
    assert_int_equal(r.steps, 0);
    assert_int_equal(
        exblas_dbicgstab(6, multiply_by_diagonal, (double[]){4, -1, 0}, b, x, NULL, &r),
        EXBLAS_OK); /* b'Ab = 0 */
    assert_int_equal(r.reason, EXBLAS_BREAKDOWN);
    assert_same_bits(x[0], 0);
    exblas_status status = EXBLAS_EDEVICE;
    assert_int_equal(exblas_dcg(6, refuse, &status, b, x, NULL, NULL), EXBLAS_EDEVICE);
    assert_int_equal(exblas_dgmres(6, refuse, &status, b, x, NULL, NULL), EXBLAS_EDEVICE);
    assert_int_equal(exblas_dcg(-1, multiply_by_diagonal, d, b, x, NULL, NULL), EXBLAS_EINVAL);
    assert_int_equal(exblas_dcg(6, NULL, d, b, x, NULL, NULL), EXBLAS_EINVAL);
    assert_int_equal(exblas_dcg(6, multiply_by_diagonal, d, NULL, x, NULL, NULL), EXBLAS_EINVAL);
    b[0] = NAN;
    assert_int_equal(exblas_dgmres(6, multiply_by_diagonal, d, b, x, NULL, &r), EXBLAS_OK);
    assert_int_equal(r.reason, EXBLAS_BREAKDOWN);
}

static exblas_status apply_signs(void *context, exblas_int64 n, const double *x, double *y)
{
    const double *sign = context;
    for (int64_t i = 0; i < n; i++)
        y[i] = sign[i] * x[i];
    return EXBLAS_OK;
}

/* A positive definite matrix and a preconditioner that is not: r'Mr < 0 at once, = 0 at once, and
 * < 0 after a step. */
static void indefinite_preconditioners(NO_STATE)
{
    static const struct {
        double sign[3], b[3];
        int steps;
    } cases[] = {
        {{-1, -1, -1}, {1, 2, 4}, 0}, {{1, -1, 0}, {1, 1, 0}, 0}, {{1, -1, 1}, {3, 2, 1}, 1}};
    double d[] = {1, 2, 4}, history[4];
    for (int i = 0; i < 3; i++) {
        double x[3] = {0};
        exblas_solver_result r;
        exblas_dsolver_options o = {.precondition = apply_signs,
                                    .precondition_context = (void *)cases[i].sign,
                                    .history = history,
                                    .history_size = 4};
        assert_int_equal(exblas_dcg(3, multiply_by_diagonal, d, cases[i].b, x, &o, &r), EXBLAS_OK);
        assert_int_equal(r.reason, EXBLAS_BREAKDOWN);
        assert_int_equal(r.steps, cases[i].steps);
        for (int k = 0; k < 3 && r.steps == 0; k++)
            assert_same_bits(x[k], 0);
    }
}

/* The solvers' function of a matrix that is not square: no n is its order. */
static void square_handles_alone(NO_STATE)
{
    const int32_t start[] = {0, 1, 2, 2}, column[] = {1, 0};
    const double value[] = {2, 3}, x[] = {1, 5, 7};
    for (int m = 2; m <= 3; m++)
        for (int n = 2; n <= 3; n++) {
            exblas_dcsr_handle *h;
            assert_int_equal(exblas_dcsr_create(m, n, start, column, value, &h), EXBLAS_OK);
            for (int order = 2; order <= 3; order++) {
                double y[] = {7, 7, 7};
                bool fits = order == m && order == n;
                assert_int_equal(exblas_dcsr_handle_apply(h, order, x, y),
                                 fits ? EXBLAS_OK : EXBLAS_EINVAL);
                assert_same_bits(y[0], fits ? 10 : 7);
            }
            exblas_dcsr_free(h);
        }
}

static void block_inverses(NO_STATE)
{
    const int32_t start[] = {0, 2, 4, 5}, column[] = {1, 0, 0, 2, 2};
    const int64_t start_64[] = {0, 2, 4, 5}, column_64[] = {1, 0, 0, 2, 2};
    double value[] = {2, 0, 4, 9, 8}, to[6] = {7};
    int32_t to_start[4], to_column[6] = {[5] = -7};
    int64_t wide_start[4], wide_column[6] = {[5] = -7};
    const double expected[] = {0, 0.25, 0.5, 0, 0.125};
    const int32_t places[] = {0, 1, 0, 1, 2};
    assert_int_equal(exblas_dcsr_block_inverse(3, 2, start, column, value, to_start, to_column, to),
                     EXBLAS_OK);
    for (int k = 0; k < 5; k++) {
        assert_same_bits(to[k], expected[k]);
        assert_int_equal(to_column[k], places[k]);
    }
    assert_int_equal(to_start[2], 4);
    assert_int_equal(to_start[3], 5);
    assert_int_equal(
        exblas_dcsr_block_inverse_64(3, 2, start_64, column_64, value, wide_start, wide_column, to),
        EXBLAS_OK);
    assert_int_equal(wide_column[4], 2);
    assert_int_equal(to_column[5], -7); /* behind the arrays nothing is written */
    assert_int_equal(wide_column[5], -7);
    /* two entries in one place are added: 1 + 1 and 3 + 5 */
    const int32_t twice[] = {0, 2, 4, 4}, places_of[] = {0, 0, 1, 1};
    assert_int_equal(exblas_dcsr_block_inverse(2, 1, twice, places_of, (double[]){1, 1, 3, 5},
                                               to_start, to_column, to),
                     EXBLAS_OK);
    assert_same_bits(to[0], 0.5);
    assert_same_bits(to[1], 0.125);
    /* an entry right of the block is not in its next row; rows above are no pivots */
    const int32_t wide[] = {0, 3, 4, 5}, right[] = {0, 1, 2, 1, 2};
    assert_int_equal(exblas_dcsr_block_inverse(3, 2, wide, right, (double[]){1, 3, 5, 1, 1},
                                               to_start, to_column, to),
                     EXBLAS_OK);
    assert_same_bits(to[1], -3);
    assert_same_bits(to[2], 0);
    value[4] = 0;
    to[0] = 7;
    assert_int_equal(exblas_dcsr_block_inverse(3, 2, start, column, value, to_start, to_column, to),
                     EXBLAS_ERANGE);
    assert_int_equal(exblas_dcsr_block_inverse(3, 0, start, column, value, to_start, to_column, to),
                     EXBLAS_EINVAL);
    assert_same_bits(to[0], 7);
}

TESTS(one_history, iterates_as_defined, ends, indefinite_preconditioners, square_handles_alone,
      block_inverses)
