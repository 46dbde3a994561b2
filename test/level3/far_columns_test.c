/* Columns so far apart that products of places and strides leave 31 bits: a few columns beyond
 * 2^31 elements from each other, and blocks, panels and single elements of many columns whose last
 * ones are that far from the first. The same numbers next to each other have the same results.
 * Address space is reserved, memory only touched where elements are. */
#include "gemm_case.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <sys/mman.h>

typedef struct {
    const char *method;
    size_t workspace;
} setting;

static const setting settings[] = {{"anchor", 0},   {"residue", 0}, {"general", 0},
                                   {"superacc", 0}, {"auto", 0},    {"residue", 1069000}};

static const struct {
    char type;
    const char *kind;
    int64_t m, n, k, ld;
} shapes[] = {
    {'d', "boundaries", 3, 3, 5, ((int64_t)1 << 31) + 7},
    {'d', "some boundaries", 140, 138, 133, ((int64_t)1 << 26) + 7},
    {'d', "some boundaries", 20, 7, 4200, ((int64_t)1 << 20) + 9},
    {'d', "tiny", 40, 45, 60, ((int64_t)1 << 26) + 7},
    {'s', "some boundaries", 140, 135, 133, ((int64_t)1 << 26) + 7},
    {'z', "some boundaries", 70, 65, 72, ((int64_t)1 << 26) + 7},
};

enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* A stored matrix of n_lines lines of `length` bytes, and its copy with lines further apart. */
typedef struct {
    int64_t n_lines;
    size_t length, step, far_step, bytes;
    const char *near;
    char *far;
} matrix;

/* Before a matrix lies what nobody may read: where places that are cut to 32 bits are negative. And
 * right behind it. */
static const size_t guard = (size_t)33 << 30, page = 4096;

/* Shared, for which limits on data do not count. */
static char *reserved(size_t bytes)
{
    size_t all = guard + bytes + page;
    char *p = mmap(NULL, all, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (mprotect(p + guard, bytes, PROT_READ | PROT_WRITE) == 0)
        return p + guard;
    munmap(p, all);
    return NULL;
}

static void release(char *p, size_t bytes)
{
    munmap(p - guard - (uintptr_t)p % page, guard + bytes + page);
}

static void copy_lines(const matrix *m)
{
    for (int64_t j = 0; j < m->n_lines; j++)
        memcpy(m->far + (size_t)j * m->far_step, m->near + (size_t)j * m->step, m->length);
}

/* Of an operand in its type, near[0], with lines ld apart. */
static matrix apart(const fuzz_case *c, fuzz_which which, const void *near, int64_t ld,
                    int64_t far_ld)
{
    const fuzz_operand *o = &c->operand[which];
    size_t size = number_size(fuzz_format(c)) * (size_t)fuzz_parts(c);
    matrix m = {.n_lines = fuzz_by_rows(c) ? o->rows : o->cols, .near = near};
    m.length = (size_t)(fuzz_by_rows(c) ? o->cols : o->rows) * size;
    m.step = (size_t)ld * size;
    m.far_step = (size_t)far_ld * size;
    m.bytes = (size_t)(m.n_lines - 1) * m.far_step + m.length;
    m.far = reserved(m.bytes);
    assert_non_null(m.far);
    m.far += -m.bytes % page;
    copy_lines(&m);
    return m;
}

/* C far apart is `expected`, the padding of which does not count. */
static bool is_as(const matrix *c, const char *expected)
{
    for (int64_t j = 0; j < c->n_lines; j++)
        if (memcmp(c->far + (size_t)j * c->far_step, expected + (size_t)j * c->step, c->length))
            return false;
    return true;
}

static void check(test_random *r, int shape, int way)
{
    int64_t ld = shapes[shape].ld;
    fuzz_case c = gemm_plain(r, shapes[shape].type, gemm_kind(shapes[shape].kind), way,
                             shapes[shape].m, shapes[shape].n, shapes[shape].k);
    fuzz_memory memory = fuzz_memory_of(&c);
    fuzz_arguments near, far;
    fuzz_prepare(&c, &memory, &near);
    far = near;
    matrix ma = apart(&c, OPERAND_A, near.q.a, near.q.lda, far.q.lda = ld);
    matrix mb = apart(&c, OPERAND_B, near.q.b, near.q.ldb, far.q.ldb = ld + 2);
    matrix mc = apart(&c, OPERAND_C, near.q.c, near.q.ldc, far.q.ldc = ld + 1);
    far.q.a = ma.far;
    far.q.b = mb.far;
    far.q.c = mc.far;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        assert_int_equal(exblas_set_method(settings[i].method), EXBLAS_OK);
        exblas_set_workspace(settings[i].workspace);
        copy_lines(&mc); /* which is not read: beta is 0 */
        fuzz_make(&c, &near);
        fuzz_make(&c, &far);
        if (!is_as(&mc, near.q.c))
            fail_msg("%s, shape %d, way %d", settings[i].method, shape, way);
    }
    release(ma.far, ma.bytes);
    release(mb.far, mb.bytes);
    release(mc.far, mc.bytes);
    fuzz_finish(&c, &near, &memory);
    fuzz_memory_free(&memory);
    fuzz_case_free(&c);
}

static void far_columns(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "far columns");
    for (int shape = 0; shape < N_SHAPES; shape++)
        for (int way = 0; way < 8; way++)
            check(&r, shape, way);
    exblas_set_method(NULL);
    exblas_set_workspace(0);
}

/* Three matrices of the largest shape. */
static bool has_address_space(void)
{
    size_t bytes = (size_t)240 << 30;
    char *p = reserved(bytes);
    if (p)
        release(p, bytes);
    return p != NULL;
}

int main(void)
{
    if (!has_address_space()) {
        puts("1..0 # SKIP no address space of 240 GB");
        return 0;
    }
    return run_each(far_columns);
}
