/* csrmv: a look at the structure, a filter that reads the entries once, then what it could not
 * decide. */
#include "gpu/flow/gpu_csr.h"

#include "core/arith/words.h"
#include "core/fpenv.h"
#include "gpu/flow/matrix.h"

#include <stdio.h>

enum {
    ACC_BYTES = (EXB_PRODUCT_WORDS + 3) * sizeof(exb_i64), /* words and counters */
    MOST_ROWS = 1 << 20, /* at a time: bounds the scratch memory, and the count of a list */
    LEAST_ENTRIES = 4    /* of a row for each work-item, so that several share it */
};

/* How a call is carried out. `rows` rows of a group, and as many with accumulators. */
typedef struct {
    const exb_gpu_csr_call *c;
    char options[40];
    double alpha, beta;
    size_t group, index;
    int rows, exact_rows;
    exb_gpu_ref row_start, column, value, x, y;
} plan;

static double scalar(bool is_s, const void *x)
{
    return is_s ? (double)*(const float *)x : *(const double *)x;
}

/* On a processor an item has a row to itself; elsewhere up to 32 share one, as many as its entries
 * are worth. */
static int rows_of(exb_gpu *gpu, const plan *p)
{
    int lanes = 1;
    while (lanes < 32 && 2 * lanes * LEAST_ENTRIES <= p->c->n_entries / p->c->m)
        lanes *= 2;
    if (exb_gpu_get_limits(gpu).is_cpu)
        lanes = 1;
    int rows = exb_gpu_typed_param(gpu, p->c->is_s, "csrmv", "rows", (int)p->group / lanes);
    return (int)exb_most(exb_least(rows, (exb_i64)p->group), 1);
}

static plan plan_of(exb_gpu *gpu, const exb_gpu_csr_call *c)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    size_t element = exb_gpu_element_bytes(c->is_s);
    plan p = {.c = c, .index = c->is_wide ? sizeof(exblas_int64) : sizeof(exblas_int)};
    snprintf(p.options, sizeof p.options, "-DEXB_IS_S=%d -DEXB_WIDE=%d", c->is_s, c->is_wide);
    p.row_start = exb_gpu_vector_place(gpu, c->row_start, c->m + 1, 1, p.index);
    p.column = exb_gpu_vector_place(gpu, c->column, c->n_entries, 1, p.index);
    p.value = exb_gpu_vector_place(gpu, c->value, c->n_entries, 1, element);
    p.x = exb_gpu_vector_place(gpu, c->x, c->n, 1, element);
    p.y = exb_gpu_vector_place(gpu, c->y, c->m, 1, element);
    exb_gpu_span y = {"y", p.y, 1, c->m, 1, 0};
    if (c->n > 0 && c->n_entries > 0) {
        exb_gpu_refuse_overlap(gpu, y, (exb_gpu_span){"x", p.x, 1, c->n, 1, 0}, element);
        exb_gpu_refuse_overlap(gpu, y, (exb_gpu_span){"value", p.value, 1, c->n_entries, 1, 0},
                               element);
    }
    int group = exb_gpu_typed_param(gpu, c->is_s, "csrmv", "group", limits.is_cpu ? 16 : 256);
    p.group = (size_t)exb_least(group, limits.max_group);
    p.rows = rows_of(gpu, &p);
    p.exact_rows = (int)exb_least(p.rows, (exb_i64)(limits.local_bytes / ACC_BYTES));
    return p;
}

static exb_gpu_kernel kernel(const plan *p, const char *name)
{
    return (exb_gpu_kernel){"csrmv", name, p->options};
}

static size_t groups_of(exb_gpu *gpu, exb_i64 n, exb_i64 of_group)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    exb_i64 most = (exb_i64)limits.n_units * (limits.is_cpu ? 4 : 32);
    return (size_t)exb_most(exb_least(exb_tasks_of(n, of_group), most), 1);
}

/* Waits. False if the structure is wrong, or the device failed. Places without elements are not
 * read: row_start's stands for them. */
static bool is_good(exb_gpu *gpu, const plan *p)
{
    const exb_gpu_csr_call *c = p->c;
    exb_u32 bad = 0;
    exb_gpu_ref flag = exb_gpu_scratch(gpu, sizeof bad);
    exb_gpu_ref column = c->n_entries > 0 ? p->column : p->row_start;
    exb_gpu_clear(gpu, flag, sizeof bad);
    exb_gpu_launch(
        gpu, kernel(p, "csrmv_survey"),
        (exb_gpu_grid){
            {groups_of(gpu, exb_most(c->m, c->n_entries), (exb_i64)p->group)}, {p->group}, 0},
        6,
        (exb_gpu_arg[]){exb_gpu_i64(c->m), exb_gpu_i64(c->n), exb_gpu_i64(c->n_entries),
                        exb_gpu_place(p->row_start), exb_gpu_place(column), exb_gpu_place(flag)});
    exb_gpu_read(gpu, flag, sizeof bad, &bad);
    if (!exb_gpu_status(gpu) && bad)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "csrmv: row_start or a column is out of range");
    return !exb_gpu_status(gpu);
}

/* The kernel `name` on rows from i0 on: n is its first argument. */
static void launch(exb_gpu *gpu, const plan *p, const char *name, exb_gpu_grid grid, int rows,
                   exb_i64 n, exb_i64 i0, const exb_gpu_uncertified *u)
{
    bool any = p->c->n_entries > 0 && p->c->n > 0;
    exb_gpu_ref none = p->row_start;
    exb_gpu_launch(
        gpu, kernel(p, name), grid, 11,
        (exb_gpu_arg[]){
            exb_gpu_i64(n), exb_gpu_i32(rows), exb_gpu_f64(p->alpha), exb_gpu_f64(p->beta),
            exb_gpu_place(exb_gpu_at(p->row_start, (size_t)i0 * p->index)),
            exb_gpu_place(any ? p->column : none), exb_gpu_place(any ? p->value : none),
            exb_gpu_place(any ? p->x : none), exb_gpu_place(exb_gpu_element(p->y, i0, p->c->is_s)),
            exb_gpu_place(u->count), exb_gpu_place(u->list)});
}

/* `total` rows from i0 on, or those of the list if it is -1. */
static void exact(exb_gpu *gpu, const plan *p, exb_i64 total, exb_i64 i0,
                  const exb_gpu_uncertified *u)
{
    exb_i64 most = total < 0 ? u->room : total;
    launch(gpu, p, "csrmv_exact",
           (exb_gpu_grid){{groups_of(gpu, most, p->exact_rows)},
                          {p->group},
                          (size_t)p->exact_rows * ACC_BYTES},
           p->exact_rows, total, i0, u);
}

static void multiply(exb_gpu *gpu, const plan *p)
{
    exb_gpu_uncertified u = exb_gpu_uncertified_of(gpu, exb_least(p->c->m, MOST_ROWS));
    bool filters = exb_gpu_method(gpu)->filter;
    for (exb_i64 i0 = 0; i0 < p->c->m; i0 += MOST_ROWS) {
        exb_i64 n = exb_least(p->c->m - i0, MOST_ROWS);
        if (!filters) {
            exact(gpu, p, n, i0, &u);
            continue;
        }
        if (i0 > 0)
            exb_gpu_clear(gpu, u.count, sizeof(exb_u32));
        launch(gpu, p, "csrmv_filter",
               (exb_gpu_grid){
                   {(size_t)exb_tasks_of(n, p->rows)}, {p->group}, 4 * p->group * sizeof(double)},
               p->rows, n, i0, &u);
        exact(gpu, p, -1, i0, &u);
    }
}

/* False if there is nothing to do, or no such call. */
static bool is_call(exb_gpu *gpu, const exb_gpu_csr_call *c)
{
    if (c->m < 0 || c->n < 0 || c->n_entries < 0)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "csrmv: a size is negative");
    else if (c->m == INT64_MAX)
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "csrmv: row_start is longer than memory");
    else if (exb_gpu_get_limits(gpu).is_captured)
        exb_gpu_fail(gpu, EXBLAS_EUNSUPPORTED,
                     "csrmv waits for the device: the stream is being captured");
    return !exb_gpu_status(gpu) && c->m > 0;
}

/* The empty sum, for alpha = 0: a gemv whose columns are not there. */
static void scale(exb_gpu *gpu, const plan *p)
{
    if (p->beta == 1)
        return;
    exb_gpu_matrix y = {p->y, 1, 1, false};
    exb_gpu_product empty = {
        .is_s = p->c->is_s, .m = p->c->m, .n = 1, .k = 1, .beta = p->beta, .a = y, .b = y, .c = y};
    exb_gpu_gemv(gpu, exb_gpu_method(gpu), &empty);
}

static EXB_NOINLINE void run(exb_gpu *gpu, plan *p)
{
    p->alpha = scalar(p->c->is_s, p->c->alpha);
    p->beta = scalar(p->c->is_s, p->c->beta);
    if (p->alpha == 0)
        scale(gpu, p);
    else
        multiply(gpu, p);
}

void exb_gpu_call_csrmv(exb_gpu *gpu, const exb_gpu_csr_call *c)
{
    exb_fpenv env;
    if (!is_call(gpu, c))
        return;
    plan p = plan_of(gpu, c);
    if (exb_gpu_status(gpu) || !is_good(gpu, &p))
        return;
    exb_fpenv_enter(&env);
    run(gpu, &p);
    exb_fpenv_leave(&env);
}
