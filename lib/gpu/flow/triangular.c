/* trmm: a product with a triangular factor, of which the whole matrix is made in scratch memory,
 * with zeros, and with a copy of B, so that all ways of multiplying serve. That is twice the work,
 * which an engine for bytes does in less time than a plain one does half of it.
 *
 * A zero outside the triangle times an Inf or NaN of B is a NaN that is none: elements that are not
 * finite are computed again, exactly, from the triangle alone. Those that are finite have no such
 * factor, and zeros do not change an exact sum. */
#include "core/arith/words.h"
#include "gpu/flow/matrix.h"

enum {
    GROUPS_OF_A_UNIT = 16,
    MOST_ELEMENTS = 1 << 22, /* surveyed at a time: bounds the list */
    ACC_BYTES = (EXB_PRODUCT_WORDS + 3) * sizeof(exb_i64)
};

/* C = alpha T B with both factors packed. */
typedef struct {
    exb_gpu_product p;
    bool upper, unit;
} triangular;

static const char *options_of(const triangular *t)
{
    return exb_gpu_type_options(exb_gpu_product_type(&t->p));
}

static void run(exb_gpu *gpu, const triangular *t, const char *name, exb_i64 n, int n_args,
                const exb_gpu_arg *args)
{
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    size_t local = (size_t)limits.max_group;
    exb_i64 groups =
        exb_least(exb_tasks_of(n, (exb_i64)local), (exb_i64)limits.n_units * GROUPS_OF_A_UNIT);
    exb_gpu_launch(gpu, (exb_gpu_kernel){"triangle", name, options_of(t)},
                   (exb_gpu_grid){{(size_t)groups}, {local}, 0}, n_args, args);
}

/* rows x cols elements, packed by columns. */
static exb_gpu_matrix packed(exb_gpu *gpu, exb_gpu_type t, exb_i64 rows, exb_i64 cols)
{
    size_t bytes = (size_t)rows * (size_t)cols * exb_gpu_type_bytes(t);
    return (exb_gpu_matrix){exb_gpu_scratch(gpu, bytes), 1, rows, false};
}

static void fill(exb_gpu *gpu, const triangular *t, exb_gpu_matrix stored)
{
    exb_i64 n = t->p.m;
    run(gpu, t, "triangle_fill", n * n, 8,
        (exb_gpu_arg[]){exb_gpu_i64(n), exb_gpu_i32(t->upper), exb_gpu_i32(t->unit),
                        exb_gpu_place(stored.at), exb_gpu_i64(stored.row), exb_gpu_i64(stored.col),
                        exb_gpu_i32(stored.conjugate), exb_gpu_place(t->p.a.at)});
}

static void copy(exb_gpu *gpu, const triangular *t)
{
    const exb_gpu_product *p = &t->p;
    run(gpu, t, "triangle_copy", p->m * p->n, 6,
        (exb_gpu_arg[]){exb_gpu_i64(p->m), exb_gpu_i64(p->n), exb_gpu_place(p->c.at),
                        exb_gpu_i64(p->c.row), exb_gpu_i64(p->c.col), exb_gpu_place(p->b.at)});
}

static void survey(exb_gpu *gpu, const triangular *t, const exb_gpu_uncertified *u)
{
    const exb_gpu_product *p = &t->p;
    run(gpu, t, "triangle_survey", p->m * p->n, 7,
        (exb_gpu_arg[]){exb_gpu_i64(p->m), exb_gpu_i64(p->n), exb_gpu_place(p->c.at),
                        exb_gpu_i64(p->c.row), exb_gpu_i64(p->c.col), exb_gpu_place(u->count),
                        exb_gpu_place(u->list)});
}

static void finish(exb_gpu *gpu, const triangular *t, const exb_gpu_uncertified *u)
{
    const exb_gpu_product *p = &t->p;
    exb_gpu_limits limits = exb_gpu_get_limits(gpu);
    exb_gpu_tile tile = exb_gpu_tile_of(gpu, p->is_s, "gemm", p->a, 1);
    exb_i64 groups = exb_least(p->m * p->n, (exb_i64)limits.n_units * 8);
    exb_gpu_launch(
        gpu, (exb_gpu_kernel){"triangle", "triangle_exact", options_of(t)},
        (exb_gpu_grid){{(size_t)groups}, {tile.local}, ACC_BYTES << p->is_complex}, 12,
        (exb_gpu_arg[]){exb_gpu_i64(p->m), exb_gpu_i32(t->upper), exb_gpu_i32(t->unit),
                        exb_gpu_f64(p->alpha), exb_gpu_f64(p->alpha_im), exb_gpu_place(p->a.at),
                        exb_gpu_place(p->b.at), exb_gpu_place(p->c.at), exb_gpu_i64(p->c.row),
                        exb_gpu_i64(p->c.col), exb_gpu_place(u->count), exb_gpu_place(u->list)});
}

/* Columns from j0 on, `width` of them. */
static triangular columns_of(const triangular *all, exb_i64 j0, exb_i64 width)
{
    triangular t = *all;
    exb_gpu_type type = exb_gpu_product_type(&all->p);
    t.p.n = exb_least(all->p.n - j0, width);
    t.p.b.at = exb_gpu_typed_element(t.p.b.at, j0 * t.p.b.col, type);
    t.p.c.at = exb_gpu_typed_element(t.p.c.at, j0 * t.p.c.col, type);
    return t;
}

void exb_gpu_trmm(exb_gpu *gpu, const exb_method *method, const exb_gpu_system *s)
{
    exb_gpu_type type = s->type;
    triangular t = {.p = {.is_s = type.is_s,
                          .is_complex = type.is_complex,
                          .m = s->n,
                          .n = s->n_sides,
                          .k = s->n,
                          .alpha = s->alpha,
                          .alpha_im = s->alpha_im,
                          .c = {s->x.at, s->x.inc, s->next, false}},
                    .upper = s->upper,
                    .unit = s->unit};
    exb_i64 width = exb_least(MOST_ELEMENTS / s->n, s->n_sides);
    width = width > 0 ? width : 1;
    t.p.a = packed(gpu, type, s->n, s->n);
    t.p.b = packed(gpu, type, s->n, s->n_sides);
    exb_gpu_uncertified u = exb_gpu_uncertified_of(gpu, s->n * width);
    fill(gpu, &t, s->t);
    copy(gpu, &t);
    exb_gpu_gemm(gpu, method, &t.p);
    for (exb_i64 j0 = 0; j0 < s->n_sides; j0 += width) {
        triangular slice = columns_of(&t, j0, width);
        if (j0 > 0)
            exb_gpu_clear(gpu, u.count, sizeof(exb_u32));
        survey(gpu, &slice, &u);
        finish(gpu, &slice, &u);
    }
}
