/* Every routine of PBLAS in one type: the same bits as the serial routine's on the gathered
 * matrices. */
#include "grid_call.h"
#include "routine_call.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const grid *g;
    const grid_routine *routine;
    bool is_float, specials;
    int block, n_parts;                  /* of an element */
    double alpha[2], beta[2], result[2]; /* floats in the single types */
    grid_call call;
} problem;

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), n_end = strlen(end);
    return n >= n_end && strcmp(name + n - n_end, end) == 0;
}

static double get(const problem *p, const void *x, int i)
{
    return p->is_float ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/* --- serially ----------------------------------------------------------------- */

/* The arguments of the serial routine of the same name. */
static void run_serially(const char *name, const problem *p, void *result)
{
    const grid_call *q = &p->call;
    routine_call serial = {.layout = 'c',
                           .m = q->m,
                           .n = q->n,
                           .k = q->k,
                           .alpha = q->alpha,
                           .beta = q->beta,
                           .lda = q->a.m,
                           .ldb = q->b.m,
                           .ldc = q->c.m,
                           .result = result,
                           .incx = serial_step(&q->x),
                           .incy = serial_step(&q->y),
                           .a = serial_start(&q->a),
                           .b = serial_start(&q->b),
                           .c = serial_start(&q->c),
                           .x = serial_start(&q->x),
                           .y = serial_start(&q->y)};
    serial.side = (char)tolower(q->side);
    serial.uplo = (char)tolower(q->uplo);
    serial.trans = (char)tolower(q->trans);
    serial.transb = (char)tolower(q->transb);
    serial.diag = (char)tolower(q->diag);
    routine_run(name, FORM_CBLAS, &serial);
}

/* C = RN(alpha op(A) + beta C) by one axpby for each element that counts. */
static void add_serially(const problem *p, char op, bool triangle)
{
    const grid_call *q = &p->call;
    const char *a = serial_start(&q->a);
    char *c = serial_start(&q->c), name[] = {p->routine->type, 'a', 'x', 'p', 'b', 'y', 0};
    for (int j = 0; j < q->n; j++)
        for (int i = 0; i < q->m; i++) {
            double element[2];
            memcpy(element, a + (size_t)(op == 'N' ? i + j * q->a.m : j + i * q->a.m) * q->a.size,
                   q->a.size);
            if (op == 'C' && p->n_parts == 2)
                set_number(element, 1, p->is_float, -get(p, element, 1));
            routine_call one = {.n = 1,
                                .alpha = q->alpha,
                                .beta = q->beta,
                                .x = element,
                                .incx = 1,
                                .y = c + (size_t)(i + j * q->c.m) * q->c.size,
                                .incy = 1};
            if (!triangle || (q->uplo == 'L' ? i >= j : i <= j))
                routine_run(name, FORM_CBLAS, &one);
        }
}

/* Part k of element (i, j) of op(A), as a general, triangular or symmetric routine means it. */
static double part_of(const problem *p, bool symmetric, int i, int j, int k)
{
    const grid_call *q = &p->call;
    bool general = ends_in(p->routine->name, "agemv"), transposed = !symmetric && q->trans != 'N';
    int u = transposed ? j : i, v = transposed ? i : j;
    bool stored = general || (q->uplo == 'L' ? u >= v : u <= v);
    int at = stored ? u + v * q->a.m : v + u * q->a.m;
    if (!general && !symmetric && q->diag == 'U' && i == j)
        return k == 0;
    if ((!symmetric && !stored) || (symmetric && i == j && k == 1))
        return 0;
    return get(p, serial_start(&q->a), at * p->n_parts + k);
}

/* y = |alpha| |op(A)| |x| + |beta y|, each element by the product of a row with a column. */
static void add_magnitudes(const problem *p)
{
    const grid_call *q = &p->call;
    bool symmetric = strchr("sh", p->routine->name[2]) != NULL;
    bool general = ends_in(p->routine->name, "agemv");
    int m = general && q->trans == 'N' ? q->m : q->n;
    int n = general && q->trans != 'N' ? q->m : q->n, n_parts = p->n_parts;
    double factors[2][4 * MOST_ORDER], alpha, beta;
    set_number(&alpha, 0, p->is_float, fabs(get(p, q->alpha, 0)));
    set_number(&beta, 0, p->is_float, fabs(get(p, q->beta, 0)));
    if (m == 0 || n == 0)
        return;
    for (int i = 0; i < m; i++) {
        int n_terms = 0;
        char *y = (char *)serial_start(&q->y) + (size_t)(i * serial_step(&q->y)) * q->y.size;
        for (int j = 0; j < n; j++)
            for (int u = 0; u < n_parts; u++)
                for (int v = 0; v < n_parts; v++, n_terms++) {
                    int at = j * serial_step(&q->x) * n_parts + v;
                    set_number(factors[0], n_terms, p->is_float,
                               fabs(part_of(p, symmetric, i, j, u)));
                    set_number(factors[1], n_terms, p->is_float,
                               fabs(get(p, serial_start(&q->x), at)));
                }
        set_number(y, 0, p->is_float, fabs(get(p, y, 0)));
        routine_call row = {.layout = 'c',
                            .trans = 'n',
                            .m = 1,
                            .n = n_terms,
                            .alpha = &alpha,
                            .a = factors[0],
                            .lda = 1,
                            .x = factors[1],
                            .incx = 1,
                            .beta = &beta,
                            .y = y,
                            .incy = 1};
        routine_run(p->is_float ? "sgemv" : "dgemv", FORM_CBLAS, &row);
    }
}

static void check_result(const problem *p, const matrix *v, const void *wanted)
{
    static const double nothing[2];
    const char *name = p->routine->name;
    bool is_real = ends_in(name, "nrm2") || ends_in(name, "asum");
    if (!is_in_scope(p->g, v, p->call.n))
        wanted = is_real ? nothing : NULL; /* one vector has no other scope */
    if (wanted)
        check(memcmp(p->result, wanted, v->size / (is_real ? (size_t)p->n_parts : 1)) == 0);
}

/* The element too, not only where it is: from 1, as of the whole vector. */
static void check_largest(const problem *p)
{
    const matrix *x = &p->call.x;
    char name[] = {'i', p->routine->type, 'a', 'm', 'a', 'x', 0};
    int64_t at = 0;
    run_serially(name, p, &at);
    if (p->call.n == 0 || !is_in_scope(p->g, x, p->call.n))
        return;
    check_result(p, x, (char *)serial_start(x) + (size_t)((at - 1) * serial_step(x)) * x->size);
    check(p->call.index == (x->inc == x->m ? x->j : x->i) + at - 1);
}

static void check_call(problem *p)
{
    const char *name = p->routine->name, *operands = p->routine->operands;
    double wanted[2] = {0, 0};
    p->routine->run(&p->call);
    if (ends_in(name, "amax"))
        check_largest(p);
    else if (strchr(operands, 'r'))
        add_magnitudes(p);
    else if (strstr(name, "tran"))
        add_serially(p, ends_in(name, "c") ? 'C' : 'T', false);
    else if (ends_in(name, "add"))
        add_serially(p, p->call.trans, strstr(name, "tr") != NULL);
    else {
        run_serially(name, p, wanted);
        if (ends_in(name, "nrm2") || ends_in(name, "asum") || strstr(name, "dot")) {
            check_result(p, &p->call.x, wanted);
            if (strchr(operands, 'y'))
                check_result(p, &p->call.y, wanted);
        }
    }
}

/* --- problems --------------------------------------------------------------- */

static void random_scalar_of(test_random *r, problem *p, double *scalar)
{
    static const double plain[] = {1, 0, -1, 2, -0.75, HUGE_VAL};
    for (int i = 0; i < 2; i++)
        set_number(scalar, (size_t)i, p->is_float,
                   random_chance(r, 4) ? random_number(r, FORMAT_S, 0)
                                       : plain[random_between(r, 0, 5)]);
}

static int random_order(test_random *r)
{
    return (int)random_between(r, random_chance(r, 9) ? 0 : 1, MOST_ORDER - 30);
}

/* The operand of that name. */
static matrix *operand(problem *p, char name)
{
    matrix *all[] = {&p->call.a, &p->call.b, &p->call.c, &p->call.x, &p->call.y, &p->call.y};
    return all[strchr("abcxyr", name) - "abcxyr"];
}

static void make_problem(test_random *r, problem *p)
{
    const char *trans = p->routine->trans;
    const size_t real_size = p->is_float ? sizeof(float) : sizeof(double);
    grid_call *q = &p->call;
    /* Zeros outside of a triangle would turn Inf into NaN. */
    p->specials = random_chance(r, 2) && !ends_in(p->routine->name, "atrmv");
    bool finite_a = random_chance(r, 2);
    q->side = "LR"[random_between(r, 0, 1)];
    q->uplo = "LU"[random_between(r, 0, 1)];
    q->trans = *trans ? trans[random_between(r, 0, (int)strlen(trans) - 1)] : 'N';
    q->transb = "NTC"[random_between(r, 0, 2)];
    q->diag = "NU"[random_between(r, 0, 1)];
    q->m = random_order(r);
    q->n = random_order(r);
    q->k = random_order(r);
    random_scalar_of(r, p, p->alpha);
    random_scalar_of(r, p, p->beta);
    q->alpha = p->alpha;
    q->beta = p->beta;
    q->result = p->result;
    for (const char *o = p->routine->operands; *o; o++) {
        matrix *v = operand(p, *o);
        *v = make_matrix(r, p->g, *o == 'r' ? real_size : real_size * (size_t)p->n_parts,
                         MOST_ORDER - 30, p->block);
        if (strchr("xyr", *o))
            make_vector(r, v);
        fill_matrix(r, p->g, v, p->is_float, p->specials && !(finite_a && *o == 'a'));
    }
}

static void check_problem(problem *p)
{
    const grid_call *q = &p->call;
    check_call(p);
    for (const char *o = p->routine->operands; *o; o++) {
        bool same = is_same(p->g, operand(p, *o));
        if (!same)
            fprintf(stderr, "%s: %c on a grid of %d x %d: %c%c%c%c%c m=%d n=%d k=%d%s\n",
                    p->routine->name, *o, p->g->n_rows, p->g->n_cols, q->side, q->uplo, q->trans,
                    q->transb, q->diag, q->m, q->n, q->k, p->specials ? " Inf" : "");
        check(same);
        free_matrix(operand(p, *o));
    }
}

/* Those are checked for all block sizes, others for one. */
static bool is_for_all_blocks(const char *name)
{
    static const char *const ends[] = {"nrm2", "gemv", "gemm", "syrk", "trsm", "dot",
                                       "dotu", "dotc", "hemv", "hemm", "herk"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_in(name, ends[i]))
            return true;
    return false;
}

void check_routines(char type, const grid *g, int block, int rounds)
{
    test_random r = test_random_start(test_seed() + (uint64_t)(block + 100 * g->n_rows), "pblas");
    for (int i = 0; i < n_grid_routines * rounds; i++) {
        const grid_routine *routine = &grid_routines[i / rounds];
        int turn = (i / rounds + i % rounds + g->n_rows) % 3;
        if (routine->type != type || (!is_for_all_blocks(routine->name) && block / 32 != turn))
            continue;
        problem p = {.g = g, .routine = routine, .block = block};
        p.is_float = type == 's' || type == 'c';
        p.n_parts = type == 's' || type == 'd' ? 1 : 2;
        make_problem(&r, &p);
        check_problem(&p);
    }
}
